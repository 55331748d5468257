"""Reading, writing and editing files; listing folders."""

import asyncio
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, TypeVar

from msgspec import Meta

from sojourn.agent.skills.builtin import text_file
from sojourn.agent.skills.builtin.origin import causes_of
from sojourn.agent.skills.builtin.page import first_lines
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError

LineNumber = Annotated[int, Meta(ge=1)]
Result = TypeVar("Result")
MAX_ENTRIES: Final = 1_000
_BOM: Final = "\ufeff"
_REPLACED: Final = "�"


class Files:
    """The files inside some roots. Edits of one file that run at once come one after the other.

    What is written is noted in the working set of the session, if there is one.
    """

    def __init__(self, roots: Roots, *, services: ServiceContainer | None = None) -> None:
        self._roots = roots
        self._services = services
        self._editing = threading.Lock()

    def skills(self) -> tuple[Skill, ...]:
        """Return the skills for files and folders."""
        reading = SkillTraits(reads_only=True, path_arguments=("path",))
        writing = SkillTraits(path_arguments=("path",), literal_arguments=("content", "old", "new"))
        return (
            skill_of(self.read_file, traits=reading),
            skill_of(self.list_folder, traits=reading),
            skill_of(self.write_file, traits=writing, services=self._services),
            skill_of(self.edit_file, traits=writing, services=self._services),
        )

    def read_file(self, path: str, first_line: LineNumber = 1, last_line: LineNumber | None = None) -> ToolResult:
        """Read a text file, or some of its lines.

        Args:
            path: the file.
            first_line: the first line to read, counted from 1.
            last_line: the last line to read; the end of the file unless given.
        """
        if last_line is not None and last_line < first_line:
            raise InvalidInputError(f"last_line {last_line:,} comes before first_line {first_line:,}")
        real = self._roots.inside(path)
        data = text_file.load(real).data
        text = data.decode("utf-8", "replace").removeprefix(_BOM)
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if first_line > max(len(lines), 1):
            raise InvalidInputError(f"{path!r:.200} has {len(lines):,} lines: there is no line {first_line:,}")
        asked = lines[first_line - 1 : last_line]
        shown = first_lines(asked)
        content = "\n".join(shown)
        return ToolResult(output=content + _told(shown, first_line, len(lines), data, text), data=content)

    def list_folder(self, path: str = ".") -> str:
        """List what is in a folder: subfolders end with a slash, files have their size in bytes.

        Args:
            path: the folder; the working folder unless given.
        """
        real = self._roots.inside(path)
        with text_file.in_words(real), os.scandir(real) as found:
            entries = sorted(found, key=lambda entry: entry.name)
            lines = [_entry(entry) for entry in entries[:MAX_ENTRIES]]
        if len(entries) > MAX_ENTRIES:
            lines.append(f"[{len(entries) - MAX_ENTRIES:,} more are not shown: use glob to find some of them]")
        shown = first_lines(lines)
        if len(shown) < len(lines):
            shown.append(f"[{len(lines) - len(shown):,} more lines are not shown]")
        return "\n".join(shown) or "[the folder is empty]"

    async def write_file(self, path: str, content: str, session: Session | None = None) -> str:
        """Write a text file; what was in it before is gone. Folders above it are made if need be.

        Args:
            path: the file.
            content: all of its new content.
        """
        data = content.encode()
        real, is_new = await to_its_end(lambda: self._write(path, data))
        if session is not None:
            await self._note(session, real, action="created" if is_new else "edited", skill="write_file")
        return f"{'Made' if is_new else 'Replaced'} {self._roots.shown(real)}: {len(data):,} bytes."

    async def edit_file(self, path: str, old: str, new: str, session: Session | None = None) -> str:
        """Replace a piece of a text file. The piece must stand in the file exactly once, letter by letter.

        Args:
            path: the file.
            old: the piece to replace, with enough around it to stand there only once.
            new: what to put in its place.
        """
        if not old:
            raise InvalidInputError("the old text is empty: say what to replace, or use write_file")
        real, line = await to_its_end(lambda: self._edit(path, old, new))
        if session is not None:
            await self._note(session, real, action="edited", skill="edit_file")
        return f"Edited {self._roots.shown(real)} at line {line:,}."

    async def _note(self, session: Session, path: Path, *, action: str, skill: str) -> None:
        shown = self._roots.shown(path).encode("utf-8", "replace").decode()
        await session.working_set.touch_file(shown, action=action, causes=await causes_of(session, skill))

    def _write(self, path: str, data: bytes) -> tuple[Path, bool]:
        """Write, and return where, and whether the file is new."""
        real = self._roots.inside(path)
        with self._editing:
            return real, text_file.replace(real, data)

    def _edit(self, path: str, old: str, new: str) -> tuple[Path, int]:
        """Replace, and return in which file, and the line where it was."""
        real = self._roots.inside(path)
        with self._editing:
            known = text_file.load(real)
            text = known.data.decode("utf-8", "surrogateescape")  # so that what is no text stays as it is
            if old not in text and "\r\n" in text:
                old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
            count = text.count(old)
            if count != 1:
                found = f"stands there {count:,} times: give more of what is around it" if count else "is not in it"
                raise InvalidInputError(f"{path!r:.200}: the old text {found}{'' if count else ': read it again'}")
            before, _, after = text.partition(old)
            if old == new:
                raise InvalidInputError("the old and the new text are the same: nothing to do")
            kept = [part.encode("utf-8", "surrogateescape") for part in (before, after)]
            text_file.replace(real, kept[0] + new.encode() + kept[1], known=known)
            return real, before.count("\n") + 1


async def to_its_end(write: Callable[[], Result]) -> Result:
    """Write on a thread. A cancel waits until it is done: nobody wants to find it written later."""
    writing = asyncio.ensure_future(asyncio.to_thread(write))
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


def _told(shown: list[str], first: int, total: int, data: bytes, text: str) -> str:
    """Return what is said below a file's lines: which they are, if not all, and what was no text in it."""
    notes = []
    if len(shown) < total:
        last = first + len(shown) - 1
        rest = f"; read on with first_line={last + 1}" if last < total else ""
        notes.append(f"[lines {first:,} to {last:,} of {total:,}{rest}]")
    if _REPLACED in text and _REPLACED.encode() not in data:
        notes.append(f"[not all of it is UTF-8: other bytes are shown as {_REPLACED}]")
    if not total:
        notes.append("[the file is empty]")
    return "".join(f"\n{note}" for note in notes) if total else "".join(notes)


def _entry(entry: os.DirEntry[str]) -> str:
    name = entry.name.encode("utf-8", "replace").decode()
    if entry.is_symlink():
        return f"{name} (a link)"
    if entry.is_dir():
        return f"{name}/"
    found = entry.stat(follow_symlinks=False)
    return f"{name} ({found.st_size:,})" if stat.S_ISREG(found.st_mode) else f"{name} (no file)"
