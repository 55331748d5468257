"""An agent whose tools have to ask: answered here, in another process, or after the process that asked is dead."""

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn import Session
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import ApprovalRequested, SessionCancelled, SessionCompleted, SessionWaiting
from sojourn.agent.permissions.approvals import Approver, answer_question
from sojourn.agent.permissions.gate import REJECTED, PermissionGate, WhenNobody
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.skill import SkillTraits
from sojourn.context.validity import problems
from sojourn.engine.repair import CANCELLED_BEFORE, NOT_RUN
from sojourn.engine.settings import Settings
from sojourn.model.events import InterruptRaised, ToolStarted
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import Message, ToolCall
from sojourn.providers.scripted import Reply, ScriptedProvider
from tests.agent.agent_kit import listed, said
from tests.agent.approval_kit import Human
from tests.faults.processes import Child

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

QUIET = Settings(embeddings="off", learning="off")


def writing(folder: Path) -> SkillRegistry:
    """Return a skill that writes into *folder*, a line for each run."""
    skills = SkillRegistry()

    def write_line(path: str, line: str) -> str:
        """Write a line.

        Args:
            path: the file.
            line: what to write.
        """
        with (folder / path).open("a") as file:
            file.write(f"{line}\n")
        return f"wrote {line}"

    skills.skill(traits=SkillTraits(path_arguments=("path",)))(write_line)
    return skills


def wanting(*lines: str, parallel: bool = False) -> Message:
    """Return a model's wish to write each of *lines* into a file of that name."""
    extra = {"_parallel": True} if parallel else {}
    calls = [
        ToolCall(id=f"call-{line}", name="write_line", arguments={"path": f"{line}.txt", "line": line, **extra})
        for line in lines
    ]
    return Message(role="assistant", tool_calls=tuple(calls))


def make_agent(
    session: Session,
    folder: Path,
    *replies: Reply,
    approver: Approver | None = None,
    when_nobody: WhenNobody = "deny",
) -> Agent:
    gate = PermissionGate(session, Permissions(), approver=approver, when_nobody=when_nobody, cwd=folder)
    return Agent(ScriptedProvider(replies), session=session, skills=writing(folder), gate=gate)


def written(folder: Path) -> list[str]:
    return sorted(line for path in folder.glob("*.txt") for line in path.read_text().split())


async def count(session: Session, kind: type) -> int:
    return sum(isinstance(entry.event, kind) for entry in await session.store.read(session.id))


async def results(session: Session) -> list[str]:
    return [message.text for message in await said(session) if message.role == "tool"]


async def test_a_yes_runs_the_tool_and_a_no_is_told_to_the_model(tmp_path: Path) -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        human = Human(Approval.ONCE, Approval.NO)
        agent = make_agent(session, tmp_path, wanting("a"), wanting("b"), "Only one.", approver=human)
        events = await listed(agent.run_turn("Write a and b."))

        assert sum(isinstance(event, ApprovalRequested) for event in events) == 2
        assert await results(session) == ["wrote a", REJECTED]
        assert await asyncio.to_thread(written, tmp_path) == ["a"]
        assert await count(session, ToolStarted) == 1


async def test_deny_all_asks_once_for_a_whole_turn(tmp_path: Path) -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        human = Human(Approval.DENY_ALL)
        replies: list[Reply] = [wanting("a", "b", "c", parallel=True), wanting("d"), "I give up."]
        agent = make_agent(session, tmp_path, *replies, approver=human)
        await listed(agent.run_turn("Write them all."))

        assert len(human.asked) == 1
        assert await results(session) == [REJECTED] * 4
        assert await asyncio.to_thread(written, tmp_path) == []


