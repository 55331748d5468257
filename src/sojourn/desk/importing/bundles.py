"""Sessions that another Sojourn exported: their journals, to the letter.

A session that is here already is compared with the file. One that has grown there gets the rest; one that differs is
left as it is, for nobody can say which is right. A fork whose parent is here becomes a fork of it again. What tools
were allowed there is asked about here.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from sojourn.desk.importing.keeping import Action, Kept
from sojourn.engine import portable
from sojourn.engine.foreign import asking_again
from sojourn.engine.portable import Portable
from sojourn.engine.session import new_session_id
from sojourn.errors import SojournError
from sojourn.model.codec import CODEC
from sojourn.model.entry import Entry
from sojourn.model.events import AllowanceGranted, InterruptResolved, MessageAdded, SessionForked, SessionRenamed
from sojourn.model.header import begin_header
from sojourn.model.ids import SessionId, check_session_id
from sojourn.store.protocol import Store

_PIECE: Final = 1000
_LAST: Final = 1 << 30
_NAMING: Final = {
    "session_created": ("parent",),
    "session_forked": ("session_id", "forked_from"),
    "session_superseded": ("by",),
    "branch_merged": ("branch",),
}
"""Which events name sessions, and where."""


class BundleKeeper:
    """Stores exported sessions in one store. Lives for one import."""

    def __init__(self, store: Store, *, dry_run: bool, new_ids: bool) -> None:
        """With *new_ids*, each session gets another id, wherever it is named; with *dry_run* nothing is stored."""
        self._store = store
        self._dry_run = dry_run
        self._new_ids = new_ids
        self._renamed: dict[str, SessionId] = {}

    async def ordered(self, paths: Iterable[Path]) -> list[Path]:
        """Return *paths* so that a session comes before its forks, and give them their new ids.

        A file that cannot be read comes last.
        """
        depths: dict[Path, int] = {}
        for path in paths:
            try:
                found = await portable.read(path)
            except SojournError:  # whoever stores it is told why
                depths[path] = _LAST
                continue
            depths[path] = sum(isinstance(entry.event, SessionForked) for entry in found.entries)
            if self._new_ids:
                self._renamed[found.session_id] = new_session_id()
        return sorted(depths, key=lambda path: depths[path])

    async def keep(self, path: Path) -> Kept:
        """Store what is new of the session that *path* holds.

        Raises:
            InvalidInputError: it holds no session.
            AccessError: it cannot be read.
        """
        found = await portable.read(path)
        check_session_id(found.session_id)
        if self._new_ids:
            found = self._under_new_ids(found)
        row = await self._store.find_session(found.session_id)
        if row is None:
            if not self._dry_run:
                await self._begin(found)
            return _kept(found, "added", 0)
        if row.header.trashed_at is not None:
            return _kept(found, "left", 0, reason="it is in the trash; sojourn restore takes it out")
        shared = await self._shared(found)
        if shared == len(found.entries):
            return _kept(found, "same", shared)
        if shared < row.header.head:
            differ = f"it differs from the session here from entry {shared + 1} on; --new-ids takes it in beside that"
            return _kept(found, "left", 0, reason=differ)
        rest = _rest(found, after=shared)
        if not _is_safe(rest):
            return _kept(
                found, "left", 0, reason="it has grown, and allows tools; --new-ids takes it in beside this one"
            )
        if not self._dry_run:
            await self._extend(found.session_id, rest)
        return _kept(found, "grown", shared)

    async def _begin(self, found: Portable) -> None:
        fork = await self._fork_of(found)
        rest = () if fork is None else _rest(found, after=fork[1].seq)
        if fork is None or not _is_safe(rest):
            await self._store.import_session(found.session_id, _rest(found, after=0))
            return
        event, entry = fork
        await self._store.fork_session(event.forked_from, found.session_id, at=event.at, began_at=entry.at)
        await self._extend(found.session_id, rest)

    async def _fork_of(self, found: Portable) -> tuple[SessionForked, Entry] | None:
        """Return how a session was forked from one that is here and says the same up to there; None if it was not."""
        forks = [(entry.event, entry) for entry in found.entries if isinstance(entry.event, SessionForked)]
        if not forks:
            return None
        event, entry = forks[-1]
        parent = await self._store.find_session(event.forked_from)
        if parent is None or event.session_id != found.session_id or entry.seq != event.at + 1:
            return None
        shared = await self._shared(found.under(event.forked_from))
        return (event, entry) if shared >= event.at else None

    async def _extend(self, session_id: SessionId, rest: tuple[Entry, ...]) -> None:
        for start in range(0, len(rest), _PIECE):
            await self._store.extend_session(session_id, rest[start : start + _PIECE])

    async def _shared(self, found: Portable) -> int:
        """Return up to which entry the session here and the one in the file are the same."""
        shared = 0
        while shared < len(found.entries):
            here = await self._store.read(found.session_id, after=shared, limit=_PIECE)
            for entry in here:
                if shared == len(found.entries) or _content(entry) != _content(found.entries[shared]):
                    return shared
                shared += 1
            if not here:
                break
        return shared

    def _under_new_ids(self, found: Portable) -> Portable:
        session_id = self._renamed.setdefault(found.session_id, new_session_id())
        entries = tuple(self._renaming(entry) for entry in found.entries)
        return Portable(session_id=session_id, entries=entries).under(session_id)

    def _renaming(self, entry: Entry) -> Entry:
        value: dict[str, Any] = msgspec.json.decode(entry.payload)
        kind = value["kind"]
        named = [
            name for name in _NAMING.get(kind, ()) if isinstance(value.get(name), str) and value[name] in self._renamed
        ]
        if not named:
            return entry
        payload = msgspec.json.encode({**value, **{name: self._renamed[value[name]] for name in named}}).decode()
        event = CODEC.decode(kind, entry.version, payload)
        return msgspec.structs.replace(entry, payload=payload, event=event)


def _rest(found: Portable, *, after: int) -> tuple[Entry, ...]:
    """Return what is stored behind entry *after*: the file's own entries, and what lets tools ask again."""
    return (*found.entries[after:], *asking_again(found.entries, after=after))


def _is_safe(rest: tuple[Entry, ...]) -> bool:
    """Tell whether an import that breaks off leaves no tool allowed: none is, or the whole is stored at once."""
    return len(rest) <= _PIECE or not any(isinstance(one.event, AllowanceGranted | InterruptResolved) for one in rest)


def _content(entry: Entry) -> tuple[object, ...]:
    return entry.at, entry.version, entry.causes, entry.payload


def _kept(found: Portable, action: Action, after: int, *, reason: str = "") -> Kept:
    """Return what became of it; *after* is the last entry that was here already."""
    messages = sum(isinstance(entry.event, MessageAdded) for entry in found.entries[after:])
    titles = [entry.event.title for entry in found.entries if isinstance(entry.event, SessionRenamed)]
    title = titles[-1] if titles else begin_header(found.entries[0]).title if found.entries else None
    came = 0 if action == "left" else messages
    return Kept(session_id=found.session_id, action=action, messages=came, title=title, reason=reason)
