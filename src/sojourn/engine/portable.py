"""A whole session in one JSON file: its journal to the letter, and its state for people to read.

Reading it back gives the same session: the journal is the truth, and the state in the file is ignored.
"""

import os
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

import anyio.to_thread
import msgspec
from msgspec import Raw

from sojourn.engine.live import Live
from sojourn.errors import AccessError, InvalidInputError, NewerVersionError
from sojourn.model.codec import CODEC
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import SessionState
from sojourn.store.protocol import MAX_PAGE, SessionRow, Store

FORMAT: Final = "sojourn-session"
VERSION: Final = 1


class _PortableEntry(msgspec.Struct, omit_defaults=True, kw_only=True):
    seq: Seq
    at: datetime
    version: int = 1
    causes: tuple[Seq, ...] = ()
    event: Raw


class _PortableSession(msgspec.Struct, kw_only=True):
    format: Literal["sojourn-session"]
    version: int
    session_id: SessionId
    saved_at: datetime
    state: dict[str, Any]
    entries: tuple[_PortableEntry, ...]


class _Kind(msgspec.Struct):
    kind: str


async def save(session: Live, state: SessionState, path: Path) -> None:
    """Write the whole session, with *state* as it is stored, to *path*, in place of what is there.

    It is written at once or not at all, and only its owner may read it.

    Raises:
        AccessError: the file cannot be written.
    """
    entries: list[Entry] = []
    while page := await session.store.read(session.id, after=len(entries), limit=MAX_PAGE):
        entries += page
    portable = _PortableSession(
        format=FORMAT,
        version=VERSION,
        session_id=session.id,
        saved_at=session.clock.now(),
        state=state.to_dict(),
        entries=tuple(
            _PortableEntry(
                seq=entry.seq, at=entry.at, version=entry.version, causes=entry.causes, event=Raw(entry.payload)
            )
            for entry in entries
        ),
    )
    data = msgspec.json.format(msgspec.json.encode(portable), indent=1)
    await anyio.to_thread.run_sync(_replace_file, path, data)


async def load(store: Store, path: Path, *, session_id: str | None = None) -> SessionRow:
    """Store the session that *path* holds, under its own id or another.

    Raises:
        InvalidInputError: the file is not a session that was saved by Sojourn.
        NewerVersionError: a newer Sojourn saved it.
        AlreadyExistsError: the id is taken.
        AccessError: the file cannot be read.
    """
    data = await anyio.to_thread.run_sync(_read_file, path)
    try:
        portable = msgspec.json.decode(data, type=_PortableSession)
        if portable.version > VERSION:
            raise NewerVersionError(f"{path}: version {portable.version}, this Sojourn knows up to {VERSION}")
        owner = SessionId(session_id or portable.session_id)
        entries = [_entry(one, owner) for one in portable.entries]
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInputError(f"{path} is not a saved session: {error}") from error
    return await store.import_session(owner, entries)


def _entry(portable: _PortableEntry, session_id: SessionId) -> Entry:
    # The file is indented for people; what is stored is compact.
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


def _replace_file(path: Path, data: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise AccessError(f"{path}: {error.strerror or error}") from error


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error
