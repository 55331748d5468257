"""What a human allows for longer than one call: what it covers, how long, and how it ends."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.agent.permissions.gate import NOBODY_TO_ASK, REJECTED, PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Approval
from sojourn.errors import InvalidInputError
from sojourn.model.events import (
    AllowanceGranted,
    TurnStarted,
)
from sojourn.store.protocol import Store
from tests.agent.approval_kit import TRUSTED, Human, Tool, admit, call, wish

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


@pytest.mark.parametrize(
    ("approval", "spared", "asked_again"),
    [
        (Approval.FILE, ["in/a.txt", "in/../in/a.txt"], ["in/b.txt", "a.txt"]),
        (Approval.FOLDER, ["in/a.txt", "in/b.txt", "in/deep/c.txt"], ["a.txt", "inside/a.txt", "in/../a.txt"]),
        (Approval.SESSION, ["in/a.txt", "elsewhere/x"], []),
    ],
)
async def test_an_allowance_spares_what_it_covers_and_nothing_else(
    session: Session, tmp_path: Path, approval: Approval, spared: list[str], asked_again: list[str]
) -> None:
    (tmp_path / "in").mkdir()
    human = Human(approval, *[Approval.NO] * len(asked_again))
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call(0, "in/a.txt"))
    assert await admit(gate, call(0, "in/a.txt")) is None

    for number, path in enumerate([*spared, *asked_again], start=1):
        await wish(session, call(number, path))
        assert await admit(gate, call(number, path)) == (None if path in spared else REJECTED), path
    assert len(human.asked) == 1 + len(asked_again)


async def test_an_allowance_knows_the_answer_that_it_came_from(session: Session, tmp_path: Path) -> None:
    await wish(session, call())
    await admit(PermissionGate(session, TRUSTED, approver=Human(Approval.FOLDER), cwd=tmp_path), call())
    [entry] = [e for e in await session.store.read("s") if isinstance(e.event, AllowanceGranted)]
    assert isinstance(entry.event, AllowanceGranted)
    assert entry.event.path == str(tmp_path)
    [closed] = session.state.interrupts.closed.values()
    assert entry.causes == tuple(closed)


async def test_an_allowance_is_for_one_tool(session: Session, tmp_path: Path) -> None:
    human = Human(Approval.SESSION, Approval.NO)
    gate = PermissionGate(session, TRUSTED, approver=human, cwd=tmp_path)
    await wish(session, call(1), call(2))
    assert await admit(gate, call(1)) is None
    assert await admit(gate, call(2), Tool("delete_file")) == REJECTED


async def test_allowances_hold_after_a_restart_until_they_are_withdrawn(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        await wish(session, call(1))
        await admit(PermissionGate(session, TRUSTED, approver=Human(Approval.FOLDER), cwd=tmp_path), call(1))

    async with open_store(tmp_path / "s.db") as store:
        session = await Session.open(store, "s")
        gate = PermissionGate(session, TRUSTED, cwd=tmp_path)
        assert await admit(gate, call(2, "b.txt")) is None
        other = await Session.open(store, "s")
        assert await other.allowances.withdraw("write_file") == 1
        assert await admit(gate, call(3, "b.txt")) == NOBODY_TO_ASK


async def test_withdrawing_one_path_keeps_the_others(session: Session) -> None:
    await session.allowances.grant("w", scope="file", path="/a")
    await session.allowances.grant("w", scope="file", path="/b")
    await session.allowances.grant("other")
    assert await session.allowances.withdraw("w", path="/a") == 1
    assert await session.allowances.withdraw("w", path="/a") == 0
    assert [(one.tool, one.path) for one in session.allowances.list()] == [("w", "/b"), ("other", None)]
    assert [one.path for one in session.allowances.list("w")] == ["/b"]


GRANTS: list[Callable[[Session], Awaitable[Any]]] = [
    lambda session: session.allowances.grant(" "),
    lambda session: session.allowances.grant("w", scope="planet"),  # type: ignore[arg-type]
    lambda session: session.allowances.grant("w", scope="file"),
    lambda session: session.allowances.grant("w", scope="folder", path="relative"),
    lambda session: session.allowances.grant("w", path="/a"),
    lambda session: session.allowances.withdraw(""),
]


@pytest.mark.parametrize("grant", GRANTS)
async def test_an_allowance_that_says_nothing_clear_is_refused(
    session: Session, grant: Callable[[Session], Awaitable[Any]]
) -> None:
    head = session.head
    with pytest.raises(InvalidInputError):
        await grant(session)
    assert session.head == head


async def test_an_allowance_does_not_break_a_rule(session: Session, tmp_path: Path) -> None:
    await session.allowances.grant("write_file")
    gate = PermissionGate(session, Permissions(allowed_paths=()), approver=Human(), cwd=tmp_path)
    await wish(session, call())
    assert await admit(gate, call()) == "Tool 'write_file' may not run here: no path is allowed to it."
