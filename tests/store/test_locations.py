"""Where a store is, is understood in one way, whoever asks."""

from pathlib import Path

import pytest

from sojourn.errors import InvalidInputError
from sojourn.store.location import Location, read_location


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("memory:", Location("memory")),
        ("postgresql://me@here/db", Location("postgresql")),
        ("postgres://here/db", Location("postgresql")),
        ("files:kept", Location("files", Path("kept"))),
        ("files:~/kept", Location("files", Path("/home/me/kept"))),
        ("~/kept.db", Location("sqlite", Path("/home/me/kept.db"))),
        ("kept.db", Location("sqlite", Path("kept.db"))),
        (Path("odd://name"), Location("sqlite", Path("odd:/name"))),
    ],
)
def test_a_place_is_what_is_written(written: str | Path, meant: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    assert read_location(written) == meant


@pytest.mark.parametrize("written", ["", "sqlite:kept.db", "sqlite:///kept.db", "~no-such-person-here/kept.db"])
def test_what_is_no_place_is_refused(written: str) -> None:
    with pytest.raises(InvalidInputError):
        read_location(written)


def test_a_password_is_not_told_again() -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_location("mysql://me:geheim@here/db")

    assert "mysql://..." in str(refused.value)
    assert "geheim" not in str(refused.value)
