"""Which folders hold logs of a session: a session may have one of each run, and must be forgotten in all of them.

It is noted in the store, beside the session; a folder that was removed or moved is noted no more.
"""

from pathlib import Path

import anyio.to_thread

from sojourn.agent.logs.config import SessionInfo
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Store


async def note_log(store: Store, session_id: SessionId, info: SessionInfo) -> None:
    """Note that *info* is a log of the session."""
    folder = await anyio.to_thread.run_sync(_real, info.session_dir)
    await store.documents.save(f"{_prefix(session_id)}{info.session_id}", {"folder": str(folder)})


async def find_logs(store: Store, session_id: SessionId) -> list[Path]:
    """Return the folders that hold logs of the session, the newest first."""
    found: list[Path] = []
    for key in reversed(await store.documents.list_keys(_prefix(session_id))):
        noted = await store.documents.load(key)
        folder = Path(str(noted["folder"])) if noted else None
        if folder is not None and await anyio.to_thread.run_sync(folder.is_dir):
            found.append(folder)
        else:
            await store.documents.delete(key)
    return found


async def drop_notes(store: Store, session_id: SessionId) -> None:
    """Note no log of the session any more."""
    for key in await store.documents.list_keys(_prefix(session_id)):
        await store.documents.delete(key)


def _prefix(session_id: SessionId) -> str:
    return f"log/{session_id}/"


def _real(folder: Path) -> Path:
    """Return where *folder* really lies: the program may be started elsewhere the next time."""
    return folder.parent.resolve() / folder.name
