"""Whatever a model scripts and wherever the turn is cancelled, the next request is valid and tells the truth.

Hypothesis chooses the turn and the place: at an event, or within a skill. No time passes.
"""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Sequence
from contextlib import aclosing, suppress
from typing import Literal, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

import sojourn
from sojourn import ContextManager
from sojourn.agent import events as told
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.settings import AgentSettings
from sojourn.context.validity import problems
from sojourn.model.events import ToolRan, ToolStarted
from sojourn.model.message import Message, Part, TextPart, ThinkingPart, ToolCall
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import registry
from tests.faults.agents import QUIET
from tests.faults.ledger import read_all
from tests.faults.test_cancellation import loop_turns
from tests.faults.truth import Truth, verify, verify_results

Way = Literal["token", "task", "leaving"]


class Round(NamedTuple):
    """One answer of the model with calls, which are named by their skills."""

    calls: Sequence[str]
    parallel: bool
    thinks: bool
    speaks: bool


class Place(NamedTuple):
    """Where a turn is cancelled: at the event, or within the run of a skill, that has this *number*."""

    kind: Literal["event", "skill"]
    number: int


rounds = st.builds(
    Round,
    calls=st.lists(st.sampled_from(["work", "slow", "broken"]), min_size=1, max_size=4),
    parallel=st.booleans(),
    thinks=st.booleans(),
    speaks=st.booleans(),
)
ways: st.SearchStrategy[Way] = st.sampled_from(["token", "task", "leaving"])
places = st.one_of(
    st.builds(Place, kind=st.just("event"), number=st.integers(0, 60)),
    st.builds(Place, kind=st.just("skill"), number=st.integers(0, 8)),
)


def scripted(wanted: Round) -> Message:
    """Return what the model says in a round."""
    content: list[Part] = [ThinkingPart(text="Let me see what to do.", signature="s")] if wanted.thinks else []
    if wanted.speaks:
        content.append(TextPart(text="I am going to do something about it."))
    extra = {"_parallel": True} if wanted.parallel else {}
    calls = [
        ToolCall(id=f"call_{secrets.token_hex(6)}", name=name, arguments={"nonce": secrets.token_hex(6), **extra})
        for name in wanted.calls
    ]
    return Message(role="assistant", content=tuple(content), tool_calls=tuple(calls))


class Turn:
    """A turn that is cancelled at a place. Lives for one example."""

    def __init__(self, place: Place, way: Way) -> None:
        self.truth = Truth()
        self._place = place
        self._way = way
        self._passed = {"event": 0, "skill": 0}
        self._token = CancellationToken()
        self._leaves = False
        self._listening: asyncio.Task[None] | None = None

    async def work(self, nonce: str) -> str:
        """Do something."""
        self.truth.note("start", nonce=nonce)
        self._pass("skill")
        self.truth.note("end", nonce=nonce)
        return f"did {nonce}"

    async def slow(self, nonce: str) -> str:
        """Do something that takes a few steps."""
        self.truth.note("start", nonce=nonce)
        await loop_turns(2)
        self._pass("skill")
        await loop_turns(2)
        self.truth.note("end", nonce=nonce)
        return f"did {nonce}"

    async def broken(self, nonce: str) -> str:
        """Fail."""
        raise RuntimeError(await self.work(nonce))

    def _pass(self, kind: Literal["event", "skill"]) -> None:
        if kind == self._place.kind and self._passed[kind] == self._place.number:
            match self._way:
                case "token":
                    self._token.cancel()
                case "leaving" if kind == "event":
                    self._leaves = True
                case _:
                    assert self._listening is not None
                    self._listening.cancel()
        self._passed[kind] += 1

    async def run(self, agent: Agent, text: str) -> None:
        """Take the turn, and wait for its end."""
        self._listening = asyncio.create_task(self._listen(agent, text))
        with suppress(asyncio.CancelledError):
            await self._listening
        self.truth.stop()

    async def _listen(self, agent: Agent, text: str) -> None:
        self.truth.begin(text)
        async with aclosing(agent.run_turn(text, cancel_token=self._token)) as events:
            async for event in events:
                self.truth.hear(event)
                self._pass("event")
                if self._leaves:
                    return


def seen_by(requests: Sequence[ModelRequest]) -> dict[str, set[str]]:
    """Return what the model was told of each call, by nonce."""
    seen: dict[str, set[str]] = defaultdict(set)
    for request in requests:
        nonces = {call.id: call.arguments["nonce"] for message in request.messages for call in message.tool_calls}
        for message in request.messages:
            if message.role == "tool" and message.tool_call_id is not None:
                seen[nonces[message.tool_call_id]].add(message.text)
    return seen


