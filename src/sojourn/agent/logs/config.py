"""What is logged, where, and what a log is called."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Flag
from pathlib import Path
from typing import Final, Literal, get_args

from sojourn.agent.logs.files import on_disk
from sojourn.clock import Clock, SystemClock
from sojourn.context.tokens import CharacterCounter, TokenCounter
from sojourn.errors import AlreadyExistsError, InvalidInputError
from sojourn.store.filesystem import create_private_folder

LogMode = Literal["repl", "serve", "agent"]
DEFAULT_FOLDER: Final = Path(".sojourn/logs")
SESSION_ID: Final = re.compile(r"\d{4}-\d\d-\d\d_\d{6}_(?:repl|serve|agent)_[0-9a-f]{6}")
_HEX: Final = re.compile(r"[0-9a-f]{6}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,61}")
_TRIES: Final = 100


class LogStream(Flag):
    """What is written. The messages always are: `CONTEXT` is on even if it is not named."""

    NONE = 0
    CONTEXT = 1
    """Messages, tool calls and their results: `session.db` and `context.md`."""
    VERBOSE = 2
    """Thinking, timings and token counts: `verbose.md`, and the events in `session.db`."""
    RAW = 4
    """What goes over the wire: `raw.jsonl`."""
    ALL = CONTEXT | VERBOSE | RAW


def new_hex() -> str:
    """Return the six random digits that tell logs of the same second apart."""
    return secrets.token_hex(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """How a session is logged.

    Attributes:
        base_dir: the folder of the logs; each session gets a folder in it.
        streams: what is written.
        mode: what the program is, as part of the folder's name.
        clock: where the time comes from.
        new_hex: makes the six digits at the end of a folder's name.
        token_counter: counts messages whose tokens nobody reports.

    Raises:
        InvalidInputError: the mode is unknown, or the streams are none.
    """

    base_dir: Path = DEFAULT_FOLDER
    streams: LogStream = LogStream.CONTEXT
    mode: LogMode = "repl"
    clock: Clock = field(default_factory=SystemClock)
    new_hex: Callable[[], str] = new_hex
    token_counter: TokenCounter = field(default_factory=CharacterCounter)

    def __post_init__(self) -> None:
        if not isinstance(self.streams, LogStream):
            raise InvalidInputError(f"streams are of LogStream, got {self.streams!r:.50}")
        if self.mode not in get_args(LogMode):
            raise InvalidInputError(f"mode {self.mode!r:.50}: use one of {', '.join(get_args(LogMode))}")
        object.__setattr__(self, "base_dir", Path(self.base_dir))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """One log: what it is called, where it lies, since when, and which log it is nested in."""

    session_id: str
    session_dir: Path
    created_at: datetime
    parent_id: str | None = None


def make_folder(config: LogConfig, *, parent: SessionInfo | None = None, name: str | None = None) -> SessionInfo:
    """Make the folder of a new log, for its owner only: in the base folder, or nested in the log of its *parent*.

    A nested one is called `subagent_` and *name*, or six digits.

    Raises:
        InvalidInputError: the name cannot be that of a folder.
        AlreadyExistsError: the parent has a log of this name.
        AccessError: the folder cannot be made.
    """
    if name is not None and not _NAME.fullmatch(name):
        raise InvalidInputError(f"a log's name is letters, digits, dots, hyphens and underscores, got {name!r:.80}")
    now = config.clock.now()
    # A program may change its folder later; its logs stay where they are.
    home = config.base_dir.absolute() if parent is None else parent.session_dir
    with on_disk(home):
        if parent is None:
            create_private_folder(home)
        for tries in range(_TRIES):
            digits = _checked(config.new_hex())
            session_id = f"{now:%Y-%m-%d_%H%M%S}_{config.mode}_{digits}"
            folder = home / (session_id if parent is None else f"subagent_{name or digits}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError as taken:
                if name is None and tries < _TRIES - 1:
                    continue
                raise AlreadyExistsError(f"a log in {folder}") from taken
            return SessionInfo(
                session_id=session_id,
                session_dir=folder,
                created_at=now,
                parent_id=None if parent is None else parent.session_id,
            )
    raise AssertionError("the last try returns or raises")


def _checked(digits: str) -> str:
    if not _HEX.fullmatch(digits):
        raise InvalidInputError(f"new_hex makes six hexadecimal digits, got {digits!r:.50}")
    return digits
