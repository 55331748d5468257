"""One import, from the files to what is told of it: each file by itself, so that a bad one stops no other."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sojourn.desk.importing import claude_code, codex
from sojourn.desk.importing.bundles import BundleKeeper
from sojourn.desk.importing.finding import Beginning, Writer, beginning_of
from sojourn.desk.importing.keeping import Kept, TalkKeeper
from sojourn.desk.importing.line_file import LineFile
from sojourn.errors import SojournError

_READERS: Final = {"claude-code": claude_code.find_talks, "codex": codex.find_talks}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A file that could not be imported, and why."""

    path: Path
    error: SojournError


@dataclass(slots=True)
class Imported:
    """What an import came to."""

    kept: list[Kept] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    strange: list[Path] = field(default_factory=list)
    """Files of nobody that is known."""
    not_understood: int = 0
    """Lines that could not be read, or not be stored."""

    def messages(self) -> int:
        """Return how many messages came."""
        return sum(one.messages for one in self.kept)


async def import_files(
    paths: Sequence[Path],
    *,
    writer: Writer | None,
    talks: TalkKeeper,
    bundles: BundleKeeper,
    on_file: Callable[[], None] = lambda: None,
) -> Imported:
    """Import each file: by *writer*, or by whoever it looks to be from. *on_file* is called behind each."""
    done = Imported()
    begun: list[tuple[Beginning, Path]] = []
    for path in paths:
        try:
            beginning = beginning_of(path)
            begun.append((beginning if writer is None else beginning._replace(writer=writer), path))
        except SojournError as error:
            done.failed.append(Failed(path=path, error=error))
            on_file()
    # Those that were begun first come first, and of copies those that were left first: others may go on from them.
    for beginning, path in sorted(begun, key=lambda one: (one[0].at, one[0].changed_ns)):
        try:
            if beginning.writer is None:
                done.strange.append(path)
            elif beginning.writer != "sojourn":
                await _import_talks(path, beginning.writer, talks, done)
            else:
                continue
        except SojournError as error:
            done.failed.append(Failed(path=path, error=error))
        on_file()
    await _import_bundles([path for one, path in begun if one.writer == "sojourn"], bundles, done, on_file)
    done.not_understood += talks.refused
    return done


async def _import_talks(path: Path, writer: Writer, keeper: TalkKeeper, done: Imported) -> None:
    with LineFile(path) as file:
        found = _READERS[writer](file, path)
        if not found.talks:
            done.strange.append(path)
        try:
            for talk in found.talks:
                done.kept.append(await keeper.keep(talk, file))
            await keeper.supersede(found.talks)
        finally:
            done.not_understood += file.not_understood


async def _import_bundles(
    paths: Iterable[Path], keeper: BundleKeeper, done: Imported, on_file: Callable[[], None]
) -> None:
    for path in await keeper.ordered(paths):
        try:
            done.kept.append(await keeper.keep(path))
        except SojournError as error:
            done.failed.append(Failed(path=path, error=error))
        on_file()
