"""An agent in a durable session with models on the OpenAI protocols, whose servers refuse whatever OpenAI would."""

from collections.abc import Iterator
from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import ContentChunk, ReasoningChunk, SessionCancelled
from sojourn.agent.settings import AgentSettings
from sojourn.errors import ModelUnavailableError
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.protocol import Provider
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_anthropic import AnthropicWire, redacted_thinking, thinking, tool_use
from sojourn.testing.wire_openai import Call, OpenAiWire
from tests.agent.agent_kit import listed, registry
from tests.providers.anthropic_talks import asking

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["chat", "responses"])
def protocol(request: pytest.FixtureRequest) -> str:
    """Each protocol in turn."""
    return str(request.param)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def say(wire: OpenAiWire, protocol: str, text: Any = None, **details: Any) -> None:
    (wire.say if protocol == "chat" else wire.respond)(text, **details)


def model_of(wire: OpenAiWire, protocol: str) -> Provider:
    kind = OpenAiChat if protocol == "chat" else OpenAiResponses
    return kind("little-model", base_url=wire.base_url, retries=0)


def talking(model: Provider, session: Session) -> Agent:
    skills = registry(weather=weather)
    settings = AgentSettings(thinking=1024)
    return Agent(model, session=session, skills=skills, instructions="Be kind.", settings=settings)


def calls(*cities: str, first: int = 1) -> list[Call]:
    return [
        Call(id=f"call_{number}", name="weather", arguments={"city": city}) for number, city in enumerate(cities, first)
    ]


async def test_thinking_and_tools_over_two_turns_and_a_restart(wire: OpenAiWire, protocol: str) -> None:
    say(wire, protocol, "Looking.", thinking=["Two ", "cities."], calls=calls("Rome", "Oslo"))
    say(wire, protocol, thinking="And one more.", calls=calls("Bern", first=3))
    say(wire, protocol, "It is sunny everywhere.", thinking="All sunny.")
    say(wire, protocol, "You asked about three cities.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        events = await listed(talking(model, session).run_turn("How is the weather?"))
        await model.close()
        again = await Session.open(store, "s")
        model = model_of(wire, protocol)
        await listed(talking(model, again).run_turn("What did I ask?"))
        await model.close()

    assert wire.refusals == []
    assert "".join(event.text for event in events if isinstance(event, ReasoningChunk)) == (
        "Two cities.And one more.All sunny."
    )
    assert "sunny in Oslo" in str(wire.bodies[1])
    assert ("gAAAAAB" in str(wire.bodies[3])) == (protocol == "responses")


async def test_what_was_thought_goes_back_between_the_rounds_of_a_turn(wire: OpenAiWire, protocol: str) -> None:
    say(wire, protocol, thinking="Rome, then Oslo.", calls=calls("Rome"))
    say(wire, protocol, calls=calls("Oslo", first=2))
    say(wire, protocol, "Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        await listed(talking(model, session).run_turn("How is the weather?"))
        await model.close()

    assert wire.refusals == []
    assert ["Rome, then Oslo." in str(body) for body in wire.bodies] == [False, True, True]


async def test_the_rounds_of_a_turn_begin_alike(wire: OpenAiWire, protocol: str) -> None:
    """Only then does the server read again in the second round what it kept of the first."""
    say(wire, protocol, calls=calls("Rome"))
    say(wire, protocol, "Sunny.", cached_tokens=90)
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        await listed(talking(model, session).run_turn("How is the weather in Rome?"))
        await model.close()
        counted = session.state.metadata

    first, second = ((body.get("messages") or body["input"]) for body in wire.bodies)
    assert second[: len(first)] == first
    assert wire.bodies[0]["tools"] == wire.bodies[1]["tools"]
    assert counted.cache_read_tokens == 90


async def test_a_turn_that_was_stopped_in_the_middle_can_be_gone_on_from(wire: OpenAiWire, protocol: str) -> None:
    held = Held()
    say(wire, protocol, ["It is", held, " sunny."], thinking="Let me see.")
    say(wire, protocol, "As I was saying: sunny.")
    token = CancellationToken()
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        agent = talking(model, session)
        events = []
        async for event in agent.run_turn("How is the weather?", cancel_token=token):
            events.append(event)
            if isinstance(event, ContentChunk):
                token.cancel()
        held.release()
        await listed(agent.run_turn("Go on."))
        await model.close()

    assert isinstance(events[-1], SessionCancelled)
    assert wire.refusals == []


async def test_a_stream_that_breaks_off_leaves_a_session_that_goes_on(wire: OpenAiWire, protocol: str) -> None:
    say(wire, protocol, thinking="Hm.", calls=[Call(name="weather", arguments='{"city": "Ro')], ending="cut")
    say(wire, protocol, "Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        agent = talking(model, session)
        with pytest.raises(ModelUnavailableError):
            await listed(agent.run_turn("How is the weather?"))
        await listed(agent.run_turn("And now?"))
        await model.close()

    assert wire.refusals == []


async def test_arguments_that_cannot_be_read_are_answered_and_the_talk_goes_on(wire: OpenAiWire, protocol: str) -> None:
    say(wire, protocol, thinking="Rome.", calls=[Call(id="a", name="weather", arguments='{"city": Rome}')])
    say(wire, protocol, thinking="Once more.", calls=[Call(id="b", name="weather", arguments={"city": "Rome"})])
    say(wire, protocol, "Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        await listed(talking(model, session).run_turn("How is the weather?"))
        await model.close()

    assert wire.refusals == []
    assert "sunny in Rome" in str(wire.bodies[2])


@pytest.mark.parametrize("protocol", ["chat"])
async def test_ids_that_a_server_counts_anew_in_each_round_are_kept_apart(wire: OpenAiWire, protocol: str) -> None:
    for city in ("Rome", "Oslo"):
        say(wire, protocol, calls=calls(city))
    say(wire, protocol, "Sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        model = model_of(wire, protocol)
        await listed(talking(model, session).run_turn("How is the weather?"))
        await model.close()

    assert wire.refusals == []
    assert "sunny in Rome" in str(wire.bodies[2])
    assert "sunny in Oslo" in str(wire.bodies[2])


async def test_a_session_goes_from_one_vendor_to_the_other_and_back(
    server: WireServer, wire: OpenAiWire, protocol: str
) -> None:
    theirs = AnthropicWire(server)
    other = "responses" if protocol == "chat" else "chat"
    theirs.say(
        thinking("Rome."), redacted_thinking("hidden"), "Looking.",
        tool_use("weather", {"city": "Rome"}, id="toolu_" + "x" * 60),
    )  # fmt: skip
    theirs.say(thinking("Sunny."), "Sunny.")
    say(wire, protocol, thinking="Oslo.", calls=calls("Oslo"))
    say(wire, protocol, "Sunny there, too.")
    say(wire, other, thinking="Bern.", calls=calls("Bern", first=2))
    say(wire, other, "And there.")
    theirs.say("It was all sunny.")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        for question, model in (
            ("Rome?", asking(theirs)),
            ("Oslo?", model_of(wire, protocol)),
            ("Bern?", model_of(wire, other)),
            ("So?", asking(theirs)),
        ):
            await listed(talking(model, session).run_turn(question))
            await model.close()

    assert wire.refusals == []
    assert theirs.refusals == []
    assert "hidden" not in str(wire.bodies)
