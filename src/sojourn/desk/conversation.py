"""The chat's own side of a conversation: in which session it takes place, and with which model.

A session is begun when something is first said: looking in leaves nothing behind.
"""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio

from sojourn.agent.agent import Agent, check_said
from sojourn.agent.cancellation import CancellationToken, cancelled_by
from sojourn.agent.command_control import CommandControlAgent, McpHooks
from sojourn.agent.events import TurnEvent
from sojourn.agent.logs.config import LogConfig
from sojourn.agent.wish import waits
from sojourn.context.budget import Limits
from sojourn.desk.references import open_session
from sojourn.desk.wording import money
from sojourn.engine.app import Sojourn
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.project import Project
from sojourn.engine.session import Session
from sojourn.engine.titles import UNTITLED, make_title
from sojourn.errors import BudgetExceededError, InvalidInputError
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded
from sojourn.providers.choosing import Choice
from sojourn.providers.protocol import Provider

if TYPE_CHECKING:  # few have servers of tools, or keep a log
    from sojourn.agent.logs.logger import SessionLogger
    from sojourn.agent.mcp.servers import Mcp
    from sojourn.desk.equipment import Equipment

INSTRUCTIONS: Final = "You are a helpful assistant. Answer briefly and plainly. If you do not know something, say so."
"""For a model that is too small for more."""
_LATELY: Final = 20
"""Messages among which the one is looked for that was just said."""
_PATIENCE: Final = 10.0
"""Seconds that the first message waits for servers of tools that have not answered yet."""

