"""Servers of tools that a person has configured work in his chats; one that does not is told of, and no more."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire
from tests.cli.typed import Type, Typed

pytestmark = pytest.mark.usefixtures("words_only")

pytest.importorskip("mcp")
PROGRAM = Path(__file__).parents[1] / "agent" / "mcp_server.py"
LITTLE = f"[mcp.little]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(PROGRAM))}]\n"

Chat = Callable[..., Typed]


@pytest.fixture
def chat(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, wire: OpenAiWire) -> Chat:
    """Says lines in a chat with the servers that a configuration names."""
    (folder / "home").mkdir()

    def said(*lines: str, config: str = LITTLE, also: tuple[str, ...] = ()) -> Typed:
        (folder / "home" / "config.toml").write_text(config)
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return type_("chat", "-m", f"{wire.base_url}#tiny", *also)

    return said


def offered(server: WireServer) -> list[str]:
    """Return the names of the tools that the model was told of last."""
    return [tool["function"]["name"] for tool in server.requests[-1].json.get("tools", ())]


def test_a_model_may_use_the_tools_of_a_server(chat: Chat, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    assert chat("Hi").out == "Hello.\n"

    names = offered(server)
    assert {"add", "echo", "read_file"} <= set(names)


def test_only_the_tools_that_are_enabled_are_offered(chat: Chat, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    chat("Hi", config=LITTLE + 'enabled = ["add"]\n')

    assert "add" in offered(server)
    assert "echo" not in offered(server)


def test_a_tool_of_a_server_runs_if_it_only_reads_and_else_is_asked_about(
    chat: Chat, server: WireServer, wire: OpenAiWire
) -> None:
    wire.say(calls=[Call(name="picture", arguments={})])
    wire.say("Seen.")
    wire.say(calls=[Call(name="add", arguments={"a": 1, "b": 2})])
    wire.say("Not added.")

    chat("Look at it", "Add them")

    told = json.dumps(server.requests[1].json["messages"][-1]), json.dumps(server.requests[3].json["messages"][-1])
    assert "Look:" in told[0]
    assert "a human has to approve" in told[1]


def test_a_prompt_of_a_server_is_run(chat: Chat, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Dear Ada!")

    told = chat("/greet Ada")

    assert told.out == "Dear Ada!\n"
    assert "Greet Ada warmly." in json.dumps(server.requests[-1].json["messages"])


def test_a_resource_of_a_server_is_pulled_in(chat: Chat, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Milk.")

    chat("What is in @notes?")

    assert "Buy milk." in json.dumps(server.requests[-1].json["messages"])


def test_a_prompt_that_nobody_has_begins_no_session(chat: Chat, type_: Type) -> None:
    told = chat("/nonsense", "/help")

    assert told.code == 3
    assert "no prompt is called /nonsense; there are: /greet, /talk" in told.err
    assert "/help " in told.out
    assert type_("ls", "--json").data["sessions"] == []


def test_a_server_that_cannot_start_is_told_of_and_the_chat_goes_on(chat: Chat, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    told = chat("Hi", config='[mcp.gone]\ncommand = "/nowhere/at-all"\n')

    assert (told.code, told.out) == (0, "Hello.\n")
    assert "the MCP server gone does not work: " in told.err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('args = ["x"]\n', "needs either a command or a url"),
        ('url = "ftp://x"\n', "begins with http:// or https://"),
        ('command = "x"\nenv.KEY = "${NOT_SET_ANYWHERE}"\n', "needs the variable NOT_SET_ANYWHERE"),
    ],
)
def test_a_server_that_makes_no_sense_is_left_out(chat: Chat, wire: OpenAiWire, entry: str, said: str) -> None:
    wire.say("Hello.")

    told = chat("Hi", config=f"[mcp.odd]\n{entry}")

    assert (told.code, told.out) == (0, "Hello.\n")
    assert said in told.err


def test_without_tools_no_server_is_started(chat: Chat, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    told = chat("Hi", config='[mcp.gone]\ncommand = "/nowhere/at-all"\n', also=("--no-tools",))

    assert "gone" not in told.err
    assert offered(server) == []


def test_without_the_extra_the_chat_goes_on(chat: Chat, wire: OpenAiWire, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "mcp" or name.startswith("mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    wire.say("Hello.")

    told = chat("Hi")

    assert (told.code, told.out) == (0, "Hello.\n")
    assert "the MCP servers are left out: " in told.err
