"""What a model would see is shown part by part, with what it costs, why it is there, and what to do about it."""

import json
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn.desk.columns import width
from sojourn.engine.session import Session
from sojourn.model.events import UsageRecorded
from sojourn.model.message import Message, ToolCall
from tests.cli.seeded import seed
from tests.cli.typed import Type


async def _talked(_: sojourn.Sojourn, session: Session) -> None:
    said = await session.messages.add(Message(role="user", content="My name is Ada. The cookie is set in auth.py."))
    await session.profile.set(name="Ada", causes=[said.seq])
    await session.facts.learn("the cookie is set in auth.py", causes=[said.seq])
    call = ToolCall(id="c1", name="grep", arguments={"pattern": "cookie"})
    await session.messages.add(Message(role="assistant", content="", tool_calls=(call,)))
    await session.messages.add(Message(role="tool", content="auth.py: cookie\n" * 500, tool_call_id="c1"))
    await session.messages.add(Message(role="assistant", content="It is there."))
    await session.append(UsageRecorded(model="claude-sonnet-5-5", input_tokens=100, cache_read_tokens=900))


@pytest.fixture
def talked(folder: Path) -> str:
    """A session with a heavy result of a tool, answered last by a model that is known; its id."""
    return seed(folder, _talked)


def parts(data: dict[str, Any]) -> list[str]:
    return [part["name"] for part in data["parts"]]


def test_every_part_has_its_tokens_and_its_reason(talked: str, type_: Type) -> None:
    data = type_("context", talked, "what is my name, and where is the cookie set?", "--json").data

    assert parts(data)[:2] == ["system", "messages"]
    assert {"profile", "facts"} <= set(parts(data))
    assert all(item["reason"] and item["tokens"] > 0 for part in data["parts"] for item in part["items"])
    assert (data["model"], data["window"]) == ("claude-sonnet-5-5", 1_000_000)
    assert data["beside"]["tokens"] > 0
    assert data["reported"] == {"model": "claude-sonnet-5-5", "count": 1_000}
    assert data["tokens"]["certainty"] == "estimated"


def test_people_see_the_same_in_a_table(talked: str, type_: Type) -> None:
    shown = type_("context", "--bare")

    assert shown.lines[0].startswith("~")
    assert "claude-sonnet-5-5" in shown.lines[0]
    assert "the last call sent 1,000 tokens, as claude-sonnet-5-5 reported" in shown.out
    assert any(line.startswith("messages (4)") and "%" in line for line in shown.lines)
    assert any(line.startswith("  [6] tool result") for line in shown.lines)
    assert "sojourn compact --keep 1" in shown.lines[-1]


def test_for_a_model_that_nobody_knows_there_are_tokens_and_no_shares(talked: str, type_: Type) -> None:
    shown = type_("context", "--bare", "--model", "hal-9000")

    assert "%" not in "\n".join(shown.lines[:6])
    assert "how much the model takes is not known" in shown.out
    assert type_("context", "--model", "hal-9000", "--json").data["window"] is None


def test_a_small_budget_leaves_things_out_and_says_why(talked: str, type_: Type) -> None:
    data = type_("context", "--bare", "--budget", "300", "--json").data

    assert data["tokens"]["count"] <= data["budget"] == 300
    assert "does not fit" in [one["why"] for one in data["dropped"]]
    assert "left out:" in type_("context", "--bare", "--budget", "300").out
    assert type_("context", "--budget", "100").code == 2


@pytest.mark.parametrize(
    ("form", "key"), [("anthropic", "messages"), ("openai-chat", "messages"), ("openai-responses", "input")]
)
def test_the_payload_is_what_the_api_takes(talked: str, type_: Type, form: str, key: str) -> None:
    printed = json.loads(type_("context", "--payload", form).out)

    assert "auth.py" in json.dumps(printed[key])
    assert type_("context", "--payload", form, "--json").data["payload"] == printed


def test_a_payload_of_nothing_is_refused(folder: Path, type_: Type) -> None:
    async def nothing(_: sojourn.Sojourn, __: Session) -> None: ...

    seed(folder, nothing)

    assert type_("context", "--payload", "anthropic").code == 2


def test_one_item_is_told_whole_by_part_entry_or_words(talked: str, type_: Type) -> None:
    assert "[6]" in type_("context", "--why", "6").lines[0]
    assert type_("context", "--bare", "--why", "messages", "--json").data["items"][0]["seqs"] == [2]
    assert "the last" not in type_("context", "--why", "it is there").out
    assert type_("context", "--why", "zebra").code == 3
    assert type_("context", "--why", "6", "--payload", "anthropic").code == 2


def test_looking_changes_nothing(talked: str, type_: Type) -> None:
    before = type_("show", "--json").data

    type_("context", "@last", "a question that nobody asked")

    assert type_("show", "--json").data == before


@pytest.mark.parametrize("columns", [40, 100])
def test_no_line_of_the_table_is_wider_than_the_terminal(
    talked: str, type_: Type, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    lines = type_("context", "--budget", "6000").lines

    assert [line for line in lines[2:8] if width(line) > columns] == []


def test_a_window_that_was_settled_is_known(talked: str, type_: Type) -> None:
    type_("config", "set", "prices.hal-9000.window", "50000")

    data = type_("context", "--model", "hal-9000", "--json").data

    assert data["window"] == 50_000


def test_what_a_chat_would_not_add_is_not_counted(talked: str, type_: Type) -> None:
    type_("config", "set", "prices.tiny.window", "9000")
    small = type_("context", "--model", "tiny", "--json").data
    type_("config", "set", "tools", "false")
    toolless = type_("context", "--json").data

    assert small["beside"] is toolless["beside"] is None
    assert parts(small)[0] == parts(toolless)[0] == "system"
    assert small["parts"][0]["tokens"] < toolless["parts"][0]["tokens"]


def test_what_was_left_out_is_told_as_well(talked: str, type_: Type) -> None:
    told = type_("context", "--bare", "--budget", "300", "--why", "messages")

    assert any(line.startswith("left out of messages: does not fit") for line in told.lines)
    assert type_("context", "--bare", "--budget", "300", "--why", "older messages", "--json").data["items"] == []
