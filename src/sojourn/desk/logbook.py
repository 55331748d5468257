"""The log that a person keeps of his chats: for each session one folder, which goes on when the session does."""

from pathlib import Path

import anyio.to_thread

from sojourn.agent.logs.config import LogConfig
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.logs.whereabouts import find_logs
from sojourn.engine.session import Session


async def open_log(session: Session, config: LogConfig) -> SessionLogger:
    """Return the log of *session* in the folder that *config* names: the one that is there, else a new one.

    Raises:
        StoreError: it cannot be written, or is damaged.
    """
    known = await find_logs(session.store, session.id)
    return await anyio.to_thread.run_sync(_opened, known, config)


def _opened(known: list[Path], config: LogConfig) -> SessionLogger:
    home = config.base_dir.absolute().resolve()
    for folder in known:
        if folder.parent == home:
            return SessionLogger.reopen(folder, config)
    return SessionLogger(config)
