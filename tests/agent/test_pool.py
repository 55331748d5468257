"""A pool: agents share a model, and nothing else."""

import re
import sqlite3
from pathlib import Path

import anyio
import pytest

import sojourn
from sojourn.agent.events import SessionCancelled
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.pool import AgentConfig, AgentPool, PooledAgent, PoolSettings
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.services import ServiceContainer
from sojourn.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import Waits, calling, listed, said

pytestmark = pytest.mark.anyio


def echo(request: ModelRequest) -> str:
    return f"You said: {request.messages[-1].text}"


async def test_two_agents_share_the_model_and_nothing_else(tmp_path: Path) -> None:
    provider = ScriptedProvider(otherwise=echo)
    async with sojourn.open(tmp_path / "s.db") as app:
        pool = AgentPool(app, provider, PoolSettings(log_dir=tmp_path / "logs", instructions="Be brief."))
        one, two = await pool.create("one"), await pool.create("two")
        for content in ("first", "second"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listed, one.send(f"{content} to one"))
                tasks.start_soon(listed, two.send(f"{content} to two"))
        await app.background.drain()

        assert [m.text for m in await said(one.session) if m.role == "user"] == ["first to one", "second to one"]
        assert [m.text for m in await said(two.session) if m.role == "user"] == ["first to two", "second to two"]
        assert len(provider.requests) == 4
        assert one.logger is not None
        assert two.logger is not None
        raw = (one.logger.session_dir / "raw.jsonl").read_text()
        assert "to one" in raw
        assert "to two" not in raw
        await pool.close()

        with sqlite3.connect(two.logger.session_dir / "session.db") as database:
            contents = [row[0] for row in database.execute("SELECT content FROM messages ORDER BY id")]
        database.close()
        assert contents[:2] == ["Be brief.", "first to two"]
        assert one.logger.session_dir.parent == tmp_path / "logs" / "one"


async def test_names_are_given_or_made_up_and_a_taken_one_is_refused() -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider())
        named = await pool.create("argument", AgentConfig(agent_id="config"))
        made_up = await pool.create()

        assert named.agent_id == "config"
        assert re.fullmatch("[0-9a-f]{8}", made_up.agent_id)
        with pytest.raises(AlreadyExistsError):
            await pool.create("config")
        with pytest.raises(InvalidInputError):
            await pool.create("../outside")
        assert [one.agent_id for one in pool.list()] == ["config", made_up.agent_id]
        assert len(pool) == 2
        assert "config" in pool
        assert pool.get("config") is named
        with pytest.raises(NotFoundError):
            pool.get("nobody")


async def test_destroying_an_agent_stops_what_it_does_and_keeps_what_it_said() -> None:
    waits = Waits()

    def skills(services: ServiceContainer) -> SkillRegistry:
        made = SkillRegistry(services)
        made.skill(name="wait")(waits.__call__)
        return made

    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider([calling(("wait", {}))]), PoolSettings(skills=skills))
        agent = await pool.create("worker")
        heard: list[object] = []

        async def listen() -> None:
            heard.extend(await listed(agent.send("go", request_id="r1")))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listen)
                await waits.runs.wait()
                assert agent.requests == ("r1",)
                assert await pool.destroy("worker")

        assert heard[-1] == SessionCancelled()
        assert not await pool.destroy("worker")
        assert [m.role for m in await said(await app.sessions.open(agent.session.id))] == ["user", "assistant", "tool"]


async def test_a_request_is_cancelled_by_its_id() -> None:
    waits = Waits()

    def skills(services: ServiceContainer) -> SkillRegistry:
        made = SkillRegistry(services)
        made.skill(name="wait")(waits.__call__)
        return made

    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider([calling(("wait", {})), "after"]), PoolSettings(skills=skills))
        agent = await pool.create("worker")
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listed, agent.send("go", request_id="r1"))
                await waits.runs.wait()
                with pytest.raises(AlreadyExistsError):
                    await listed(agent.send("again", request_id="r1"))
                assert agent.cancel("r1")

        assert not agent.cancel("r1")
        assert agent.requests == ()


async def test_a_child_is_nested_in_its_parent_and_may_do_less(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        settings = PoolSettings(log_dir=tmp_path, permissions=Permissions(level="trusted"), cwd=tmp_path)
        pool = AgentPool(app, ScriptedProvider(otherwise=echo), settings)
        parent = await pool.create("parent")
        child = await pool.create("child", AgentConfig(parent="parent"))

        assert child.session.state.header.parent == parent.session.id
        assert child.permissions is not None
        assert child.permissions.level == "sandboxed"
        assert parent.logger is not None
        assert child.logger is not None
        assert child.logger.session_dir == parent.logger.session_dir / "subagent_child"
        with pytest.raises(InvalidInputError, match="may not start others"):
            await pool.create("grandchild", AgentConfig(parent="child"))
        with pytest.raises(NotFoundError):
            await pool.create("orphan", AgentConfig(parent="nobody"))

        assert await pool.destroy("parent")
        assert len(pool) == 0


async def test_a_pool_stops_when_all_want_to_and_an_empty_one_goes_on() -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider())
        assert not pool.should_shutdown
        one, two = await pool.create("one"), await pool.create("two")
        one.should_shutdown = True
        assert not pool.should_shutdown
        two.should_shutdown = True
        assert pool.should_shutdown


async def test_an_agent_goes_on_with_a_session_that_it_is_given() -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider(otherwise=echo))
        first = await pool.create("first")
        await listed(first.send("remember me"))
        await pool.destroy("first")
        again = await pool.create("again", AgentConfig(session_id=first.session.id))

        assert again.info.message_count == 2


async def test_an_agent_that_cannot_be_made_leaves_no_log_open(tmp_path: Path) -> None:
    loggers: list[SessionLogger] = []

    class Pool(AgentPool):
        async def _logger(self, name: str, parent: PooledAgent | None) -> SessionLogger | None:
            made = await super()._logger(name, parent)
            loggers.extend([made] if made is not None else [])
            return made

    def fail(_: ServiceContainer) -> SkillRegistry:
        raise InvalidInputError("no skills")

    async with sojourn.open("memory:") as app:
        pool = Pool(app, ScriptedProvider(), PoolSettings(log_dir=tmp_path, skills=fail))
        with pytest.raises(InvalidInputError):
            await pool.create("helper")

        assert len(pool) == 0
        assert [one.folder.is_closed for one in loggers] == [True]
