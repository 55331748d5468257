"""Keeping the search index up with the journals.

The index holds how far it came with each session, in the transaction that adds what was read; so it goes on from there
after a crash, and two processes do not index the same entry twice. Of a session in which something was forgotten,
everything is removed and indexed anew.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from sojourn.memory.index.document import MAX_INDEXED, Document, FactRow, Mark, SessionKey
from sojourn.memory.index.protocol import SearchIndex
from sojourn.model.entry import Entry
from sojourn.model.events import FactLearned, FileTouched, MessageAdded
from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import Fact, FactEvent, changed_fact, learned_fact
from sojourn.store.protocol import Progress, SessionQuery, SessionRow, Store
from sojourn.store.rebuilding import rebuild_each

BATCH: Final = 500
FILE_TAG: Final = "file"
"""Marks a fact that tells what was done to a file."""
_SEARCHED: Final = ("user", "assistant", "tool")
_START: Final = Mark(seq=Seq(0))


class Indexer:
    """Brings an index up to the journals of a store. Keeps nothing itself."""

    def __init__(self, store: Store, index: SearchIndex) -> None:
        self._store = store
        self._index = index

    async def catch_up(self, session_id: SessionId) -> None:
        """Index what the session's journal holds beyond the watermark."""
        row = await self._store.find_session(session_id)
        if row is None:
            await self._index.drop_session(session_id)
            return
        mark = (await self._index.watermarks([session_id])).get(session_id, _START)
        if mark.epoch != row.epoch or mark.seq > row.header.head:
            await self._index.drop_session(session_id)
            mark = _START
        after, begin = mark.seq, await self._begin(row)
        while after < row.header.head:
            entries = await self._store.read(session_id, after=max(after, begin), limit=BATCH)
            if not entries:
                return
            through = entries[-1].seq
            if not await self._add(row, after, through, entries):
                return  # another process indexes this session now
            after = through

    async def catch_up_all(self, *, on_progress: Progress | None = None) -> None:
        """Index what any session holds beyond its watermark, those used last first.

        *on_progress* hears how many of the sessions that are behind were caught up with.

        Raises:
            CorruptError: some journals are damaged; the others are indexed, and the error names the damaged ones.
        """
        waiting: list[SessionId] = []
        cursor: str | None = None
        while True:
            page = await self._store.list_sessions(SessionQuery(archived=None, trashed=None, limit=200, cursor=cursor))
            waiting += await self.behind(page.rows)
            cursor = page.cursor
            if cursor is None:
                break
        await rebuild_each([partial(self.catch_up, session_id) for session_id in waiting], on_progress=on_progress)

    async def behind(self, rows: Sequence[SessionRow]) -> list[SessionId]:
        """Return those of these sessions that hold more, or less, than is indexed."""
        marks = await self._index.watermarks([row.header.session_id for row in rows])
        return [
            row.header.session_id
            for row in rows
            if row.quarantined is None
            and marks.get(row.header.session_id) != Mark(seq=row.header.head, epoch=row.epoch)
        ]

    async def tail(self, row: SessionRow, *, limit: int) -> list[Document] | None:
        """Return the messages that are not indexed yet; None if the session must be indexed first.

        That is so if they are more than *limit* entries, or if the index holds something that was forgotten since.
        """
        session_id = row.header.session_id
        mark = (await self._index.watermarks([session_id])).get(session_id, _START)
        after = max(mark.seq, await self._begin(row))
        stale = mark != _START and mark.epoch != row.epoch
        if stale or row.header.head - after > limit:
            return None
        entries = await self._store.read(session_id, after=after, limit=limit) if row.header.head > after else []
        return _messages(entries, first_place=await self._index.next_place(session_id))

    async def _begin(self, row: SessionRow) -> Seq:
        """Return after which entry the session is indexed: what a fork shares is indexed as its parent's, if there."""
        header = row.header
        if header.forked_from is None or await self._store.find_session(header.forked_from) is None:
            return Seq(0)
        return header.forked_at or Seq(0)

    async def _add(self, row: SessionRow, after: Seq, through: Seq, entries: Sequence[Entry]) -> bool:
        header = row.header
        key = key_of(row)
        facts = await self._facts(row, entries)
        documents = _messages(entries, first_place=await self._index.next_place(header.session_id))
        documents += [_fact_document(fact, header.session_id) for fact in facts if FILE_TAG not in fact.tags]
        rows = [
            FactRow(session_id=header.session_id, user_id=header.user_id, project=header.project, fact=fact)
            for fact in facts
        ]
        return await self._index.add(key, after=after, through=through, documents=documents, facts=rows)

    async def _facts(self, row: SessionRow, entries: Sequence[Entry]) -> list[Fact]:
        """Return the facts that *entries* change, as they then are."""
        changed: dict[str, Fact] = {}
        for entry in entries:
            event = entry.event
            if isinstance(event, FileTouched):
                touched = _touched(event, entry)
                changed[touched.fact_id] = touched
            if not isinstance(event, FactEvent):
                continue
            known = changed.get(event.fact_id) or await self._known(row, event.fact_id)
            if known is not None:
                changed[event.fact_id] = changed_fact(known, event, entry)
            elif isinstance(event, FactLearned):
                changed[event.fact_id] = learned_fact(event, at=entry.at, seq=entry.seq, causes=entry.causes)
        return list(changed.values())

    async def _known(self, row: SessionRow, fact_id: str) -> Fact | None:
        """Return a fact as it is indexed for the session or for the one that it was forked from."""
        found = await self._index.find_fact(row.header.session_id, fact_id)
        if found is not None:
            return found.fact
        if row.header.forked_from is None:
            return None
        parent = await self._store.find_session(row.header.forked_from)
        return await self._known(parent, fact_id) if parent is not None else None


def key_of(row: SessionRow) -> SessionKey:
    """Return whose session it is, as the index keeps it."""
    header = row.header
    return SessionKey(
        session_id=header.session_id,
        user_id=header.user_id,
        project=header.project,
        tags=header.tags,
        hidden=header.trashed_at is not None,
        epoch=row.epoch,
    )


def _messages(entries: Sequence[Entry], *, first_place: int) -> list[Document]:
    found: list[Document] = []
    for entry in entries:
        if not isinstance(entry.event, MessageAdded):
            continue
        message = entry.event.message
        text = message.text[:MAX_INDEXED]
        if message.role not in _SEARCHED or not text.strip():
            continue
        found.append(
            Document(
                session_id=entry.session_id,
                seq=entry.seq,
                kind="message",
                text=text,
                at=entry.at,
                role=message.role,
                speaker=message.name,
                place=first_place + len(found),
            )
        )
    return found


def _fact_document(fact: Fact, session_id: SessionId) -> Document:
    return Document(
        session_id=session_id,
        seq=max(fact.evidence),
        kind="fact",
        text=fact.content,
        at=fact.updated_at,
        fact_id=fact.fact_id,
    )


def _touched(event: FileTouched, entry: Entry) -> Fact:
    """Return what was done to a file, as something that the sessions of a project share."""
    return Fact(
        fact_id=f"file:{event.path}",
        content=f"{event.path} was {event.action}",
        confidence=1.0,
        sources=("work",),
        scope="project",
        status="active",
        learned_at=entry.at,
        updated_at=entry.at,
        evidence=(*entry.causes, entry.seq),
        tags=(FILE_TAG,),
        slot=f"file/{event.path}",
        value=event.action,
    )
