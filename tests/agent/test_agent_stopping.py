"""Stopping a turn anywhere: what there was of it is stored, every call has a result, and the next turn is valid."""

import asyncio
import gc
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any

import anyio
import anyio.lowlevel
import pytest

import sojourn
from sojourn import ContextManager, Session
from sojourn.agent import events as told
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.settings import AgentSettings
from sojourn.context.validity import CANCELLED, problems
from sojourn.engine.repair import CANCELLED_BEFORE
from sojourn.errors import ModelUnavailableError
from sojourn.model.message import Message
from sojourn.providers.protocol import ContentDelta, ModelRequest, RawLog, StreamComplete, StreamEvent
from sojourn.providers.scripted import ScriptedProvider
from sojourn.store.protocol import Receipt
from tests.agent.agent_kit import Waits, calling, kinds, listed, registry, said

pytestmark = pytest.mark.anyio


def echo(text: str) -> str:
    """Say it again."""
    return text


async def stopped(events: AsyncIterator[Any], token: CancellationToken, when: Callable[[Any], bool]) -> list[Any]:
    """Take events, and cancel at the first that *when* is about."""
    seen = []
    async for event in events:
        seen.append(event)
        if when(event):
            token.cancel()
    return seen


async def is_valid_for_another_turn(agent: Agent, provider: ScriptedProvider) -> bool:
    provider.add("Yes, go on.")
    await agent.ask("Shall we go on?")
    return problems(provider.requests[-1].messages) == []


def outcome(session: Session) -> str | None:
    turn = session.state.conversation.turn
    assert turn is not None
    return turn.outcome


@pytest.mark.parametrize("stored", [True, False])
async def test_stopped_while_the_answer_is_stored_it_is_there_once(*, stored: bool) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["It was a dark and stormy night."])
        agent, token, append = Agent(provider, session=session), CancellationToken(), session.store.append

        async def cancelled(session_id: str, events: Sequence[Any], **options: Any) -> Receipt:
            if not options.get("clear_partial"):
                return await append(session_id, events, **options)
            session.store.append = append  # type: ignore[method-assign]  # once
            if stored:
                await append(session_id, events, **options)
            token.cancel()
            await anyio.lowlevel.checkpoint()
            raise AssertionError("it was cancelled")

        session.store.append = cancelled  # type: ignore[method-assign]
        seen = await listed(agent.run_turn("Tell me a story", cancel_token=token))

        assert isinstance(seen[-1], told.SessionCancelled)
        assert [(one.text, one.partial) for one in await said(session) if one.role == "assistant"] == [
            ("It was a dark and stormy night.", not stored)
        ]
        assert await session.store.find_lease(session.id) is None
        assert await is_valid_for_another_turn(agent, provider)


class CancelsAtItsEnd(ScriptedProvider):
    """Says all of its answer, and has the turn cancelled when nothing but the end is left to say."""

    def __init__(self, answer: Message | str, token: CancellationToken) -> None:
        super().__init__([answer])
        self._token = token

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        async with aclosing(super().stream(request, raw_log=raw_log)) as events:
            async for event in events:
                if isinstance(event, StreamComplete):
                    self._token.cancel()
                yield event


@pytest.mark.parametrize("answer", ["So be it.", calling(("echo", {"text": "hi"}), text="So be it.")])
async def test_stopped_when_all_was_heard_and_nothing_is_stored_the_text_is_kept(answer: Message | str) -> None:
    """What an answer costs is looked up before it is stored, and the table is loaded the first time."""
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        token = CancellationToken()
        provider = CancelsAtItsEnd(answer, token)
        agent = Agent(provider, session=session, skills=registry(echo=echo))

        seen = await listed(agent.run_turn("Do it", cancel_token=token))

        assert isinstance(seen[-1], told.SessionCancelled)
        assert [(one.text, one.partial) for one in await said(session) if one.role == "assistant"] == [
            ("So be it.", True)
        ]
        assert await is_valid_for_another_turn(agent, provider)


