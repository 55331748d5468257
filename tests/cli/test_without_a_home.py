"""In a container that runs as a number nobody has a home: that is said, and a folder that is named is enough."""

import io
import pwd
from pathlib import Path
from typing import NoReturn

import pytest

from sojourn.agent.instructions import load_instructions
from tests.cli.typed import Type


@pytest.fixture
def homeless(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a person is who is known to nobody."""

    def unknown(number: int) -> NoReturn:
        raise KeyError(number)

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return folder


@pytest.mark.parametrize(
    "words", [("ls",), ("db", "path"), ("config", "path"), ("-p", "Hi.", "--model", "scripted:Yes.")]
)
def test_without_a_home_it_is_said_which_variable_to_set(
    homeless: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.delenv("SOJOURN_HOME")

    told = type_(*words)

    assert told.code == 2
    assert "there is no home here: set HOME, or SOJOURN_HOME" in told.err
    assert list(homeless.iterdir()) == [homeless / "work"]


def test_a_folder_that_is_named_is_enough_for_who_has_no_home(homeless: Path, type_: Type) -> None:
    asked = type_("-p", "Hi.", "--model", "scripted:Yes.")
    assert (asked.code, asked.out) == (0, "Yes.\n"), asked.err
    assert [one["message_count"] for one in type_("ls", "--json").data["sessions"]] == [2]
    assert (homeless / "home" / "sojourn.db").exists()


@pytest.mark.anyio
async def test_the_instructions_of_a_project_are_found_by_who_has_no_home(homeless: Path) -> None:
    (homeless / "work" / "SOJOURN.md").write_text("Be brief.")

    found = await load_instructions(folder=homeless / "work")

    assert "Be brief." in found.text
