"""Which project a folder belongs to, in a way that survives moving the folder.

A project's identity is, in this order: the id in its file `.sojourn/project`, if somebody put one there; the first
commit of its git repository; else the folder's own path. The path is an attribute, not the identity.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sojourn.engine.first_commit import find_first_commit
from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.errors import InvalidInputError

ID_FILE: Final = Path(".sojourn") / "project"
"""Where an explicit id is, in the project's folder."""
_MOST_BYTES: Final = 8 * MAX_NAME
"""What is read of that file: more than any id takes."""

Source = Literal["file", "git", "path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project: *id* stays when the folder moves, *path* is where it is now; *source* is what the id comes from."""

    id: str
    path: Path
    source: Source = "path"

    @property
    def name(self) -> str:
        """What people call it: its folder's name."""
        return self.path.name


def find_project(folder: Path) -> Project:
    """Return the project that *folder* belongs to: the nearest folder above it that says so, else itself.

    Raises:
        InvalidInputError: there is a file with an id, and no id can be read from it.
    """
    start = folder.resolve()
    for place in (start, *start.parents):
        explicit = place / ID_FILE
        if explicit.is_file():
            return Project(id=_id_in(explicit), path=place, source="file")
        if (place / ".git").exists():
            root = find_first_commit(place)
            if root is not None:
                return Project(id=f"git-{root}", path=place, source="git")
    return Project(id=path_id(start), path=start, source="path")


def path_id(folder: Path) -> str:
    """Return the id of a project that is known by its path only, whether or not it is still there."""
    return f"path-{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"


def name_project(folder: Path, project_id: str) -> Project:
    """Give *folder* an explicit identity, kept in `.sojourn/project`.

    Raises:
        InvalidInputError: the id is empty, too long, or more than one line.
        OSError: the file cannot be written.
    """
    wanted = check_text(project_id, "a project's id", most=MAX_NAME).strip()
    if not wanted.isprintable():
        raise InvalidInputError(f"a project's id is one line that can be seen, got {project_id!r:.100}")
    file = folder.resolve() / ID_FILE
    file.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    with unfinished.open("x", encoding="utf-8") as opened:
        opened.write(wanted + "\n")
    unfinished.replace(file)  # in a folder of somebody else's, the file's name may lead anywhere
    return Project(id=wanted, path=folder.resolve(), source="file")


def _id_in(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode()
        return check_text(text.strip(), f"{file}", most=MAX_NAME)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}") from error
