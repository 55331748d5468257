"""Conversations as a runtime sees them: a running prompt, variables, and one live object for each id.

A conversation is a view of a durable session. Nothing is kept here that the journal does not have: the prompt is
rendered from what was said, and a conversation that is dropped from memory comes back whole. A turn records what the
user said before any work is done on it, and the answer together with the variables in one append when the work
succeeds; so each is recorded once, and a turn that fails leaves the variables as they were.
"""

import copy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self

from sojourn.clock import Clock
from sojourn.engine.by_id import HasStore, SessionsById, belongs_to
from sojourn.engine.inputs import MAX_NAME, check_seconds, check_text
from sojourn.engine.session import Session, SessionOptions
from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.model.codec import MAX_EVENT_BYTES
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import Event, MessageAdded, VariableRemoved, VariableSet
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Message
from sojourn.store.protocol import Store

CLI_SESSION: Final = "cli_session"
"""The id of the conversation on the command line."""
IDLE_SECONDS: Final = 30 * 60.0
MAX_PROMPT: Final = 360_000
"""Characters in a running prompt, about 90,000 tokens: what was said before that is in the journal only."""
_SUMMARY: Final = "Summary of previous context: {} Continue reasoning from here."
_PAGE: Final = 100
_SWEEP_SECONDS: Final = 60.0


@dataclass(slots=True)
class ConversationTurn:
    """One turn, while it is worked on. Whoever works sets *answer*, and may change *variables*, which are a copy."""

    prompt: str
    variables: dict[str, Any]
    answer: str | None = None


