"""What an agent is told first: Sojourn's own instructions, the user's, and the project's, in this order.

Each part says where it comes from. A file that cannot be trusted to be what it seems (a project's that is a link,
something huge, no text) is not read, and a note says so; a file that is not there is no trouble.
"""

import os
import stat
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal, NamedTuple

from anyio import to_thread

from sojourn.agent.skills.builtin.text_file import opened

FILE_NAME: Final = "SOJOURN.md"
MAX_BYTES: Final = 64 * 1024
Origin = Literal["sojourn", "user", "project"]
_HEADINGS: Final[dict[Origin, str]] = {
    "sojourn": "# Instructions of Sojourn",
    "user": "# Instructions of the user, from {path}",
    "project": "# Instructions of the project, from {path}",
}
_REPOSITORY: Final = (".git", ".hg", ".svn")


class Source(NamedTuple):
    """Where a part of the instructions comes from; Sojourn's own has no path."""

    origin: Origin
    path: Path | None = None


class Instructions(NamedTuple):
    """The text, where its parts are from, and what was not read and why, for people."""

    text: str
    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()


async def load_instructions(
    *, user_file: Path | None = None, folder: Path | None = None, home: Path | None = None
) -> Instructions:
    """Return the instructions for an agent; the files are read on a thread.

    Args:
        user_file: the user's own, for every project; None for none.
        folder: where the agent works: the nearest `SOJOURN.md` in it or above it is the project's, but none beyond the
            repository or the home folder. Outside of both, only the folder itself counts. None for no project.
        home: the user's home folder, unless it is the usual one.
    """
    return await to_thread.run_sync(lambda: _load(user_file, folder, home))


@lru_cache(maxsize=1)
def packaged_text() -> str:
    """Return the instructions that come with Sojourn."""
    return resources.files("sojourn.agent").joinpath("instructions.md").read_text("utf-8").strip()


def _load(user_file: Path | None, folder: Path | None, home: Path | None) -> Instructions:
    parts = [f"{_HEADINGS['sojourn']}\n\n{packaged_text()}"]
    sources = [Source("sojourn")]
    notes: list[str] = []
    files: list[tuple[Origin, Path | None]] = [
        ("user", user_file),
        ("project", None if folder is None else _project_file(folder, home)),
    ]
    for origin, path in files:
        if path is None or any(source.path == path for source in sources):
            continue
        # A user may well keep his own file elsewhere; a project's comes from somebody else, and may lead anywhere.
        text, note = _read(path.resolve() if origin == "user" else path)
        if note:
            notes.append(f"{path}: {note}; it is not read")
        if text:
            parts.append(f"{_HEADINGS[origin].format(path=path)}\n\n{text}")
            sources.append(Source(origin, path))
    return Instructions("\n\n".join(parts), tuple(sources), tuple(notes))


def _project_file(folder: Path, home: Path | None) -> Path | None:
    """Return the nearest file of instructions; also one that must not be read, so that it can be said."""
    start = folder.resolve()
    for place in _looked_at(start, home or _home()):
        if os.path.lexists(place / FILE_NAME):
            return place / FILE_NAME
    return None


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # nobody has one here, as in a container that runs as a number
        return None


def _looked_at(start: Path, home: Path | None) -> list[Path]:
    """Return the folders that may hold the project's file, nearest first."""
    ends_at = None if home is None else home.resolve()
    above = [start, *start.parents]
    end = next(
        (place for place in above if place == ends_at or any(os.path.lexists(place / name) for name in _REPOSITORY)),
        start,
    )
    return above[: above.index(end) + 1]


def _read(path: Path) -> tuple[str, str]:
    """Return what stands in a file, or why it is not read; neither, if there is no such file."""
    if path.is_symlink():
        return "", "a symbolic link"
    try:
        with opened(path) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return "", "not a file"
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return "", ""
    except OSError as error:
        return "", error.strerror or str(error)
    if len(data) > MAX_BYTES:
        return "", f"larger than {MAX_BYTES // 1024} KiB"
    try:
        return data.decode("utf-8-sig").strip(), ""
    except UnicodeDecodeError:
        return "", "not UTF-8 text"
