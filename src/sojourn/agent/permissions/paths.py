"""Places on disk, compared as what they really are: absolute, without `..`, through every symbolic link.

A path is compared part by part, so `/a/bc` is not within `/a/b`. What does not exist yet is judged by the folder that
it would be made in.
"""

from collections.abc import Iterable
from pathlib import Path

from sojourn.errors import InvalidInputError


def resolved(path: str, *, cwd: Path) -> Path:
    """Return where *path* leads, seen from *cwd*; `~` is the home folder.

    Raises:
        InvalidInputError: it cannot be a path, or its links lead nowhere.
    """
    if not isinstance(path, str):
        raise InvalidInputError(f"a path is a text, got {path!r:.100}")
    try:
        place = Path(cwd, Path(path).expanduser()).resolve()
        str(place).encode()  # a name that is no text cannot be shown to who is asked, nor kept
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInputError(f"{path!r:.100} is not a usable path") from error
    return place


def is_within(place: Path, folders: Iterable[Path]) -> bool:
    """Tell whether *place* is one of *folders* or in one of them; all are resolved."""
    return any(place.is_relative_to(folder) for folder in folders)


def in_common(some: Iterable[Path], others: Iterable[Path]) -> tuple[Path, ...]:
    """Return the places that are within *some* and within *others*: of each nested pair the inner one."""
    others = tuple(others)
    inner = [
        one if one.is_relative_to(other) else other
        for one in some
        for other in others
        if one.is_relative_to(other) or other.is_relative_to(one)
    ]
    return tuple(dict.fromkeys(inner))


def folder_of(place: Path) -> Path:
    """Return *place* if it is a folder, else the folder that it is in."""
    return place if place.is_dir() else place.parent
