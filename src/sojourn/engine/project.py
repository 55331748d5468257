"""Which project a folder belongs to, in a way that survives moving the folder.

A project's identity is, in this order: the id in its file `.sojourn/project`, if somebody put one there; the first
commit of its git repository; else the folder's own path. The path is an attribute, not the identity.
"""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sojourn.engine.inputs import MAX_NAME, check_text

_ID_FILE: Final = Path(".sojourn") / "project"
_GIT_SECONDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project: *id* stays when the folder moves, *path* is where it is now."""

    id: str
    path: Path

    @property
    def name(self) -> str:
        """What people call it: its folder's name."""
        return self.path.name


def find_project(folder: Path) -> Project:
    """Return the project that *folder* belongs to: the nearest folder above it that says so, else itself."""
    start = folder.resolve()
    for place in (start, *start.parents):
        explicit = place / _ID_FILE
        if explicit.is_file():
            return Project(id=check_text(explicit.read_text("utf-8").strip(), f"{explicit}", most=MAX_NAME), path=place)
        if (place / ".git").exists():
            root = _first_commit(place)
            if root is not None:
                return Project(id=f"git-{root}", path=place)
    return Project(id=f"path-{hashlib.sha256(str(start).encode()).hexdigest()[:16]}", path=start)


def name_project(folder: Path, project_id: str) -> Project:
    """Give *folder* an explicit identity, kept in `.sojourn/project`."""
    check_text(project_id, "a project's id", most=MAX_NAME)
    file = folder.resolve() / _ID_FILE
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.write_text(project_id + "\n", "utf-8")
    return Project(id=project_id, path=folder.resolve())


def _first_commit(repository: Path) -> str | None:
    """Return the hash of the oldest commit, or None if git is not there or there is no commit yet."""
    command = ["git", "-C", str(repository), "rev-list", "--max-parents=0", "HEAD"]
    try:
        found = subprocess.run(  # noqa: S603 - no shell, and the path is the only part that is not ours
            command, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.split()[-1][:16] if found.returncode == 0 and found.stdout.split() else None
