"""Which files there are to import, and who wrote each: a folder is gone through without following links out of it."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from sojourn.desk.importing.codex import NAMES_FILE
from sojourn.desk.importing.line_file import parsed
from sojourn.desk.importing.talk import kind_of, time_of
from sojourn.engine.portable import FORMAT, LINES_FORMAT
from sojourn.errors import AccessError, InvalidInputError, NotFoundError

Writer = Literal["sojourn", "claude-code", "codex"]
_BEGINNING: Final = 256 << 10
_LINES: Final = 50
_MOST: Final = 100_000
_ENDINGS: Final = (".jsonl", ".json")
_CLAUDE_KEYS: Final = frozenset({"parentUuid", "sessionId", "leafUuid"})
_CODEX_TYPES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})

HOMES: Final[dict[Writer, Path]] = {
    "claude-code": Path("~/.claude/projects"),
    "codex": Path("~/.codex/sessions"),
}
"""Where other programs keep their sessions, unless they were told otherwise."""


def find_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files that *paths* name: a file itself, of a folder all that may hold sessions, in their order.

    Raises:
        NotFoundError: a path is not there.
        AccessError: a path cannot be read.
        InvalidInputError: there are too many.
    """
    found: dict[Path, None] = {}
    for path in paths:
        try:
            is_folder = path.stat() and path.is_dir()
        except FileNotFoundError as error:
            raise NotFoundError(f"there is no file or folder {path}") from error
        except (OSError, ValueError) as error:
            raise AccessError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
        for one in _below(path) if is_folder else (path,):
            found[one] = None
            if len(found) > _MOST:
                raise InvalidInputError(f"{path} holds more than {_MOST:,} files; name the folders one by one")
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place) / name
            if name.endswith(_ENDINGS) and name != NAMES_FILE and not path.is_symlink() and path.is_file():
                yield path


class Beginning(NamedTuple):
    """How a file begins: who wrote it, when it was begun, and when it was written to last; what is known of that."""

    writer: Writer | None
    at: str = ""
    changed_ns: int = 0


def beginning_of(path: Path) -> Beginning:
    """Return who wrote a file, by how it begins, and when.

    Raises:
        AccessError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            beginning = file.read(_BEGINNING)
            changed = os.fstat(file.fileno()).st_mtime_ns
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error
    head = beginning[:400]
    if any(f'"{form}"'.encode() in head for form in (FORMAT, LINES_FORMAT)):
        return Beginning("sojourn")
    found: Writer | None = None
    for line in beginning.split(b"\n")[:_LINES]:
        data = parsed(line)
        if data is None:
            continue
        if kind_of(data) in _CODEX_TYPES and "payload" in data:
            found = "codex"
        elif not _CLAUDE_KEYS.isdisjoint(data):
            found = "claude-code"
        at = time_of(data.get("timestamp"))
        if found is not None and at is not None:
            return Beginning(found, at.isoformat(), changed)
    return Beginning(found, changed_ns=changed)
