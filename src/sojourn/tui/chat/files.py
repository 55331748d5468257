"""The files of a project that can be named in a message: what git knows of it, else what a bounded walk finds.

Both take a while in a large project, so they run on a thread and are remembered for some seconds.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import anyio.to_thread

from sojourn.engine.asking_git import ask_git

MOST_FILES: Final = 20_000
"""Files that are listed; of more, those that come first."""
_FRESH: Final = 10.0
"""Seconds for which a list is good."""
_LEFT_OUT: Final = frozenset({"node_modules", "__pycache__", "venv", "build", "dist", "target"})
"""Folders that a walk does not enter: what is in them was made, not written."""


class ProjectFiles:
    """The files below one folder. Lives as long as the prompt."""

    def __init__(self, folder: Path, *, monotonic: Callable[[], float]) -> None:
        self._folder = folder
        self._monotonic = monotonic
        self._paths: tuple[str, ...] = ()
        self._listed_at: float | None = None

    async def paths(self) -> tuple[str, ...]:
        """Return the files' paths, from the folder on; none if there is no such folder."""
        if self._listed_at is None or self._monotonic() - self._listed_at > _FRESH:
            self._paths = await anyio.to_thread.run_sync(list_files, self._folder)
            self._listed_at = self._monotonic()
        return self._paths


def list_files(folder: Path) -> tuple[str, ...]:
    """Return the files below *folder* that are neither hidden nor left out by git, in the order of their names."""
    found = _known_to_git(folder)
    paths = _walked(folder) if found is None else found
    return tuple(sorted(path for path in paths if _can_be_named(path)))


def ranked(paths: Sequence[str], typed: str, *, most: int) -> list[str]:
    """Return the *most* paths that fit best what was *typed*: by the file's name, the path, then letters in order."""
    wanted = typed.lower()
    if not wanted:
        return sorted(paths, key=lambda path: (path.count("/"), path))[:most]
    by_name, by_path, by_letters = list[str](), list[str](), list[str]()
    for path in paths:
        low = path.lower()
        name = low.rpartition("/")[2]
        if name.startswith(wanted):
            by_name.append(path)
        elif wanted in low:
            by_path.append(path)
        elif len(by_letters) < most and _in_order(wanted, low):
            by_letters.append(path)
    by_name.sort(key=lambda path: (len(path.rpartition("/")[2]), len(path)))
    by_path.sort(key=lambda path: (wanted not in path.lower().rpartition("/")[2], len(path)))
    return [*by_name, *by_path, *by_letters][:most]


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _can_be_named(path: str) -> bool:
    return path.isprintable() and not any(part.startswith(".") for part in path.split("/"))


def _known_to_git(folder: Path) -> list[str] | None:
    """Return what git lists below *folder*; None if it is no work of git's, or git is not there or too slow."""
    listed = ask_git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:
        return None
    names = listed.decode(errors="replace").split("\0")
    return [name for name in names[:MOST_FILES] if name]


def _walked(folder: Path) -> Iterable[str]:
    count = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_OUT)
        for name in sorted(files):
            yield Path(place, name).relative_to(folder).as_posix()
            count += 1
            if count >= MOST_FILES:
                return
