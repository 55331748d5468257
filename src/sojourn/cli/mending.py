"""What `sojourn doctor --repair` does: it makes anew what can be made anew, and saves what is left of the rest.

A session's row, its saved states and the search index are made from its journal. A damaged journal cannot be made
whole; a fork of it that ends before the damage goes on in its place. Nothing is removed: the damaged session stays as
it is, for whoever has a backup or better tools.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sojourn.cli.progress import progress
from sojourn.errors import CorruptError
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.store.protocol import CheckReport, Store

if TYPE_CHECKING:  # it comes with the app, when the command runs
    from sojourn.engine.app import Sojourn

RECOVERED: Final = "recovered"
"""The tag of a session that goes on in the place of a damaged one."""
_PAGE: Final = 500

Work = Callable[..., Awaitable[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """What was done: the check afterwards, and which session goes on in the place of which, from which entry."""

    report: CheckReport
    recovered: dict[SessionId, SessionHeader]


async def mend(app: "Sojourn", report: CheckReport) -> Mended:
    """Repair what *report* found, as far as that can be done without losing anything."""
    if not report.ok:
        await _anew("making lists anew", app.store.rebuild)
        report = await checked(app.store)
    damaged = dict.fromkeys(one.session_id for one in report.problems if one.session_id is not None)
    recovered: dict[SessionId, SessionHeader] = {}
    for session_id in damaged:
        saved = await _saved(app, session_id)
        if saved is not None:
            recovered[session_id] = saved
    await _anew("making the search index anew", app.memory.rebuild)
    return Mended(report=report, recovered=recovered)


async def checked(store: Store) -> CheckReport:
    """Check every entry of the store, and show how far it is."""
    with progress("checking", total=0) as bar:
        return await store.check(on_progress=lambda done, total: bar.reach(done, total=total))


async def _anew(label: str, work: Work) -> None:
    """Make something anew for all sessions but the damaged ones: the check names those."""
    with progress(label, total=0) as bar:
        try:
            await work(on_progress=lambda done, total: bar.reach(done, total=total))
        except CorruptError:
            return


async def _saved(app: "Sojourn", session_id: SessionId) -> SessionHeader | None:
    """Return the session that goes on before the damage of *session_id*, made now or before; None if there is none.

    It has all that can be read, its title, and a tag.
    """
    row = await app.store.find_session(session_id)
    whole = await _last_whole(app.store, session_id) if row is not None else 0
    if row is None or whole == 0 or (row.quarantined is None and whole == row.header.head):
        return None
    for fork_id in await app.store.list_forks(session_id):
        fork = (await app.store.get_session(fork_id)).header
        if RECOVERED in fork.tags and fork.forked_at == whole:
            return fork
    try:
        saved = await app.sessions.fork(session_id, at=whole)
    except CorruptError:  # what it stands on is damaged as well, and is saved by itself
        return None
    if row.header.title is not None:
        await app.sessions.rename(saved.id, row.header.title, source=row.header.title_source or "auto")
    return await app.sessions.tag(saved.id, add=[*row.header.tags, RECOVERED])


async def _last_whole(store: Store, session_id: SessionId) -> Seq:
    """Return the last entry before the damage: page by page, and near the damage one by one."""
    whole, limit = Seq(0), _PAGE
    while True:
        try:
            entries = await store.read(session_id, after=whole, limit=limit)
        except CorruptError:
            if limit == 1:
                return whole
            limit = 1
            continue
        if not entries:
            return whole
        whole = entries[-1].seq
