"""A question that is answered elsewhere, or later: it is asked once, and its answer counts."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sojourn import Session, open_store
from sojourn.agent.gate import Waiting
from sojourn.agent.permissions.approvals import answer_question, approval_of, drop_questions, lasting
from sojourn.agent.permissions.gate import REJECTED, TAKEN_BACK, TOO_MANY, PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.skills.skill import SkillTraits
from sojourn.errors import InvalidInputError, NotPendingError
from sojourn.model.events import (
    AllowanceGranted,
    InterruptResolved,
    ToolRan,
    ToolRefused,
    ToolStarted,
    TurnStarted,
)
from sojourn.model.interrupts import MAX_OPEN, Interrupt
from sojourn.store.protocol import Store
from sojourn.testing import Backend, FakeClock
from sojourn.testing.factories import noted
from tests.agent.approval_kit import TRUSTED, Human, Tool, admit, asked, call, happened, heard, wish

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(anyio_backend: str) -> AsyncIterator[Store]:
    async with open_store("memory:") as opened:
        yield opened


@pytest.fixture
async def session(store: Store) -> Session:
    made = await Session.create(store, "s")
    await made.append(TurnStarted(turn_id="one"))
    return made


async def next_question(session: Session) -> Interrupt:
    """Wait until another object of the same session asks something."""
    async with session.store.subscribe(session.id) as heads:
        while True:
            await session.refresh()
            if pending := session.interrupts.pending():
                return pending[0]
            await anext(heads)


async def test_anybody_in_any_process_can_answer_a_turn_that_waits(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store, open_store(tmp_path / "s.db") as elsewhere:
        session = await Session.create(store, "s")
        remote = await Session.open(elsewhere, "s")
        async with session.turn():
            await wish(session, call())
            gate = PermissionGate(session, TRUSTED, when_nobody="wait", cwd=tmp_path)
            waiting = asyncio.ensure_future(admit(gate, call()))
            question = await next_question(remote)
            await answer_question(remote, question.interrupt_id, Approval.FOLDER)
            assert await waiting is None
            assert [one.path for one in session.allowances.list()] == [str(tmp_path)]


async def test_every_kind_of_store_keeps_a_question_and_wakes_who_waits(
    backend: Backend, clock: FakeClock, tmp_path: Path
) -> None:
    async with backend.make_store(tmp_path, clock) as store:
        session = await Session.create(store, "s")
        await wish(session, call(1), call(2, "b.txt"))
        with pytest.raises(Waiting) as paused:
            await admit(PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path), call(1))
        question = paused.value.interrupt.interrupt_id
        gate = PermissionGate(session, TRUSTED, when_nobody="wait", cwd=tmp_path)
        waiting = asyncio.ensure_future(admit(gate, call(1)))
        await answer_question(await Session.open(store, "s"), question, Approval.FOLDER)
        assert await waiting is None
        assert await admit(gate, call(2, "b.txt")) is None
        assert await asked(session) == 1


async def test_a_plain_yes_is_for_once_and_a_plain_no_is_a_no(session: Session, tmp_path: Path) -> None:
    remote = await Session.open(session.store, "s")
    gate = PermissionGate(session, TRUSTED, when_nobody="wait", cwd=tmp_path)
    for number, approved in enumerate([True, False]):
        await wish(session, call(number))
        waiting = asyncio.ensure_future(admit(gate, call(number)))
        question = await next_question(remote)
        await remote.interrupts.answer(question.interrupt_id, approved=approved)
        assert await waiting == (None if approved else REJECTED)
    assert session.allowances.list() == ()


async def test_who_answers_elsewhere_first_ends_the_asking_here(session: Session, tmp_path: Path) -> None:
    remote = await Session.open(session.store, "s")
    stopped = asyncio.Event()

    async def slow_human(interrupt: Interrupt) -> Approval:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Approval.NO

    await wish(session, call())
    waiting = asyncio.ensure_future(admit(PermissionGate(session, TRUSTED, approver=slow_human, cwd=tmp_path), call()))
    question = await next_question(remote)
    await answer_question(remote, question.interrupt_id, Approval.ONCE)
    assert await waiting is None
    assert stopped.is_set()


async def test_of_two_answers_at_once_one_counts(session: Session, tmp_path: Path) -> None:
    remote = await Session.open(session.store, "s")

    async def late_human(interrupt: Interrupt) -> Approval:
        await answer_question(remote, interrupt.interrupt_id, Approval.NO)
        return Approval.SESSION

    await wish(session, call())
    gate = PermissionGate(session, TRUSTED, approver=late_human, cwd=tmp_path)
    assert await admit(gate, call()) == REJECTED
    assert session.allowances.list() == ()

    [interrupt_id] = session.state.interrupts.closed
    with pytest.raises(NotPendingError):
        await answer_question(session, interrupt_id, Approval.ONCE)
    assert len(await happened(session, InterruptResolved)) == 1


async def test_two_people_who_answer_at_the_same_moment_agree_on_one_answer(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store, open_store(tmp_path / "s.db") as elsewhere:
        session, remote = await Session.create(store, "s"), await Session.open(elsewhere, "s")
        with pytest.raises(Waiting) as paused:
            await admit(PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path), call())
        question = paused.value.interrupt.interrupt_id
        both = await asyncio.gather(
            answer_question(session, question, Approval.ONCE),
            answer_question(remote, question, Approval.NO),
            return_exceptions=True,
        )
        [won] = [one for one in both if isinstance(one, Interrupt)]
        [lost] = [one for one in both if isinstance(one, BaseException)]
        assert isinstance(lost, NotPendingError)
        assert approval_of(await remote.interrupts.get(question)) == approval_of(won)


async def test_a_turn_is_left_with_its_question_and_the_answer_counts_when_it_is_resumed(
    session: Session, tmp_path: Path
) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    async with session.turn("two") as turn:
        await wish(session, call())
        with pytest.raises(Waiting) as paused:
            await admit(gate, call())
        turn.put_aside()
    question = paused.value.interrupt

    async with session.turn("three", resume=True) as turn:
        with pytest.raises(Waiting) as again:
            await admit(gate, call())
        assert again.value.interrupt.interrupt_id == question.interrupt_id
        turn.put_aside()
    await answer_question(session, question.interrupt_id, Approval.FOLDER)
    async with session.turn("four", resume=True):
        assert await admit(gate, call()) is None
        assert await admit(gate, call()) is None
    assert await asked(session) == 1
    assert len(await happened(session, AllowanceGranted)) == 1


async def test_a_process_that_was_killed_while_it_waited_asks_no_second_time(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        await session.append(TurnStarted(turn_id="dead"))
        await wish(session, call(1), call(2, "b.txt"))
        gate = PermissionGate(session, TRUSTED, when_nobody="wait", cwd=tmp_path)
        waiting = asyncio.ensure_future(admit(gate, call(1)))
        question = await next_question(await Session.open(store, "s"))
        waiting.cancel()  # nothing of it is written: the turn has no end

    async with open_store(tmp_path / "s.db") as store:
        await answer_question(await Session.open(store, "s"), question.interrupt_id, Approval.APPROVE_ALL)

    async with open_store(tmp_path / "s.db") as store:
        session = await Session.open(store, "s")
        gate = PermissionGate(session, TRUSTED, cwd=tmp_path)
        async with session.turn("next", resume=True):
            assert await admit(gate, call(1)) is None
            assert await admit(gate, call(2, "b.txt")) is None
            await wish(session, call(3, "c.txt"))
            assert await admit(gate, call(3, "c.txt")) is None
        assert await asked(session) == 1


async def test_an_answer_to_all_holds_for_the_calls_that_a_killed_process_left(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        await session.append(TurnStarted(turn_id="dead"))
        await wish(session, call(1), call(2, "b.txt"))
        gate = PermissionGate(session, TRUSTED, approver=Human(Approval.DENY_ALL), cwd=tmp_path)
        await session.messages.tool("c1", str(await admit(gate, call(1))), error=True)

    async with open_store(tmp_path / "s.db") as store:
        session = await Session.open(store, "s")
        gate = PermissionGate(session, TRUSTED, approver=Human(), cwd=tmp_path)
        async with session.turn("next", resume=True):
            assert await admit(gate, call(2, "b.txt")) == REJECTED


async def test_an_allowance_that_a_crash_kept_from_being_written_is_written_on_resume(
    session: Session, tmp_path: Path
) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call())
    with pytest.raises(Waiting) as paused:
        await admit(gate, call())
    await answer_question(session, paused.value.interrupt.interrupt_id, Approval.SESSION)
    assert session.allowances.list() == ()
    assert await admit(gate, call()) is None
    assert [one.tool for one in session.allowances.list()] == ["write_file"]


async def test_cancelling_while_it_waits_leaves_the_question_open(session: Session, tmp_path: Path) -> None:
    async def nobody(interrupt: Interrupt) -> Approval:
        await asyncio.Event().wait()
        return Approval.ONCE

    for number, approver in enumerate([None, nobody]):
        await wish(session, call(number, f"{number}.txt"))
        gate = PermissionGate(session, TRUSTED, approver=approver, when_nobody="wait", cwd=tmp_path)
        waiting = asyncio.ensure_future(admit(gate, call(number, f"{number}.txt")))
        remote = await Session.open(session.store, "s")
        async with remote.store.subscribe("s") as heads:
            while len(remote.interrupts.pending()) <= number:
                await anext(heads)
                await remote.refresh()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert len(session.interrupts.pending()) == 2
    assert await happened(session, ToolRefused, InterruptResolved) == []


async def test_an_approver_that_fails_comes_out_as_it_is_and_leaves_the_question(
    session: Session, tmp_path: Path
) -> None:
    async def broken(interrupt: Interrupt) -> Approval:
        raise ZeroDivisionError

    await wish(session, call())
    with pytest.raises(ZeroDivisionError):
        await admit(PermissionGate(session, TRUSTED, approver=broken, cwd=tmp_path), call())
    assert len(session.interrupts.pending()) == 1


async def test_a_question_that_was_taken_back_is_a_no(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call())
    with pytest.raises(Waiting):
        await admit(gate, call())
    assert await drop_questions(session, ["c1"]) == 1
    assert await drop_questions(session, ["c1"]) == 0
    assert await admit(gate, call()) == TAKEN_BACK


async def test_only_the_questions_of_the_calls_that_are_named_are_dropped(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await session.interrupts.confirm("Something else?")
    for number in (1, 2):
        await wish(session, call(number, f"{number}.txt"))
        with pytest.raises(Waiting):
            await admit(gate, call(number, f"{number}.txt"))
    assert await drop_questions(session, ["c1", "c9"]) == 1
    assert [one.data.get("call_id") for one in session.interrupts.pending()] == ["c2", None]


async def test_a_question_that_is_answered_elsewhere_first_is_not_dropped(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call())
    with pytest.raises(Waiting) as paused:
        await admit(gate, call())
    remote = await Session.open(session.store, "s")
    await answer_question(remote, paused.value.interrupt.interrupt_id, Approval.ONCE)
    assert await drop_questions(session, ["c1"]) == 0
    assert await admit(gate, call()) is None


async def test_a_question_is_found_however_much_happened_since(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call())
    with pytest.raises(Waiting) as paused:
        await admit(gate, call())
    for _ in range(3):
        await session.append(*(noted(number) for number in range(1_000)))
    await answer_question(session, paused.value.interrupt.interrupt_id, Approval.ONCE)
    assert await admit(gate, call()) is None
    assert await asked(session) == 1


async def test_a_path_that_leads_elsewhere_by_now_is_asked_about_anew(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call())
    with pytest.raises(Waiting) as paused:
        await admit(gate, call())
    await answer_question(session, paused.value.interrupt.interrupt_id, Approval.ONCE)
    (tmp_path / "a.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(Waiting) as again:
        await admit(gate, call())
    assert again.value.interrupt.data["paths"] == [str(tmp_path / "secret")]


async def test_a_path_that_is_turned_while_the_human_thinks_is_asked_about_anew(
    session: Session, tmp_path: Path
) -> None:
    shown: list[str] = []

    async def human(interrupt: Interrupt) -> Approval:
        shown.append(interrupt.data["paths"][0])
        if len(shown) == 1:
            (tmp_path / "a.txt").symlink_to(tmp_path / "secret")
            return Approval.FILE
        return Approval.NO

    await wish(session, call())
    assert await admit(PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path), call()) == REJECTED
    assert shown == [str(tmp_path / "a.txt"), str(tmp_path / "secret")]
    assert session.allowances.list() == ()


async def test_a_path_that_leads_out_while_the_human_thinks_is_refused(session: Session, tmp_path: Path) -> None:
    async def human(interrupt: Interrupt) -> Approval:
        (tmp_path / "a.txt").symlink_to("/etc/hosts")
        return Approval.SESSION

    await wish(session, call())
    gate = PermissionGate(session, Permissions(allowed_paths=(".",)), approver=human, cwd=tmp_path)
    refused = await admit(gate, call())
    assert refused is not None
    assert refused.startswith("Tool 'write_file' may not use")


async def test_questions_about_calls_that_are_closed_are_dropped(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call(1, "1"), call(2, "2"))
    for number in (1, 2):
        with pytest.raises(Waiting):
            await admit(gate, call(number, f"{number}"))
    await session.messages.tool("c1", "Not run.", error=True)
    assert await drop_questions(session) == 1
    assert [one.data["call_id"] for one in session.interrupts.pending()] == ["c2"]


async def test_an_answer_is_not_for_other_arguments_than_were_asked_about(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.ONCE, Approval.NO)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call())
    assert await gate.admit(call(), Tool(), {"path": "a.txt", "content": "old"}, announce=heard) is None
    assert await gate.admit(call(), Tool(), {"path": "a.txt", "content": "old"}, announce=heard) is None
    assert await gate.admit(call(), Tool(), {"path": "a.txt", "content": "new"}, announce=heard) == REJECTED
    assert len(human.asked) == 2


async def test_a_question_that_the_rules_answer_by_now_is_taken_back(session: Session, tmp_path: Path) -> None:
    await wish(session, call())
    with pytest.raises(Waiting):
        await admit(PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path), call())
    assert await admit(PermissionGate(session, Permissions(level="yolo"), cwd=tmp_path), call()) is None
    assert session.interrupts.pending() == []


async def test_the_same_id_in_another_message_is_another_call(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.ONCE, Approval.NO)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call(1))
    assert await admit(gate, call(1)) is None
    await session.messages.tool("c1", "done")
    await wish(session, call(1))
    assert await admit(gate, call(1)) == REJECTED


async def test_an_answer_for_once_is_used_up_when_its_call_runs(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.ONCE, Approval.NO)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    assert await admit(gate, call()) is None  # of an attempt beside the conversation, which no message made
    await session.append(ToolStarted(call_id="c1", name="write_file"), ToolRan(call_id="c1", name="write_file"))
    assert await admit(gate, call()) == REJECTED
    assert len(human.asked) == 2


async def test_too_many_questions_are_a_refusal(session: Session, tmp_path: Path) -> None:
    for number in range(MAX_OPEN):
        await session.interrupts.confirm(f"Sure about {number}?")
    await wish(session, call())
    gate = PermissionGate(session, TRUSTED, when_nobody="wait", cwd=tmp_path)
    assert await admit(gate, call()) == TOO_MANY


async def test_a_name_that_cannot_be_asked_about_is_an_error(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="wait", cwd=tmp_path)
    with pytest.raises(InvalidInputError, match="a question has"):
        await admit(gate, call(), Tool("x" * 20_000))
    assert repr(gate) == "PermissionGate('s', trusted)"


async def test_only_what_was_offered_can_be_answered(session: Session, tmp_path: Path) -> None:
    gate = PermissionGate(session, TRUSTED, when_nobody="leave", cwd=tmp_path)
    await wish(session, call())
    with pytest.raises(Waiting) as paused:
        await gate.admit(call(), Tool("push", SkillTraits()), {}, announce=heard)
    question = paused.value.interrupt
    assert question.data["options"] == ["no", "once", "session", "approve_all", "deny_all"]
    for wrong in (Approval.FILE, "perhaps"):
        with pytest.raises(InvalidInputError):
            await answer_question(session, question.interrupt_id, wrong)  # type: ignore[arg-type]
    forged = await session.interrupts.answer(question.interrupt_id, approved=True, data={"approval": "folder"})
    assert approval_of(forged) is Approval.ONCE
    assert lasting(forged, ()) == []


def test_when_nobody_is_there_has_three_words(session: Session) -> None:
    with pytest.raises(InvalidInputError, match="deny, wait or leave"):
        PermissionGate(session, TRUSTED, when_nobody="panic")  # type: ignore[arg-type]
