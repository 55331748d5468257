"""Asking a human: what the question says, where it is kept, and what follows from the answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.agent.events import ApprovalRequested, TurnEvent
from sojourn.agent.permissions.gate import NOBODY_TO_ASK, REJECTED, PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.rules import SkillRule
from sojourn.agent.permissions.shown import shown
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.skills.skill import SkillTraits
from sojourn.model.events import (
    InterruptRaised,
    InterruptResolved,
    ToolRefused,
    TurnStarted,
)
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import ToolCall
from sojourn.store.protocol import Store
from tests.agent.approval_kit import TRUSTED, Human, Tool, admit, asked, call, happened, wish

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


# --- the question


async def test_a_question_is_in_the_journal_before_anybody_is_asked(session: Session, tmp_path: Path) -> None:
    await wish(session, call())
    message = session.head
    seen: list[bool] = []

    async def human(interrupt: Interrupt) -> Approval:
        other = await Session.open(session.store, "s")
        seen.append(interrupt.interrupt_id in other.state.interrupts.open)
        return Approval.ONCE

    told: list[TurnEvent] = []
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    assert await gate.admit(call(), Tool(), {"path": "a.txt"}, announce=told.append) is None

    assert seen == [True]
    [raised] = [e for e in await session.store.read("s") if isinstance(e.event, InterruptRaised)]
    assert isinstance(raised.event, InterruptRaised)
    assert raised.causes == (message,)
    assert raised.event.expires_at is None
    assert raised.event.interrupt == "confirmation"
    assert raised.event.data == {
        "fingerprint": raised.event.data["fingerprint"],
        "call_id": "c1",
        "tool": "write_file",
        "arguments": {"path": "a.txt"},
        "options": ["no", "once", "file", "folder", "session", "approve_all", "deny_all"],
        "paths": [str(tmp_path / "a.txt")],
        "folders": [str(tmp_path)],
    }
    assert [type(event) for event in told] == [ApprovalRequested]


async def test_the_answer_is_in_the_journal_and_a_yes_for_once_lasts_no_longer(
    session: Session, tmp_path: Path
) -> None:
    human = Human(Approval.ONCE, Approval.NO)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call(1), call(2))
    assert await admit(gate, call(1)) is None
    assert await admit(gate, call(2)) == REJECTED

    answers = await happened(session, InterruptResolved)
    assert [answer.response["approved"] for answer in answers] == [True, False]
    assert session.allowances.list() == ()
    assert len(human.asked) == 2


async def test_a_no_is_written_down_and_the_model_is_told(session: Session, tmp_path: Path) -> None:
    await wish(session, call())
    message = session.head
    told = await admit(PermissionGate(session, TRUSTED, approver=Human(Approval.NO), cwd=tmp_path), call())

    assert told == "Rejected by human approval gate."
    [entry] = [e for e in await session.store.read("s") if isinstance(e.event, ToolRefused)]
    assert isinstance(entry.event, ToolRefused)
    [interrupt_id] = session.state.interrupts.closed
    assert (entry.event.call_id, entry.event.reason, entry.event.interrupt_id) == ("c1", told, interrupt_id)
    assert entry.causes == (message, *session.state.interrupts.closed[interrupt_id])


async def test_without_anybody_to_ask_the_call_is_refused_without_a_question(session: Session, tmp_path: Path) -> None:
    await wish(session, call())
    assert await admit(PermissionGate(session, TRUSTED, cwd=tmp_path), call()) == NOBODY_TO_ASK
    assert await asked(session) == 0
    assert len(await happened(session, ToolRefused)) == 1


async def test_what_a_rule_forbids_is_refused_in_a_sentence_and_not_asked(session: Session, tmp_path: Path) -> None:
    human = Human()
    rules = {"write_file": SkillRule(enabled=False)}
    gate = PermissionGate(session, Permissions(rules=rules), approver=human, cwd=tmp_path)
    await wish(session, call())
    reason = await admit(gate, call())

    assert reason == "Tool 'write_file' is switched off in this session."
    [refused] = await happened(session, ToolRefused)
    assert (refused.reason, refused.interrupt_id) == (reason, None)
    assert human.asked == []


async def test_what_is_free_leaves_no_trace(session: Session, tmp_path: Path) -> None:
    head = session.head
    gate = PermissionGate(session, TRUSTED, cwd=tmp_path)
    assert await admit(gate, call(), Tool("read_file", SkillTraits(reads_only=True, path_arguments=("path",)))) is None
    assert await admit(PermissionGate(session, Permissions(level="yolo"), cwd=tmp_path), call()) is None
    assert session.head == head


async def test_secrets_and_long_texts_are_not_shown_in_a_question(session: Session, tmp_path: Path) -> None:
    secret = "sk-ant-" + "a1B2" * 8
    wanted = ToolCall(
        id="c1", name="write_file", arguments={"path": "a.txt", "content": "x" * 50_000, "note": f"key: {secret}"}
    )
    await wish(session, wanted)
    await admit(PermissionGate(session, TRUSTED, approver=Human(Approval.NO), cwd=tmp_path), wanted)

    [raised, refused] = await happened(session, InterruptRaised, ToolRefused)
    for arguments in (raised.data["arguments"], refused.arguments):
        assert secret not in str(arguments)
        assert len(str(arguments)) < 2_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"items": [{"deep": [[[["x" * 2_000] * 100]]]}] * 1_000},
        {f"name {number}": "x" * 900 for number in range(100)},
        {"n" * 30_000: 1, "none": None, "number": 1.5},
    ],
)
def test_arguments_of_any_size_and_depth_are_shown_short(arguments: dict[str, Any]) -> None:
    assert 0 < len(str(shown(arguments))) < 10_000


def test_short_arguments_are_shown_as_they_are() -> None:
    arguments = {"path": "a.txt", "lines": [1, 2, {"of": None}], "force": True}
    assert shown(arguments) == arguments


def test_a_key_that_is_longer_than_what_is_shown_is_not_shown_in_part() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow1x\n" * 300 + "-----END RSA PRIVATE KEY-----"
    assert "MIIEow1x" not in str(shown({"content": f"{'.' * 500}\n{key}"}))


async def test_paths_of_any_length_and_number_can_be_asked_about(session: Session, tmp_path: Path) -> None:
    deep = "/".join(["folder" * 30] * 15)
    for number, paths in enumerate([[f"{deep}/{place}" for place in range(5)], [f"{place}" for place in range(2_000)]]):
        wanted = ToolCall(id=f"c{number}", name="write_file", arguments={"path": paths})
        await wish(session, wanted)
        gate = PermissionGate(session, TRUSTED, approver=Human(Approval.ONCE), cwd=tmp_path)
        assert await admit(gate, wanted) is None
    questions = await happened(session, InterruptRaised)
    assert [len(one.data["paths"]) for one in questions] == [5, 5]
    assert all("folder" not in one.data["options"] and len(one.question) < 2_000 for one in questions)


# --- the rest of the turn


@pytest.mark.parametrize(("approval", "result"), [(Approval.APPROVE_ALL, None), (Approval.DENY_ALL, REJECTED)])
async def test_an_answer_to_all_really_ends_the_asking(
    session: Session, tmp_path: Path, approval: Approval, result: str | None
) -> None:
    human = Human(approval)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    calls = [call(number, f"{number}.txt") for number in range(4)]
    await wish(session, *calls[:3])
    assert [await admit(gate, one) for one in calls[:3]] == [result] * 3
    await wish(session, calls[3])  # a later round of the same turn
    assert await admit(gate, calls[3]) == result

    assert len(human.asked) == await asked(session) == 1
    assert session.allowances.list() == ()
    refused = await happened(session, ToolRefused)
    assert len(refused) == (0 if result is None else 4)
    assert {one.interrupt_id for one in refused} <= set(session.state.interrupts.closed)


async def test_the_next_turn_asks_again(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.DENY_ALL, Approval.ONCE)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call(1))
    assert await admit(gate, call(1)) == REJECTED
    async with session.turn("two"):
        await wish(session, call(2))
        assert await admit(gate, call(2)) is None
    assert len(human.asked) == 2


async def test_calls_that_are_admitted_at_once_are_asked_one_after_the_other(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.DENY_ALL)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    calls = [call(number, f"{number}.txt") for number in range(5)]
    await wish(session, *calls)
    assert await asyncio.gather(*(admit(gate, one) for one in calls)) == [REJECTED] * 5
    assert len(human.asked) == 1


async def test_a_gate_for_another_session_has_the_same_rules_and_asks_there(session: Session, tmp_path: Path) -> None:
    other = await Session.create(session.store, "other")
    human = Human(Approval.SESSION)
    rules = {"write_file": SkillRule(timeout=7)}
    gate = PermissionGate(session, Permissions(rules=rules), approver=human, cwd=tmp_path).in_session(other)
    await wish(other, call())
    assert await admit(gate, call()) is None
    assert (await asked(session), await asked(other)) == (0, 1)
    assert gate.permissions.rules == rules
    assert (gate.timeout_for(Tool(), {}), gate.timeout_for(Tool("other"), {})) == (7, 30)


async def test_a_yes_to_one_tool_is_none_to_another_with_the_same_call(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.ONCE, Approval.NO)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call())

    assert await admit(gate, call(), Tool("write_file")) is None
    assert await admit(gate, call(), Tool("delete_file")) == REJECTED
    assert [one.data["tool"] for one in human.asked] == ["write_file", "delete_file"]