async def cancel_and_go_on(turns: Sequence[Round], place: Place, way: Way) -> None:
    turn = Turn(place, way)
    provider = ScriptedProvider([scripted(wanted) for wanted in turns], otherwise="That is all that I have to say.")
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        skills = registry(work=turn.work, slow=turn.slow, broken=turn.broken)
        agent = Agent(provider, session=session, skills=skills, settings=AgentSettings(when_busy="refuse"))
        await turn.run(agent, "Do what you think is right.")
        turn.truth.begin("Shall we go on?")
        async with aclosing(agent.run_turn("Shall we go on?")) as events:
            async for event in events:
                turn.truth.hear(event)

        assert event == told.SessionCompleted()
        assert [problems(request.messages) for request in provider.requests] == [[]] * len(provider.requests)
        await verify(app.store, "s", turn.truth, seen=seen_by(provider.requests))


async def cancel_and_go_on_in_memory(turns: Sequence[Round], place: Place, way: Way) -> None:
    turn, context = Turn(place, way), ContextManager()
    provider = ScriptedProvider([scripted(wanted) for wanted in turns], otherwise="That is all that I have to say.")
    skills = registry(work=turn.work, slow=turn.slow, broken=turn.broken)
    agent = Agent(provider, context=context, skills=skills)
    await turn.run(agent, "Do what you think is right.")
    await agent.ask("Shall we go on?")

    assert [problems(request.messages) for request in provider.requests] == [[]] * len(provider.requests)
    nonces = {call.id: call.arguments["nonce"] for said in context.messages for call in said.tool_calls}
    results: dict[str, list[Message]] = defaultdict(list)
    for said in context.messages:
        if said.tool_call_id is not None:
            results[said.tool_call_id].append(said)
    verify_results(nonces, results, turn.truth.read())


def thinking(request: ModelRequest) -> str | Message:
    """Answer as a model that is asked to judge, too; the answer itself takes two calls."""
    text = f"{request.system}\n{request.messages[-1].text}"
    if "Recommended Strategy" in text:
        return "**Complexity Level:** SIMPLE\n**Recommended Strategy:** DIRECT\n**Confidence:** 0.9\n"
    if "Quality Assessment" in text:
        return "**Quality Assessment:** SUFFICIENT\n**Confidence Score:** 0.9\n"
    if request.messages[-1].role == "user":
        return scripted(Round(calls=("slow", "work"), parallel=False, thinks=False, speaks=True))
    return "That is all that I have to say."


async def cancel_an_attempt_and_go_on(place: Place, way: Way) -> None:
    turn, provider = Turn(place, way), ScriptedProvider(otherwise=thinking)
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        skills = registry(work=turn.work, slow=turn.slow, broken=turn.broken)
        agent = Agent(provider, session=session, skills=skills, reasoning=ReasoningConfig())
        await turn.run(agent, "Do what you think is right.")
        await Agent(ScriptedProvider(["Yes."]), session=session).ask("Shall we go on?")
        journal = await read_all(app.store, "s")

    events = [entry.event for entry in journal]
    nonces = {event.call_id: event.arguments["nonce"] for event in events if isinstance(event, ToolStarted)}
    ran = {event.call_id: event.success for event in events if isinstance(event, ToolRan)}
    happened = turn.truth.read()
    assert session.state.conversation.open_calls == ()
    assert ran.keys() == nonces.keys()
    assert {line["nonce"] for line in happened["start"]} <= set(nonces.values())
    assert {nonces[call_id] for call_id, success in ran.items() if success} <= {
        line["nonce"] for line in happened["end"]
    }


anywhere = given(
    turns=st.lists(rounds, max_size=3),
    place=places,
    way=ways,
)


@settings(max_examples=200)
@anywhere
def test_a_turn_that_is_cancelled_anywhere_is_followed_by_one_that_is_valid(
    turns: list[Round], place: Place, way: Way
) -> None:
    asyncio.run(cancel_and_go_on(turns, place, way))


@settings(max_examples=200)
@anywhere
def test_messages_in_memory_are_as_valid_after_a_cancel_anywhere(turns: list[Round], place: Place, way: Way) -> None:
    asyncio.run(cancel_and_go_on_in_memory(turns, place, way))


@settings(max_examples=100)
@given(place=places, way=ways)
def test_an_attempt_beside_the_talk_that_is_cancelled_leaves_no_call_open(place: Place, way: Way) -> None:
    asyncio.run(cancel_an_attempt_and_go_on(place, way))