class ConversationSession:
    """One conversation. Lives while somebody uses it; get it from `Conversations`."""

    def __init__(self, session: Session) -> None:
        """Show *session*; `refresh` reads what was said so far."""
        self._session = session
        self._epoch: int | None = None
        self._window_start = Seq(0)
        self._through = Seq(0)
        self._said: list[Entry] = []
        self._turns = 0
        self._used = session.clock.monotonic()

    def __repr__(self) -> str:
        return f"ConversationSession({self.id!r}, {len(self._said)} turns)"

    @property
    def id(self) -> SessionId:
        return self._session.id

    @property
    def session(self) -> Session:
        """The durable session behind it."""
        return self._session

    @property
    def in_turn(self) -> bool:
        """Whether a turn is being worked on."""
        return self._turns > 0

    @property
    def idle_seconds(self) -> float:
        """How long nobody has used it."""
        return self._session.clock.monotonic() - self._used

    @property
    def created_at(self) -> float:
        """When it began, in seconds since 1970."""
        return self._session.state.created_at.timestamp()

    @property
    def last_activity(self) -> float:
        """When something last happened in it, in seconds since 1970."""
        return self._session.state.updated_at.timestamp()

    @property
    def conversation_history(self) -> list[dict[str, Any]]:
        """What user and assistant said, oldest first, as dicts with `role`, `content` and `timestamp`; a copy.

        It begins behind what was summarised, and holds at most what fits into the prompt.
        """
        return [
            {"role": message.role, "content": message.text, "timestamp": entry.at.timestamp()}
            for entry in self._said
            if (message := _message(entry)) is not None
        ]

    @property
    def workflow_variables(self) -> dict[str, Any]:
        """A copy of the variables."""
        return self._session.variables.to_dict()

    @property
    def current_prompt(self) -> str:
        """What was said so far as one text, the assistant's answers included; the first words of the user are bare."""
        parts = []
        state = self._session.state
        if state.conversation.window_start and state.working_set.summary:
            parts.append(_SUMMARY.format(state.working_set.summary))
        for turn in self.conversation_history:
            speaker = "User" if turn["role"] == "user" else "Assistant"
            bare = not parts and speaker == "User"
            parts.append(turn["content"] if bare else f"{speaker}: {turn['content']}")
        return "\n\n".join(parts)

    async def add_turn(self, role: str, content: str) -> None:
        """Record what the user or the assistant said.

        Raises:
            InvalidInputError: the role is another one, or nothing was said.
        """
        check_text(content, "what was said", most=MAX_EVENT_BYTES)
        match role:
            case "user":
                await self._session.messages.user(content)
            case "assistant":
                await self._session.messages.assistant(content)
            case _:
                raise InvalidInputError(f"a turn is the user's or the assistant's, got {role!r:.50}")
        await self._take_in()

    @asynccontextmanager
    async def turn(self, query: str, *, inputs: dict[str, Any] | None = None) -> AsyncIterator[ConversationTurn]:
        """Work on the answer to *query* for the time of an `async with`.

        What the user said is recorded at once, unless it stands there already and waits for its answer. *inputs* are
        added to the turn's variables. Leaving normally records the answer and the changed variables in one append; an
        error comes out as it is, and of the turn only what the user said is kept.

        Raises:
            LockedError: another turn of this conversation is going on.
            InvalidInputError: nothing was asked, or a variable cannot be stored.
        """
        check_text(query, "what was said", most=MAX_EVENT_BYTES)
        self._turns += 1
        try:
            async with self._session.turn():
                await self.refresh()
                asked = await self._ask(query)
                before = self.workflow_variables
                variables = {**copy.deepcopy(before), **copy.deepcopy(inputs or {})}
                turn = ConversationTurn(prompt=self.current_prompt, variables=variables)
                yield turn
                await self._record(turn, before, asked)
                await self._take_in()
        finally:
            self._turns -= 1
            self._used = self._session.clock.monotonic()

    async def refresh(self) -> None:
        """Bring it up to date with what others said, summarised or forgot."""
        row = await self._session.store.get_session(self.id)
        await self._session.refresh()
        if row.epoch != self._epoch:
            self._forget()
            self._epoch = row.epoch
        await self._take_in()

    # --- how

    async def _ask(self, query: str) -> Seq:
        """Record the question unless it waits for its answer already; return where it stands."""
        last = self._said[-1] if self._said else None
        if last is not None and last.seq == self._session.state.conversation.last_message:
            message = _message(last)
            if message is not None and message.role == "user" and message.text == query:
                return last.seq
        await self.add_turn("user", query)
        return self._said[-1].seq

    async def _record(self, turn: ConversationTurn, before: dict[str, Any], asked: Seq) -> None:
        events: list[Event | Draft] = []
        if turn.answer is not None:
            check_text(turn.answer, "an answer", most=MAX_EVENT_BYTES)
            events.append(MessageAdded(message=Message(role="assistant", content=turn.answer)))
        for name, value in turn.variables.items():
            if name not in before or before[name] != value:
                check_text(name, "a variable's name", most=MAX_NAME)
                events.append(Draft(event=VariableSet(name=name, value=value), causes=(asked,)))
        gone = [name for name in before if name not in turn.variables]
        events += [Draft(event=VariableRemoved(name=name), causes=(asked,)) for name in gone]
        if events:
            await self._session.append(*events)

    def _forget(self) -> None:
        self._said, self._through = [], Seq(0)

    async def _take_in(self) -> None:
        """Read the messages that are new, and drop those that a summary stands for."""
        self._used = self._session.clock.monotonic()
        conversation = self._session.state.conversation
        if conversation.window_start < self._window_start:
            self._forget()
        self._window_start = conversation.window_start
        if (conversation.last_message or 0) > self._through:
            new = await self._read(after=max(self._through, self._window_start))
            known = self._said[-1].seq if self._said else 0  # another task may have read the same meanwhile
            self._said += [entry for entry in new if entry.seq > known]
            self._through = max(self._through, conversation.last_message or Seq(0))
        self._said = _fitting([entry for entry in self._said if entry.seq > self._window_start])

    async def _read(self, *, after: int) -> list[Entry]:
        """Return what was said after entry *after*, or the end of it that fits into a prompt."""
        found: list[Entry] = []
        before: int | None = None
        while len(_fitting(found)) == len(found):
            page = await self._session.messages.last(_PAGE, before=before)
            found = [entry for entry in page if entry.seq > after and _message(entry) is not None] + found
            if len(page) < _PAGE or page[0].seq <= after:
                break
            before = page[0].seq
        return found


