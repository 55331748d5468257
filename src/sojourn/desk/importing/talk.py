"""A talk from elsewhere, on its way into a session: where its lines stand, and what they turn into."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from sojourn.desk.importing.line_file import LineFile, Spot
from sojourn.model.events import Event, TitleSource
from sojourn.model.ids import SessionId
from sojourn.model.message import Message

Maker = Literal["claude-code", "codex"]
IMPORTED: Final = "imported"
"""The name under which a message's metadata says where it came from."""
_FIRST: Final = datetime(1971, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(2200, 1, 1, tzinfo=UTC)


class TalkLine(NamedTuple):
    """A line of a talk: the name that it has there, when it was written, and where it stands."""

    id: str
    at: datetime | None
    spot: Spot


class Group(NamedTuple):
    """What one thing that was said turns into: a message and what belongs to it, said at one time."""

    at: datetime | None
    events: tuple[Event, ...]
    ids: tuple[str, ...] = ()


@dataclass(slots=True)
class Known:
    """What a session holds of a talk already: lines by their names, calls of a model, summaries, and names of tools."""

    lines: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    summaries: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)


Convert = Callable[[LineFile, Sequence[TalkLine], int, Known], Iterator[Group]]
"""Turns the lines from one on into what is stored; calls of a model that are known are not counted again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A talk as it was found.

    *folder* is where it was held; *parent* the session under which a subagent's is nested. One that was *forked_from*
    another goes on after that one's line *forked_after*, or, if nobody says which, after all that both have said. One
    that is *superseded_by* another was left for it, when somebody went back. *comes_after* is the line of another file
    that it goes on from, if it says so.
    """

    maker: Maker
    session_id: SessionId
    lines: tuple[TalkLine, ...]
    convert: Convert
    title: str | None = None
    title_source: TitleSource = "auto"
    folder: str | None = None
    parent: SessionId | None = None
    forked_from: SessionId | None = None
    forked_after: str | None = None
    superseded_by: SessionId | None = None
    comes_after: str | None = None
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one file held: talks, those that others are forked from first."""

    path: Path
    talks: tuple[Talk, ...]


def time_of(value: Any) -> datetime | None:
    """Return a time that a file names; None if it is none, or none that anybody can have meant."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
        at = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if _FIRST < at < _LAST else None


def kind_of(data: dict[str, Any]) -> str:
    """Return the type that a line or an item names; an empty one, if it names none."""
    kind = data.get("type")
    return kind if isinstance(kind, str) else ""


def text_of(value: Any) -> str | None:
    """Return *value* if it is a text that says something."""
    return value if isinstance(value, str) and value.strip() else None


def count_of(value: Any) -> int:
    """Return a number of tokens; none, if it is no such number."""
    return value if type(value) is int and 0 <= value <= 10**12 else 0


def origin_of(message: Message) -> dict[str, Any]:
    """Return what a message's metadata says of where it came from; nothing, if it was said here."""
    found = message.metadata.get(IMPORTED)
    return found if isinstance(found, dict) else {}