Show = Callable[[TurnEvent], None]
Note = Callable[[str], None]
Equip = Callable[[Session], "Equipment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """A model that is open: how it was chosen, what it is told first, and what it may do in a session."""

    provider: Provider
    choice: Choice
    instructions: str = INSTRUCTIONS
    equip: Equip | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a conversation is bound to: a title and an id for its first session, what it may spend, and its log.

    *in_passing* means that one question is all of it: who talks later goes on where he talked before.
    """

    name: str | None = None
    session_id: str | None = None
    budget_micros: int | None = None
    log: LogConfig | None = None
    in_passing: bool = False


class Conversation:
    """What is talked about in one project. Lives in the event loop of its app, until `close`."""

    def __init__(
        self,
        app: Sojourn,
        partner: Partner,
        *,
        project: Project,
        terms: Terms | None = None,
        mcp: "Mcp | None" = None,
        find_partner: Callable[[str], Awaitable[Partner]] | None = None,
        note: Note | None = None,
    ) -> None:
        """Talk with *partner* in sessions of *app*.

        *mcp* are the servers whose prompts and resources can be named, *find_partner* opens another model by its name,
        and *note* hears what the person should know and is no error.
        """
        self.app = app
        self.mcp = mcp
        self._partner = partner
        self._project = project
        self._terms = terms or Terms()
        self._find_partner = find_partner
        self._hooks = McpHooks(mcp, on_note=note) if mcp is not None else None
        self._session: Session | None = None
        self._agent: Agent | None = None
        self._left: list[Agent] = []
        self._others: list[Provider] = []
        self._paid_before = 0
        self._spent_at_entry = 0

    # --- what it is

    @property
    def provider(self) -> Provider:
        """The model."""
        return self._partner.provider

    @property
    def choice(self) -> Choice:
        """Which model it is, and why."""
        return self._partner.choice

    @property
    def agent(self) -> Agent | None:
        """Who takes the turns; None while nothing was said."""
        return self._agent

    @property
    def session(self) -> Session | None:
        """Where it takes place; None while nothing was said."""
        return self._session

    @property
    def project(self) -> Project:
        """What it belongs to."""
        return self._project

    @property
    def instructions(self) -> str:
        """What the model is told first."""
        return self._partner.instructions

    @property
    def uses_tools(self) -> bool:
        """Whether the model may do anything but talk."""
        return self._partner.equip is not None

    @property
    def spent_micros(self) -> int:
        """What this conversation has cost since it was begun, in all its sessions, in millionths of a dollar."""
        here = 0 if self._session is None else SessionBudget(self._session).spent.micros - self._spent_at_entry
        return self._paid_before + here

    # --- where it takes place

    async def resume(self, reference: str | None = None) -> Session | None:
        """Go on in the session that *reference* names, or in the one that was talked in last in this project, if any.

        Raises:
            SessionNotFoundError, InvalidInputError: the reference names none, or several.
        """
        if reference is None:
            session = await self.app.sessions.last(project=self._project.id, talked=True)
        else:
            session = await open_session(self.app, reference, project=self._project.id)
        if session is not None:
            await self._talk_in(session)
        return session

    async def fork(
        self, reference: str | None = None, *, name: str | None = None, session_id: str | None = None
    ) -> Session:
        """Go on in a fork of the session that *reference* names, or of the one it takes place in.

        Raises:
            InvalidInputError: nothing was said yet.
            AlreadyExistsError: the id is taken.
        """
        origin = self._begun() if reference is None else await self._open(reference)
        forked = await self.app.sessions.fork(origin.id, session_id)
        if name is not None:
            await self.app.sessions.rename(forked.id, name)
        await self._talk_in(forked)
        return forked

    async def rewind(self, at: int) -> Session:
        """Go back to entry *at*, and on from there; what came after it is kept in the session as it was.

        Raises:
            InvalidInputError: nothing was said yet, or there is no such entry.
        """
        rewound = await self.app.sessions.rewind(self._begun().id, at=at)
        await self._talk_in(rewound)
        return rewound

    def start_afresh(self) -> None:
        """Let what is said next begin a session."""
        self._leave()
        self._terms = Terms(budget_micros=self._terms.budget_micros, log=self._terms.log)

    # --- talking

    async def say(self, text: str, token: CancellationToken, show: Show) -> None:
        """Say *text* to the model, and show what happens until the turn is over. The errors are the agent's.

        Raises:
            InvalidInputError: nothing was said, or too much; nothing is stored.
            BudgetExceededError: the conversation has spent what it may.
        """
        check_said(text)  # before a session is begun for it
        self._check_budget()
        await self._wait_for_servers(token)
        if self._session is None:
            if self._hooks is not None and text.lstrip().startswith("/"):
                await self._hooks.expand(text)  # a prompt that does not exist begins no session
            terms = self._terms
            created = await self.app.sessions.create(terms.session_id, project=self._project.id, title=terms.name)
            await self._talk_in(created)
        session, agent = self._session, self._agent
        if session is None or agent is None:
            raise RuntimeError("a session was just opened")
        front = CommandControlAgent(agent, hooks=self._hooks)  # what the session knows needs no model
        title = make_title(text) if session.state.title is None else UNTITLED
        try:
            async with aclosing(front.run_turn(text, cancel_token=token)) as events:
                async for event in events:
                    await self._give_title(session, title)
                    show(event)
        finally:
            with anyio.CancelScope(shield=True):
                await self._give_title(session, title)

    async def is_cut_off(self) -> bool:
        """Tell whether a turn waits to be gone on with: its process ended, or a human had to be asked."""
        return self._session is not None and await waits(self._session)

    async def go_on(self, token: CancellationToken, show: Show) -> None:
        """Go on with the turn that was cut off, and show what happens until it is over. The errors are the agent's.

        Raises:
            InvalidInputError: there is none.
        """
        if self._agent is None:
            raise InvalidInputError("there is nothing to go on with: nothing was said yet")
        self._check_budget()
        await self._wait_for_servers(token)
        async with aclosing(self._agent.resume(cancel_token=token)) as events:
            async for event in events:
                show(event)

    async def change_model(self, name: str) -> Choice:
        """Talk with the model of this name from now on, in the same session.

        Raises:
            InvalidInputError: there is no such model, or models cannot be changed here.
            MissingExtraError, ModelUnavailableError: it cannot be used.
        """
        if self._find_partner is None:
            raise InvalidInputError("the model cannot be changed here")
        self._partner = await self._find_partner(name)
        self._others.append(self._partner.provider)
        if self._session is not None:
            await self._talk_in(self._session)
        return self._partner.choice

    async def close(self) -> None:
        """Finish the log, and close the models that were changed to. The first one belongs to whoever opened it."""
        self._leave()
        await self._close_left()
        while self._others:
            await self._others.pop().close()

    # --- how it is done

    async def _open(self, reference: str) -> Session:
        return await open_session(self.app, reference, project=self._project.id)

    def _begun(self) -> Session:
        if self._session is None:
            raise InvalidInputError("nothing was said yet")
        return self._session

    async def _talk_in(self, session: Session) -> None:
        self._leave()
        await self._close_left()
        partner, terms = self._partner, self._terms
        session = await self.app.sessions.switch(session.id, project=self._project.id, in_passing=terms.in_passing)
        equipment = partner.equip(session) if partner.equip is not None else None
        self._agent = Agent(
            partner.provider,
            session=session,
            skills=equipment.skills if equipment is not None else None,
            gate=equipment.gate if equipment is not None else None,
            instructions=partner.instructions,
            app=self.app,
            limits=self._limits(session),
            logger=await _log(session, terms.log) if terms.log is not None else None,
        )
        self._session, self._spent_at_entry = session, SessionBudget(session).spent.micros

    async def _give_title(self, session: Session, title: str) -> None:
        """Name a session without a title after what was just said, once that is stored: they are forgotten together."""
        if session.state.title is not None or title == UNTITLED:
            return
        said = [entry.seq for entry in await session.last_messages(_LATELY) if _is_users(entry)]
        if said:
            await self.app.sessions.rename(session.id, title, source="auto", causes=said[-1:])

    def _leave(self) -> None:
        self._paid_before = self.spent_micros
        if self._agent is not None:
            self._left.append(self._agent)
        self._session = self._agent = None

    async def _close_left(self) -> None:
        while self._left:
            await self._left.pop().close()

    def _limits(self, session: Session) -> Limits | None:
        """Return what may be spent in *session*: what it has cost so far, and what is left for this conversation."""
        budget = self._terms.budget_micros
        if budget is None:
            return None
        return Limits(session_micros=SessionBudget(session).spent.micros + max(0, budget - self._paid_before))

    def _check_budget(self) -> None:
        budget = self._terms.budget_micros
        if budget is not None and self.spent_micros >= budget:
            raise BudgetExceededError(f"{money(self.spent_micros)} of {money(budget)} are spent")

    async def _wait_for_servers(self, token: CancellationToken) -> None:
        if self.mcp is not None:
            with cancelled_by(token), anyio.move_on_after(_PATIENCE):
                await self.mcp.ready()


async def _log(session: Session, config: LogConfig) -> "SessionLogger":
    from sojourn.desk.logbook import open_log  # noqa: PLC0415 - few keep one

    return await open_log(session, config)


def _is_users(entry: Entry) -> bool:
    return isinstance(entry.event, MessageAdded) and entry.event.message.role == "user"
