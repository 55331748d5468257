"""Questions that wait for a human: who may answer, how, until when, and what is known of them afterwards."""

import asyncio
import math
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.engine.nouns.interrupts import DEFAULT_SECONDS
from sojourn.engine.session import SessionOptions
from sojourn.errors import InvalidInputError, NotFoundError, NotPendingError
from sojourn.model.events import InterruptKind, InterruptResolved, SessionCreated
from sojourn.model.interrupts import MAX_CLOSED, MAX_OPEN
from sojourn.model.state import replay
from sojourn.store.protocol import Store
from sojourn.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

HOUR = 3600.0
KINDS: list[tuple[InterruptKind, float]] = [
    ("clarification", 24 * HOUR),
    ("confirmation", HOUR),
    ("agent_review", HOUR / 2),
    ("checkpoint", math.inf),
    ("resource_exhausted", 300.0),
    ("timeout", 300.0),
    ("system_error", HOUR),
]
ANSWERS: dict[InterruptKind, dict[str, Any]] = {
    "clarification": {"text": "the green one"},
    "confirmation": {"approved": False},
    "agent_review": {"decision": "modify", "data": {"line": 3}},
    "checkpoint": {},
    "resource_exhausted": {"data": {"seen": True}},
    "timeout": {},
    "system_error": {},
}
MISFITS: list[tuple[InterruptKind, dict[str, Any]]] = [
    ("clarification", {}),
    ("clarification", {"text": "  "}),
    ("clarification", {"text": "x" * 10_001}),
    ("clarification", {"approved": True}),
    ("clarification", {"text": "yes", "approved": True}),
    ("confirmation", {"text": "yes"}),
    ("confirmation", {"approved": "yes"}),
    ("confirmation", {}),
    ("agent_review", {"decision": "maybe"}),
    ("agent_review", {"decision": "approve", "data": {"x": math.nan}}),
    ("timeout", {"text": "go on"}),
    ("checkpoint", {"approved": True}),
]


@pytest.fixture
async def store(clock: FakeClock, anyio_backend: str) -> AsyncIterator[Store]:
    async with open_store("memory:", clock=clock) as opened:
        yield opened


@pytest.fixture
async def session(store: Store, clock: FakeClock) -> Session:
    return await Session.create(store, "s", SessionCreated(user_id="ada"), options=SessionOptions(clock=clock))


async def reopen(session: Session, store: Store | None = None) -> Session:
    return await Session.open(store or session.store, session.id, options=SessionOptions(clock=session.clock))


async def ends(session: Session) -> list[InterruptResolved]:
    events = [entry.event for entry in await session.store.read(session.id, limit=10_000)]
    return [event for event in events if isinstance(event, InterruptResolved)]


@pytest.mark.parametrize(("kind", "seconds"), KINDS)
async def test_each_kind_waits_for_its_own_time(session: Session, kind: InterruptKind, seconds: float) -> None:
    raised = await session.interrupts.raise_(kind, question="Which?")

    waits = None if raised.expires_at is None else raised.expires_at - raised.raised_at
    assert waits == (None if seconds == math.inf else timedelta(seconds=seconds))
    assert raised.needs_answer == (kind != "checkpoint")
    assert set(DEFAULT_SECONDS) == {kind for kind, _ in KINDS}


@pytest.mark.parametrize("kind", ANSWERS)
async def test_an_answer_in_time_is_kept_with_its_question(
    session: Session, clock: FakeClock, kind: InterruptKind
) -> None:
    raised = await session.interrupts.raise_(kind, question="Which?", data={"options": [1, 2]}, request_id="r1")
    clock.advance(seconds=299)

    answered = await session.interrupts.answer(raised.interrupt_id, user_id="ada", **ANSWERS[kind])

    assert (answered.status, answered.response) == ("resolved", ANSWERS[kind])
    assert (answered.question, answered.data, answered.request_id) == ("Which?", {"options": [1, 2]}, "r1")
    assert (answered.resolved_by, answered.resolved_at) == ("ada", raised.raised_at + timedelta(seconds=299))
    assert await session.interrupts.get(raised.interrupt_id) == answered
    assert session.interrupts.pending() == []


@pytest.mark.parametrize(("kind", "answer"), MISFITS)
async def test_an_answer_that_does_not_fit_the_kind_is_refused_and_changes_nothing(
    session: Session, kind: InterruptKind, answer: dict[str, Any]
) -> None:
    raised = await session.interrupts.raise_(kind, question="Which?")
    with pytest.raises(InvalidInputError):
        await session.interrupts.answer(raised.interrupt_id, **answer)

    assert session.interrupts.pending() == [raised]
    assert await ends(session) == []


async def test_an_answer_of_the_greatest_length_is_kept(session: Session) -> None:
    raised = await session.interrupts.clarify("Which?")
    answered = await session.interrupts.answer(raised.interrupt_id, text="x" * 10_000)

    assert answered.response == {"text": "x" * 10_000}


