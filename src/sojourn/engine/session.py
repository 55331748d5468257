"""A live session: a journal in a store, and its state in memory.

Reads of the state never touch the store. An append returns when it is durable, and the state then holds it, together
with whatever other processes appended in between; the fold itself waits until somebody looks. A snapshot every 512
entries keeps loading independent of age.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

import uuid_utils

from sojourn.clock import Clock, SystemClock
from sojourn.context.builder import ContextBuilder
from sojourn.context.context import Context
from sojourn.context.inputs import Mode, ShowProfile, Strategy
from sojourn.context.models import ModelCatalog
from sojourn.engine import portable
from sojourn.engine.branches import follow_project
from sojourn.engine.contexts import Contexts
from sojourn.engine.forgetting import What, forget
from sojourn.engine.loading import load_state
from sojourn.engine.nouns.allowances import AllowancesNoun
from sojourn.engine.nouns.facts import Facts
from sojourn.engine.nouns.focus import Entities, Focus
from sojourn.engine.nouns.interrupts import InterruptsNoun
from sojourn.engine.nouns.messages import Messages
from sojourn.engine.nouns.profile import Profile
from sojourn.engine.nouns.research import ResearchNoun
from sojourn.engine.nouns.variables import VariablesNoun
from sojourn.engine.nouns.working_set import WorkingSetNoun
from sojourn.engine.private import Private
from sojourn.engine.recall.answering import Answer, answer
from sojourn.engine.recall.memory import Memory
from sojourn.engine.recall.recap import recap
from sojourn.engine.recent import RecentMessages
from sojourn.engine.turn import Holding, run_turn
from sojourn.engine.why import Explanation, Thing, explain
from sojourn.errors import InvalidEventError, InvalidInputError, LeaseLostError, NotFoundError
from sojourn.memory.index.document import DocumentKind, Hit
from sojourn.model.codec import CODEC
from sojourn.model.entry import Draft, Entry, as_drafts
from sojourn.model.events import Event, FactScope, SessionCreated
from sojourn.model.ids import Seq, SessionId, check_session_id
from sojourn.model.knowledge import Fact
from sojourn.model.state import SessionState, encode_snapshot
from sojourn.providers.structured import StructuredModel
from sojourn.store.protocol import MAX_PAGE, Claim, Lease, Receipt, Redaction, Snapshot, Store

SNAPSHOT_EVERY: Final = 512
_WORTH_A_SNAPSHOT: Final = 128
"""A session that is closed keeps a snapshot if at least so many entries came since the last one."""


def new_session_id() -> SessionId:
    """Return an id that no other session has; ids made later sort later."""
    return check_session_id(str(uuid_utils.uuid7()))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How a session behaves; the app that opens it decides."""

    clock: Clock = field(default_factory=SystemClock)
    keeps_profile: Callable[[], bool] = lambda: True
    """Whether what is learned about the user may be written."""
    on_append: Callable[["Session", tuple[Entry, ...]], Awaitable[None]] | None = None
    """Called with what was appended through the session, after it is in the state."""
    on_redact: Callable[[Redaction], Awaitable[None]] | None = None
    """Called with what was forgotten through the session."""
    memory: Memory | None = None
    """What is remembered across sessions; without it there is no search."""
    model: StructuredModel | None = None
    """Answers and verifies, if there is one."""
    models: ModelCatalog = field(default_factory=ModelCatalog)
    """What is known about models: their windows and prices."""
    brief: bool = False
    """Whether contexts that fit in any case are counted roughly."""