async def test_stopped_in_the_middle_of_the_answer_the_part_is_stored_and_marked() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["It was a dark and stormy night, and the rain fell in torrents."])
        agent, token = Agent(provider, session=session), CancellationToken()

        is_text = lambda event: isinstance(event, told.ContentChunk)  # noqa: E731 - one of many conditions
        seen = await stopped(agent.run_turn("Tell me a story", cancel_token=token), token, is_text)

        assert [type(event) for event in seen] == [told.ContentChunk, told.SessionCancelled]
        last = (await said(session))[-1]
        assert (last.text, last.partial) == ("It was a dar", True)
        assert outcome(session) == "cancelled"
        assert await is_valid_for_another_turn(agent, provider)


async def test_stopped_between_two_tools_the_second_has_a_result_that_says_so() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("echo", {"text": "a"}), ("echo", {"text": "b"}))])
        agent, token = Agent(provider, session=session, skills=registry(echo=echo)), CancellationToken()

        is_done = lambda event: isinstance(event, told.ToolCompleted)  # noqa: E731 - one of many conditions
        await stopped(agent.run_turn("go", cancel_token=token), token, is_done)

        assert [m.text for m in await said(session) if m.role == "tool"] == ["a", CANCELLED_BEFORE]
        assert (await kinds(session)).count("ToolStarted") == 1
        assert await is_valid_for_another_turn(agent, provider)


async def test_stopped_inside_a_tool_the_tool_is_cancelled_at_once() -> None:
    waits = Waits()
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("wait", {}), ("wait", {}))])
        agent, token = Agent(provider, session=session, skills=registry(wait=waits.__call__)), CancellationToken()
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listed, agent.run_turn("go", cancel_token=token))
                await waits.runs.wait()
                token.cancel()

        assert waits.cancelled
        assert [m.text for m in await said(session) if m.role == "tool"] == [CANCELLED, CANCELLED_BEFORE]
        assert "ToolRan" not in await kinds(session)
        assert await is_valid_for_another_turn(agent, provider)


async def test_stopped_in_a_parallel_batch_every_call_has_a_result() -> None:
    waits, quick = Waits(), anyio.Event()

    async def hurry() -> str:
        """Be quick."""
        quick.set()
        return "quick"

    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("wait", {"_parallel": True}), ("hurry", {}), ("wait", {}))])
        skills = registry(wait=waits.__call__, hurry=hurry)
        agent, token = Agent(provider, session=session, skills=skills), CancellationToken()

        is_done = lambda event: isinstance(event, told.ToolCompleted)  # noqa: E731 - one of many conditions
        with anyio.fail_after(5):
            await stopped(agent.run_turn("go", cancel_token=token), token, is_done)

        assert sorted(m.text for m in await said(session) if m.role == "tool") == [CANCELLED, CANCELLED, "quick"]
        assert await is_valid_for_another_turn(agent, provider)


async def test_a_token_that_is_cancelled_already_stops_the_turn_before_anything_is_asked() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["never"])
        token = CancellationToken()
        token.cancel()

        assert await listed(Agent(provider, session=session).run_turn("hi", cancel_token=token)) == [
            told.SessionCancelled()
        ]
        assert provider.requests == []


async def test_a_token_may_be_cancelled_from_another_thread() -> None:
    waits = Waits()
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("wait", {}))])
        agent, token = Agent(provider, session=session, skills=registry(wait=waits.__call__)), CancellationToken()
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listed, agent.run_turn("go", cancel_token=token))
                await waits.runs.wait()
                threading.Thread(target=token.cancel).start()

        assert waits.cancelled
        assert outcome(session) == "cancelled"


async def test_leaving_the_iteration_stops_the_turn() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["A long answer that nobody waits for."])
        agent = Agent(provider, session=session)
        events = agent.run_turn("go")
        await anext(events)
        await events.aclose()

        assert outcome(session) == "cancelled"
        assert (await said(session))[-1].partial
        assert not agent.is_busy
        assert await is_valid_for_another_turn(agent, provider)


