"""A session in one row: what a list of sessions shows. A fold of the journal like the rest of the state."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, get_args

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import (
    Event,
    MessageAdded,
    SessionArchived,
    SessionCreated,
    SessionForked,
    SessionMoved,
    SessionRenamed,
    SessionRestored,
    SessionSuperseded,
    SessionTagged,
    SessionTrashed,
    SessionUnarchived,
    TitleSource,
    UsageRecorded,
)
from sojourn.model.ids import Seq, SessionId
from sojourn.model.value import Value

HOUSEKEEPING = (
    SessionRenamed | SessionTagged | SessionMoved | SessionArchived | SessionUnarchived | SessionTrashed
    | SessionRestored | SessionSuperseded
)  # fmt: skip
"""Events about the session as a thing, not in it: they change what a list shows, and are not activity."""
HOUSEKEEPING_TYPES: Final[frozenset[type[Event]]] = frozenset(get_args(HOUSEKEEPING))
_APART = HOUSEKEEPING_TYPES | {SessionForked}
"""Events that do more than add to the totals."""


class SessionHeader(Value, frozen=True, kw_only=True):
    """Who and what a session is, where its journal ends, and its totals.

    *updated_at* is the last activity in the session itself: renaming, tagging, archiving or trashing do not count.
    """

    session_id: SessionId
    head: Seq
    created_at: datetime
    updated_at: datetime
    user_id: str | None = None
    project: str | None = None
    title: str | None = None
    title_source: TitleSource | None = None
    tags: tuple[str, ...] = ()
    parent: SessionId | None = None
    forked_from: SessionId | None = None
    forked_at: Seq | None = None
    superseded_by: SessionId | None = None
    archived_at: datetime | None = None
    trashed_at: datetime | None = None
    message_count: int = 0
    total_tokens: int = 0
    cost_micros: int = 0

    def apply(self, entry: Entry) -> "SessionHeader":
        """Return the header after *entry*, which must be the next one."""
        event = entry.event
        if isinstance(event, SessionForked):
            return self._forked(event, entry)
        if isinstance(event, HOUSEKEEPING):
            return self._kept(event, entry)
        return _counted(self, (entry,))

    def apply_all(self, entries: Iterable[Entry]) -> "SessionHeader":
        """Return the header after each of *entries* in turn."""
        header, said = self, list[Entry]()
        for entry in entries:
            if type(entry.event) in _APART:
                header, said = _counted(header, said).apply(entry), []
            else:
                said.append(entry)
        return _counted(header, said)

    def _forked(self, event: SessionForked, entry: Entry) -> "SessionHeader":
        return replace(
            self,
            session_id=entry.session_id,
            head=entry.seq,
            created_at=entry.at,
            updated_at=entry.at,
            forked_from=event.forked_from,
            forked_at=event.at,
            superseded_by=None,
            archived_at=None,
            trashed_at=None,
        )

    def _kept(self, event: HOUSEKEEPING, entry: Entry) -> "SessionHeader":
        header = replace(self, head=entry.seq)
        match event:
            case SessionRenamed():
                if self.title_source == "user" and event.source != "user":
                    return header
                return replace(header, title=event.title, title_source=event.source)
            case SessionTagged():
                kept = tuple(tag for tag in self.tags if tag not in event.removed)
                return replace(header, tags=tuple(dict.fromkeys((*kept, *event.added))))
            case SessionMoved():
                return replace(header, project=event.project)
            case SessionArchived():
                return replace(header, archived_at=entry.at)
            case SessionUnarchived():
                return replace(header, archived_at=None)
            case SessionTrashed():
                return replace(header, trashed_at=entry.at)
            case SessionRestored():
                return replace(header, trashed_at=None)
            case SessionSuperseded():
                return replace(header, superseded_by=event.by)


def _counted(header: SessionHeader, entries: Sequence[Entry]) -> SessionHeader:
    """Return *header* after *entries*, which only add to its totals."""
    if not entries:
        return header
    messages, tokens, cost = totals_of(entry.event for entry in entries)
    return replace(
        header,
        head=entries[-1].seq,
        updated_at=entries[-1].at,
        message_count=header.message_count + messages,
        total_tokens=header.total_tokens + tokens,
        cost_micros=header.cost_micros + cost,
    )


def totals_of(events: Iterable[Event]) -> tuple[int, int, int]:
    """Return what *events* add to a session's messages, tokens and cost."""
    messages = tokens = cost = 0
    for event in events:
        if isinstance(event, MessageAdded):
            messages += 1
        elif isinstance(event, UsageRecorded):
            tokens += event.input_tokens + event.output_tokens + event.cache_creation_tokens + event.cache_read_tokens
            cost += event.cost_micros or 0
    return messages, tokens, cost


def begin_header(entry: Entry) -> SessionHeader:
    """Return the header of a session whose first entry is *entry*, a `SessionCreated` or its tombstone."""
    header = SessionHeader(session_id=entry.session_id, head=entry.seq, created_at=entry.at, updated_at=entry.at)
    event = entry.event
    if not isinstance(event, SessionCreated):
        return header
    return replace(
        header,
        user_id=event.user_id,
        project=event.project,
        title=event.title,
        title_source="user" if event.title else None,
        tags=tuple(dict.fromkeys(event.tags)),
        parent=event.parent,
    )