class Session:
    """One session, open. Lives from `open`, `create` or `fork` to `close`; several may be open on one journal."""

    def __init__(
        self, store: Store, state: SessionState, *, epoch: int, snapshot_at: Seq, options: SessionOptions
    ) -> None:
        """Take a state that was loaded from *store*; use `open` or `create` instead."""
        self._store = store
        self._folded = state
        self._unfolded: list[Entry] = []
        self._epoch = epoch
        self._snapshot_at = snapshot_at
        self._options = options
        self._private = Private()
        self._recent = RecentMessages()
        self._contexts = Contexts(brief=options.brief)
        self._lease: Lease | None = None

    def __repr__(self) -> str:
        return f"Session({self.id!r}, head={self.head})"

    @classmethod
    async def create(
        cls,
        store: Store,
        session_id: str | None = None,
        created: SessionCreated | None = None,
        *,
        options: SessionOptions | None = None,
    ) -> Self:
        """Begin a session and open it.

        Raises:
            AlreadyExistsError: the id is taken.
        """
        row = await store.create_session(session_id or new_session_id(), created)
        return await cls.open(store, row.header.session_id, options=options)

    @classmethod
    async def open(cls, store: Store, session_id: str, *, options: SessionOptions | None = None) -> Self:
        """Open a session as it is now.

        Raises:
            SessionNotFoundError: there is no such session.
        """
        state, epoch, snapshot_at = await load_state(store, session_id)
        session = cls(store, state, epoch=epoch, snapshot_at=snapshot_at, options=options or SessionOptions())
        if session.head - snapshot_at >= SNAPSHOT_EVERY:
            await session._save_snapshot()
        return session

    @property
    def id(self) -> SessionId:
        return self._folded.session_id

    @property
    def store(self) -> Store:
        """Where the journal is kept."""
        return self._store

    @property
    def clock(self) -> Clock:
        """Where the time comes from."""
        return self._options.clock

    @property
    def state(self) -> SessionState:
        """The state now: a value that does not change when the session goes on."""
        stored = self._stored_state()
        return self._private.over(stored) if self._private else stored

    def _stored_state(self) -> SessionState:
        if self._unfolded:
            self._folded = self._folded.apply_all(self._unfolded)
            self._unfolded.clear()
        return self._folded

    # --- what can be done with it, by noun

    @property
    def messages(self) -> Messages:
        """What was said, and what it cost."""
        return Messages(self)

    @property
    def focus(self) -> Focus:
        """What the user works on."""
        return Focus(self)

    @property
    def entities(self) -> Entities:
        """What was mentioned."""
        return Entities(self)

    @property
    def facts(self) -> Facts:
        """What was learned."""
        memory = self._options.memory
        if memory is None:
            return Facts(self, model=self._options.model)
        return Facts(self, meaning=memory.meaning, known=partial(memory.find_facts, self), model=self._options.model)

    @property
    def profile(self) -> Profile:
        """Who the user is."""
        return Profile(self)

    @property
    def research(self) -> ResearchNoun:
        """Questions that are researched."""
        return ResearchNoun(self)

    @property
    def working_set(self) -> WorkingSetNoun:
        """Decisions, open tasks, files, pinned facts, the summary and the token budget."""
        return WorkingSetNoun(self)

    @property
    def variables(self) -> VariablesNoun:
        """Named values that are kept between turns."""
        return VariablesNoun(self)

    @property
    def allowances(self) -> AllowancesNoun:
        """What tools may do without asking again."""
        return AllowancesNoun(self)

    @property
    def interrupts(self) -> InterruptsNoun:
        """Questions and approvals that wait for a human."""
        return InterruptsNoun(self)

    def turn(self, turn_id: str | None = None, *, resume: bool = False, opening: Sequence[Event] = ()) -> Holding:
        """Hold the session's turn for the time of an `async with`; see `engine.turn.run_turn`."""
        return run_turn(self, turn_id=turn_id, resume=resume, opening=opening)

    @property
    def in_turn(self) -> bool:
        """Whether a turn is being held through this object."""
        return self._lease is not None

    @property
    def lease(self) -> Lease | None:
        """What appends are tied to, while a turn is held."""
        return self._lease

    def hold(self, lease: Lease | None) -> None:
        """Tie every append to *lease* from now on, or to none: what `turn` does."""
        self._lease = lease

    # --- the journal

    @property
    def head(self) -> Seq:
        """The last entry that the state holds."""
        return self._unfolded[-1].seq if self._unfolded else self._folded.head

    async def append(
        self,
        *events: Event | Draft,
        causes: Iterable[int] = (),
        expected: int | None = None,
        key: str | None = None,
        lease: Lease | Claim | None = None,
        release: bool = False,
        clear_partial: bool = False,
    ) -> Receipt:
        """Append all *events* or none; once this returns they are durable and in the state.

        *causes* are the entries that the events were derived from. The other arguments, and the errors, are those of
        `Store.append`. Without *expected* the events go to the end of the journal, behind what others appended.

        If the profile is not kept, what tells about the user stays in memory, and is not among the receipt's entries.
        """
        drafts: Sequence[Event | Draft] = as_drafts(events, causes=causes) if causes else events
        if not self._options.keeps_profile():
            drafts = self._keep_in_memory(as_drafts(drafts))
            if not drafts and events:
                return Receipt(first=self.head, last=self.head, at=self.clock.now(), epoch=self._epoch)
        before, receipt = self._lease, None
        while receipt is None:
            held = lease or self._lease
            try:
                receipt = await self._store.append(
                    self.id,
                    drafts,
                    expected=expected,
                    key=key,
                    lease=held,
                    release=release and held is not None,
                    clear_partial=clear_partial,
                )
            except LeaseLostError:
                # A turn may end while an append beside it waits for the store. Then its lease is gone, but nobody took
                # it away: the append is made once more, under whatever is held by then.
                if held is (lease or self._lease):
                    raise
        if receipt.lease is not None or (release and self._lease is before):
            self.hold(receipt.lease)
        if receipt.first == self.head + 1 and receipt.epoch == self._epoch and receipt.entries:
            self._follow(receipt.entries)
        else:
            await self._catch_up(receipt)
        if self.head - self._snapshot_at >= SNAPSHOT_EVERY:
            await self._save_snapshot()
        if self._options.on_append is not None and receipt.entries:
            await self._options.on_append(self, receipt.entries)
        return receipt

    async def _catch_up(self, receipt: Receipt) -> None:
        """Bring the state up to an append that others came before, or that something was forgotten before."""
        if receipt.epoch != self._epoch:
            await self.reload()
        elif receipt.last > self.head:
            await self._read_on()

    async def refresh(self) -> None:
        """Bring the state up to the journal's head, reading only what is new."""
        row = await self._store.get_session(self.id)
        if row.epoch != self._epoch:
            await self.reload()
        elif row.header.head > self.head:
            await self._read_on()

    async def keep_profile(self) -> None:
        """Write what was kept in memory about the user: he agreed."""
        drafts = self._private.drafts()
        if drafts:
            receipt = await self._store.append(self.id, drafts)
            self._private.let_go(len(drafts))
            await self._catch_up(receipt)

    def _keep_in_memory(self, drafts: list[Draft]) -> list[Draft]:
        """Take what is private out of *drafts*; return the rest."""
        kept = []
        for draft in drafts:
            if self._private.concerns(draft.event):
                encoded = CODEC.encode(draft.event)
                if any(not 1 <= cause <= self.head for cause in draft.causes):
                    raise InvalidEventError(f"{encoded.kind}: not all of {draft.causes} are entries of the session")
                entry = Entry(
                    session_id=self.id,
                    seq=max(draft.causes, default=Seq(0)),  # it stands nowhere: what it came from explains it
                    at=self.clock.now(),
                    event=encoded.event,
                    causes=draft.causes,
                    payload=encoded.payload,
                )
                self._private.add([entry])
            else:
                kept.append(draft)
        return kept

    async def _read_on(self) -> None:
        while entries := await self._store.read(self.id, after=self.head, limit=MAX_PAGE):
            # Another task of this session may have moved the head while this one waited.
            self._follow([entry for entry in entries if entry.seq > self.head])
            if len(entries) < MAX_PAGE:
                break

    async def reload(self) -> None:
        """Make the state anew from the store: something in its past was forgotten."""
        self._folded, self._epoch, self._snapshot_at = await load_state(self._store, self.id)
        self._unfolded.clear()
        self._recent = RecentMessages()
        self._contexts.forget()

    def _follow(self, entries: Sequence[Entry]) -> None:
        self._unfolded += entries
        self._recent.add(entries)
        self._contexts.follow(entries)

    async def last_messages(self, limit: int = 20) -> list[Entry]:
        """Return the last *limit* messages that the state holds, oldest first: from memory, if they are there."""
        held = self._recent.last(limit)
        if held is not None:
            return held
        head = self.head
        found = await self._store.last_messages(self.id, limit, before=head + 1)
        if head == self.head:  # or another task went on meanwhile, and they are not the last any more
            self._recent.replace(found)
        return found

    async def fork(self, fork_id: str | None = None, *, at: int | None = None) -> Self:
        """Begin a session that continues this one after its entry *at* (None: its head), and open it."""
        row = await self._store.fork_session(self.id, fork_id or new_session_id(), at=at)
        await follow_project(self._store, row.header, self.state.project)
        return await type(self).open(self._store, row.header.session_id, options=self._options)

    async def why(self, thing: Thing) -> Explanation:
        """Return the entries behind a fact, a profile field, a decision, a task or the summary, with the quoted words.

        Raises:
            NotFoundError: the session holds no such thing.
        """
        return await explain(self, thing)

    async def forget(self, what: What, name: str | int | Fact | None = None) -> Redaction:
        """Remove content for good, and all that was derived from it, in every fork that reads it.

        *what* is "fact" (by id), "field" (of the profile, by name), "message" (by seq) or "session" (all of it). What
        is known in memory only is dropped as well.

        Raises:
            NotFoundError: the session holds no such thing.
        """
        dropped = self._private.drop(what, name)
        try:
            redaction = await forget(self, what, name)
        except NotFoundError:
            if not dropped:
                raise
            return Redaction()
        await self.reload()
        if self._options.on_redact is not None:
            await self._options.on_redact(redaction)
        return redaction

    # --- what is remembered

    async def search(
        self,
        question: str,
        *,
        scope: FactScope = "session",
        kinds: Sequence[DocumentKind] = ("message", "fact"),
        roles: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 10,
    ) -> list[Hit]:
        """Return the messages and facts that answer *question* best, of this session or beyond it.

        *scope* is the session, the sessions of its project, or all of its user's ("user" or "global"). The other
        arguments, and the errors, are those of `Memory.search`.
        """
        wide = scope != "session"
        return await self.memory.search(
            question,
            session_id=None if wide else self.id,
            user_id=self._folded.user_id,
            project=self.state.project if scope == "project" else None,
            kinds=kinds,
            roles=roles,
            since=since,
            until=until,
            limit=limit,
        )

    async def query(self, question: str) -> Answer:
        """Answer *question* from what the session knows: profile and facts first, then what was said, then a model.

        That nothing was found is an answer too: its text is None.
        """
        return await answer(self, question, memory=self._options.memory, model=self._options.model)

    async def context(
        self,
        question: str = "",
        *,
        system: str = "",
        budget: int | None = None,
        model: str | None = None,
        mode: Mode = "auto",
        strategy: Strategy = "oldest_first",
        profile: ShowProfile = "when_asked",
        retrieve: bool = True,
        beside: int = 0,
        window: int | None = None,
        remember: bool = True,
    ) -> Context:
        """Return what a model should see to answer *question*: the smallest that holds what is needed, and why.

        Args:
            question: what is asked; the user's message that waits for an answer, if it is left out. It may have been
                appended already.
            system: the instructions.
            budget: tokens that it may cost; None takes what fits the model's window.
            model: counts tokens as this model does, and asks for its window.
            mode: how much of the state is offered; "auto" decides by what the state holds.
            strategy: which messages go when not all fit.
            profile: when what is known about the user is shown.
            retrieve: look for old messages, and for facts of other sessions.
            beside: tokens that are sent beside it (the definitions of tools), and count as part of it.
            window: tokens that the model takes; None asks what is known about it.
            remember: a model is asked with it. False only looks: the next context is as if this had not been.

        Raises:
            InvalidInputError: the budget is too small for what every context holds, or a setting is unknown.
        """
        builder = ContextBuilder(
            counter=self._contexts.counter(model),
            budget=budget,
            window=window or await self._contexts.window(model, self._options.models),
            beside=beside,
            mode=mode,
            strategy=strategy,
            profile=profile,
        )
        memory = self._options.memory if retrieve else None
        return await self._contexts.build(
            self, question, builder, system=system, model=model, memory=memory, remember=remember
        )

    @property
    def models(self) -> ModelCatalog:
        """What is known about models: their windows and prices."""
        return self._options.models

    def recap(self) -> str:
        """Return where the session stands, for whoever comes back to it."""
        return recap(self.state)

    @property
    def memory(self) -> Memory:
        """What is remembered across sessions.

        Raises:
            InvalidInputError: the session was not opened by an app.
        """
        if self._options.memory is None:
            raise InvalidInputError("this session was opened without an app; search through sojourn.open(...)")
        return self._options.memory

    async def save(self, path: Path) -> None:
        """Write the whole session into one JSON file; `app.sessions.load` reads it back.

        What is known about the user in memory only is not in it.
        """
        await portable.save(self, self._stored_state(), path)

    async def close(self) -> None:
        """Keep a snapshot if that makes the next opening faster. Nothing else needs saving."""
        if self.head - self._snapshot_at >= _WORTH_A_SNAPSHOT:
            await self._save_snapshot()

    async def _save_snapshot(self) -> None:
        snapshot = Snapshot(seq=self.head, data=encode_snapshot(self._stored_state()))
        await self._store.save_snapshot(self.id, snapshot, epoch=self._epoch)
        self._snapshot_at = snapshot.seq