async def test_an_iteration_that_is_dropped_and_forgotten_ends_as_well() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        waits = Waits()
        provider = ScriptedProvider([calling(("wait", {}))])
        agent = Agent(provider, session=session, skills=registry(wait=waits.__call__))

        async def peek() -> None:
            async for _ in agent.run_turn("go"):
                break

        await peek()
        gc.collect()
        with anyio.fail_after(5):
            while agent.is_busy:
                await anyio.lowlevel.checkpoint()
        assert outcome(session) == "cancelled"
        assert await is_valid_for_another_turn(agent, provider)


async def test_cancelling_the_task_that_listens_stops_the_turn() -> None:
    waits = Waits()
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("wait", {}))])
        agent = Agent(provider, session=session, skills=registry(wait=waits.__call__))
        task = asyncio.create_task(agent.ask("go"))
        await waits.runs.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert waits.cancelled
        assert outcome(session) == "cancelled"
        assert await is_valid_for_another_turn(agent, provider)


async def test_messages_in_memory_are_made_valid_the_same_way() -> None:
    context = ContextManager()
    provider = ScriptedProvider([calling(("echo", {"text": "a"}), ("echo", {"text": "b"}), text="Let me look.")])
    agent, token = Agent(provider, context=context, skills=registry(echo=echo)), CancellationToken()
    is_done = lambda event: isinstance(event, told.ToolCompleted)  # noqa: E731 - one of many conditions
    await stopped(agent.run_turn("go", cancel_token=token), token, is_done)

    assert [m.text for m in context.messages if m.role == "tool"] == ["a", CANCELLED_BEFORE]
    assert await is_valid_for_another_turn(agent, provider)

    provider.add("This is going to be cut off.")
    token.reset()
    is_text = lambda event: isinstance(event, told.ContentChunk)  # noqa: E731 - one of many conditions
    await stopped(agent.run_turn("again", cancel_token=token), token, is_text)
    assert context.messages[-1] == Message(role="assistant", content="This is goin", partial=True)


class BreaksOff(ScriptedProvider):
    """A model whose connection breaks after two pieces."""

    async def stream(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> Any:
        async for number, event in _numbered(super().stream(request, raw_log=raw_log)):
            if number == 2:
                raise ModelUnavailableError("it broke off")
            yield event


async def _numbered(events: AsyncIterator[StreamEvent]) -> AsyncIterator[tuple[int, StreamEvent]]:
    number = 0
    async for event in events:
        yield number, event
        number += 1


async def test_a_stream_that_breaks_off_leaves_its_part() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(BreaksOff(["It was a dark and stormy night."]), session=session)
        with pytest.raises(ModelUnavailableError):
            await agent.ask("Tell me a story")

        last = (await said(session))[-1]
        assert (last.text, last.partial) == ("It was a dark and stormy"[:24], True)
        assert outcome(session) == "failed"


async def test_streamed_text_is_saved_while_it_comes() -> None:
    kept: list[str] = []

    class Slow(ScriptedProvider):
        async def stream(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> Any:
            async for event in super().stream(request, raw_log=raw_log):
                yield event
                if isinstance(event, ContentDelta):
                    found = await session.store.find_partial(session.id)
                    kept.append(found.text if found is not None else "")

    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(
            Slow(["x" * 60]), session=session, settings=AgentSettings(partial_characters=24, partial_seconds=3_600)
        )
        await agent.ask("go")

        assert [len(text) for text in kept] == [0, 24, 24, 48, 48]
        assert await session.store.find_partial(session.id) is None


async def test_a_callback_that_fails_on_cancel_is_reported_and_the_others_are_called() -> None:
    called: list[int] = []

    def broken() -> None:
        raise RuntimeError("no")

    token = CancellationToken()
    token.on_cancel(broken)
    token.on_cancel(lambda: called.append(1))
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: called.append(2))

    assert called == [1, 2]
    with pytest.raises(asyncio.CancelledError, match="Operation cancelled by user"):
        token.raise_if_cancelled()
    token.reset()
    token.raise_if_cancelled()
    assert not token.is_cancelled
