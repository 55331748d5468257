"""Moving and removing files: what cannot be taken back, so a human is asked each time."""

import os
import stat
from pathlib import Path

from sojourn.agent.skills.builtin.files import to_its_end
from sojourn.agent.skills.builtin.origin import causes_of
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.text_file import in_words
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError


class Arranging:
    """Moves and removes files inside some roots, and notes it in the session's working set, if there is one."""

    def __init__(self, roots: Roots, *, services: ServiceContainer | None = None) -> None:
        self._roots = roots
        self._services = services

    def skills(self) -> tuple[Skill, ...]:
        """Return the skills that move and remove."""
        moving = SkillTraits(needs_approval=True, path_arguments=("path", "to"))
        removing = SkillTraits(needs_approval=True, path_arguments=("path",))
        return (
            skill_of(self.move_file, traits=moving, services=self._services),
            skill_of(self.delete_file, traits=removing, services=self._services),
        )

    async def move_file(self, path: str, to: str, session: Session | None = None) -> str:
        """Move or rename a file or a folder. Nothing is overwritten; folders above its new place are made if need be.

        Args:
            path: what to move.
            to: its new path, its name included.
        """
        old, new = await to_its_end(lambda: self._move(path, to))
        await self._note(session, new, action="renamed", skill="move_file")
        return f"Moved {self._shown(old)} to {self._shown(new)}."

    async def delete_file(self, path: str, session: Session | None = None) -> str:
        """Delete a file, a link or an empty folder, for ever.

        Args:
            path: what to delete.
        """
        gone = await to_its_end(lambda: self._delete(path))
        await self._note(session, gone, action="deleted", skill="delete_file")
        return f"Deleted {self._shown(gone)}."

    def _move(self, path: str, to: str) -> tuple[Path, Path]:
        old, new = self._roots.entry(path), self._roots.entry(to)
        if os.path.lexists(new):
            raise InvalidInputError(f"{to!r:.200} is there already")
        with in_words(old):
            old.lstat()
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)
        return old, new

    def _delete(self, path: str) -> Path:
        place = self._roots.entry(path)
        with in_words(place):
            if stat.S_ISDIR(place.lstat().st_mode):
                place.rmdir()
            else:
                place.unlink()
        return place

    def _shown(self, path: Path) -> str:
        return self._roots.shown(path).encode("utf-8", "replace").decode()

    async def _note(self, session: Session | None, path: Path, *, action: str, skill: str) -> None:
        if session is not None:
            causes = await causes_of(session, skill)
            await session.working_set.touch_file(self._shown(path), action=action, causes=causes)
