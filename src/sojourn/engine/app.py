"""Sojourn, open on one store: the object that a program holds."""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from sojourn.clock import Clock, SystemClock
from sojourn.context.compaction.extractive import ExtractiveSummariser
from sojourn.context.compaction.summariser import Summariser
from sojourn.context.compaction.written_by_model import ModelSummariser
from sojourn.context.models import ModelCatalog
from sojourn.engine.announce import news_of
from sojourn.engine.background import Background
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.bus import EventBus, SessionLoaded, SessionPurged
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.compaction import Compaction, CompactionSettings
from sojourn.engine.forgetting import forget_user
from sojourn.engine.inputs import check_tags
from sojourn.engine.later import ModelReading
from sojourn.engine.learner import FailureHandler, Learner, log_failure
from sojourn.engine.recall.ingesting import Progress, ingest
from sojourn.engine.recall.memory import Memory
from sojourn.engine.recall.opening import IN_MEMORY
from sojourn.engine.session import Session, SessionOptions, new_session_id
from sojourn.engine.sessions import SessionManager
from sojourn.engine.settings import Settings
from sojourn.errors import SojournError
from sojourn.memory.embeddings.choosing import default_embedders
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import Kind
from sojourn.model.entry import Entry
from sojourn.model.events import SessionCreated
from sojourn.model.ids import DEFAULT_TENANT, check_session_id
from sojourn.model.message import Message
from sojourn.providers.structured import StructuredModel
from sojourn.store import Durability, Store, open_store
from sojourn.store.protocol import Redaction

_log = logging.getLogger(__name__)
_KEEP_PROFILE: Final = "settings/keep_profile"


