"""Compacting a live session: its older messages are represented by a summary, in one append that can be taken back.

Nothing is removed: the messages stay in the journal, where they are found and read as before; a context begins after
them. While a summary is written nothing is, so a crash, a failure or somebody else's compaction leaves the session as
it was. Only what a failed summary cost is recorded, because it was paid.
"""

import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio
import uuid_utils

from sojourn.context.compaction.cut import Cut, what_to_compact
from sojourn.context.compaction.extractive import ExtractiveSummariser
from sojourn.context.compaction.notice import summary_message
from sojourn.context.compaction.shape import taken_apart, with_instructions
from sojourn.context.compaction.summariser import Summariser
from sojourn.context.tokens import CharacterCounter, TokenCounter
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.compaction import Compaction, CompactionSettings, Proposal
from sojourn.engine.findings import Findings, read_findings
from sojourn.engine.holding import acquired, kept
from sojourn.engine.learner import FailureHandler, log_failure
from sojourn.engine.loading import load_state
from sojourn.engine.rehearsal import Rehearsal
from sojourn.engine.session import Session
from sojourn.engine.summarising import SummaryWriter, Unwritten, line_of, recorded
from sojourn.errors import (
    ConflictError,
    InvalidInputError,
    LeaseLostError,
    LockedError,
    ModelError,
    NotFoundError,
)
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import (
    Compacted,
    CompactionUndone,
    Event,
    Forgotten,
    MessageAdded,
    ShortTermMemoryUpdated,
)
from sojourn.model.ids import Seq
from sojourn.model.message import Message
from sojourn.model.usage import Usage
from sojourn.store.protocol import MAX_PAGE, Lease, Order

