"""Looks through folders, in a process of its own: an expression can take for ever, and only a process can be ended.

It is run as a script, gets its task as JSON in its one argument, and writes what it found as JSON. It needs nothing but
the standard library, so that it starts at once. Links are not followed: what is found lies in the folder.
"""

import fnmatch
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

LEFT_OUT: Final = frozenset({
    ".git", ".hg", ".svn", ".tox", ".venv", "node_modules", "__pycache__",
    ".mypy_cache", ".ruff_cache", ".pytest_cache",
})  # fmt: skip
"""Folders in which nobody looks for anything."""
MAX_LOOKED_AT: Final = 200_000
MAX_FILE: Final = 16 * 1024 * 1024
MAX_LINE: Final = 400
MAX_DEPTH: Final = 100
MAX_ALTERNATIVES: Final = 100
_BINARY: Final = 8192


def search(task: dict[str, Any]) -> dict[str, Any]:
    """Do the task: `find` files whose path fits a pattern, or `grep` the lines that match an expression."""
    root, pattern, limit = task["root"], task.get("glob") or "**", task["limit"]
    report: dict[str, Any] = {"found": [], "more": False, "unread": 0, "looked_at": 0}
    matching = None
    if task["kind"] == "grep":
        try:
            matching = re.compile(task["expression"], re.IGNORECASE if task["ignore_case"] else 0)
        except (re.error, RecursionError, OverflowError) as error:
            return {"refused": str(error)}
    for path in _files(root, pattern, report):
        if matching is None:
            found: Iterator[Any] = iter([path])
        else:
            found = _lines(root, path, matching, report)
        for one in found:
            if len(report["found"]) >= limit:
                report["more"] = True
                return report
            report["found"].append(one)
    return report


def fits(path: str, pattern: str) -> bool:
    """Tell whether *path*, with slashes, fits *pattern*: `*` within a name, `**` any folders, `{a,b}` either.

    A pattern without a slash fits a file of that name in any folder.
    """
    return any(_fits(path, one if "/" in one else f"**/{one}") for one in _alternatives(pattern))


def _fits(path: str, pattern: str) -> bool:
    names, patterns = tuple(path.split("/")), tuple(part for part in pattern.split("/") if part not in {"", "."})
    reached = {0}
    for part in patterns:  # the places in the path that the pattern so far can lead to
        if part == "**":
            reached = set(range(min(reached, default=len(names) + 1), len(names) + 1))
        else:
            name = _name_pattern(part)
            reached = {place + 1 for place in reached if place < len(names) and name.match(names[place])}
    return len(names) in reached


@lru_cache(maxsize=64)
def _name_pattern(part: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(part))


@lru_cache(maxsize=64)
def _alternatives(pattern: str) -> tuple[str, ...]:
    """Return the patterns that one with braces stands for, at most a hundred."""
    found, done = [pattern], 0
    while done < len(found) < MAX_ALTERNATIVES:
        braces = re.search(r"\{([^{}]*)\}", found[done])
        if braces is None:
            done += 1
            continue
        before, after = found[done][: braces.start()], found[done][braces.end() :]
        found[done : done + 1] = [f"{before}{choice}{after}" for choice in braces[1].split(",")]
    return tuple(found[:MAX_ALTERNATIVES])


def _files(root: str, pattern: str, report: dict[str, Any]) -> Iterator[str]:
    """Yield the files below *root* that fit, from the root, sorted; or *root* itself, if it is a file."""
    if not Path(root).is_dir():
        report["looked_at"] = 1
        yield ""
        return
    waiting = [("", 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            with os.scandir(f"{root}/{folder}") as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            report["unread"] += 1
            continue
        deeper = []
        for entry in entries:
            report["looked_at"] += 1
            if report["looked_at"] > MAX_LOOKED_AT:
                report["more"] = True
                return
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in LEFT_OUT and depth < MAX_DEPTH:
                    deeper.append((path, depth + 1))
            elif entry.is_file(follow_symlinks=False) and fits(path, pattern):
                yield path
        waiting.extend(reversed(deeper))


def _lines(root: str, path: str, matching: "re.Pattern[str]", report: dict[str, Any]) -> Iterator[Any]:
    """Yield path, number and text of each line that matches."""
    place = Path(root, path)
    data = b"\0"
    try:
        if place.is_file():  # and no pipe, which might keep it waiting
            with place.open("rb") as file:
                data = file.read(MAX_FILE + 1)
    except OSError:
        data = b"\0"
    if len(data) > MAX_FILE or b"\0" in data[:_BINARY]:
        report["unread"] += 1
        return
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if (match := matching.search(line)) is not None:
            yield [path, number, _around(line.rstrip("\r"), match.start())]


def _around(line: str, place: int) -> str:
    """Return *line*, or of a long one the part around *place*."""
    if len(line) <= MAX_LINE:
        return line
    start = max(place - MAX_LINE // 4, 0)
    return f"{'... ' if start else ''}{line[start : start + MAX_LINE]} ..."


if __name__ == "__main__":
    sys.stdout.buffer.write(json.dumps(search(json.loads(sys.argv[1]))).encode())
