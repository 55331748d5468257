"""Bad input to a session gets one clear error of our tree, and changes nothing."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import sojourn
from sojourn import Session
from sojourn.engine.app import Sojourn
from sojourn.engine.settings import Settings
from sojourn.errors import ConflictError, InvalidInputError, NotFoundError, SojournError
from sojourn.testing.clock import FakeClock

pytestmark = pytest.mark.anyio
Mistake = Callable[[Sojourn, Session], Awaitable[Any]]

MISTAKES: dict[str, tuple[type[SojournError], str, Mistake]] = {
    "a focus type that no design names": (InvalidInputError, "focus type", lambda _, s: s.focus.set("daydream")),
    "a number for a message": (InvalidInputError, "content", lambda _, s: s.messages.user(42)),  # type: ignore[arg-type]
    "an empty answer": (InvalidInputError, "content or tool calls", lambda _, s: s.messages.assistant("")),
    "a result that nobody asked for": (InvalidInputError, "waits for a result", lambda _, s: s.messages.tool("c", "x")),
    "negative tokens": (InvalidInputError, "input_tokens", lambda _, s: s.messages.used(input_tokens=-1)),
    "tokens that are text": (InvalidInputError, "output_tokens", lambda _, s: s.messages.used(output_tokens="1")),  # type: ignore[arg-type]
    "confidence over 1": (InvalidInputError, "confidence", lambda _, s: s.facts.learn("x is y", confidence=1.1)),
    "confidence below 0": (InvalidInputError, "confidence", lambda _, s: s.facts.learn("x is y", confidence=-0.1)),
    "an empty fact": (InvalidInputError, "a fact", lambda _, s: s.facts.learn("   ")),
    "a fact that is not there": (NotFoundError, "f0", lambda _, s: s.facts.retire("f0")),
    "a profile value of 1 MB": (InvalidInputError, "name", lambda _, s: s.profile.set(name="x" * 1_000_000)),
    "a profile field that does not exist": (InvalidInputError, "shoe_size", lambda _, s: s.profile.set(shoe_size=42)),
    "10,000 tags": (InvalidInputError, "at most 100", lambda a, s: a.sessions.tag(s.id, add=map(str, range(10_000)))),
    "a title of 1 MB": (InvalidInputError, "a title", lambda a, s: a.sessions.rename(s.id, "x" * 1_000_000)),
    "a task that is not open": (NotFoundError, "t9", lambda _, s: s.working_set.close_task("t9")),
    "a negative budget": (InvalidInputError, "token budget", lambda _, s: s.working_set.limit_tokens(-5)),
    "a variable without a name": (InvalidInputError, "name", lambda _, s: s.variables.set("", 1)),
    "a value that is not JSON": (InvalidInputError, "variable_set", lambda _, s: s.variables.set("x", object())),
    "not a number": (InvalidInputError, "nan", lambda _, s: s.variables.set("x", float("nan"))),
    "an answer to nothing": (NotFoundError, "i0", lambda _, s: s.interrupts.answer("i0", text="x")),
    "a merge into itself": (InvalidInputError, "itself", lambda a, s: a.sessions.merge(s.id, s.id)),
    "a merge into a stranger": (InvalidInputError, "share no history", lambda a, s: a.sessions.merge(s.id, "other")),
    "a fork beyond the head": (InvalidInputError, "cannot fork", lambda a, s: a.sessions.fork(s.id, "f", at=999)),
    "a cause that is yet to come": (InvalidInputError, "not before", lambda _, s: s.focus.clear(causes=[999])),
    "an explanation of nothing": (NotFoundError, "no fact", lambda _, s: s.why("nothing")),
}


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open(
        "memory:", settings=Settings(keep_profile="yes", learning="off"), clock=FakeClock()
    ) as opened:
        await opened.sessions.create("other")
        yield opened


@pytest.mark.parametrize(("error", "says", "mistake"), MISTAKES.values(), ids=MISTAKES.keys())
async def test_a_mistake_is_named_and_changes_nothing(
    app: Sojourn, error: type[SojournError], says: str, mistake: Mistake
) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("hello")
    before, sessions = session.state, await app.sessions.list()

    with pytest.raises(error, match=says) as caught:
        await mistake(app, session)
    assert "\n" not in str(caught.value)
    assert session.state == before
    assert (await app.store.get_session("s")).header == before.header
    assert await app.sessions.list() == sessions


async def test_an_answer_that_comes_too_late_is_refused() -> None:
    clock = FakeClock()
    async with sojourn.open("memory:", clock=clock) as app:
        session = await app.sessions.create("s")
        question = await session.interrupts.confirm("Really?")
        clock.advance(seconds=3601)

        with pytest.raises(ConflictError):
            await session.interrupts.answer(question.interrupt_id, approved=True)
        assert session.interrupts.pending() == []
        assert not (await session.interrupts.get(question.interrupt_id)).response
