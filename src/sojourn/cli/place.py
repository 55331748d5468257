"""Where a command works: in which store, and in which project. Each is looked at when it is first needed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.cli import diagnostics
from sojourn.desk.home import shown
from sojourn.desk.references import Among, find
from sojourn.desk.visible import safe
from sojourn.engine.project import Project, find_project
from sojourn.errors import NotFoundError
from sojourn.model.header import SessionHeader
from sojourn.store import Store, open_store
from sojourn.store.location import read_location

if TYPE_CHECKING:  # a list of sessions does not wait for the engine
    from sojourn.desk.config import Config
    from sojourn.engine.app import Sojourn


class Place:
    """A store and a folder; *typed* is how the store was named, if it was. Lives as long as one command."""

    def __init__(self, location: str | Path, folder: Path, *, typed: str | None = None) -> None:
        self.location = location
        self.folder = folder
        self._typed = typed
        self._project: Project | None = None

    async def project(self) -> Project:
        """Return the project that the folder belongs to."""
        if self._project is None:
            self._project = await asyncio.to_thread(find_project, self.folder)
        return self._project

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        """Open the store for reading; one that is not there yet is empty, and is not made by looking."""
        async with open_store(self._existing(), reading=True) as store:
            yield store

    @asynccontextmanager
    async def app(
        self,
        *,
        create: bool = False,
        meaning: bool = False,
        retention_days: float | None = None,
        config: "Config | None" = None,
    ) -> AsyncIterator["Sojourn"]:
        """Open Sojourn on the store; only with *create* is one made that is not there.

        It does what it is told and nothing beside: it learns nothing and writes no summaries. *meaning* loads the model
        that searches by meaning; the retention is for `prune`; *config* says what is known of models, and whether what
        tells about the person is written.
        """
        import logging  # noqa: PLC0415

        import sojourn  # noqa: PLC0415

        # A command says by itself what went wrong with what it was told to do; the log is for programs.
        logging.getLogger("sojourn").addHandler(logging.NullHandler())
        settings = sojourn.Settings(
            learning="off",
            embeddings="auto" if meaning else "off",
            summarise_turns_every=None,
            retention_days=retention_days,
            keep_profile=config.keep_profile if config is not None else "ask",
            models=config.prices if config is not None else {},
        )
        async with sojourn.open(self.location if create else self._existing(), settings=settings) as app:
            yield app

    def require(self) -> None:
        """Refuse to go on where there is no store yet.

        Raises:
            NotFoundError: there is none.
        """
        if self._existing() == "memory:":
            raise NotFoundError(f"there is no store at {shown(self.location)}")

    async def find(self, store: Store, reference: str, *, among: Among = "kept", whole: bool = False) -> SessionHeader:
        """Return the session that *reference* names; the errors are those of `references.find`."""
        project = (await self.project()).id if reference.strip().startswith("@") else None
        return await find(store, reference, project=project, among=among, whole=whole)

    async def find_all(
        self, store: Store, references: tuple[str, ...], *, among: Among = "kept"
    ) -> tuple[SessionHeader, ...]:
        """Return the sessions that *references* name, each once: all of them are found before anything is changed."""
        found = [await self.find(store, reference, among=among) for reference in references]
        return tuple({header.session_id: header for header in found}.values())

    def again(self, session_id: str) -> str:
        """Return the command that goes on with a session of this store."""
        from sojourn.desk.start import again  # noqa: PLC0415

        return again(session_id, self._typed)

    def _existing(self) -> str | Path:
        path = read_location(self.location).path
        if path is None or path.exists():
            return self.location
        diagnostics.note(safe(f"there is no store at {shown(self.location)} yet"))
        return "memory:"