SHORT_TERM_TOKENS: Final = 300
EVERY_TURNS: Final = 5
_LEAST_TOKENS: Final = 60
"""A summary may always have so many, however little it stands for."""
_SHARE: Final = 4
"""And otherwise no more than a quarter of what it stands for, or of the threshold."""
_TRIES: Final = 5
_SHORT_TERM_MESSAGES: Final = 200
_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    """What a session showed when it was looked at: its window's entries, cut, and where all that stood."""

    entries: tuple[Entry, ...]
    cut: Cut
    summary: str
    summary_seq: Seq | None
    start: Seq
    message_count: int
    epoch: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A summary for what a window showed, and what it cost."""

    window: _Window
    summary: str
    usage: tuple[Usage, ...]


class ContextCompactor:
    """Compacts one session. Lives as long as the session is open; holds nothing but its settings."""

    def __init__(
        self,
        session: Session,
        summariser: Summariser | None = None,
        *,
        settings: CompactionSettings | None = None,
        counter: TokenCounter | None = None,
        extractor: StateExtractor | None = None,
        budget: SessionBudget | None = None,
        fallback: Summariser | None = None,
        on_failure: FailureHandler = log_failure,
    ) -> None:
        """Compact *session*.

        Args:
            session: which.
            summariser: who writes the summary; without one, it is made of the talk's own sentences.
            settings: when, and how.
            counter: counts tokens.
            extractor: finds facts, decisions, tasks and files in what is summarised. Messages that the app has learned
                from are not read again.
            budget: asked before a model is.
            fallback: writes the summary if *summariser* fails or is too expensive; without one, nothing is done then.
            on_failure: told what failed.
        """
        self._session = session
        self._counter = counter or CharacterCounter()
        self._writer = SummaryWriter(
            summariser or ExtractiveSummariser(self._counter),
            counter=self._counter,
            fallback=fallback,
            budget=budget,
            on_failure=on_failure,
        )
        self._settings = settings or CompactionSettings()
        self._extractor = extractor
        self._on_failure = on_failure

    async def due(self) -> bool:
        """Tell whether the session has become so long that `compact` would make it shorter."""
        if self._session.state.conversation.window_messages < self._settings.least_messages:
            return False
        return not self._reason_against(await self._look(force=False), force=False)

    async def propose(self, *, force: bool = False) -> Proposal:
        """Return what `compact` would do now. Nothing is written, and no model is asked."""
        await self._session.refresh()
        window = await self._look(force=force)
        cut = window.cut
        return Proposal(
            old=tuple(line.seq for line in cut.old if line.seq is not None),
            kept=tuple(line.seq for line in cut.kept if line.seq is not None),
            old_tokens=cut.old_tokens,
            kept_tokens=cut.kept_tokens,
            summary_tokens=self._room(window, taken_apart(window.summary).text),
            tokens_before=window.tokens,
            limit=self._settings.limit,
            reason=self._reason_against(window, force=force),
        )

    async def compact(self, *, force: bool = False, in_turn: bool = False) -> Compaction:
        """Let a summary stand for the older messages, if that is due; with *force*, whenever it makes a difference.

        *in_turn*: the caller holds the session's turn. Otherwise nobody may hold it, and nobody can while this works.

        Raises:
            LockedError: a turn of this session is going on.
            LeaseLostError: somebody took the turn over meanwhile. Nothing was changed.
            InvalidInputError: *in_turn*, and there is no turn.
        """
        async with self._alone(in_turn=in_turn) as lease:
            await self._session.refresh()
            window = await self._look(force=force)
            if reason := self._reason_against(window, force=force):
                return _nothing(window, reason)
            earlier = taken_apart(window.summary)
            try:
                text, usage = await self._writer.write(
                    earlier.text, window.cut.old, max_tokens=self._room(window, earlier.text)
                )
            except Unwritten as unwritten:
                return await self._given_up(window, str(unwritten), unwritten.usage, lease)
            found = await read_findings(
                self._extractor, window.entries, self._old_entries(window), on_failure=self._on_failure
            )
            summary = with_instructions(text, (*earlier.instructions, *window.cut.instructions))
            return await self._append(_Written(window=window, summary=summary, usage=tuple(usage)), found, lease)

    async def undo(self, *, in_turn: bool = False) -> Compaction:
        """Take the latest compaction back: the window and the summary are as before it. What it found stays known.

        Raises:
            NotFoundError: the session is not compacted.
            ConflictError: others kept writing to the session. Nothing was changed.
            LockedError, LeaseLostError, InvalidInputError: as for `compact`.
        """
        async with self._alone(in_turn=in_turn) as lease:
            before = await self._look(force=False)
            await self._append_until(self._undoing, lease)
            after = await self._look(force=False)
            return Compaction(compacted=False, tokens_before=before.tokens, tokens_after=after.tokens, reason="undone")

    async def clear(self, *, in_turn: bool = False) -> Compaction:
        """Begin the talk anew: no message and no summary of before is shown any more. `undo` brings them back.

        The messages stay in the journal, and what was learned from them stays known.

        Raises:
            ConflictError, LockedError, LeaseLostError, InvalidInputError: as for `undo`.
        """
        async with self._alone(in_turn=in_turn) as lease:
            await self._session.refresh()
            before = await self._look(force=False)
            if not before.tokens:
                return _nothing(before, "there is nothing to clear")
            await self._append_until(self._clearing, lease)
            after = await self._look(force=False)
            return Compaction(
                compacted=True,
                tokens_before=before.tokens,
                tokens_after=after.tokens,
                through=self._session.state.conversation.window_start,
            )

    async def summary_message(self) -> Message | None:
        """Return the message that stands for what is summarised, with when that was done; None without a summary."""
        working = self._session.state.working_set
        if working.summary_seq is None:
            return None
        place = working.summary_seq
        found = await self._session.store.read(self._session.id, after=place - 1, before=place + 1, limit=1)
        return summary_message(working.summary, found[0].at)

    async def summarise_turns(self, every: int = EVERY_TURNS) -> str | None:
        """Rewrite the short-term memory, if the number of turns is a multiple of *every*; return it, or None.

        Raises:
            ModelError: the summary could not be written, or would cost too much; the memory is as before.
        """
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise InvalidInputError(f"a summary is due every 1 or more turns, got {every!r:.50}")
        state = self._session.state
        turns = state.turn_count
        if not turns or turns % every:
            return None
        last = await self._last_short_term_memory()
        messages = await self._session.last_messages(_SHORT_TERM_MESSAGES)
        new = [entry for entry in messages if last is None or entry.seq > last]
        if not new:
            return None
        earlier = state.short_term_memory or ""
        try:
            text, usage = await self._writer.write(earlier, list(map(line_of, new)), max_tokens=SHORT_TERM_TOKENS)
        except Unwritten as unwritten:
            await self._pay(unwritten.usage, None)
            raise ModelError(str(unwritten)) from unwritten
        causes = (*(() if last is None else (last,)), *(entry.seq for entry in new))
        memory = Draft(event=ShortTermMemoryUpdated(text=text), causes=causes)
        # Whoever asks twice in the same turn gets it once.
        await self._session.append(memory, *map(recorded, usage), key=f"short_term_memory/{turns}")
        return text

    # --- how it is done

    @asynccontextmanager
    async def _alone(self, *, in_turn: bool) -> AsyncIterator[Lease | None]:
        """Hold the session's turn, unless the caller does."""
        session = self._session
        if in_turn:
            if not session.in_turn:
                raise InvalidInputError("no turn of this session is held; compact without in_turn")
            yield None
            return
        if session.in_turn:
            raise LockedError(f"session={session.id}")
        holder = f"{os.uname().nodename}:{os.getpid()}:compaction-{uuid_utils.uuid7()}"
        lease = await acquired(session.store, session.id, holder)
        try:
            async with kept(session.store, lease):
                yield lease
        finally:
            with anyio.CancelScope(shield=True):
                await session.store.release_lease(lease)

    async def _look(self, *, force: bool) -> _Window:
        """Return the session's window as it is now, and how it would be cut."""
        state = self._session.state
        talk, working = state.conversation, state.working_set
        row = await self._session.store.get_session(self._session.id)
        entries = await self._read(after=talk.window_start, through=state.head)
        lines = [line_of(entry) for entry in entries if isinstance(entry.event, MessageAdded)]
        is_open = talk.turn is not None and talk.turn.outcome is None
        waiting = [call.asked_at for call in talk.open_calls if is_open and call.asked_at > talk.window_start]
        cut = what_to_compact(
            lines,
            self._counter,
            threshold=self._settings.limit,
            keep=self._settings.keep,
            force=force,
            stays_from=min(waiting, default=None),
        )
        return _Window(
            entries=entries,
            cut=cut,
            summary=working.summary,
            summary_seq=working.summary_seq,
            start=talk.window_start,
            message_count=talk.message_count,
            epoch=row.epoch,
            tokens=cut.tokens + self._counter.count(working.summary),
        )

    async def _read(self, *, after: int, through: int) -> tuple[Entry, ...]:
        found: list[Entry] = []
        while after < through:
            page = await self._session.store.read(self._session.id, after=after, before=through + 1, limit=MAX_PAGE)
            if not page:
                break
            found += page
            after = page[-1].seq
        return tuple(found)

    def _reason_against(self, window: _Window, *, force: bool) -> str:
        settings, messages = self._settings, len(window.cut.old) + len(window.cut.kept)
        if messages < settings.least_messages:
            return "there are too few messages"
        # Instructions stay whatever is done, so they do not make it due again and again.
        tokens = window.cut.tokens + self._counter.count(taken_apart(window.summary).text)
        if not force and tokens <= settings.limit:
            return f"{tokens:,} tokens are within the {settings.limit:,} that are fine"
        if window.cut.through is None:
            return "there are no older messages"
        return ""

    def _old_entries(self, window: _Window) -> list[Entry]:
        old = {line.seq for line in window.cut.old}
        return [entry for entry in window.entries if entry.seq in old]

    def _room(self, window: _Window, earlier: str) -> int:
        """Return how many tokens the summary may have: it must be worth it."""
        whole = min(window.cut.old_tokens + self._counter.count(earlier), self._settings.limit)
        return min(self._settings.summary_tokens, max(_LEAST_TOKENS, whole // _SHARE))

    async def _append(self, written: _Written, found: Findings, lease: Lease | None) -> Compaction:
        """Write everything at once, behind what others may have appended; nothing, if it does not fit any more."""
        session, window, through = self._session, written.window, written.window.cut.through
        after = self._counter.count(written.summary) + window.cut.kept_tokens
        if through is None or after >= window.tokens:
            return await self._given_up(window, "a summary would be no shorter", written.usage, lease)
        gone = [entry.seq for entry in window.entries if entry.seq <= through and isinstance(entry.event, MessageAdded)]
        causes = tuple(gone) if window.summary_seq is None else (window.summary_seq, *gone)
        for _ in range(_TRIES):
            await session.refresh()
            if reason := await self._overtaken(window):
                return await self._given_up(window, reason, written.usage, lease)
            since = session.state.conversation.message_count - window.message_count
            compacted = Compacted(
                summary=written.summary,
                through=through,
                kept=len(window.cut.kept) + since,
                tokens_before=window.tokens,
                tokens_after=after,
            )
            rehearsal = Rehearsal(session)
            await rehearsal.append(Draft(event=compacted, causes=causes), *map(recorded, written.usage))
            await found.take_in(rehearsal, limit=self._settings.findings)
            try:
                await session.append(*rehearsal.drafts, expected=session.head, lease=lease)
            except LeaseLostError:
                raise
            except ConflictError:
                continue  # others appended: what was found is compared with that too
            return Compaction(
                compacted=True,
                tokens_before=window.tokens,
                tokens_after=after,
                summary=written.summary,
                through=through,
            )
        return await self._given_up(window, "others kept writing to the session", written.usage, lease)

    async def _overtaken(self, window: _Window) -> str:
        """Return what makes the summary useless by now, if anything does."""
        row = await self._session.store.get_session(self._session.id)
        state = self._session.state
        if row.epoch != window.epoch:
            return "something was forgotten meanwhile"
        if (state.conversation.window_start, state.working_set.summary_seq) != (window.start, window.summary_seq):
            return "another summary came first"
        return ""

    async def _given_up(self, window: _Window, reason: str, usage: Sequence[Usage], lease: Lease | None) -> Compaction:
        """Leave the session as it is, but for what was paid."""
        await self._pay(usage, lease)
        return _nothing(window, reason)

    async def _pay(self, usage: Sequence[Usage], lease: Lease | None) -> None:
        if usage:
            await self._session.append(*map(recorded, usage), lease=lease)

    async def _append_until(self, make: Callable[[], Awaitable[list[Draft]]], lease: Lease | None) -> None:
        """Append what *make* returns for the state as it is, anew if others were quicker.

        Raises:
            ConflictError: they were, every time.
        """
        for _ in range(_TRIES):
            await self._session.refresh()
            drafts = await make()
            try:
                await self._session.append(*drafts, expected=self._session.head, lease=lease)
            except LeaseLostError:
                raise
            except ConflictError:
                continue
            return
        raise ConflictError(f"session={self._session.id}")

    async def _clearing(self) -> list[Draft]:
        """Return what begins the talk anew after its last message."""
        state = self._session.state
        events: list[Event] = [Compacted(summary="", through=state.conversation.last_message or state.head)]
        if state.short_term_memory is not None:
            events.append(ShortTermMemoryUpdated(text=None))
        return [Draft(event=event) for event in events]

    async def _undoing(self) -> list[Draft]:
        """Return what takes the latest compaction back: the state before it, with what was said since."""
        latest = await self._latest()
        earlier = (await load_state(self._session.store, self._session.id, at=latest.seq - 1)).state
        through, summarised_at = earlier.conversation.window_start, earlier.working_set.summary_seq
        shown = await self._read(after=through, through=self._session.head)
        undone = CompactionUndone(
            summary=earlier.working_set.summary,
            through=through,
            kept=sum(isinstance(entry.event, MessageAdded) for entry in shown),
        )
        return [Draft(event=undone, causes=(latest.seq, *(() if summarised_at is None else (summarised_at,))))]

    async def _latest(self) -> Entry:
        """Return the latest compaction that was not taken back."""
        undone = 0
        async with aclosing(self._backwards()) as journal:
            async for entry in journal:
                match entry.event:
                    case CompactionUndone():
                        undone += 1
                    case Compacted() if not undone:
                        return entry
                    case Compacted() | Forgotten(was="compacted"):
                        undone = max(0, undone - 1)
        raise NotFoundError("there is no compaction to take back")

    async def _last_short_term_memory(self) -> Seq | None:
        """Return the entry that the short-term memory is from, if there is one."""
        if self._session.state.short_term_memory is None:
            return None
        async with aclosing(self._backwards()) as journal:
            async for entry in journal:
                if isinstance(entry.event, ShortTermMemoryUpdated):
                    return entry.seq
        return None

    async def _backwards(self) -> AsyncGenerator[Entry, None]:
        """Yield the journal, newest first."""
        before = self._session.head + 1
        while before > 1:
            page = await self._session.store.read(
                self._session.id, before=before, limit=_PAGE, order=Order.NEWEST_FIRST
            )
            for entry in page:
                yield entry
            before = page[-1].seq if page else 1


def _nothing(window: _Window, reason: str) -> Compaction:
    return Compaction(compacted=False, tokens_before=window.tokens, tokens_after=window.tokens, reason=reason)
