"""Secrets in what is stored: found, and taken out for good, with the rest of each entry left as it is.

A session is looked through with all that it shares entries with: its forks, and what it was forked from. A secret that
is known by its form in one place is taken out wherever its letters stand, for elsewhere it may stand without what gave
it away: a fact says *the password is* ..., and no rule knows what follows.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sojourn.engine.secret_finder import SecretFinder
from sojourn.errors import CorruptError
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionQuery, Store

_PAGE: Final = 500
_AT_ONCE: Final = 2000
"""Entries of a session that are rewritten in one step: each has the whole session indexed anew."""


Progress = Callable[[int], None]
"""Called with how many more entries were read."""


class Finding(NamedTuple):
    """A secret: in which session, at which entry, of which kind, and its first letters, if it has many."""

    session_id: SessionId
    seq: Seq
    kind: str
    hint: str


@dataclass(slots=True)
class Scope:
    """Which sessions to look through: each with its base, and the entry behind which its own entries begin."""

    after: dict[SessionId, Seq] = field(default_factory=dict)
    bases: dict[SessionId, SessionId] = field(default_factory=dict)
    entries: int = 0


@dataclass(slots=True)
class Scrubbed:
    """What was found, and what was damaged and could not be looked through."""

    findings: list[Finding] = field(default_factory=list)
    damaged: dict[SessionId, CorruptError] = field(default_factory=dict)
    rewritten: int = 0
    """Entries that were changed."""


async def find_scope(store: Store, session_ids: Iterable[str] | None = None) -> Scope:
    """Return these sessions with all that they share entries with; without any, every session, be it in the trash."""
    scope = Scope()
    if session_ids is None:
        every = SessionQuery(archived=None, trashed=None)
        names = [row.header.session_id async for row in all_sessions(store, every)]
    else:
        names = [SessionId(name) for name in session_ids]
    for name in names:
        await _descend(store, await _root(store, name), scope)
    for name in names:
        if name not in scope.after:  # it was forked from one that does not know it any more
            await _descend(store, name, scope)
    return scope


async def _root(store: Store, session_id: SessionId) -> SessionId:
    """Return the first of a session's ancestors."""
    seen = {session_id}
    while True:
        row = await store.find_session(session_id)
        parent = row.header.forked_from if row is not None else None
        if parent is None or parent in seen or await store.find_session(parent) is None:
            return session_id
        seen.add(parent)
        session_id = parent


async def _descend(store: Store, root: SessionId, scope: Scope) -> None:
    waiting: list[tuple[SessionId, SessionId | None]] = [(root, None)]
    while waiting:
        name, base = waiting.pop(0)
        if name in scope.after:
            continue
        header = (await store.get_session(name)).header
        scope.after[name] = Seq(0) if base is None else header.forked_at or Seq(0)
        scope.entries += header.head - scope.after[name]
        if base is not None:
            scope.bases[name] = base
        waiting += [(fork, name) for fork in await store.list_forks(name)]


class Scrubbing:
    """Looks through sessions, and takes out what it found. Lives for one scrub."""

    def __init__(self, store: Store, scope: Scope, finder: SecretFinder) -> None:
        self._store = store
        self._scope = scope
        self._finder = finder
        self._changed: dict[SessionId, set[Seq]] = {}
        self.done = Scrubbed()

    async def look(self, on_progress: Progress) -> Scrubbed:
        """Return what there is, and change nothing. Every entry is read twice, and *on_progress* hears of both."""
        async for _, page in self._pages(on_progress):
            for entry in page:
                self._finder.learn(entry.payload)
        async for _, _, findings in self._clean_pages(on_progress):
            self.done.findings += findings
        return self.done

    async def rewrites(self, on_progress: Progress) -> AsyncIterator[tuple[SessionId, dict[int, str]]]:
        """Yield what entries are to say instead, of what `look` has found."""
        self._changed.clear()
        last, waiting = SessionId(""), dict[int, str]()
        async for session_id, payloads, _ in self._clean_pages(on_progress):
            if waiting and (session_id != last or len(waiting) >= _AT_ONCE):
                yield last, waiting
                waiting = {}
            last = session_id
            waiting |= payloads
            self.done.rewritten += len(payloads)
        if waiting:
            yield last, waiting

    async def _clean_pages(
        self, on_progress: Progress
    ) -> AsyncIterator[tuple[SessionId, dict[int, str], list[Finding]]]:
        """Yield, page by page, which entries would say what, and the secrets in them."""
        async for session_id, page in self._pages(on_progress):
            changed = self._changed_in(session_id)
            payloads: dict[int, str] = {}
            findings: list[Finding] = []
            for entry in page:
                clean, spotted = self._finder.clean(entry.payload, changed)
                if clean != entry.payload:
                    payloads[entry.seq] = clean
                if spotted:
                    changed.add(entry.seq)
                findings += [Finding(session_id, entry.seq, one.kind, one.hint) for one in spotted]
            yield session_id, payloads, findings

    def _changed_in(self, session_id: SessionId) -> set[Seq]:
        """Return the entries that a session reads and that change: those of its base, and its own so far."""
        if session_id not in self._changed:
            base = self._scope.bases.get(session_id)
            last = self._scope.after[session_id]
            shared = self._changed.get(base, set()) if base is not None else set()
            self._changed[session_id] = {seq for seq in shared if seq <= last}
        return self._changed[session_id]

    async def _pages(self, on_progress: Progress) -> AsyncIterator[tuple[SessionId, list[Entry]]]:
        for session_id, after in self._scope.after.items():
            if session_id in self.done.damaged:
                continue
            last: int = after
            try:
                while page := await self._store.read(session_id, after=last, limit=_PAGE):
                    yield session_id, page
                    on_progress(len(page))
                    last = page[-1].seq
            except CorruptError as error:
                self.done.damaged[session_id] = error
