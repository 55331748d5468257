"""The audit log tells, newest first, what was done and who allowed it; it is read from the journal alone."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sojourn import Session, open_store
from sojourn.agent.audit import AuditRow, audit
from sojourn.agent.guard import InputGuard
from sojourn.agent.permissions.approvals import drop_questions
from sojourn.agent.permissions.gate import PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Approval
from sojourn.errors import InvalidInputError
from sojourn.model.events import MessageAdded, ToolRan, ToolStarted, TurnStarted, UsageRecorded
from sojourn.model.message import Message, ToolCall
from tests.agent.approval_kit import TRUSTED, Human, admit, call, wish

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session(anyio_backend: str) -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


def short(row: AuditRow) -> tuple[str, str, bool | None, str]:
    return row.action_type, row.action, row.approved, row.result


async def say(session: Session, *calls: ToolCall, agent: str = "ada", text: str = "I will see.") -> None:
    metadata = {"agent": agent} if agent else {}
    message = Message(role="assistant", content=text, tool_calls=calls, metadata=metadata)
    await session.append(MessageAdded(message=message), UsageRecorded(model="m1", input_tokens=30, output_tokens=12))


async def run(session: Session, one: ToolCall, *, result: str = "done", success: bool = True) -> None:
    await session.append(ToolStarted(call_id=one.id, name=one.name, arguments=one.arguments))
    await session.append(
        ToolRan(call_id=one.id, name=one.name, success=success, error=None if success else result),
        MessageAdded(message=Message(role="tool", content=result, tool_call_id=one.id, error=not success)),
    )


async def test_models_and_tools_have_a_row_each_with_what_they_took(session: Session) -> None:
    await say(session, call(1))
    await run(session, call(1))
    await say(session, text="It is written.", agent="bob")

    rows = await audit(session)
    assert [short(row) for row in rows] == [
        ("llm_call", "conversation: m1", None, "It is written."),
        ("tool_call", 'write_file {"path":"a.txt"}', None, "done"),
        ("llm_call", "conversation: m1", None, "I will see."),
    ]
    assert [row.agent for row in rows] == ["bob", "ada", "ada"]
    assert [row.tokens_used for row in rows] == [42, 0, 42]
    assert {row.session_id for row in rows} == {"s"}
    assert [row.at for row in rows] == sorted((row.at for row in rows), reverse=True)


async def test_a_tool_that_failed_or_never_came_back_says_so(session: Session) -> None:
    await say(session, call(1), call(2))
    await run(session, call(1), result="no such folder", success=False)
    await session.append(ToolStarted(call_id="c2", name="write_file"))
    assert [short(row) for row in (await audit(session))[:2]] == [
        ("tool_call", "write_file", None, ""),
        ("tool_call", 'write_file {"path":"a.txt"}', None, "no such folder"),
    ]
    async with session.turn():  # closes what was left open
        pass
    assert (await audit(session, limit=1))[0].result.startswith("Interrupted: the tool was started")


async def test_answers_of_a_human_are_approved_or_rejected_by_user(session: Session, tmp_path: Path) -> None:
    await session.append(TurnStarted(turn_id="one"))
    gate = PermissionGate(session, TRUSTED, approver=Human(Approval.ONCE, Approval.DENY_ALL), cwd=tmp_path)
    calls = [call(number, f"{number}.txt") for number in (1, 2, 3)]
    await say(session, *calls)
    for one in calls:
        await admit(gate, one)
    assert [short(row) for row in await audit(session, limit=3)] == [
        ("approval", 'write_file {"path":"3.txt"}', False, "rejected_by_user"),
        ("approval", 'write_file {"path":"2.txt"}', False, "rejected_by_user"),
        ("approval", 'write_file {"path":"1.txt"}', True, "approved"),
    ]


async def test_what_a_rule_refused_says_which(session: Session, tmp_path: Path) -> None:
    await say(session, call(1))
    await admit(PermissionGate(session, Permissions(allowed_paths=()), cwd=tmp_path), call(1))
    [row, _] = await audit(session)
    assert (row.approved, row.result) == (False, "Tool 'write_file' may not run here: no path is allowed to it.")


async def test_questions_of_other_kinds_have_no_row_and_other_confirmations_do(session: Session) -> None:
    await session.messages.assistant("Well?")
    clarified = await session.interrupts.clarify("Which one?")
    await session.interrupts.answer(clarified.interrupt_id, text="the green one")
    confirmed = await session.interrupts.confirm("Ship it?")
    await session.interrupts.answer(confirmed.interrupt_id, approved=False)
    dropped = await session.interrupts.confirm("Really?", data={"call_id": "c9"})
    assert await drop_questions(session, ["c9"], reason="never mind") == 1

    assert [short(row) for row in await audit(session)] == [
        ("approval", "Really?", False, "cancelled: never mind"),
        ("approval", "Ship it?", False, "rejected_by_user"),
    ]
    assert (await session.interrupts.get(dropped.interrupt_id)).status == "cancelled"


async def test_what_was_blocked_has_a_row(session: Session) -> None:
    await InputGuard().blocks(session, "Jailbreak, please")
    [row] = await audit(session)
    assert short(row)[:3] == ("security_block", "Jailbreak, please", False)
    assert "jailbreak" in row.result


async def test_what_no_agent_did_is_not_laid_on_the_one_that_spoke_last(session: Session) -> None:
    await say(session, agent="ada")
    await session.append(UsageRecorded(purpose="reasoning", model="m1", input_tokens=7))
    await InputGuard().blocks(session, "Jailbreak, please")
    rows = await audit(session)

    assert [(row.action_type, row.agent) for row in rows] == [
        ("security_block", ""),
        ("llm_call", ""),
        ("llm_call", "ada"),
    ]


async def test_rows_are_short_and_hold_no_secret(session: Session) -> None:
    secret = "sk-ant-" + "a1B2" * 8
    wanted = ToolCall(id="c1", name="w", arguments={"key": secret, "text": "x" * 3_000})
    await say(session, wanted, text=f"{'y' * 480} {secret}")
    await run(session, wanted, result="z" * 9_000)
    rows = await audit(session)
    assert max(len(row.action) for row in rows) == 200
    assert max(len(row.result) for row in rows) == 500
    assert not any("sk-ant" in row.action + row.result for row in rows)


@pytest.mark.parametrize("limit", [1, 3, 7, 400, 10_000])
async def test_the_last_rows_are_the_same_however_many_are_asked_for(session: Session, limit: int) -> None:
    await session.append(TurnStarted(turn_id="one"))
    for number in range(200):
        await say(session, call(number, f"{number}.txt"), agent=f"agent {number % 3}")
        await run(session, call(number, f"{number}.txt"), result=f"result {number}")
    everything = await audit(session, limit=10_000)
    assert len(everything) == 400
    assert await audit(session, limit=limit) == everything[:limit]
    assert everything[1].agent == "agent 1"


async def test_what_is_forgotten_is_not_in_the_log(session: Session) -> None:
    await session.messages.user("write")
    await say(session, call(1), text="my secret plan")
    seq = session.head - 1
    await session.forget("message", seq)
    assert "secret plan" not in str(await audit(session))


async def test_a_tool_that_ran_without_a_start_has_a_row(session: Session) -> None:
    await say(session, call(1))
    await session.append(TurnStarted(turn_id="one"), ToolRan(call_id="c1", name="w", success=False, error="broke"))
    assert short((await audit(session))[0]) == ("tool_call", "w", None, "broke")


@pytest.mark.parametrize("limit", [0, -1, 10_001])
async def test_a_limit_has_limits(session: Session, limit: int) -> None:
    with pytest.raises(InvalidInputError):
        await audit(session, limit=limit)


async def test_a_new_session_has_an_empty_log(session: Session) -> None:
    assert await audit(session) == []
    await wish(session, call(1))
    assert await audit(session) == []
