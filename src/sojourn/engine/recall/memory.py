"""What an app remembers across its sessions: `app.memory`.

The index opens when it is first needed, follows the journals behind everybody's back, and can be made anew from them.
A search that comes before the index has caught up reads the rest from the journals themselves.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from sojourn.clock import Clock
from sojourn.engine.live import Live
from sojourn.engine.recall.embedding import Embedding
from sojourn.engine.recall.indexer import FILE_TAG, Indexer
from sojourn.engine.recall.opening import index_for
from sojourn.engine.recall.scope import parts_of
from sojourn.errors import CorruptError, InvalidInputError
from sojourn.memory.embeddings.caching import CachingEmbedder
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.facts.judging import MeaningJudge
from sojourn.memory.index.document import Document, DocumentKind, FactRow, Hit, Where
from sojourn.memory.index.protocol import SearchIndex
from sojourn.memory.index.search import Search, is_within
from sojourn.memory.shared import GlobalKnowledgeBase, SharedFact, united
from sojourn.model.events import FactScope
from sojourn.model.ids import SessionId
from sojourn.model.knowledge import Fact
from sojourn.store.protocol import Progress, Redaction, SessionQuery, SessionRow, Store

_log = logging.getLogger(__name__)
MAX_TAIL: Final = 1_000
"""Entries of one session that a search reads from the journal; if more are not indexed yet, it waits for the index."""
_LOOKED_AT: Final = 50
"""Sessions, of those used last, that a search over many looks at for what is not indexed yet."""
MAX_LIMIT: Final = 1_000


class Memory:
    """Search and shared facts over all sessions of a store. Lives as long as its app."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        embedders: Sequence[Embedder],
        index: SearchIndex | None = None,
        embeds: bool = True,
    ) -> None:
        """Use *index*, by default the one that goes with *store*. What is new is embedded unasked if it *embeds*."""
        self._store = store
        self._clock = clock
        self._embedders = tuple(embedders)
        self.meaning = MeaningJudge(CachingEmbedder(self._embedders[0])) if self._embedders else MeaningJudge()
        """Tells which facts say the same."""
        self._given = index
        self._embeds = embeds
        self._opening = asyncio.Lock()
        self._catching_up = asyncio.Lock()
        self._hearers: list[Progress] = []
        self._index: SearchIndex | None = None
        self._exit = AsyncExitStack()
        self._embedding: Embedding | None = None

    # --- life

    async def index(self) -> SearchIndex:
        """Return the index, opened."""
        async with self._opening:
            if self._index is None:
                opened = await self._exit.enter_async_context(self._given or index_for(self._store))
                if self._embedders:
                    self._embedding = Embedding(opened, self._embedders)
                    self._exit.push_async_callback(self._embedding.stop)
                    if self._embeds:
                        self._embedding.start()
                self._index = opened
            return self._index

    async def close(self) -> None:
        """Stop embedding and close the index; what is not embedded yet will be the next time."""
        async with self._opening:
            self._index = None
            await self._exit.aclose()

    async def follow(self, session: Live) -> None:
        """Index what a session holds beyond its watermark."""
        await self._indexer(await self.index()).catch_up(session.id)
        self._wake()

    async def catch_up(self, *, on_progress: Progress | None = None) -> None:
        """Index what any session of the store holds beyond its watermark.

        If that is being done already, wait for it; *on_progress* hears how far it is.

        Raises:
            CorruptError: some journals are damaged; the others are indexed, and the error names the damaged ones.
        """
        index, hears = await self.index(), [on_progress] if on_progress is not None else []
        self._hearers += hears
        try:
            async with self._catching_up:  # one after the other: two at once would read everything twice
                await self._indexer(index).catch_up_all(on_progress=self._tell)
        finally:
            for one in hears:
                self._hearers.remove(one)
        self._wake()

    async def embed(self) -> int:
        """Embed all that has no vectors yet, and return how many texts that were."""
        await self.index()
        return await self._embedding.all() if self._embedding else 0

    async def rebuild(self, *, on_progress: Progress | None = None) -> int:
        """Make the index anew from the journals; return how many sessions it holds."""
        index = await self.index()
        await index.clear()
        await self.catch_up(on_progress=on_progress)
        return len(await index.sessions())

    async def forget(self, redaction: Redaction) -> None:
        """Remove from the index what was forgotten in the journals, and index the rest of these sessions anew."""
        index = await self.index()
        for session_id, seqs in redaction.tombstones.items():
            await index.forget(session_id, seqs)
        for session_id in dict.fromkeys((*redaction.tombstones, *redaction.sessions)):
            await index.drop_session(session_id)
            await self._indexer(index).catch_up(session_id)
        self._wake()

    async def drop(self, session_id: SessionId, *, forks: Sequence[SessionId] = ()) -> None:
        """Remove a purged session from the index; its *forks*, which now hold what they shared, are indexed anew."""
        index = await self.index()
        for one in (session_id, *forks):
            await index.drop_session(one)
        for fork in forks:
            await self._indexer(index).catch_up(fork)

    def _indexer(self, index: SearchIndex) -> Indexer:
        return Indexer(self._store, index)

    def _tell(self, done: int, total: int) -> None:
        for hear in self._hearers:
            hear(done, total)

    def _wake(self) -> None:
        if self._embedding is not None:
            self._embedding.wake()

    # --- search

    async def search(
        self,
        question: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        everyone: bool = False,
        project: str | None = None,
        tag: str | None = None,
        kinds: Sequence[DocumentKind] = ("message", "fact"),
        roles: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 10,
        by_words: bool = False,
        whole: int = 0,
    ) -> list[Hit]:
        """Return the messages and facts that answer *question* best, the best first.

        Args:
            question: words, "a phrase", the beginning of a word (`micro*`), or a whole question.
            session_id: look only into this session, with what it shares with others by being a fork.
            user_id: whose sessions to look into; None means those that no user is named for.
            everyone: look into the sessions of all users.
            project: only sessions of this project.
            tag: only sessions with this tag.
            kinds: messages, facts, or both.
            roles: only messages of these roles.
            since: only what was said then or later.
            until: only what was said before or then.
            limit: how many to return.
            by_words: only what holds a word of the question. Without it, what was said beside it is found, too: the
                answer often has none of the words.
            whole: a text of at most so many characters is shown whole, and not the stretch of it that fits best.

        Raises:
            InvalidInputError: the question is not a text, or a condition cannot be met by anything.
            SessionNotFoundError: there is no such session.
        """
        if not isinstance(question, str):
            raise InvalidInputError(f"a question is a text, got {question!r:.50}")
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidInputError(f"a search returns from 1 to {MAX_LIMIT:,} results, got limit {limit!r:.50}")
        where = Where(
            user_id=user_id,
            everyone=everyone,
            project=project,
            tag=tag,
            kinds=tuple(kinds),
            roles=tuple(roles),
            since=since,
            until=until,
        )
        index = await self.index()
        if session_id is not None:
            row = await self._store.get_session(session_id)
            where = replace(where, parts=await parts_of(self._store, row))
            rows = [row, *[await self._store.get_session(part.session_id) for part in (where.parts or ())[1:]]]
        else:
            rows = await self._used_last(where)
        tail = await self._tail(index, rows, where)
        searcher = Search(index, self._embedders)
        now = self._clock.now()
        return await searcher.find(question, where, limit=limit, now=now, tail=tail, by_words=by_words, whole=whole)

    async def _used_last(self, where: Where) -> list[SessionRow]:
        query = SessionQuery(
            user_id=where.user_id, project=where.project, tag=where.tag, archived=None, limit=_LOOKED_AT
        )
        page = await self._store.list_sessions(query)
        return [row for row in page.rows if where.everyone or row.header.user_id == where.user_id]

    async def _tail(self, index: SearchIndex, rows: Sequence[SessionRow], where: Where) -> list[Document]:
        """Return what these sessions hold that is not indexed yet, after indexing those with too much of it."""
        indexer = self._indexer(index)
        behind = set(await indexer.behind(rows))
        found: list[Document] = []
        for row in rows:
            if row.header.session_id not in behind:
                continue
            try:
                tail = await indexer.tail(row, limit=MAX_TAIL)
                if tail is None:
                    await indexer.catch_up(row.header.session_id)
                else:
                    found += [document for document in tail if is_within(document, where)]
            except CorruptError as error:  # one damaged session does not hide what the others hold
                _log.warning("a search leaves out what is not indexed of a damaged session: %s", error)
        return found

    # --- facts beyond those that a state holds

    async def find_facts(self, session: Live, *, fact_id: str | None = None, slot: str | None = None) -> list[Fact]:
        """Return the facts of a session, of every status, with this id or slot; none, if its state holds them all."""
        knowledge = session.state.knowledge_base
        if knowledge.learned_count <= len(knowledge.facts):
            return []
        await self.follow(session)
        index = await self.index()
        rows = await index.facts(session_id=session.id, fact_id=fact_id, slot=slot)
        return [row.fact for row in rows]

    # --- what holds beyond one session

    async def project_facts(self, project: str, *, user_id: str | None = None) -> tuple[SharedFact, ...]:
        """Return what the sessions of a project share, the most worth first."""
        rows = await self._rows(user_id=user_id, project=project, scopes=("project",))
        return united(row for row in rows if FILE_TAG not in row.fact.tags)

    async def project_files(self, project: str, *, user_id: str | None = None) -> tuple[SharedFact, ...]:
        """Return which files the sessions of a project worked on, and what was done to each last, newest first."""
        rows = await self._rows(user_id=user_id, project=project, scopes=("project",))
        files = united(row for row in rows if FILE_TAG in row.fact.tags)
        return tuple(sorted(files, key=lambda one: one.fact.updated_at, reverse=True))

    async def user_facts(self, user_id: str | None) -> tuple[SharedFact, ...]:
        """Return what holds for a user in every session, the most worth first."""
        return united(await self._rows(user_id=user_id, scopes=("user", "global")))

    async def knowledge(self, user_id: str | None = None) -> GlobalKnowledgeBase:
        """Return what a user's sessions know for sure and do not keep to themselves."""
        return GlobalKnowledgeBase(user_id, await self._rows(user_id=user_id, scopes=("project", "user", "global")))

    async def _rows(
        self, *, user_id: str | None, scopes: Sequence[FactScope], project: str | None = None
    ) -> list[FactRow]:
        index = await self.index()
        await self._catch_up_last(index, user_id=user_id, project=project)
        rows = await index.facts(user_id=user_id, project=project, scopes=scopes, limit=10_000)
        # None asks the index for any user; here it means the sessions that no user is named for.
        return [row for row in rows if row.user_id == user_id]

    async def _catch_up_last(self, index: SearchIndex, *, user_id: str | None, project: str | None) -> None:
        indexer = self._indexer(index)
        for session_id in await indexer.behind(await self._used_last(Where(user_id=user_id, project=project))):
            await indexer.catch_up(session_id)
