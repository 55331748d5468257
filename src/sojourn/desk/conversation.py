"""The chat's own side of a conversation: in which session it takes place, and with which model.

A session is begun when something is first said: looking in leaves nothing behind.
"""

from collections.abc import Callable
from contextlib import aclosing
from typing import Final

from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.command_control import CommandControlAgent
from sojourn.agent.events import TurnEvent
from sojourn.agent.wish import waits
from sojourn.desk.equipment import Equipment
from sojourn.desk.references import open_session
from sojourn.engine.app import Sojourn
from sojourn.engine.project import Project
from sojourn.engine.session import Session
from sojourn.engine.titles import UNTITLED, make_title
from sojourn.errors import InvalidInputError
from sojourn.providers.choosing import Choice
from sojourn.providers.protocol import Provider

INSTRUCTIONS: Final = "You are a helpful assistant. Answer briefly and plainly. If you do not know something, say so."
"""For a model that is too small for more."""

Show = Callable[[TurnEvent], None]
Equip = Callable[[Session], Equipment]


class Conversation:
    """What is talked about in one project. Lives in the event loop of its app, until the program ends."""

    def __init__(
        self,
        app: Sojourn,
        provider: Provider,
        *,
        project: Project,
        instructions: str = INSTRUCTIONS,
        choice: Choice | None = None,
        equip: Equip | None = None,
    ) -> None:
        """Talk with *provider* in sessions of *app*.

        *choice* is how the model was chosen; *equip* says what it may do in a session, by default nothing.
        """
        self.app = app
        self.provider = provider
        self.choice = choice
        self._project = project
        self._instructions = instructions
        self._equip = equip
        self._session: Session | None = None
        self._agent: Agent | None = None

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

    async def resume(self, reference: str | None = None) -> Session | None:
        """Go on in the session that *reference* names, or in the one that was used last in this project, if any.

        Raises:
            SessionNotFoundError, InvalidInputError: the reference names none, or several.
        """
        if reference is None:
            session = await self.app.sessions.last(project=self._project.id)
        else:
            session = await open_session(self.app, reference, project=self._project.id)
        if session is not None:
            await self._talk_in(session)
        return session

    def start_afresh(self) -> None:
        """Let what is said next begin a session."""
        self._session = self._agent = None

    async def say(self, text: str, token: CancellationToken, show: Show) -> None:
        """Say *text* to the model, and show what happens until the turn is over. The errors are the agent's."""
        if self._session is None:
            await self._talk_in(await self.app.sessions.create(project=self._project.id))
        session, agent = self._session, self._agent
        if session is None or agent is None:
            raise RuntimeError("a session was just opened")
        title = make_title(text) if session.state.title is None else UNTITLED
        if title != UNTITLED:
            await self.app.sessions.rename(session.id, title, source="auto")
        front = CommandControlAgent(agent)  # what the session knows needs no model
        async with aclosing(front.run_turn(text, cancel_token=token)) as events:
            async for event in events:
                show(event)

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
        async with aclosing(self._agent.resume(cancel_token=token)) as events:
            async for event in events:
                show(event)

    async def _talk_in(self, session: Session) -> None:
        self._session = await self.app.sessions.switch(session.id, project=self._project.id)
        equipment = self._equip(self._session) if self._equip is not None else None
        self._agent = Agent(
            self.provider,
            session=self._session,
            skills=equipment.skills if equipment is not None else None,
            gate=equipment.gate if equipment is not None else None,
            instructions=self._instructions,
            app=self.app,
        )
