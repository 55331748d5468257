"""An agent in a durable session with a model on the Messages API, whose server refuses whatever Anthropic would."""

from collections.abc import Iterator
from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import ContentChunk, ReasoningChunk, SessionCancelled
from sojourn.agent.settings import AgentSettings
from sojourn.errors import ModelUnavailableError
from sojourn.providers.scripted import ScriptedProvider
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_anthropic import AnthropicWire, redacted_thinking, text, thinking, tokens, tool_use
from tests.agent.agent_kit import calling, listed, registry
from tests.providers.anthropic_talks import NEWER, asking

pytestmark = pytest.mark.anyio
THINKING = AgentSettings(thinking=1024)


@pytest.fixture
def wire() -> Iterator[AnthropicWire]:
    with WireServer() as server:
        yield AnthropicWire(server)


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def talking(wire: AnthropicWire, session: Session, **details: Any) -> Agent:
    settings = details.pop("settings", THINKING)
    return Agent(
        asking(wire, **details),
        session=session,
        skills=registry(weather=weather),
        instructions="Be kind.",
        settings=settings,
    )


async def test_thinking_and_tools_over_two_turns_and_a_restart(wire: AnthropicWire) -> None:
    wire.say(
        thinking("Two cities."),
        redacted_thinking("hidden"),
        "Looking.",
        tool_use("weather", {"city": "Rome"}, id="toolu_a"),
        tool_use("weather", {"city": "Oslo"}, id="toolu_b"),
    )
    wire.say(thinking("And one more."), tool_use("weather", {"city": "Bern"}, id="toolu_c"))
    wire.say(thinking("All sunny."), "It is sunny everywhere.")
    wire.say("You asked about three cities.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        events = await listed(talking(wire, session).run_turn("How is the weather?"))
        again = await Session.open(store, "s")
        await listed(talking(wire, again).run_turn("What did I ask?"))

    assert wire.refusals == []
    assert [event.text for event in events if isinstance(event, ReasoningChunk)] == [
        "Two cities.", "And one more.", "All sunny.",
    ]  # fmt: skip
    kinds = [[block["type"] for block in message["content"]] for message in wire.bodies[2]["messages"]]
    assert kinds[-4:] == [
        ["thinking", "redacted_thinking", "text", "tool_use", "tool_use"],
        ["tool_result", "tool_result"],
        ["thinking", "tool_use"],
        ["tool_result"],
    ]


async def test_a_round_without_thinking_does_not_end_the_thinking_of_its_turn(wire: AnthropicWire) -> None:
    wire.say(thinking("Rome, then Oslo."), tool_use("weather", {"city": "Rome"}, id="toolu_a"))
    wire.say(tool_use("weather", {"city": "Oslo"}, id="toolu_b"))
    wire.say("Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await listed(talking(wire, session).run_turn("How is the weather?"))

    assert wire.refusals == []
    assert ["thinking" in body for body in wire.bodies] == [True, True, True]


async def test_the_rounds_of_a_turn_begin_alike(wire: AnthropicWire) -> None:
    """Only then is what the server keeps of the first round read again in the second."""
    wire.say(tool_use("weather", {"city": "Rome"}, id="toolu_a"), usage=tokens(cache_created=900))
    wire.say("Sunny.", usage=tokens(cached=900))
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await listed(talking(wire, session).run_turn("How is the weather in Rome?"))
        counted = session.state.metadata

    first, second = (without_marks(body) for body in wire.bodies)
    assert first["tools"] == second["tools"]
    assert first["system"] == second["system"]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert counted.cache_read_tokens == 900
    assert counted.cache_creation_tokens == 900


async def test_a_turn_that_was_stopped_in_the_middle_can_be_gone_on_from(wire: AnthropicWire) -> None:
    held = Held()
    wire.say(thinking("Let me see."), text("It is", held, " sunny."))
    wire.say("As I was saying: sunny.")
    token = CancellationToken()
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        agent = talking(wire, session)
        events = []
        async for event in agent.run_turn("How is the weather?", cancel_token=token):
            events.append(event)
            if isinstance(event, ContentChunk):
                token.cancel()
        held.release()
        await listed(agent.run_turn("Go on."))

    assert isinstance(events[-1], SessionCancelled)
    assert wire.refusals == []


async def test_a_stream_that_breaks_off_leaves_a_session_that_goes_on(wire: AnthropicWire) -> None:
    wire.say(thinking("Hm."), tool_use("weather", '{"city": "Ro'), error="overloaded_error")
    wire.say("Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        agent = talking(wire, session)
        with pytest.raises(ModelUnavailableError):
            await listed(agent.run_turn("How is the weather?"))
        await listed(agent.run_turn("And now?"))

    assert wire.refusals == []


async def test_a_session_goes_from_one_model_to_the_other(wire: AnthropicWire) -> None:
    odd = calling(("weather", {"city": "Rome"}), text="Looking.")
    wire.say(thinking("Oslo."), tool_use("weather", {"city": "Oslo"}, id="toolu_a"), model="claude-haiku-4-5-20251001")
    wire.say("Sunny there, too.")
    wire.say("And so it was.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        scripted = ScriptedProvider([odd, "Sunny."])
        skills = registry(weather=weather)
        await listed(Agent(scripted, session=session, skills=skills).run_turn("How is the weather in Rome?"))
        await listed(talking(wire, session).run_turn("And in Oslo?"))
        await listed(talking(wire, session, model=NEWER).run_turn("Was it?"))

    assert wire.refusals == []
    assert wire.bodies[2]["model"] == NEWER
    kinds = [block["type"] for message in wire.bodies[2]["messages"] for block in message["content"]]
    assert "tool_use" in kinds
    assert "thinking" not in kinds


async def test_arguments_that_cannot_be_read_are_answered_and_the_talk_goes_on(wire: AnthropicWire) -> None:
    wire.say(thinking("Rome."), tool_use("weather", '{"city": Rome}', id="toolu_a"))
    wire.say(thinking("Once more."), tool_use("weather", {"city": "Rome"}, id="toolu_b"))
    wire.say("Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await listed(talking(wire, session).run_turn("How is the weather?"))

    assert wire.refusals == []
    (result,) = wire.bodies[1]["messages"][-1]["content"]
    assert result["is_error"] is True


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_marks(item) for name, item in value.items() if name != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value
