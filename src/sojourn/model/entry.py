"""A line of the journal: what happened, where it stands, when, and what it was derived from."""

from collections.abc import Iterable
from datetime import datetime

from sojourn.model.events import Event, EventBase, UnknownEvent
from sojourn.model.ids import Seq, SessionId
from sojourn.model.value import Value


class Draft(Value, frozen=True, kw_only=True):
    """An event on its way into a journal. *causes* are the entries of the same journal that it was derived from."""

    event: Event
    causes: tuple[Seq, ...] = ()


class Entry(Value, frozen=True, kw_only=True):
    """An event in a journal.

    An entry is read through a session, and *session_id* is that session: a fork's early entries carry the fork's id,
    wherever they are stored. *payload* is the stored JSON text of the event's *version*, which may hold fields that
    this Sojourn does not know; whoever copies an entry copies the payload.
    """

    session_id: SessionId
    seq: Seq
    at: datetime
    event: Event
    causes: tuple[Seq, ...] = ()
    payload: str
    version: int = 1


def as_drafts(events: Iterable[Event | Draft], *, causes: Iterable[int] = ()) -> list[Draft]:
    """Return *events* as drafts; *causes* become those of each event that is not a draft already."""
    shared = tuple(Seq(seq) for seq in causes)
    return [item if type(item) is Draft else _drafted(item, shared) for item in events]


def _drafted(item: Event | Draft, causes: tuple[Seq, ...]) -> Draft:
    return Draft(event=item, causes=causes) if isinstance(item, EventBase | UnknownEvent) else item
