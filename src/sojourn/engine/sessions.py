"""The life of sessions: begin, find, open, name, put aside, throw away, branch and bring home again.

Everything that changes a session is already saved when a call returns; opening another one or closing the program
saves nothing extra. Sessions that are open are kept in memory until nobody has used them for a while.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import anyio.to_thread

from sojourn.clock import Clock
from sojourn.engine import bus, portable
from sojourn.engine.branches import Branch, Comparison, compare, find_common_point, find_tree, follow_project
from sojourn.engine.inputs import MAX_NAME, check_tags, check_text
from sojourn.engine.loading import load_state
from sojourn.engine.merge import Choice, MergeResult, Strategy, events_for, plan_merge, resolve
from sojourn.engine.pointer import TALKED_IN, pointer_key, talked_in
from sojourn.engine.project import Project, find_project
from sojourn.engine.session import Session, SessionOptions, new_session_id
from sojourn.engine.settings import Settings
from sojourn.engine.superseding import find_current
from sojourn.engine.titles import make_title
from sojourn.engine.unsent import UnsentTexts
from sojourn.errors import ConflictError, InvalidInputError, SessionNotFoundError
from sojourn.model import events as ev
from sojourn.model.entry import Draft
from sojourn.model.events import TitleSource
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId, check_session_id
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionPage, SessionQuery, Store

_MERGE_TRIES: Final = 5


class SessionManager:
    """All sessions of one store: `app.sessions`. Lives as long as its app."""

    def __init__(
        self, store: Store, *, settings: Settings, clock: Clock, news: bus.EventBus, options: SessionOptions
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._news = news
        self._options = options
        self._open: dict[SessionId, tuple[Session, float]] = {}

    # --- begin, open, find

    async def create(
        self,
        session_id: str | None = None,
        *,
        user_id: str | None = None,
        title: str | None = None,
        project: str | None = None,
        tags: Iterable[str] = (),
        parent: str | None = None,
    ) -> Session:
        """Begin a session and open it. *parent* nests a subagent's session under its caller's.

        Raises:
            AlreadyExistsError: the id is taken.
            SessionNotFoundError: there is no such parent.
        """
        if title is not None:
            check_text(title, "a title", most=MAX_NAME)
        nested = None
        if parent is not None:
            nested = (await self._store.get_session(parent)).header.session_id
        created = ev.SessionCreated(user_id=user_id, title=title, project=project, tags=check_tags(tags), parent=nested)
        row = await self._store.create_session(session_id or new_session_id(), created)
        session = await self._opened(row.header.session_id)
        await self._news.publish(bus.SessionCreated(session_id=session.id, at=row.header.created_at))
        return session

    async def open(self, session_id: str, *, exact: bool = False) -> Session:
        """Open a session; one that is open already is the same object, brought up to date.

        A session that was rewound goes on under another id: that one is opened, unless *exact*.

        Raises:
            SessionNotFoundError: there is no such session, or it is in the trash.
        """
        row = await (self._store.find_session(session_id) if exact else find_current(self._store, session_id))
        if row is None:
            raise SessionNotFoundError(f"session={session_id}")
        header = row.header
        if header.trashed_at is not None:
            raise SessionNotFoundError(f"session={header.session_id} is in the trash; restore it first")
        known = self._open.get(header.session_id)
        if known is not None:
            await known[0].refresh()
            self._use(known[0])
            return known[0]
        session = await self._opened(header.session_id)
        await self._news.publish(bus.SessionLoaded(session_id=session.id, at=self._clock.now()))
        return session

    async def get_or_create(self, session_id: str, *, user_id: str | None = None) -> Session:
        """Open the session, or begin it if there is none."""
        if await self._store.find_session(session_id) is None:
            try:
                return await self.create(session_id, user_id=user_id)
            except ConflictError:
                pass  # somebody else was faster
        return await self.open(session_id)

    async def load(self, path: Path, *, session_id: str | None = None) -> Session:
        """Store the session that `Session.save` wrote to *path*, under its own id or another, and open it.

        Raises:
            InvalidInputError: the file is not a saved session.
            AlreadyExistsError: the id is taken.
        """
        row = await portable.load(self._store, path, session_id=session_id)
        return await self.open(row.header.session_id, exact=True)

    async def list(self, query: SessionQuery | None = None) -> SessionPage:
        """Return a page of sessions, newest activity first."""
        return await self._store.list_sessions(query)

    async def children(self, session_id: str) -> tuple[SessionHeader, ...]:
        """Return the sessions nested under this one, newest activity first."""
        checked = (await self._store.get_session(session_id)).header.session_id
        query = SessionQuery(parent=checked, archived=None)
        return tuple([row.header async for row in all_sessions(self._store, query)])

    # --- the session used last

    async def switch(self, session_id: str, *, project: str | None = None, in_passing: bool = False) -> Session:
        """Open a session and remember it as the one used last, for *project* if given.

        With *in_passing* only one question is asked in it: who talks goes on where he talked before.
        """
        session = await self.open(session_id)
        key = pointer_key(project)
        kept = {TALKED_IN: talked_in(await self._store.documents.load(key))} if in_passing else {}
        await self._store.documents.save(key, {"session_id": session.id, **kept})
        return session

    async def last(self, *, project: str | None = None, talked: bool = False) -> Session | None:
        """Open the session used last; None if there is none, or if it is gone or in the trash.

        With *talked* it is the one that was used last for more than a question in passing.
        """
        pointer = await self._store.documents.load(pointer_key(project))
        try:
            named = (talked_in(pointer) if talked else pointer["session_id"]) if pointer else ""
            return await self.open(check_session_id(named)) if named else None
        except (SessionNotFoundError, InvalidInputError, KeyError):
            return None

    async def project_of(self, folder: Path) -> Project:
        """Return the project that a folder belongs to; it stays the same when the folder moves."""
        return await anyio.to_thread.run_sync(find_project, folder)

    # --- name, put aside, throw away

    async def rename(
        self, session_id: str, title: str, *, source: TitleSource = "user", causes: Iterable[int] = ()
    ) -> SessionHeader:
        """Give a session a title. One that a user gave is only replaced by a user.

        *causes* are the entries that it was made of: to forget one of them is to forget the title.
        """
        check_text(title, "a title", most=MAX_NAME)
        return await self._append(session_id, ev.SessionRenamed(title=title, source=source), causes=causes)

    async def title_from(self, session_id: str, text: str, *, causes: Iterable[int] = ()) -> SessionHeader:
        """Give a session without a title one made of *text*, usually the user's first message, which is its cause."""
        header = (await self._store.get_session(session_id)).header
        if header.title is not None:
            return header
        renamed = ev.SessionRenamed(title=make_title(text), source="auto")
        return await self._append(session_id, renamed, causes=causes)

    async def tag(self, session_id: str, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> SessionHeader:
        """Add and remove tags."""
        added, removed = check_tags(add), check_tags(remove)
        header = (await self._store.get_session(session_id)).header
        check_tags([*(tag for tag in header.tags if tag not in removed), *added])
        return await self._append(session_id, ev.SessionTagged(added=added, removed=removed))

    async def move(self, session_id: str, project: str | None) -> SessionHeader:
        """Let a session belong to another project, with all that it shares with the sessions there."""
        if project is not None:
            check_text(project, "a project's id", most=MAX_NAME)
        return await self._append(session_id, ev.SessionMoved(project=project))

    async def archive(self, session_id: str) -> SessionHeader:
        """Put a session aside: kept, and listed only when asked for."""
        return await self._append(session_id, ev.SessionArchived())

    async def unarchive(self, session_id: str) -> SessionHeader:
        """Take a session out of the archive."""
        return await self._append(session_id, ev.SessionUnarchived())

    async def delete(self, session_id: str) -> SessionHeader:
        """Throw a session into the trash; `restore` takes it out again, `purge` removes it for good."""
        header = await self._append(session_id, ev.SessionTrashed())
        self._open.pop(header.session_id, None)
        return header

    async def restore(self, session_id: str) -> SessionHeader:
        """Take a session out of the trash."""
        return await self._append(session_id, ev.SessionRestored())

    async def purge(self, session_id: str, *, detach: bool = False) -> None:
        """Remove a session for good. If others were forked from it, that takes *detach*, which copies what they share.

        Raises:
            ForksExistError: others read from it, and *detach* is False; the error names them.
        """
        header = (await self._store.get_session(session_id)).header
        forks = await self._store.list_forks(header.session_id)
        await self._store.purge_session(header.session_id, detach=detach)
        await UnsentTexts(self._store.documents).forget(header.session_id)
        self._open.pop(header.session_id, None)
        purged = bus.SessionPurged(session_id=header.session_id, at=self._clock.now(), forks=tuple(forks))
        await self._news.publish(purged)

    async def prune(self, *, dry_run: bool = True) -> tuple[SessionHeader, ...]:
        """Return the archived and trashed sessions that are older than the retention; remove them if not *dry_run*.

        The last use counts, and in the trash when it was thrown away: for as long, it can be taken out again. Without a
        retention in the settings there are none. A session that others were forked from is left alone.
        """
        if self._settings.retention_days is None:
            return ()
        horizon = self._clock.now() - timedelta(days=self._settings.retention_days)
        found: dict[SessionId, SessionHeader] = {}
        for query in (
            SessionQuery(archived=True, trashed=None),
            SessionQuery(archived=None, trashed=True),
        ):
            for header in [row.header async for row in all_sessions(self._store, query)]:
                touched = max(header.updated_at, header.trashed_at or header.updated_at)
                if touched < horizon and not await self._store.list_forks(header.session_id):
                    found[header.session_id] = header
        if not dry_run:
            for session_id in found:
                await self.purge(session_id)
        return tuple(found.values())

    # --- branch, compare, merge

    async def fork(self, session_id: str, fork_id: str | None = None, *, at: int | None = None) -> Session:
        """Begin a session that continues another after its entry *at* (None: its head), and open it."""
        row = await self._store.fork_session(session_id, fork_id or new_session_id(), at=at)
        await follow_project(self._store, row.header, (await self._store.get_session(session_id)).header.project)
        session = await self._opened(row.header.session_id)
        forked_from, forked_at = row.header.forked_from, row.header.forked_at
        await self._news.publish(
            bus.SessionForked(
                session_id=session.id,
                at=row.header.created_at,
                forked_from=forked_from or check_session_id(session_id),
                forked_at=forked_at or Seq(0),
            )
        )
        return session

    async def clone(self, session_id: str, clone_id: str | None = None) -> Session:
        """Begin a session that is the same as another one is now: a fork at its head."""
        return await self.fork(session_id, clone_id)

    async def rewind(self, session_id: str, *, at: int) -> Session:
        """Go back to entry *at*: a fork there takes the session's place, and opening the old id opens it.

        Nothing is removed: the old session is opened with ``exact=True``. It keeps the title and the tags that it has
        now, which are about the session and not of its past.
        """
        old = (await self._store.get_session(session_id)).header
        session = await self.fork(session_id, at=at)
        await self._append(old.session_id, ev.SessionSuperseded(by=session.id))
        if old.title is not None and session.state.title != old.title:
            await session.append(ev.SessionRenamed(title=old.title, source=old.title_source or "auto"))
        if session.state.tags != old.tags:
            gone = tuple(tag for tag in session.state.tags if tag not in old.tags)
            await session.append(ev.SessionTagged(added=old.tags, removed=gone))
        return session

    async def branches(self, session_id: str) -> tuple[SessionHeader, ...]:
        """Return the sessions that were forked from this one."""
        forks = await self._store.list_forks(session_id)
        return tuple([(await self._store.get_session(fork_id)).header for fork_id in forks])

    async def tree(self, session_id: str) -> Branch:
        """Return the tree of forks that hangs on this session."""
        return await find_tree(self._store, session_id)

    async def compare(self, ours: str, theirs: str) -> Comparison:
        """Say where two branches part and what they hold differently.

        Raises:
            InvalidInputError: they share no history.
        """
        return await compare(self._store, ours, theirs)

    async def merge(
        self,
        session_id: str,
        branch_id: str,
        *,
        strategy: Strategy = "ask",
        resolutions: Mapping[tuple[str, str], Choice] | None = None,
    ) -> MergeResult:
        """Bring home to *session_id* what *branch_id* has learned since they parted.

        What both changed to different ends is decided by *resolutions*, then by *strategy*. With "ask" and conflicts
        that are left open nothing is changed; call again with the choices.

        Raises:
            InvalidInputError: the two are one session, or share no history.
        """
        common = await find_common_point(self._store, session_id, branch_id)
        for _ in range(_MERGE_TRIES):
            base = (await load_state(self._store, common.session_id, at=common.seq)).state
            ours = (await load_state(self._store, session_id)).state
            theirs = (await load_state(self._store, branch_id)).state
            plan = plan_merge(base, ours, theirs)
            chosen, unresolved = resolve(plan, strategy, resolutions or {})
            if unresolved:
                return MergeResult(merged=False, brought=plan.brought, conflicts=plan.conflicts)
            names = [*plan.brought, *chosen]
            merged = ev.BranchMerged(branch=theirs.session_id, at=theirs.head, strategy=strategy)
            # What comes home was derived from the merge, which names the branch that knows the rest.
            brought = [Draft(event=event, causes=(Seq(ours.head + 1),)) for event in events_for(plan, names)]
            session = await self.open(session_id, exact=True)
            try:
                await session.append(merged, *brought, expected=ours.head)
            except ConflictError:
                continue  # it went on meanwhile: compare again
            return MergeResult(merged=True, brought=tuple(names), conflicts=plan.conflicts)
        raise ConflictError(f"session={session_id} goes on faster than it can be merged into")

    # --- open sessions

    async def expire_idle(self) -> int:
        """Close the sessions that nobody has used for the idle time; return how many. What is stored stays."""
        horizon = self._clock.monotonic() - self._settings.idle_minutes * 60
        idle = [session for session, used in self._open.values() if used <= horizon and not session.in_turn]
        for session in idle:
            await session.close()
            self._open.pop(session.id, None)
        return len(idle)

    async def reload(self) -> None:
        """Make the state of every open session anew."""
        for session, _ in self._open.values():
            await session.reload()

    async def keep_profiles(self) -> None:
        """Write what the open sessions hold in memory about the user: he agreed."""
        for session, _ in self._open.values():
            await session.keep_profile()

    async def close(self) -> None:
        """Close every open session."""
        for session, _ in self._open.values():
            await session.close()
        self._open.clear()

    async def _opened(self, session_id: SessionId) -> Session:
        await self.expire_idle()
        session = await Session.open(self._store, session_id, options=self._options)
        known = self._open.get(session_id)
        if known is not None:  # opened by another task meanwhile: there is one object per session
            session = known[0]
        self._use(session)
        return session

    def note_use(self, session: Session) -> None:
        """Note that an open session was used, so that it is not idle."""
        if session.id in self._open:
            self._use(session)

    def _use(self, session: Session) -> None:
        self._open[session.id] = (session, self._clock.monotonic())

    async def _append(self, session_id: str, event: ev.Event, *, causes: Iterable[int] = ()) -> SessionHeader:
        """Append to the session, through its live object if it is open, and return its header."""
        known = self._open.get(check_session_id(session_id))
        draft = Draft(event=event, causes=tuple(Seq(cause) for cause in causes))
        if known is not None:
            await known[0].append(draft)
        else:
            await self._store.append(session_id, [draft])
        return (await self._store.get_session(session_id)).header