class Conversations:
    """The conversations of one runtime, one live object for each id. Lives as long as its runtime; close it.

    One that nobody has used for 30 minutes is dropped from memory, and only from there: asked for again, it goes on
    where it stood. One in a turn is never dropped.
    """

    def __init__(
        self,
        source: Store | HasStore,
        *,
        idle_seconds: float = IDLE_SECONDS,
        options: SessionOptions | None = None,
    ) -> None:
        """Keep conversations in an app, or in a bare store; *options* are for the latter."""
        chosen = options or SessionOptions()
        self._sessions = SessionsById(source, options=chosen)
        self._clock: Clock = getattr(source, "clock", chosen.clock)
        self._idle_seconds = check_seconds(idle_seconds, "the idle time")
        self._live: dict[SessionId, ConversationSession] = {}
        self._swept = self._clock.monotonic()

    def __repr__(self) -> str:
        return f"Conversations({len(self._live)} live)"

    def __len__(self) -> int:
        """Return how many conversations are in memory."""
        return len(self._live)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def get_or_create(self, session_id: str = CLI_SESSION, *, user_id: str | None = None) -> ConversationSession:
        """Return the conversation of this id, up to date; one that does not exist is begun, for *user_id*.

        Raises:
            SessionNotFoundError: it belongs to another user.
            AlreadyExistsError: it is in the trash.
        """
        if self._clock.monotonic() - self._swept >= _SWEEP_SECONDS:
            await self.close_idle()
        known = await self._find_live(session_id)
        if known is not None:
            if not belongs_to(known.session.state.header, user_id):
                raise SessionNotFoundError(f"session={session_id}")
            return known
        opened = ConversationSession(await self._sessions.open_or_create(session_id, user_id=user_id))
        await opened.refresh()
        return self._live.setdefault(opened.id, opened)  # another task may have opened it meanwhile

    async def close_idle(self) -> int:
        """Drop from memory what nobody has used for the idle time; return how many that were. What is stored stays."""
        self._swept = self._clock.monotonic()
        idle = [one for one in self._live.values() if not one.in_turn and one.idle_seconds >= self._idle_seconds]
        for conversation in idle:
            del self._live[conversation.id]
        for conversation in idle:
            await conversation.session.close()
        return len(idle)

    async def close(self) -> None:
        """Drop everything from memory. Nothing needs saving; closing twice is fine."""
        live, self._live = self._live, {}
        for conversation in live.values():
            await conversation.session.close()

    async def _find_live(self, session_id: str) -> ConversationSession | None:
        """Return the live conversation, up to date; None if there is none, or it is live no more."""
        known = self._live.get(SessionId(session_id))
        if known is None:
            return None
        try:
            await known.refresh()
        except SessionNotFoundError:  # purged
            self._live.pop(known.id, None)
            return None
        header = known.session.state.header
        if header.trashed_at is not None or header.superseded_by is not None:
            self._live.pop(known.id, None)
            return None
        return known


def _message(entry: Entry) -> Message | None:
    """Return what the user or the assistant said in words, if that is what *entry* is."""
    event = entry.event
    if isinstance(event, MessageAdded) and event.message.role in ("user", "assistant") and event.message.text:
        return event.message
    return None


def _fitting(said: list[Entry]) -> list[Entry]:
    """Return the longest end of *said* that fits into a prompt, and the last one in any case."""
    room = MAX_PROMPT
    for place in range(len(said) - 1, -1, -1):
        message = _message(said[place])
        room -= len(message.text) if message is not None else 0
        if room < 0:
            return said[min(place + 1, len(said) - 1) :]
    return said