async def test_a_late_answer_is_refused_before_anybody_has_swept(session: Session, clock: FakeClock) -> None:
    raised = await session.interrupts.confirm("Delete it?")
    clock.advance(seconds=HOUR)
    with pytest.raises(NotPendingError, match="is expired"):
        await session.interrupts.answer(raised.interrupt_id, approved=True)

    assert session.interrupts.pending() == []
    assert (await session.interrupts.get(raised.interrupt_id)).status == "expired"
    assert await ends(session) == []


async def test_what_ran_out_of_time_is_announced_once(session: Session, clock: FakeClock) -> None:
    await session.interrupts.confirm("one")
    await session.interrupts.confirm("two")
    later = await session.interrupts.clarify("three?")
    clock.advance(seconds=HOUR)
    swept = [await session.interrupts.expire(), await session.interrupts.expire()]
    clock.advance(seconds=24 * HOUR)
    swept.append(await session.interrupts.expire())

    announced = await ends(session)
    assert swept == [2, 0, 1]
    assert [event.status for event in announced] == ["expired"] * 3
    assert announced[-1].interrupt_id == later.interrupt_id


async def test_two_sweepers_at_once_announce_once(session: Session, clock: FakeClock) -> None:
    await session.interrupts.confirm("one")
    other = await reopen(session)
    clock.advance(seconds=HOUR)
    swept = await asyncio.gather(session.interrupts.expire(), other.interrupts.expire())

    assert sorted(swept) == [0, 1]
    assert len(await ends(session)) == 1


