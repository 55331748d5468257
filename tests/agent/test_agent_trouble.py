"""When things go wrong around a turn: odd skills, odd models, stores that fail, and two who want the same at once."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

import sojourn
from sojourn import Session
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.logs.config import LogConfig
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.permissions.approvals import answer_question
from sojourn.agent.permissions.gate import REJECTED, PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.pool import AgentConfig, AgentPool, PoolSettings
from sojourn.agent.runtime.bus import RuntimeBus
from sojourn.agent.runtime.runtime import AsyncRuntime
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.skill import ToolResult
from sojourn.agent.team import Team
from sojourn.clock import SystemClock
from sojourn.context.validity import CANCELLED
from sojourn.engine.background import Background
from sojourn.errors import InvalidInputError, ModelError, StorageFullError, UnavailableError
from sojourn.model.events import Event, MessageAdded, ToolRan
from sojourn.model.message import Message
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ContentDelta, ModelRequest, RawLog, StreamComplete, StreamEvent
from sojourn.providers.scripted import ScriptedProvider
from sojourn.store import open_store
from sojourn.store.protocol import Store
from sojourn.testing import Backend
from tests.agent.agent_kit import Slow, calling, kinds, listed, registry, said

pytestmark = pytest.mark.anyio


class Odd:
    """A skill that returns whatever it is made with."""

    description = "Odd."
    parameters: dict[str, Any] = {"type": "object", "properties": {}}

    def __init__(self, returned: Any, name: str = "odd") -> None:
        self.name = name
        self.returned = returned

    async def execute(self, **arguments: Any) -> ToolResult:
        result: ToolResult = self.returned
        return result


def skills_of(*skills: Any) -> SkillRegistry:
    made = SkillRegistry()
    for skill in skills:
        made.register(skill)
    return made


class Failing:
    """A store that fails when *when* says so of the events that are appended."""

    def __init__(self, store: Any, when: Callable[[Event], bool]) -> None:
        self._store = store
        self._when = when

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, session_id: str, events: Any, **rest: Any) -> Any:
        if any(self._when(getattr(one, "event", one)) for one in events):
            raise StorageFullError("no space left")
        return await self._store.append(session_id, events, **rest)


def failing(store: Store, when: Callable[[Event], bool]) -> Store:
    made: Any = Failing(store, when)
    return cast("Store", made)


# --- skills


@pytest.mark.parametrize("returned", ["words", None, {"a": 1}])
async def test_a_skill_that_returns_no_result_is_a_failure_that_the_model_is_told(returned: Any) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("odd", {})), "I see."])
        agent = Agent(provider, session=session, skills=skills_of(Odd(returned)))

        assert await agent.ask("go") == "I see."
        result = (await said(session))[2]
        assert result.error
        assert type(returned).__name__ in result.text


def leaves() -> str:
    """Leave."""
    sys.exit(2)


async def leaves_at_once() -> str:
    """Leave."""
    sys.exit(2)


@pytest.mark.parametrize("leaving", [leaves, leaves_at_once])
@pytest.mark.parametrize("parallel", [True, False])
async def test_a_skill_that_ends_the_program_only_fails(leaving: Callable[[], Any], parallel: bool) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("leave", {"_parallel": parallel})), "Hm."])

        assert await Agent(provider, session=session, skills=registry(leave=leaving)).ask("go") == "Hm."
        assert "tried to end the program" in (await said(session))[2].text


@pytest.mark.parametrize("data", [object(), float("nan"), "\ud800", {"deep": ["\udfff"]}, "x" * 17_000_000])
async def test_a_value_that_no_variable_can_hold_fails_the_call_and_not_the_turn(data: Any) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("odd", {"_output": "kept"})), "I see."])
        agent = Agent(provider, session=session, skills=skills_of(Odd(ToolResult(output="made", data=data))))

        assert await agent.ask("go") == "I see."
        result = (await said(session))[2]
        assert "made" in result.text
        assert "kept" in result.text
        assert "kept" not in session.variables


async def test_half_a_character_in_an_output_is_kept_as_a_question_mark() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("odd", {"_output": "kept"})), "I see."])
        agent = Agent(provider, session=session, skills=skills_of(Odd(ToolResult(output="a\ud800b"))))

        assert await agent.ask("go") == "I see."
        assert session.variables["kept"] == "a?b"


async def test_half_a_character_in_a_call_fails_no_turn() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("echo", {"text": "a\ud800b"})), "I see."])
        agent = Agent(provider, session=session, skills=registry(echo=lambda text: text))

        assert await agent.ask("go") == "I see."
        [call] = (await said(session))[1].tool_calls
        assert call.arguments == {"text": "a?b"}


# --- stores that fail


@pytest.mark.parametrize("parallel", [False, True])
async def test_a_full_store_is_told_as_it_is_from_one_tool_or_from_many_at_once(parallel: bool) -> None:
    async with open_store("memory:") as inner:
        session = await Session.create(failing(inner, lambda event: isinstance(event, ToolRan)))
        provider = ScriptedProvider([calling(*[("odd", {"_parallel": parallel})] * 2)])
        agent = Agent(provider, session=session, skills=skills_of(Odd(ToolResult(output="x"))))

        with pytest.raises(StorageFullError):
            await agent.ask("go")


async def test_cancelled_calls_are_not_forgotten_when_they_cannot_be_written() -> None:
    full = True
    async with open_store("memory:") as inner:
        store = failing(inner, lambda event: full and isinstance(event, MessageAdded) and event.message.role == "tool")
        session = await Session.create(store)
        message = calling(("odd", {}))
        await session.messages.add(message)
        agent = Agent(ScriptedProvider(otherwise="Fine."), session=session)
        agent.add_cancelled_tools([(message.tool_calls[0].id, "odd")])
        with pytest.raises(StorageFullError):
            await agent.ask("go")

        full = False
        await agent.ask("go")

        assert [one.text for one in await said(session) if one.role == "tool"] == [CANCELLED]


class Unreachable(Failing):
    """A store that cannot be asked for a session while it is *down*."""

    def __init__(self, store: Any) -> None:
        super().__init__(store, lambda _: False)
        self.down = False

    async def find_session(self, session_id: str) -> Any:
        if self.down:
            raise UnavailableError("gone")
        return await self._store.find_session(session_id)


async def test_a_log_that_cannot_follow_fails_no_turn(tmp_path: Path) -> None:
    async with open_store("memory:") as inner:
        store: Any = Unreachable(inner)
        session = await Session.create(store)
        logger = SessionLogger(LogConfig(base_dir=tmp_path))
        agent = Agent(ScriptedProvider(otherwise="Hm."), session=session, logger=logger)
        store.down = True
        assert await agent.ask("go") == "Hm."

        store.down = False
        assert await agent.ask("on") == "Hm."

        assert [one.content for one in logger.folder.storage.get_messages()] == ["go", "Hm.", "on", "Hm."]
        await agent.close()


async def test_an_agent_whose_log_is_closed_still_talks(tmp_path: Path) -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store)
        agent = Agent(
            ScriptedProvider(otherwise="Hm."), session=session, logger=SessionLogger(LogConfig(base_dir=tmp_path))
        )
        await agent.close()

        assert await agent.ask("go") == "Hm."


async def test_background_work_that_is_cut_off_is_still_to_be_done() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        runs, go, done = anyio.Event(), anyio.Event(), []

        async def follow(followed: Session) -> None:
            runs.set()
            await go.wait()
            done.append(followed.id)

        background = Background()
        background.follow("slow", follow)
        background.notify(session)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(background.drain)
            await runs.wait()
            tasks.cancel_scope.cancel()
        go.set()
        await background.drain()

        assert done == [session.id]


# --- on every store


async def test_odd_characters_and_two_who_resume_are_the_same_on_every_store(backend: Backend, tmp_path: Path) -> None:
    async with backend.make_store(tmp_path, SystemClock()) as store:
        session = await Session.create(store)
        calls = calling(
            ("odd", {"a": "x\0y", "_parallel": True, "_output": "kept"}), ("odd", {"a": "\u2028"}), text="p\0q" * 1_000
        )
        provider = ScriptedProvider([calls, "do\0ne\r\n\u2028"])
        agent = Agent(provider, session=session, skills=skills_of(Odd(ToolResult(output="r\0s"))))

        assert await agent.ask("u\0v \U0001f600") == "do\0ne\r\n\u2028"

        again = await Session.open(store, session.id)
        assert again.state == session.state
        assert again.variables["kept"] == "r\0s"
        assert [one.text for one in await said(again) if one.role == "user"] == ["u\0v \U0001f600"]

        await session.messages.user("What is it?")
        provider.add("This.")
        agents = [Agent(provider, session=await Session.open(store, session.id)) for _ in range(2)]
        ended = await asyncio.gather(*(listed(one.resume()) for one in agents), return_exceptions=True)
        assert sorted(type(one).__name__ for one in ended) == ["InvalidInputError", "list"]


# --- bad input


@pytest.mark.parametrize("inputs", [{"": 1}, {"x": object()}, {"x": float("inf")}, {"ok": 1, "x": "\ud800"}])
async def test_inputs_that_cannot_be_kept_change_nothing(inputs: dict[str, Any]) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        head = session.head

        with pytest.raises(sojourn.SojournError):
            await listed(Agent(ScriptedProvider(otherwise="Hm."), session=session).run_turn("go", inputs=inputs))

        await session.refresh()
        assert await said(session) == []
        assert session.head == head
        assert len(session.variables) == 0


# --- models


class Rambling(ScriptedProvider):
    """A model that goes on after its end."""

    def __init__(self, *events: StreamEvent) -> None:
        super().__init__()
        self._events = events
        self.closed = False

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        self.requests.append(request)
        try:
            for event in self._events:
                yield event
        finally:
            self.closed = True


def ending(text: str) -> StreamComplete:
    return StreamComplete(
        message=Message(role="assistant", content=text), usage=Usage(model="m", input_tokens=1, output_tokens=1)
    )


async def test_what_comes_after_the_end_of_an_answer_is_neither_shown_nor_kept() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        model = Rambling(ContentDelta(text="One."), ending("One."), ContentDelta(text="Two."), ending("Two."))

        assert await Agent(model, session=session).ask("go") == "One."

        assert [one.text for one in await said(session)] == ["go", "One."]
        assert model.closed
        assert await session.store.find_partial(session.id) is None


async def test_a_model_that_says_nothing_at_all_fails_the_turn() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()

        with pytest.raises(ModelError, match="no end"):
            await Agent(Rambling(), session=session).ask("go")

        turn = session.state.conversation.turn
        assert turn is not None
        assert turn.outcome == "failed"


# --- runtimes, teams and pools


async def test_an_error_inside_a_bus_comes_out_as_it_is() -> None:
    with pytest.raises(ModelError):
        async with RuntimeBus():
            raise ModelError("no")


class Unstartable:
    """A component that cannot start."""

    name = "unstartable"
    kind = "other"
    targets = None

    async def input(self, text: Any, inputs: dict[str, Any], session: Any) -> None:
        """Take anything, and give nothing back."""

    async def start(self) -> None:
        """Fail."""
        raise UnavailableError("no")


async def test_a_component_that_cannot_start_is_told_as_it_is() -> None:
    async with sojourn.open("memory:") as app:
        with pytest.raises(UnavailableError):
            await AsyncRuntime(app).start([Unstartable()])


async def test_a_team_can_be_stopped_while_it_decides_who_does_it() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider, token = Slow(), CancellationToken()
        team = Team(provider, session, app=app)
        results = []

        async def dispatch() -> None:
            results.append(await team.dispatch("Do it", cancel_token=token))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(dispatch)
                await provider.asked.wait()
                token.cancel()

        assert [(one.success, one.content) for one in results] == [(False, " [cancelled]")]


async def test_a_level_is_kept_even_if_the_parent_may_do_everything() -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider(otherwise="Hm."))
        await pool.create("boss")
        helper = await pool.create("helper", AgentConfig(parent="boss", level="sandboxed"))
        free = await pool.create("free", AgentConfig(parent="boss"))

        assert helper.permissions is not None
        assert helper.permissions.level == "sandboxed"
        assert free.permissions is None
        await pool.close()


@pytest.mark.parametrize(
    "config",
    [AgentConfig(level="sandboxed"), AgentConfig(parent="boss", permissions=Permissions(level="sandboxed"))],
)
async def test_limits_that_would_not_count_are_refused(config: AgentConfig) -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider(otherwise="Hm."), PoolSettings(permissions=Permissions(level="trusted")))
        await pool.create("boss")

        with pytest.raises(InvalidInputError):
            await pool.create("helper", config)
        assert "helper" not in pool
        await pool.close()


async def test_a_team_and_an_agent_say_what_a_human_has_to_allow() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        gate = PermissionGate(session, Permissions(level="trusted"), when_nobody="leave")
        provider = ScriptedProvider(otherwise=lambda _: calling(("odd", {})))
        skills = skills_of(Odd(ToolResult(output="x")))

        result = await Team(provider, session, skills=skills, gate=gate).run("writer", "Do it")
        [pending] = session.interrupts.pending()
        assert (result.success, result.content) == (False, pending.question)
        assert result.metadata["interrupt_id"] == pending.interrupt_id

        asked = await Agent(provider, session=session, skills=skills, gate=gate).input("Do it", session=session)
        [pending] = session.interrupts.pending()
        assert asked == pending.question


async def test_a_call_that_was_refused_is_not_refused_again_when_the_turn_is_resumed() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        gate = PermissionGate(session, Permissions(level="trusted"), when_nobody="leave")
        provider = ScriptedProvider([calling(("odd", {"_parallel": True}), ("odd", {"n": 2})), "Done."])
        agent = Agent(provider, session=session, skills=skills_of(Odd(ToolResult(output="x"))), gate=gate)
        await listed(agent.run_turn("go"))
        for answer in (Approval.NO, Approval.ONCE):
            [pending] = session.interrupts.pending()
            await answer_question(session, pending.interrupt_id, answer)
            await listed(agent.resume())

        assert [one.text for one in await said(session)] == ["go", "", REJECTED, "x", "Done."]
        assert (await kinds(session)).count("ToolRefused") == 1


async def test_a_skill_of_a_team_has_the_token_of_its_turn() -> None:
    async with sojourn.open("memory:") as app:
        session, token = await app.sessions.create(), CancellationToken()
        held: list[CancellationToken] = []

        def look(given: CancellationToken) -> str:
            """Look."""
            held.append(given)
            return "seen"

        team = Team(ScriptedProvider([calling(("look", {})), "Seen."]), session, skills=registry(look=look))
        await team.run("writer", "Look", cancel_token=token)

        assert held == [token]


async def test_a_pool_stops_every_agent_even_if_a_log_cannot_be_closed(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider(otherwise="Hm."), PoolSettings(log_dir=tmp_path))
        first, second = await pool.create("first"), await pool.create("second")
        broken: Any = first.agent

        async def fail() -> None:
            raise StorageFullError("no space left")

        broken.close = fail
        with pytest.raises(StorageFullError):
            await pool.close()

        assert len(pool) == 0
        assert second.logger is not None
        assert second.logger.folder.is_closed
        assert first.logger is not None
        first.logger.close()
