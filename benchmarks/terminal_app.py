"""The app without a terminal: opened in a session, and left when it has been painted.

`python terminal_app.py STORE SESSION` does it once, so that a whole process can be timed.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import sojourn
from sojourn.desk.conversation import Conversation, Partner
from sojourn.engine.app import Sojourn
from sojourn.engine.project import Project
from sojourn.providers.choosing import Choice
from sojourn.providers.scripted import ScriptedProvider

PROJECT: Final = Project(id="path-bench", path=Path("/bench"))
_QUIET: Final = sojourn.Settings(embeddings="off", learning="off", summarise_turns_every=None)
_SIZE: Final = (120, 34)


@asynccontextmanager
async def engine(store: Path) -> AsyncIterator[Sojourn]:
    """Open the engine, which does nothing behind the app's back."""
    async with sojourn.open(store, settings=_QUIET) as app:
        yield app


async def paint(app: Sojourn, session_id: str) -> int:
    """Open *session_id* in a new app, and return how many messages it has once it is painted."""
    from sojourn.tui.app import SojournApp  # a search does not wait for it
    from sojourn.tui.chat.transcript import Transcript

    model = ScriptedProvider(["All right."])
    choice = Choice(provider="scripted", model="scripted", why="it costs nothing", make=lambda: model, window=32_000)
    talk = Conversation(app, Partner(provider=model, choice=choice), project=PROJECT)
    session = await talk.resume(session_id)
    assert session is not None
    shown = SojournApp(talk)
    async with shown.run_test(size=_SIZE) as pilot:
        await pilot.pause()
        assert shown.query_one(Transcript).items
    return session.state.header.message_count


async def _once(store: Path, session_id: str) -> None:
    async with engine(store) as app:
        await paint(app, session_id)


if __name__ == "__main__":
    asyncio.run(_once(Path(sys.argv[1]), sys.argv[2]))
