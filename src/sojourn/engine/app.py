"""Sojourn, open on one store: the object that a program holds."""

import asyncio
import contextlib
from pathlib import Path
from typing import Final, Self

from sojourn.clock import Clock, SystemClock
from sojourn.engine.announce import news_of
from sojourn.engine.background import Background
from sojourn.engine.bus import EventBus, SessionLoaded
from sojourn.engine.forgetting import forget_user
from sojourn.engine.session import Session, SessionOptions
from sojourn.engine.sessions import SessionManager
from sojourn.engine.settings import Settings
from sojourn.model.entry import Entry
from sojourn.model.ids import DEFAULT_TENANT
from sojourn.store import Durability, Store, open_store
from sojourn.store.protocol import Redaction

_KEEP_PROFILE: Final = "settings/keep_profile"


class Sojourn:
    """Sessions on one store, and news of what happens in them. Open it with `async with`; lives as long as the program.

    Attributes:
        sessions: begin, find, open, branch and put away sessions.
        news: who wants to know what happens.
        background: work that follows the journals.
        store: where everything is kept.
    """

    def __init__(self, store: Store, *, settings: Settings | None = None, clock: Clock | None = None) -> None:
        """Use *store*, which this app opens and closes."""
        self.store = store
        self.settings = settings or Settings()
        self.clock = clock or SystemClock()
        self.news = EventBus()
        self._keeps_profile = self.settings.keep_profile == "yes"
        self.background = Background()
        options = SessionOptions(clock=self.clock, keeps_profile=lambda: self._keeps_profile, on_append=self._announce)
        self.sessions = SessionManager(store, settings=self.settings, clock=self.clock, news=self.news, options=options)
        self.news.subscribe(SessionLoaded, self._follow)
        self._following: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"Sojourn({self.store!r})"

    async def __aenter__(self) -> Self:
        await self.store.__aenter__()
        # A task of its own, awaited in `close`: a task group would have to be left by the task that entered it, and in
        # a notebook every cell is another.
        self._following = asyncio.create_task(self.background.run(), name="sojourn-background")
        if self.settings.keep_profile == "ask":
            answer = await self.store.documents.load(_KEEP_PROFILE)
            self._keeps_profile = bool(answer and answer.get("keep"))
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
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await following
            await self.store.close()

    async def _announce(self, session: Session, entries: tuple[Entry, ...]) -> None:
        self.sessions.note_use(session)
        self.background.notify(session)
        for news in news_of(entries):
            await self.news.publish(news)

    async def _follow(self, loaded: SessionLoaded) -> None:
        """Let the background work catch up with a session that was opened: a crash may have left it behind."""
        self.background.notify(await self.sessions.open(loaded.session_id, exact=True))

    @property
    def keeps_profile(self) -> bool:
        """Whether what is learned about the user is written; otherwise it is in memory only."""
        return self._keeps_profile

    async def answer_keep_profile(self, *, keep: bool) -> None:
        """Answer the question that the setting "ask" poses, for good.

        With *keep*, what open sessions hold in memory about the user is written now; without, nothing more is.
        """
        await self.store.documents.save(_KEEP_PROFILE, {"keep": keep})
        self._keeps_profile = keep
        if keep:
            await self.sessions.keep_profiles()

    async def forget_user(self, user_id: str) -> tuple[Redaction, ...]:
        """Remove for good all that the sessions of a user hold, and all that was derived from it."""
        redactions = await forget_user(self.store, user_id)
        await self.sessions.reload()
        return redactions


def open(  # noqa: A001 - reads as sojourn.open(...)
    location: str | Path,
    *,
    tenant: str = DEFAULT_TENANT,
    durability: Durability = Durability.FULL,
    settings: Settings | None = None,
    clock: Clock | None = None,
) -> Sojourn:
    """Return Sojourn on the store at *location*, to be opened with `async with`.

    The location is what `open_store` takes: a path, `memory:`, `files:DIR` or `postgresql://...`.
    """
    chosen = clock or SystemClock()
    store = open_store(location, tenant=tenant, durability=durability, clock=chosen)
    return Sojourn(store, settings=settings, clock=chosen)
