"""Finding files by their names, and lines by what is in them."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final

from anyio import to_thread
from msgspec import Meta

from sojourn.agent.skills.builtin import process, search_worker
from sojourn.agent.skills.builtin.environment import shown_environment
from sojourn.agent.skills.builtin.page import first_lines
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.text_file import in_words
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.errors import InvalidInputError

MAX_FOUND: Final = 1_000
SECONDS: Final = 20.0
_MAX_OUTPUT: Final = 16_000_000
Limit = Annotated[int, Meta(ge=1, le=MAX_FOUND)]
Pattern = Annotated[str, Meta(min_length=1, max_length=1_000)]


class Searching:
    """Looks through the folders inside some roots; what takes too long is ended."""

    def __init__(self, roots: Roots, *, seconds: float = SECONDS) -> None:
        self._roots = roots
        self._seconds = seconds

    def skills(self) -> tuple[Skill, ...]:
        """Return the skills that look for files and in them."""
        traits = SkillTraits(
            timeout=self._seconds + 10, reads_only=True, path_arguments=("path",), literal_arguments=("pattern",)
        )
        return skill_of(self.glob, traits=traits), skill_of(self.grep, traits=traits)

    async def glob(self, pattern: Pattern, path: str = ".", limit: Limit = 200) -> ToolResult:
        """Find files by their names. Links, version control and caches are left out.

        Args:
            pattern: what the path from the folder looks like: `*.py` in any folder, `src/**/*.py`, `*.{md,txt}`.
            path: the folder to look in; the working folder unless given.
            limit: how many files to return.
        """
        root = await to_thread.run_sync(self._existing, path)
        report = await self._search({"kind": "find", "root": str(root), "glob": pattern, "limit": limit})
        found = [self._roots.shown(root / one) if one else self._roots.shown(root) for one in report["found"]]
        return _result(found, report, "no file fits")

    async def grep(
        self,
        pattern: Pattern,
        path: str = ".",
        glob: Pattern | None = None,
        *,
        ignore_case: bool = False,
        limit: Limit = 100,
    ) -> ToolResult:
        """Find lines in text files by a regular expression, as `path:line: text`.

        Args:
            pattern: a regular expression, as Python writes them; each line is looked at by itself.
            path: the folder, or the file, to look in; the working folder unless given.
            glob: look only into files like this, such as `*.py`.
            ignore_case: whether A is a, too.
            limit: how many lines to return.
        """
        root = await to_thread.run_sync(self._existing, path)
        report = await self._search(
            {
                "kind": "grep",
                "root": str(root),
                "glob": glob,
                "expression": pattern,
                "ignore_case": ignore_case,
                "limit": limit,
            }
        )
        lines = [
            f"{self._roots.shown(root / place) if place else self._roots.shown(root)}:{number}: {line}"
            for place, number, line in report["found"]
        ]
        return _result(lines, report, "no line matches")

    def _existing(self, path: str) -> Path:
        root = self._roots.inside(path)
        with in_words(root):
            if not root.exists():
                raise InvalidInputError(f"{path!r:.200} does not exist")
        return root

    async def _search(self, task: dict[str, Any]) -> dict[str, Any]:
        finished = await process.run(
            [sys.executable, "-I", "-S", "-W", "ignore", search_worker.__file__, json.dumps(task)],
            folder=self._roots.base,
            environment=shown_environment(os.environ),
            seconds=self._seconds,
            most=_MAX_OUTPUT,
        )
        if finished.timed_out:
            raise InvalidInputError(
                f"the search took longer than {self._seconds:g} seconds: use a simpler pattern or a smaller folder"
            )
        if finished.code or finished.left_out:
            raise RuntimeError(f"the search failed with exit code {finished.code}: {finished.output[-500:]}")
        report: dict[str, Any] = json.loads(finished.output)
        if "refused" in report:
            raise InvalidInputError(f"the pattern is no regular expression: {report['refused']}")
        return report


def _result(lines: list[str], report: dict[str, Any], nothing: str) -> ToolResult:
    # A file's name may be no text at all.
    shown = first_lines([line.encode("utf-8", "replace").decode() for line in lines])
    notes = []
    if not lines:
        notes.append(f"[{nothing}; {report['looked_at']:,} files and folders were looked at]")
    if report["more"] or len(shown) < len(lines):
        notes.append("[there is more: look for something narrower]")
    if report["unread"]:
        notes.append(f"[{report['unread']:,} binary, too large or forbidden files or folders were left out]")
    return ToolResult(output="\n".join([*shown, *notes]), data=shown)
