"""Sessions to type commands about, made through the library."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import sojourn
from sojourn.clock import Clock
from sojourn.engine.project import find_project
from sojourn.engine.session import Session

Doing = Callable[[sojourn.Sojourn, Session], Awaitable[object]]

QUIET = sojourn.Settings(learning="off", embeddings="off", keep_profile="yes")


def seed(folder: Path, do: Doing, *, title: str = "Login bug", clock: Clock | None = None, **also: str) -> str:
    """Begin a session of the project in *folder*, do something in it, and return its id: it is the one used last."""

    async def keep() -> str:
        async with sojourn.open(location(folder), settings=QUIET, clock=clock) as app:
            project = also.get("project", find_project(folder / "work").id)
            session = await app.sessions.create(title=title, project=project, user_id=also.get("user_id"))
            await do(app, session)
            await app.sessions.switch(session.id, project=project)
            return session.id

    return asyncio.run(keep())


def visit(folder: Path, session_id: str, do: Doing) -> None:
    """Do something in a session that there is."""

    async def go() -> None:
        async with sojourn.open(location(folder), settings=QUIET) as app:
            await do(app, await app.sessions.open(session_id, exact=True))

    asyncio.run(go())


def location(folder: Path) -> Path:
    """Return where the sessions of a test are kept."""
    (folder / "home").mkdir(exist_ok=True)
    return folder / "home" / "sojourn.db"
