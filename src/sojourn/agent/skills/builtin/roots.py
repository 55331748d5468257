"""Where skills may read and write: some folders and all that is in them, wherever a link leads."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sojourn.errors import InvalidInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """The folders that may be used; None for everything, () for nothing. Made by `Roots.of`.

    Attributes:
        folders: the allowed folders, as they really are, without links.
        base: the folder that relative paths begin at.
    """

    folders: tuple[Path, ...] | None
    base: Path

    @classmethod
    def of(cls, folders: Iterable[Path | str] | None, *, base: Path | str | None = None) -> Self:
        """Return roots for *folders*; *base* is the first of them, or the working folder, unless given."""
        real = None if folders is None else tuple(Path(folder).resolve() for folder in folders)
        if base is None:
            base = real[0] if real else Path.cwd()
        return cls(folders=real, base=Path(base).resolve())

    def inside(self, path: str) -> Path:
        """Return where *path* really leads, links followed; it need not exist.

        Raises:
            InvalidInputError: that is outside, or no path at all.
        """
        _check(path)
        try:
            real = (self.base / Path(path).expanduser()).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a circle of links, no such home
            raise InvalidInputError(f"{path!r:.200} is no path that can be followed: {error}"[:400]) from error
        if self.folders is not None and not any(real.is_relative_to(folder) for folder in self.folders):
            allowed = ", ".join(map(str, self.folders)) or "none"
            raise InvalidInputError(f"{path!r:.200} lies outside the folders that may be used: {allowed}")
        return real

    def entry(self, path: str) -> Path:
        """Return where *path* itself stands, be it a link: what can be moved or removed.

        Raises:
            InvalidInputError: that is outside, or one of the allowed folders itself.
        """
        _check(path)
        name = Path(path).name
        if name in {"", ".."}:
            raise InvalidInputError(f"{path!r:.200} names no file")
        real = self.inside(str(Path(path).parent)) / name
        if any(folder.is_relative_to(real) for folder in self.folders or ()):
            raise InvalidInputError(f"{path!r:.200} may not be moved or removed")
        return real

    def shown(self, path: Path) -> str:
        """Return *path* as people write it: from the base if it lies in it."""
        return str(path.relative_to(self.base)) if path.is_relative_to(self.base) else str(path)


def _check(path: str) -> None:
    try:
        known = os.fsencode(path)
    except UnicodeEncodeError:  # half a character
        known = b""
    if not known or b"\0" in known:
        raise InvalidInputError(f"{path!r:.100} is no path")
