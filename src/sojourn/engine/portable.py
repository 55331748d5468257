"""A whole session in one file: its journal to the letter, and its state for people to read.

There are two forms that say the same: one JSON document, and lines of JSON, the session first and then its entries.
Reading either back gives the same session: the journal is the truth, and the state in the file is ignored.
"""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import anyio.to_thread
import msgspec
from msgspec import Meta, Raw

from sojourn.engine.foreign import asking_again
from sojourn.engine.live import Live
from sojourn.engine.new_file import new_file
from sojourn.errors import AccessError, CorruptError, InvalidInputError, NewerVersionError, TooLargeError
from sojourn.model.codec import CODEC
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import SessionState
from sojourn.store.protocol import SessionRow, Store

FORMAT: Final = "sojourn-session"
LINES_FORMAT: Final = "sojourn-session-lines"
VERSION: Final = 1
MAX_FILE_BYTES: Final = 1 << 30
"""How large a file may be that is read back: it is in memory while it is."""
_PAGE: Final = 500
_YEARS: Final = (1902, 2242)
"""Between these, a store holds times to the microsecond."""

Change = Callable[[str], str]
"""Given an event's stored JSON text, returns the text to write in its place."""


class _PortableEntry(msgspec.Struct, omit_defaults=True, kw_only=True):
    seq: Seq
    at: Annotated[datetime, Meta(tz=True)]
    version: int = 1
    causes: tuple[Seq, ...] = ()
    event: Raw


class _Head(msgspec.Struct, kw_only=True):
    format: Literal["sojourn-session", "sojourn-session-lines"]
    version: int
    session_id: SessionId
    saved_at: datetime
    state: dict[str, Any]


class _PortableSession(msgspec.Struct, kw_only=True):
    format: Literal["sojourn-session"]
    version: int
    session_id: SessionId
    entries: tuple[_PortableEntry, ...]


class _LinesHead(msgspec.Struct, kw_only=True):
    format: Literal["sojourn-session-lines"]
    version: int
    session_id: SessionId


class _Kind(msgspec.Struct):
    kind: str


class Portable(msgspec.Struct, frozen=True, kw_only=True):
    """A session as a file holds it: the id that it had, and its journal."""

    session_id: SessionId
    entries: tuple[Entry, ...]

    def under(self, session_id: SessionId) -> "Portable":
        """Return the same journal as that of another session."""
        moved = tuple(msgspec.structs.replace(entry, session_id=session_id) for entry in self.entries)
        return Portable(session_id=session_id, entries=moved)


async def document(
    store: Store, session_id: SessionId, *, head: int, state: dict[str, Any], saved_at: datetime, change: Change = str
) -> AsyncIterator[bytes]:
    """Yield the session up to entry *head* as one JSON document, a page of entries at a time."""
    about = _Head(format=FORMAT, version=VERSION, session_id=session_id, saved_at=saved_at, state=state)
    opening = msgspec.json.format(msgspec.json.encode(about), indent=1)
    yield opening.removesuffix(b"\n}") + b',\n "entries": [\n'
    between = b""
    async for page in _pages(store, session_id, head=head):
        yield between + b",\n".join(b"  " + _encoded(entry, change) for entry in page)
        between = b",\n"
    yield b"\n ]\n}\n"


async def lines(
    store: Store, session_id: SessionId, *, head: int, state: dict[str, Any], saved_at: datetime, change: Change = str
) -> AsyncIterator[bytes]:
    """Yield the session up to entry *head* as lines of JSON, a page of entries at a time."""
    about = _Head(format=LINES_FORMAT, version=VERSION, session_id=session_id, saved_at=saved_at, state=state)
    yield msgspec.json.encode(about) + b"\n"
    async for page in _pages(store, session_id, head=head):
        yield b"".join(_encoded(entry, change) + b"\n" for entry in page)


