"""What is indexed, where to look for it, and what is found."""

from datetime import datetime
from typing import Final, Literal

from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import Fact
from sojourn.model.value import Value

DocumentKind = Literal["message", "fact"]
MAX_INDEXED: Final = 100_000
"""Characters of a message that are indexed; what follows is in the journal, and is not searched."""


class Document(Value, frozen=True, kw_only=True):
    """A message or a fact, as it is indexed. *seq* is the message's entry, or the last that changed the fact.

    *place* counts the messages of a session (0, 1, 2 ...), so that neighbours in the talk are found; a fact has none.
    """

    session_id: SessionId
    seq: Seq
    kind: DocumentKind
    text: str
    at: datetime
    role: str = ""
    speaker: str | None = None
    place: int | None = None
    fact_id: str | None = None


class FactRow(Value, frozen=True, kw_only=True):
    """A fact as it stands in one session, for questions that reach beyond the hundred that its state holds."""

    session_id: SessionId
    user_id: str | None
    project: str | None
    fact: Fact


class SessionKey(Value, frozen=True, kw_only=True):
    """Whose session it is; kept beside its documents, so that a search can be limited to a user or a project."""

    session_id: SessionId
    user_id: str | None = None
    project: str | None = None
    tags: tuple[str, ...] = ()
    hidden: bool = False
    """In the trash: found only by who asks for it."""
    epoch: int = 0
    """How often something of the session was forgotten; what was indexed in an earlier epoch must go."""


class Mark(Value, frozen=True, kw_only=True):
    """How far a session is indexed: up to entry *seq*, as it was in *epoch*."""

    seq: Seq
    epoch: int = 0


class Part(Value, frozen=True, kw_only=True):
    """A stretch of one session's journal: entries *first* to *last*, None for its end."""

    session_id: SessionId
    first: Seq = Seq(1)
    last: Seq | None = None


class Where(Value, frozen=True, kw_only=True):
    """Which documents may be found. Every condition that is given must hold.

    *parts* limits it to stretches of sessions (a fork reads from several), and then nothing else decides whose they
    are; None means all sessions of user *user_id* (None: those that no user is named for), or, with *everyone*, all of
    the tenant. Sessions in the trash are found only through *parts*.
    """

    parts: tuple[Part, ...] | None = None
    user_id: str | None = None
    everyone: bool = False
    project: str | None = None
    tag: str | None = None
    kinds: tuple[DocumentKind, ...] = ("message", "fact")
    roles: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


class Found(Value, frozen=True, kw_only=True):
    """A document that one way of looking found, with that way's own score: higher is better.

    *number* is the document's own in this index.
    """

    number: int
    score: float


class Stored(Value, frozen=True, kw_only=True):
    """A document with its number in the index."""

    number: int
    document: Document


class ToEmbed(Value, frozen=True, kw_only=True):
    """A document that has no vectors of some model yet."""

    number: int
    text: str


class Hit(Value, frozen=True, kw_only=True):
    """One result of a search: where it stands, how good it is, and the words that match.

    *snippet* is a stretch of the text, *highlights* are the (start, end) of matching words in the snippet.
    """

    document: Document
    score: float
    snippet: str
    highlights: tuple[tuple[int, int], ...] = ()
    reasons: tuple[str, ...] = ()