async def test_of_two_answers_at_once_one_counts(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        raised = await session.interrupts.confirm("Sure?")
        others = [await Session.open(store, "s") for _ in range(8)]

        outcomes = await asyncio.gather(
            *(one.interrupts.answer(raised.interrupt_id, approved=place % 2 == 0) for place, one in enumerate(others)),
            return_exceptions=True,
        )

        [won] = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        assert sum(isinstance(outcome, NotPendingError) for outcome in outcomes) == 7
        assert await session.interrupts.get(raised.interrupt_id) == won


async def test_the_wrong_user_learns_nothing_of_a_question(session: Session) -> None:
    raised = await session.interrupts.confirm("Pay?")
    for attempt in (
        session.interrupts.answer(raised.interrupt_id, approved=True, user_id="eve"),
        session.interrupts.cancel(raised.interrupt_id, user_id="eve"),
        session.interrupts.get(raised.interrupt_id, user_id="eve"),
    ):
        with pytest.raises(NotFoundError):
            await attempt

    assert await session.interrupts.find(raised.interrupt_id, user_id="eve") is None
    assert session.interrupts.pending() == [raised]


async def test_a_question_for_somebody_else_is_answered_by_him_alone(session: Session) -> None:
    raised = await session.interrupts.confirm("Approve the budget?", user_id="boss")
    with pytest.raises(NotFoundError):
        await session.interrupts.answer(raised.interrupt_id, approved=True, user_id="ada")

    assert (await session.interrupts.answer(raised.interrupt_id, approved=True, user_id="boss")).status == "resolved"


async def test_a_question_of_a_session_without_a_user_is_answered_by_anybody(store: Store) -> None:
    session = await Session.create(store, "free")
    raised = await session.interrupts.confirm("Sure?")

    assert (await session.interrupts.answer(raised.interrupt_id, approved=True, user_id="eve")).resolved_by == "eve"


async def test_a_question_ends_once(session: Session) -> None:
    raised = await session.interrupts.clarify("Which?")
    await session.interrupts.answer(raised.interrupt_id, text="this")
    with pytest.raises(NotPendingError, match="is resolved"):
        await session.interrupts.answer(raised.interrupt_id, text="that")
    with pytest.raises(NotPendingError, match="is resolved"):
        await session.interrupts.cancel(raised.interrupt_id)

    assert (await session.interrupts.get(raised.interrupt_id)).response == {"text": "this"}


async def test_a_cancelled_question_keeps_the_reason(session: Session) -> None:
    raised = await session.interrupts.clarify("Which?")
    cancelled = await session.interrupts.cancel(raised.interrupt_id, "found out by myself")

    assert (cancelled.status, cancelled.reason) == ("cancelled", "found out by myself")


async def test_an_unknown_question_is_not_found(session: Session) -> None:
    assert await session.interrupts.find("nothing") is None
    with pytest.raises(NotFoundError):
        await session.interrupts.answer("nothing", text="x")


async def test_pending_are_listed_newest_first_by_kind_and_by_request(session: Session) -> None:
    first = await session.interrupts.clarify("one?", request_id="r1")
    second = await session.interrupts.confirm("two", request_id="r1")
    third = await session.interrupts.clarify("three?", request_id="r2")

    assert session.interrupts.pending() == [third, second, first]
    assert session.interrupts.pending(kinds={"clarification"}) == [third, first]
    assert session.interrupts.pending_for_request("r1") == second
    assert session.interrupts.pending_for_request("r3") is None


async def test_a_used_up_resource_waits_until_the_retry(session: Session, clock: FakeClock) -> None:
    raised = await session.interrupts.resource_exhausted("tokens", retry_after=30)
    standard = await session.interrupts.resource_exhausted("tokens")
    clock.advance(seconds=30)

    assert raised.data == {"resource_type": "tokens", "retry_after_seconds": 30.0}
    assert raised.message == "tokens is used up; try again in 30 seconds."
    assert session.interrupts.pending() == [standard]


async def test_a_question_outlives_a_restart_and_so_does_its_answer(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "s.db"
    options = SessionOptions(clock=clock)
    async with open_store(path, clock=clock) as store:
        session = await Session.create(store, "s", options=options)
        open_one = await session.interrupts.clarify("Which?", data={"deep": {"er": [1]}})
        closed = await session.interrupts.confirm("Sure?")
        closed = await session.interrupts.answer(closed.interrupt_id, approved=True)

    async with open_store(path, clock=clock) as store:
        session = await Session.open(store, "s", options=options)
        assert session.interrupts.pending() == [open_one]
        assert await session.interrupts.get(closed.interrupt_id) == closed
        answered = await session.interrupts.answer(open_one.interrupt_id, text="this")
        assert answered.status == "resolved"


async def test_an_answer_given_elsewhere_is_seen(session: Session) -> None:
    raised = await session.interrupts.clarify("Which?")
    other = await reopen(session)
    await other.interrupts.answer(raised.interrupt_id, text="this")

    assert (await session.interrupts.get(raised.interrupt_id)).response == {"text": "this"}
    with pytest.raises(NotPendingError):
        await session.interrupts.answer(raised.interrupt_id, text="that")


async def test_old_closed_questions_are_found_in_the_journal_and_the_state_stays_small(session: Session) -> None:
    raised = [await session.interrupts.clarify(f"{n}?") for n in range(3)]
    for one in raised:
        await session.interrupts.answer(one.interrupt_id, text=one.question)
    for _ in range(MAX_CLOSED):
        await session.interrupts.cancel((await session.interrupts.clarify("more?")).interrupt_id)

    oldest = await session.interrupts.get(raised[0].interrupt_id)
    assert (oldest.status, oldest.response) == ("resolved", {"text": "0?"})
    assert len(session.state.interrupts.closed) == MAX_CLOSED
    assert session.state == replay(await session.store.read(session.id, limit=10_000))


async def test_a_question_too_many_is_refused_until_one_ends(session: Session, clock: FakeClock) -> None:
    for _ in range(MAX_OPEN):
        await session.interrupts.confirm("Sure?")
    with pytest.raises(InvalidInputError, match="100 questions wait"):
        await session.interrupts.confirm("Really?")
    clock.advance(seconds=HOUR)

    accepted = await session.interrupts.confirm("Really?")
    assert list(session.state.interrupts.open) == [accepted.interrupt_id]


async def test_checkpoints_never_push_out_a_question(session: Session) -> None:
    first = await session.interrupts.raise_("checkpoint", message="planned")
    question = await session.interrupts.clarify("Which?")
    for _ in range(MAX_OPEN):
        await session.interrupts.raise_("checkpoint", message="went on")

    assert len(session.state.interrupts.open) == MAX_OPEN
    assert session.interrupts.pending(kinds=["clarification"]) == [question]
    assert await session.interrupts.get(first.interrupt_id) == first
    assert (await session.interrupts.answer(first.interrupt_id)).status == "resolved"


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("clarification", {}),
        ("clarification", {"question": ""}),
        ("confirmation", {}),
        ("riddle", {"question": "Which?"}),
        ("clarification", {"question": "x" * 10_001}),
        ("clarification", {"question": "?", "ttl": 0}),
        ("clarification", {"question": "?", "ttl": -1}),
        ("clarification", {"question": "?", "ttl": math.nan}),
        ("clarification", {"question": "?", "ttl": 1e30}),
        ("clarification", {"question": "?", "ttl": True}),
        ("clarification", {"question": "?", "data": {"x": object()}}),
        ("clarification", {"question": "?", "data": {"x": "y" * 20_001}}),
        ("clarification", {"question": "?", "user_id": ""}),
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(
    session: Session, kind: InterruptKind, options: dict[str, Any]
) -> None:
    before = session.head
    with pytest.raises(InvalidInputError):
        await session.interrupts.raise_(kind, **options)

    assert session.head == before


async def test_a_question_may_wait_for_another_time_or_for_ever(session: Session, clock: FakeClock) -> None:
    short = await session.interrupts.clarify("Quick?", ttl=10)
    lasting = await session.interrupts.clarify("Whenever?", ttl=math.inf)
    clock.advance(seconds=10_000_000)

    assert session.interrupts.pending() == [lasting]
    assert (await session.interrupts.get(short.interrupt_id)).status == "expired"


async def test_forgetting_a_question_forgets_its_answer(session: Session) -> None:
    raised = await session.interrupts.clarify("What is the password?")
    await session.interrupts.answer(raised.interrupt_id, text="hunter2")
    await session.store.redact(session.id, [raised.seq])
    await session.refresh()

    assert await session.interrupts.find(raised.interrupt_id) is None
    assert "hunter2" not in "".join(entry.payload for entry in await session.store.read(session.id))