async def test_a_turn_that_was_left_is_gone_on_with_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with sojourn.open(path, settings=QUIET) as app:
        session = await app.sessions.create("s")
        agent = make_agent(session, tmp_path, wanting("a", "b"), when_nobody="leave")
        [*_, last] = await listed(agent.run_turn("Write a and b."))
        assert isinstance(last, SessionWaiting)
        question = last.interrupt.interrupt_id

    async with sojourn.open(path, settings=QUIET) as app:
        await answer_question(await app.sessions.open("s"), question, Approval.FOLDER)

    async with sojourn.open(path, settings=QUIET) as app:
        session = await app.sessions.open("s")
        agent = make_agent(session, tmp_path, "Both are there.")
        [*_, last] = await listed(agent.resume())
        assert isinstance(last, SessionCompleted)
        assert await asyncio.to_thread(written, tmp_path) == ["a", "b"]
        assert await count(session, InterruptRaised) == 1
        assert problems(await said(session)) == []


async def test_a_new_message_instead_of_an_answer_closes_the_calls(tmp_path: Path) -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        agent = make_agent(session, tmp_path, wanting("a"), "Fine, I will not.", when_nobody="leave")
        await listed(agent.run_turn("Write a."))
        await listed(agent.run_turn("Never mind."))

        assert await results(session) == [NOT_RUN]
        assert await asyncio.to_thread(written, tmp_path) == []
        assert problems(await said(session)) == []
        assert session.interrupts.pending() == []


async def test_a_turn_that_is_cancelled_while_it_waits_ran_nothing(tmp_path: Path) -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        token = CancellationToken()

        async def leaving(interrupt: Interrupt) -> Approval:
            token.cancel()
            await asyncio.Event().wait()
            return Approval.ONCE

        agent = make_agent(session, tmp_path, wanting("a", "b"), approver=leaving)
        [*_, last] = await listed(agent.run_turn("Write a and b.", cancel_token=token))

        assert isinstance(last, SessionCancelled)
        assert await results(session) == [CANCELLED_BEFORE] * 2
        assert await asyncio.to_thread(written, tmp_path) == []
        assert await count(session, ToolStarted) == 0
        assert problems(await said(session)) == []


def work_and_wait(pipe: Connection, path: str, folder: str) -> None:
    """Run a turn that has to ask, tell what it asks, and what became of it."""

    async def work() -> None:
        async with sojourn.open(path, settings=QUIET) as app:
            session = await app.sessions.create("s")
            agent = make_agent(session, Path(folder), wanting("a", "b"), "Written.", when_nobody="wait")
            async for event in agent.run_turn("Write a and b."):
                if isinstance(event, ApprovalRequested):
                    pipe.send(event.interrupt.interrupt_id)
            pipe.send(await results(session))

    asyncio.run(work())


async def receive(child: Child) -> Any:
    return await asyncio.to_thread(child.receive)


async def test_a_process_that_is_killed_while_it_waits_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    child = Child(work_and_wait, str(path), str(tmp_path))
    question = await receive(child)
    child.kill()
    assert await asyncio.to_thread(child.join) == -9

    async with sojourn.open(path, settings=QUIET) as app:
        session = await app.sessions.open("s")
        assert [one.interrupt_id for one in session.interrupts.pending()] == [question]
        await answer_question(session, question, Approval.APPROVE_ALL)
        agent = make_agent(session, tmp_path, "Written.")
        await listed(agent.resume())

        assert await results(session) == ["wrote a", "wrote b"]
        assert await asyncio.to_thread(written, tmp_path) == ["a", "b"]
        assert await count(session, InterruptRaised) == 1
        assert problems(await said(session)) == []


async def test_another_process_answers_while_the_first_one_waits(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    child = Child(work_and_wait, str(path), str(tmp_path))
    try:
        first = await receive(child)
        async with sojourn.open(path, settings=QUIET) as app:
            session = await app.sessions.open("s")
            await answer_question(session, first, Approval.ONCE)
            second = await receive(child)
            await session.refresh()
            await answer_question(session, second, Approval.NO)
            assert await receive(child) == ["wrote a", REJECTED]
            assert await asyncio.to_thread(written, tmp_path) == ["a"]
    finally:
        child.kill()
        await asyncio.to_thread(child.join)
