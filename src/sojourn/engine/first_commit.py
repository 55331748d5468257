"""The first commit of a git repository, which names it for good: asked of git once for each commit that is checked out.

What a commit came from never changes, so the answer is kept beside the repository's other files, in its git folder, by
the hash of the commit that `HEAD` names. Where that cannot be read off two small files, as in a repository of another
format, git is asked every time; so it is where history is cut off (a shallow clone, grafts), since what is cut off
may come back. A note that cannot be read or written costs a question, never a wrong answer.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from sojourn.engine.asking_git import ask_git

_DIGITS: Final = 16
"""Digits of the hash that name a project."""
_NOTES: Final = "sojourn-first-commits"
_MOST_NOTES: Final = 50
_MOST_BYTES: Final = 1 << 20
_HASH: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOTE: Final = re.compile(r"([0-9a-f]{40}(?:[0-9a-f]{24})?) ([0-9a-f]{16})")
_DEEPEST: Final = 5
"""References that name another one, in a row."""
_CUT_OFF: Final = ("shallow", "info/grafts")


def find_first_commit(repository: Path) -> str | None:
    """Return the beginning of the hash of the oldest commit that *repository* has checked out something of.

    None if there is no commit yet, if it is no repository after all, or if git is not there.
    """
    folder = _git_folder(repository)
    if folder is None:
        return _ask_git(repository)
    shared = _shared_folder(folder)
    head = None if any((shared / name).exists() for name in _CUT_OFF) else _checked_out(folder, shared)
    if head is None:
        return _ask_git(repository)
    notes = shared / _NOTES
    known = dict(_noted(notes))
    if head not in known:
        found = _ask_git(repository)
        if found is None:
            return None
        known[head] = found
        _note(notes, known)
    return known[head]


def _git_folder(repository: Path) -> Path | None:
    """Return where git keeps what belongs to this folder: in a worktree or a submodule a file tells where."""
    place = repository / ".git"
    if place.is_dir():
        return place
    told = _read(place)
    if told is None or not told.startswith("gitdir: "):
        return None
    return repository / told.removeprefix("gitdir: ").strip()


def _shared_folder(folder: Path) -> Path:
    """Return what a worktree's git folder shares with the repository that it belongs to; itself, if it is none."""
    told = _read(folder / "commondir")
    return folder if told is None else folder / told.strip()


def _checked_out(folder: Path, shared: Path) -> str | None:
    """Return the hash of the commit that is checked out; None if it cannot be read off, or there is none."""
    told = _read(folder / "HEAD")
    for _ in range(_DEEPEST):
        if told is None:
            return None
        told = told.strip()
        if not told.startswith("ref: "):
            return told if _HASH.fullmatch(told) else None
        name = told.removeprefix("ref: ")
        if name.startswith("/") or ".." in name:
            return None
        told = _read(folder / name) or _read(shared / name) or _packed(shared, name)
    return None


def _packed(shared: Path, name: str) -> str | None:
    for line in (_read(shared / "packed-refs") or "").splitlines():
        found, _, of = line.partition(" ")
        if of == name:
            return found
    return None


def _read(file: Path) -> str | None:
    """Return a small text file of git's; None if there is none that can be read."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:  # nobody writes to a pipe in its place
            return None
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _noted(notes: Path) -> Iterator[tuple[str, str]]:
    for line in (_read(notes) or "").splitlines():
        note = _NOTE.fullmatch(line)
        if note is not None:
            yield note[1], note[2]


def _note(notes: Path, known: dict[str, str]) -> None:
    """Keep the newest notes; a repository that may not be written to goes without."""
    newest = list(known.items())[-_MOST_NOTES:]
    unfinished = notes.with_name(f"{notes.name}.{os.getpid()}")
    with suppress(OSError):
        with unfinished.open("x", encoding="utf-8") as file:  # what is there already may be a link to anything
            file.write("".join(f"{head} {first}\n" for head, first in newest))
        unfinished.replace(notes)


def _ask_git(repository: Path) -> str | None:
    answer = ask_git(repository, "rev-list", "--max-parents=0", "HEAD")
    commits = (answer or b"").decode("ascii").split()
    return commits[-1][:_DIGITS] if commits else None