class Sojourn:
    """Sessions on one store, and news of what happens in them. Open it with `async with`; lives as long as the program.

    Attributes:
        sessions: begin, find, open, branch and put away sessions.
        news: who wants to know what happens.
        background: work that follows the journals.
        memory: what is remembered across sessions.
        store: where everything is kept.
        models: what is known about models, their windows and prices.
    """

    def __init__(
        self,
        store: Store,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        extractor: StateExtractor | None = None,
        model: StructuredModel | None = None,
        embedders: Sequence[Embedder] | None = None,
    ) -> None:
        """Use *store*, which this app opens and closes.

        *extractor* learns from what is said, in place of the one that the settings name; *model* helps it, verifies
        facts and answers questions; *embedders* are used in place of those that are installed.
        """
        self.store = store
        self._model = model
        self.settings = settings or Settings()
        self.clock = clock or SystemClock()
        self.news = EventBus()
        self._keeps_profile = self.settings.keep_profile == "yes"
        self._asks_about_profile = False
        self.background = Background()
        # A model takes seconds: nothing that is quick waits for it, nor does closing.
        self._later = Background()
        self._reading: ModelReading | None = None
        self.models = ModelCatalog(self.settings.models)
        self.memory = Memory(
            store,
            clock=self.clock,
            embedders=self._embedders(embedders),
            embeds=not self.settings.brief,
        )
        options = SessionOptions(
            clock=self.clock,
            keeps_profile=lambda: self._keeps_profile,
            on_append=self._announce,
            on_redact=self._forget,
            memory=self.memory,
            model=model,
            models=self.models,
            brief=self.settings.brief,
        )
        self.sessions = SessionManager(store, settings=self.settings, clock=self.clock, news=self.news, options=options)
        self.news.subscribe(SessionLoaded, self._follow)
        self.news.subscribe(SessionPurged, self._drop)
        self._learn(extractor, model)
        self.background.follow("index", self.memory.follow)
        self._later.follow("short-term-memory", self._summarise_turns)
        self._following: asyncio.Task[None] | None = None
        self._aside: list[asyncio.Task[None]] = []

    def __repr__(self) -> str:
        return f"Sojourn({self.store!r})"

    async def __aenter__(self) -> Self:
        await self.store.__aenter__()
        # A task of its own, awaited in `close`: a task group would have to be left by the task that entered it, and in
        # a notebook every cell is another.
        self._following = asyncio.create_task(self.background.run(), name="sojourn-background")
        self._aside = [asyncio.create_task(self._later.run(), name="sojourn-later")]
        if self.store.index_location != IN_MEMORY:
            self._aside.append(asyncio.create_task(self._index_the_rest(), name="sojourn-indexing"))
        if self.settings.keep_profile == "ask":
            answer = await self.store.documents.load(_KEEP_PROFILE)
            self._keeps_profile = bool(answer and answer.get("keep"))
            self._asks_about_profile = answer is None
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish the background work, close every open session and the store. Closing twice is fine."""
        following, self._following = self._following, None
        if following is None:
            return
        try:
            await self.background.drain()
            await self.sessions.close()
        finally:
            for task in (following, *self._aside):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            await self.memory.close()
            await self.store.close()

    async def _announce(self, session: Session, entries: tuple[Entry, ...]) -> None:
        self.sessions.note_use(session)
        self.background.notify(session)
        self._later.notify(session)
        for news in news_of(entries, wanted=self.news.has_subscribers):
            await self.news.publish(news)

    async def _follow(self, loaded: SessionLoaded) -> None:
        """Let the background work catch up with a session that was opened: a crash may have left it behind."""
        session = await self.sessions.open(loaded.session_id, exact=True)
        self.background.notify(session)
        self._later.notify(session)

    async def _index_the_rest(self) -> None:
        """Index what other processes appended, or this one before it crashed, in sessions that nobody opens now."""
        try:
            await self.memory.catch_up()
        except SojournError as error:
            _log.warning("not every session could be indexed; it is tried again when the app opens next: %s", error)

    async def _forget(self, redaction: Redaction) -> None:
        if self._reading is not None:
            self._reading.forget()
        await self.memory.forget(redaction)
        await self.background.forget(redaction)

    async def _drop(self, purged: SessionPurged) -> None:
        await self.memory.drop(purged.session_id, forks=purged.forks)

    def _embedders(self, given: Sequence[Embedder] | None) -> Sequence[Embedder]:
        if given is not None:
            return given
        return default_embedders().embedders if self.settings.embeddings == "auto" else ()

    def _learn(self, given: StateExtractor | None, model: StructuredModel | None) -> None:
        """Let the state learn from what is said, as the settings have it."""
        if self.settings.learning == "off":
            return
        kinds = self.settings.learned_kinds
        learner = Learner(lambda: given or _rules(kinds))
        self.background.register("learn", learner.read)
        if given is None and model is not None and self.settings.learning == "hybrid":
            self._reading = ModelReading(model, _rules(kinds), learner, settings=self.settings, clock=self.clock)
            self._later.register("learn-by-model", self._reading.read)

    async def _summarise_turns(self, session: Session) -> None:
        """Rewrite the short-term memory after every few turns that were completed."""
        every, turn = self.settings.summarise_turns_every, session.state.conversation.turn
        if every is not None and turn is not None and turn.outcome == "completed":
            await self.compactor(session).summarise_turns(every)

    async def learn_later(self) -> None:
        """Let the model read now all that waits for it, and return when it has."""
        await self._later.drain()

    async def ingest(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        project: str | None = None,
        title: str | None = None,
        tags: Iterable[str] = (),
        on_progress: Progress | None = None,
    ) -> Session:
        """Take in a talk that happened elsewhere as a new session, all of it or nothing, and open it.

        A message is a `Message`, or a dict with `role`, `content`, and, if they are known, `name` (who spoke) and `at`.
        It is indexed, and learned from, in the background.

        Raises:
            InvalidInputError: a message cannot be read; the error says which.
            AlreadyExistsError: the id is taken.
        """
        created = SessionCreated(user_id=user_id, title=title, project=project, tags=check_tags(tags))
        row = await ingest(
            self.store,
            messages,
            session_id=check_session_id(session_id) if session_id else new_session_id(),
            created=created,
            now=self.clock.now(),
            on_progress=on_progress,
        )
        return await self.sessions.open(row.header.session_id, exact=True)

    def compactor(
        self,
        session: Session,
        *,
        settings: CompactionSettings | None = None,
        budget: SessionBudget | None = None,
        summariser: Summariser | None = None,
        on_failure: FailureHandler = log_failure,
    ) -> ContextCompactor:
        """Return what compacts *session*: with the app's model if it has one, else by the talk's own sentences.

        *budget* is asked before the model is. *summariser* writes in place of both; if it fails, nothing is done.
        *on_failure* is told what failed.
        """
        fallback = ExtractiveSummariser() if summariser is None else None
        if summariser is None and self._model is not None:
            summariser = ModelSummariser(self._model)
        return ContextCompactor(
            session,
            summariser,
            settings=settings,
            extractor=_rules(self.settings.learned_kinds),
            budget=budget,
            fallback=fallback,
            on_failure=on_failure,
        )

    async def compact(self, session: Session, *, force: bool = False) -> Compaction:
        """Represent the older messages of *session* by a summary, if that is due or *force* says so.

        What still waits to be learned from them is learned first. `compactor(session).undo()` takes it back.
        """
        await self.background.drain()
        return await self.compactor(session).compact(force=force)

    @property
    def keeps_profile(self) -> bool:
        """Whether what is learned about the user is written; otherwise it is in memory only."""
        return self._keeps_profile

    @property
    def asks_about_profile(self) -> bool:
        """Whether nobody has said yet if what is learned about the user may be written."""
        return self._asks_about_profile

    async def answer_keep_profile(self, *, keep: bool) -> None:
        """Answer the question that the setting "ask" poses, for good.

        With *keep*, what open sessions hold in memory about the user is written now; without, nothing more is.
        """
        await self.store.documents.save(_KEEP_PROFILE, {"keep": keep})
        self._keeps_profile = keep
        self._asks_about_profile = False
        if keep:
            await self.sessions.keep_profiles()

    async def rewrite(self, session_id: str, payloads: Mapping[int, str]) -> Redaction:
        """Put other content of the same kind in place of what entries say, for good, in every session that reads them.

        It takes secrets out; the errors are those of `Store.rewrite`. The index and whoever follows forget them, too.
        """
        redaction = await self.store.rewrite(session_id, payloads)
        await self.sessions.reload()
        await self._forget(redaction)
        return redaction

    async def forget_user(self, user_id: str) -> tuple[Redaction, ...]:
        """Remove for good all that the sessions of a user hold, and all that was derived from it."""
        redactions = await forget_user(self.store, user_id)
        await self.sessions.reload()
        for redaction in redactions:
            await self._forget(redaction)
        return redactions


def _rules(kinds: frozenset[Kind]) -> StateExtractor:
    # A large grammar: nobody pays for it who only looks at his sessions.
    from sojourn.memory.extraction.rules.extractor import RulesExtractor  # noqa: PLC0415

    return RulesExtractor(kinds=kinds)


def open(  # noqa: A001 - reads as sojourn.open(...)
    location: str | Path,
    *,
    tenant: str = DEFAULT_TENANT,
    durability: Durability = Durability.FULL,
    settings: Settings | None = None,
    clock: Clock | None = None,
    extractor: StateExtractor | None = None,
    model: StructuredModel | None = None,
    embedders: Sequence[Embedder] | None = None,
) -> Sojourn:
    """Return Sojourn on the store at *location*, to be opened with `async with`.

    The location is what `open_store` takes: a path, `memory:`, `files:DIR` or `postgresql://...`. The rest is what
    `Sojourn` takes.
    """
    chosen = clock or SystemClock()
    store = open_store(location, tenant=tenant, durability=durability, clock=chosen)
    return Sojourn(store, settings=settings, clock=chosen, extractor=extractor, model=model, embedders=embedders)
