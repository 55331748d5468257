"""Many agents in one process: they share a model, and nothing else.

Each has a session, skills, services and a log of its own. One that another started is its child: its session and its
log are nested in the parent's, and it may do no more than the parent lets it.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import anyio
import uuid_utils

from sojourn.agent.agent import Agent, Instructions
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import TurnEvent
from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.permissions.approvals import Approver
from sojourn.agent.permissions.ceilings import for_child
from sojourn.agent.permissions.gate import PermissionGate, WhenNobody
from sojourn.agent.permissions.levels import Level
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.settings import AgentSettings
from sojourn.agent.skills.offered import Skills
from sojourn.agent.skills.services import ServiceContainer
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.errors import AlreadyExistsError, InvalidInputError, NotFoundError, SojournError
from sojourn.model.value import Value
from sojourn.providers.protocol import Provider

_NAME: Final = re.compile(r"\.?[A-Za-z0-9][A-Za-z0-9._-]{0,61}")
SkillsFor = Callable[[ServiceContainer], Skills]
"""Makes an agent's skills; the services hold its `session`, and whatever else is registered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """What one agent of a pool has for itself.

    Attributes:
        agent_id: its name; without one, eight hex digits.
        system_prompt: its instructions; without them, the pool's.
        session_id: the session to go on with; without one, a new session.
        parent: the agent that starts it.
        level: how far an agent that another starts is trusted; without one, as far as its parent lets it.
        permissions: what an agent without a parent may do; without them, what the pool says.
    """

    agent_id: str | None = None
    system_prompt: str | None = None
    session_id: str | None = None
    parent: str | None = None
    level: Level | None = None
    permissions: Permissions | None = None


class AgentInfo(Value, frozen=True, kw_only=True):
    """One agent, as a list shows it."""

    agent_id: str
    session_id: str
    created_at: datetime
    message_count: int
    should_shutdown: bool
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """What the agents of a pool have in common.

    Attributes:
        skills: makes an agent's skills; without it, they only talk.
        instructions: the system prompt of those that have none of their own.
        permissions: what agents without a parent may do; None asks nobody.
        approver: asks a human; see `PermissionGate`.
        when_nobody: what happens if there is nobody to ask.
        settings: how they behave.
        log_dir: where their logs go, each into a folder of its own; None for no logs.
        log_streams: what is logged.
        cwd: the folder that paths are seen from.
    """

    skills: SkillsFor | None = None
    instructions: Instructions = ""
    permissions: Permissions | None = None
    approver: Approver | None = None
    when_nobody: WhenNobody = "deny"
    settings: AgentSettings = field(default_factory=AgentSettings)
    log_dir: Path | None = None
    log_streams: LogStream = LogStream.ALL
    cwd: Path | None = None


class PooledAgent:
    """One agent of a pool, and what is under way with it. Lives until the pool destroys it."""

    def __init__(
        self,
        agent_id: str,
        agent: Agent,
        session: Session,
        *,
        services: ServiceContainer,
        created_at: datetime,
        permissions: Permissions | None = None,
        logger: SessionLogger | None = None,
        parent: str | None = None,
    ) -> None:
        self.agent_id = agent_id
        self.agent = agent
        self.session = session
        self.services = services
        self.created_at = created_at
        self.permissions = permissions
        self.logger = logger
        self.parent = parent
        self.should_shutdown = False
        self._requests: dict[str, CancellationToken] = {}

    def __repr__(self) -> str:
        return f"PooledAgent({self.agent_id!r})"

    @property
    def info(self) -> AgentInfo:
        """What a list shows of it."""
        return AgentInfo(
            agent_id=self.agent_id,
            session_id=self.session.id,
            created_at=self.created_at,
            message_count=self.session.state.conversation.message_count,
            should_shutdown=self.should_shutdown,
            parent=self.parent,
        )

    @property
    def requests(self) -> tuple[str, ...]:
        """The requests that are under way."""
        return tuple(self._requests)

    async def send(self, content: str, *, request_id: str | None = None) -> AsyncGenerator[TurnEvent, None]:
        """Say *content* to it, as `Agent.run_turn` does; *request_id* is what `cancel` stops it by.

        Raises:
            AlreadyExistsError: a request of this id is under way.
        """
        name = request_id or str(uuid_utils.uuid7())
        if name in self._requests:
            raise AlreadyExistsError(f"request={name}")
        token = self._requests[name] = CancellationToken()
        try:
            async with aclosing(self.agent.run_turn(content, cancel_token=token)) as events:
                async for event in events:
                    yield event
        finally:
            self._requests.pop(name, None)

    def cancel(self, request_id: str) -> bool:
        """Stop a request; tell whether it was under way."""
        token = self._requests.get(request_id)
        if token is None:
            return False
        token.cancel()
        return True

    async def stop(self) -> None:
        """Stop all that is under way, and return when it has stopped."""
        for token in tuple(self._requests.values()):
            token.cancel()
        await self.agent.wait_until_idle()


class AgentPool:
    """The agents of one process, on one app and one model. Lives as long as the program; close it."""

    def __init__(self, app: Sojourn, provider: Provider, settings: PoolSettings | None = None) -> None:
        self._app = app
        self._provider = provider
        self._settings = settings or PoolSettings()
        self._agents: dict[str, PooledAgent] = {}
        self._lock = asyncio.Lock()

    def __repr__(self) -> str:
        return f"AgentPool({', '.join(self._agents)})"

    def __len__(self) -> int:
        return len(self._agents)

    def __contains__(self, agent_id: object) -> bool:
        return agent_id in self._agents

    @property
    def should_shutdown(self) -> bool:
        """Whether every agent wants to stop; an empty pool goes on."""
        return bool(self._agents) and all(one.should_shutdown for one in self._agents.values())

    async def create(self, agent_id: str | None = None, config: AgentConfig | None = None) -> PooledAgent:
        """Start an agent. Its name is the config's, else *agent_id*, else made up.

        Raises:
            AlreadyExistsError: there is one of this name.
            NotFoundError: there is no such parent, or no such session.
            InvalidInputError: the name cannot be used, the parent may not start such an agent, or a level or
                permissions were given to one that has no use for them.
        """
        wanted = config or AgentConfig()
        name = wanted.agent_id or agent_id or secrets.token_hex(4)
        if not _NAME.fullmatch(name):
            raise InvalidInputError(
                f"an agent's name is at most 62 letters, digits, dots, hyphens and underscores, got {name!r:.100}"
            )
        async with self._lock:
            if name in self._agents:
                raise AlreadyExistsError(f"agent={name}")
            parent = self.get(wanted.parent) if wanted.parent is not None else None
            made = await self._make(name, wanted, parent)
            self._agents[name] = made
            return made

    async def destroy(self, agent_id: str) -> bool:
        """Stop an agent and those that it started; tell whether there was one. What they said and logged stays."""
        async with self._lock:
            return await self._destroy(agent_id)

    def get(self, agent_id: str) -> PooledAgent:
        """Return the agent of this name.

        Raises:
            NotFoundError: there is none.
        """
        found = self._agents.get(agent_id)
        if found is None:
            raise NotFoundError(f"agent={agent_id}")
        return found

    def list(self) -> list[AgentInfo]:
        """Return all agents, the oldest first."""
        return [one.info for one in self._agents.values()]

    async def close(self) -> None:
        """Stop every agent. One whose log cannot be closed stops no other; its error is raised at last."""
        failed: list[SojournError] = []
        async with self._lock:
            for agent_id in tuple(self._agents):
                try:
                    await self._destroy(agent_id)
                except SojournError as error:
                    failed.append(error)
        if failed:
            raise failed[0]

    # --- how

    async def _make(self, name: str, config: AgentConfig, parent: PooledAgent | None) -> PooledAgent:
        permissions = self._permissions(config, parent)
        session = await self._session(name, config, parent)
        services = ServiceContainer()
        services.register("session", session)
        services.register("pool", self)
        services.register("agent_id", name)
        shared, logger = self._settings, await self._logger(name, parent)
        gate = None
        if permissions is not None:
            gate = PermissionGate(
                session, permissions, approver=shared.approver, when_nobody=shared.when_nobody, cwd=shared.cwd
            )
        try:
            agent = Agent(
                self._provider,
                session=session,
                skills=shared.skills(services) if shared.skills is not None else None,
                instructions=config.system_prompt if config.system_prompt is not None else shared.instructions,
                app=self._app,
                gate=gate,
                settings=shared.settings,
                logger=logger,
                name=name,
            )
        except BaseException:
            if logger is not None:
                logger.close()
            raise
        return PooledAgent(
            name,
            agent,
            session,
            services=services,
            created_at=self._app.clock.now(),
            permissions=permissions,
            logger=logger,
            parent=config.parent,
        )

    def _permissions(self, config: AgentConfig, parent: PooledAgent | None) -> Permissions | None:
        if parent is None:
            if config.level is not None:
                raise InvalidInputError("an agent without a parent has permissions instead of a level")
            return config.permissions or self._settings.permissions
        if config.permissions is not None:
            raise InvalidInputError("what an agent may do follows from its parent: give it a level")
        held = parent.permissions
        if held is None and config.level is None:
            return None
        return for_child(held or Permissions(level="yolo"), cwd=self._settings.cwd or Path.cwd(), level=config.level)

    async def _session(self, name: str, config: AgentConfig, parent: PooledAgent | None) -> Session:
        if config.session_id is not None:
            return await self._app.sessions.open(config.session_id)
        above = None if parent is None else parent.session.id
        return await self._app.sessions.create(title=f"Agent {name}", tags=("agent",), parent=above)

    async def _logger(self, name: str, parent: PooledAgent | None) -> SessionLogger | None:
        shared = self._settings
        if shared.log_dir is None:
            return None
        if parent is not None and parent.logger is not None:
            try:
                return await anyio.to_thread.run_sync(parent.logger.create_child_logger, name)
            except AlreadyExistsError:  # an agent of this name was here before, and its log stays
                again = f"{name}-{secrets.token_hex(3)}"
                return await anyio.to_thread.run_sync(parent.logger.create_child_logger, again)
        config = LogConfig(
            base_dir=shared.log_dir / name, streams=shared.log_streams, mode="agent", clock=self._app.clock
        )
        return await anyio.to_thread.run_sync(SessionLogger, config)

    async def _destroy(self, agent_id: str) -> bool:
        found = self._agents.get(agent_id)
        if found is None:
            return False
        for child in [one.agent_id for one in self._agents.values() if one.parent == agent_id]:
            await self._destroy(child)
        await found.stop()
        try:
            await found.agent.close()
        finally:
            del self._agents[agent_id]
        return True