async def save(session: Live, state: SessionState, path: Path) -> None:
    """Write the whole session, with *state* as it is stored, to *path*, in place of what is there.

    It is written at once or not at all, and only its owner may read it.

    Raises:
        AccessError: the file cannot be written.
    """
    pieces = document(session.store, session.id, head=state.head, state=state.to_dict(), saved_at=session.clock.now())
    async with new_file(path, replace=True) as file:
        async for piece in pieces:
            await file.write(piece)


async def load(store: Store, path: Path, *, session_id: str | None = None) -> SessionRow:
    """Store the session that *path* holds, under its own id or another. What tools were allowed in it is asked again.

    Raises:
        InvalidInputError: the file is not a session that was saved by Sojourn.
        NewerVersionError: a newer Sojourn saved it.
        AlreadyExistsError: the id is taken.
        AccessError: the file cannot be read.
    """
    found = await read(path)
    owner = SessionId(session_id or found.session_id)
    entries = found.under(owner).entries
    return await store.import_session(owner, (*entries, *asking_again(entries)))


async def read(path: Path) -> Portable:
    """Return the session that *path* holds, in either form; the errors are those of `load`."""
    return await anyio.to_thread.run_sync(_read, path)


def _read(path: Path) -> Portable:
    data = _read_file(path)
    try:
        beginning = data[: data.find(b"\n") + 1]
        if LINES_FORMAT.encode() in beginning[:200]:
            head = msgspec.json.decode(beginning, type=_LinesHead)
            _check_version(head.version, path)
            return Portable(session_id=head.session_id, entries=tuple(_entries_of_lines(data, head.session_id)))
        whole = msgspec.json.decode(data, type=_PortableSession)
        _check_version(whole.version, path)
        entries = tuple(_entry(one, whole.session_id) for one in whole.entries)
    except (msgspec.MsgspecError, CorruptError, UnicodeError, RecursionError) as error:
        raise InvalidInputError(f"{path} is not a saved session: {error}") from error
    return Portable(session_id=whole.session_id, entries=entries)


def _check_version(version: int, path: Path) -> None:
    if version > VERSION:
        raise NewerVersionError(f"{path}: version {version}, this Sojourn knows up to {VERSION}")


def _entries_of_lines(data: bytes, session_id: SessionId) -> Iterator[Entry]:
    for line in data.split(b"\n")[1:]:
        if line.strip():
            yield _entry(msgspec.json.decode(line, type=_PortableEntry), session_id)


def _entry(portable: _PortableEntry, session_id: SessionId) -> Entry:
    if not _YEARS[0] <= portable.at.year < _YEARS[1]:
        raise InvalidInputError(f"entry {portable.seq} is of {portable.at}, which is no time that a store can hold")
    # Somebody may have indented the file; what is stored is compact.
    payload = msgspec.json.format(bytes(portable.event), indent=-1).decode()
    kind = msgspec.json.decode(payload, type=_Kind).kind
    return Entry(
        session_id=session_id,
        seq=portable.seq,
        at=portable.at,
        event=CODEC.decode(kind, portable.version, payload),
        causes=portable.causes,
        payload=payload,
        version=portable.version,
    )


def _encoded(entry: Entry, change: Change) -> bytes:
    return msgspec.json.encode(
        _PortableEntry(
            seq=entry.seq,
            at=entry.at,
            version=entry.version,
            causes=entry.causes,
            event=Raw(change(entry.payload)),
        )
    )


async def _pages(store: Store, session_id: SessionId, *, head: int) -> AsyncIterator[list[Entry]]:
    after = 0
    while after < head:
        page = await store.read(session_id, after=after, before=head + 1, limit=_PAGE)
        yield page
        after = page[-1].seq


def _read_file(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise TooLargeError(f"{path}: a saved session of more than {MAX_FILE_BYTES >> 20} MiB is not read")
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe in its place must not hold us up
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_FILE_BYTES)
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error
