"""Where a store is, as people write it: a path, `memory:`, `files:DIR` or the address of a PostgreSQL server."""

from pathlib import Path
from typing import Final, Literal, NamedTuple

from sojourn.errors import InvalidInputError

Kind = Literal["sqlite", "files", "memory", "postgresql"]
_FILES: Final = "files:"


class Location(NamedTuple):
    """What kind of store it is, and the file or folder that it is in; None if it is in none of this machine's."""

    kind: Kind
    path: Path | None = None


def read_location(location: str | Path) -> Location:
    """Return what *location* means. A `Path` is always a file of SQLite's, whatever it is called.

    Raises:
        InvalidInputError: it is of no known kind, or begins with the home of somebody who has none.
    """
    text = str(location)
    if text == "memory:":
        return Location("memory")
    if text.startswith(_FILES):
        return Location("files", _expanded(text.removeprefix(_FILES)))
    if text.startswith(("postgresql://", "postgres://")):
        return Location("postgresql")
    named = text.startswith(("sqlite:", "sqlite3:"))  # as others write it; here it would be a folder's name
    if not text or (("://" in text or named) and isinstance(location, str)):
        scheme, colon, _ = text.partition("://")
        told = f"{scheme}{colon}..." if colon else text  # the rest of an address may hold a password
        raise InvalidInputError(f"location {told!r:.200}: give a path, memory:, files:DIR or postgresql://...")
    return Location("sqlite", _expanded(text))


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInputError(f"{path!r:.200} begins with a home that is not there") from error
