"""What every benchmark shares: its arguments, its targets, its table for people and its last line for programs.

A figure is one number that the project watches, with the target it is held against. Missing a target is printed and is
never an error: a benchmark measures, it does not judge. Imports nothing of the project and no peer.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TextIO

_GREEN, _RED, _BOLD, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
_IN_MEMORY = {"tmpfs", "ramfs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """How a benchmark was asked to run; *directory* is where its files go, on a real disk, *data* what it reads."""

    quick: bool
    as_json: bool
    directory: Path
    data: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a figure should be: at most, or at least, *bound*."""

    relation: Literal["<=", ">="]
    bound: float

    def __str__(self) -> str:
        return f"{self.relation} {self.bound:,g}"

    def is_met(self, value: float) -> bool:
        """Tell whether *value* is on the right side of the bound."""
        return value <= self.bound if self.relation == "<=" else value >= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number that the project watches. Without a value it could not be measured on this machine."""

    name: str
    value: float | None
    meaning: str
    target: Target | None = None

    @property
    def verdict(self) -> str:
        """`met`, `not met`, or nothing where there is no target or no value."""
        if self.target is None or self.value is None:
            return ""
        return "met" if self.target.is_met(self.value) else "not met"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under a title. The first column is aligned to the left, the others to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of one run. *detail* is any JSON object; its shape belongs to the benchmark."""

    benchmark: str
    quick: bool
    figures: Sequence[Figure]
    detail: dict[str, Any]
    tables: Sequence[Table] = ()
    machine: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the line for programs: one JSON object without line breaks."""
        return json.dumps(
            {
                "benchmark": self.benchmark,
                "quick": self.quick,
                "figures": {figure.name: figure.value for figure in self.figures},
                "detail": {"machine": self.machine, **self.detail},
            },
            allow_nan=False,
        )

    def to_text(self, *, colour: bool = False) -> str:
        """Return the tables for people, the watched figures first."""
        length = "a quick run" if self.quick else "a full run"
        heading = [f"{self.benchmark}: {length}", *(f"  {name}: {value}" for name, value in self.machine.items())]
        blocks = ["\n".join(heading), _render(_figures_table(self.figures), colour=colour)]
        return "\n\n".join([*blocks, *(_render(table, colour=colour) for table in self.tables)])


def parse_arguments(description: str, arguments: Sequence[str] | None = None) -> Arguments:
    """Read the command line that all benchmarks share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, at most a minute on two cores")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line instead of tables")
    parser.add_argument("--dir", type=Path, help="where to make the files (default: a disk, never memory)")
    parser.add_argument("--data", type=Path, help="where the data sets are that some benchmarks read")
    known = parser.parse_args(arguments)
    return Arguments(quick=known.quick, as_json=known.json, directory=known.dir or disk_directory(), data=known.data)


def publish(report: Report, *, as_json: bool, stdout: TextIO) -> None:
    """Print *report* on *stdout*, in colour only if that is a terminal."""
    if as_json:
        print(report.to_json(), file=stdout, flush=True)
    else:
        colour = stdout.isatty() and "NO_COLOR" not in os.environ
        print(report.to_text(colour=colour), file=stdout, flush=True)


def note(text: str) -> None:
    """Tell on stderr what is going on."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def scratch(directory: Path) -> Iterator[Path]:
    """Give a new folder below *directory*, and remove it with everything in it."""
    with tempfile.TemporaryDirectory(prefix="sojourn-bench-", dir=directory) as folder:
        yield Path(folder)


def disk_directory() -> Path:
    """Return the folder for temporary files, or the current one if that folder is kept in memory."""
    usual = Path(tempfile.gettempdir())
    return Path.cwd() if filesystem_of(usual) in _IN_MEMORY else usual


def describe_machine(directory: Path, packages: Sequence[str], **more: str) -> dict[str, str]:
    """Return what a reader needs to judge the numbers: where it ran, and against which *packages*."""
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {load}",
        "files on": filesystem_of(directory),
        "python": platform.python_version(),
        **more,
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def filesystem_of(path: Path) -> str:
    """Return the type of the file system that *path* is on, or `unknown`."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return "unknown"
    here, found, kind = path.resolve(), Path("/"), "unknown"
    for line in mounts.read_text("utf-8").splitlines():
        _, point, name, *_ = line.split()
        mount = Path(point.encode().decode("unicode_escape"))
        if here.is_relative_to(mount) and len(mount.parts) >= len(found.parts):
            found, kind = mount, name
    return kind


def format_number(value: float | None) -> str:
    """Return *value* with as many digits as a reader can use."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def format_seconds(seconds: float | None) -> str:
    """Return a duration in microseconds or milliseconds."""
    if seconds is None:
        return "-"
    if seconds < 1e-3:
        return f"{seconds * 1e6:,.0f} us"
    return f"{seconds * 1e3:,.2f} ms" if seconds < 0.1 else f"{seconds * 1e3:,.0f} ms"


def format_bytes(count: float | None) -> str:
    """Return a size in bytes, KiB or MiB."""
    if count is None:
        return "-"
    if count < 10_000:
        return f"{count:,.0f} B"
    return f"{count / 1024:,.1f} KiB" if count < 1024 * 1024 else f"{count / 1024 / 1024:,.1f} MiB"


def _figures_table(figures: Sequence[Figure]) -> Table:
    rows = [
        (figure.name, format_number(figure.value), str(figure.target or ""), figure.verdict, figure.meaning)
        for figure in figures
    ]
    return Table(title="figures", columns=("", "value", "target", "", "what it says"), rows=rows)


def _render(table: Table, *, colour: bool) -> str:
    grid = [list(table.columns), *(list(row) for row in table.rows)]
    widths = [max(len(row[place]) for row in grid) for place in range(len(table.columns))]
    last = len(table.columns) - 1
    wordy = bool(table.rows) and any(" " in row[last] and len(row[last]) > 12 for row in table.rows)
    lines = [_paint(table.title, _BOLD, colour=colour)]
    for row in grid:
        cells = [
            cell.ljust(width) if place == 0 or (place == last and wordy) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        painted = [_paint_verdict(cell, colour=colour) for cell in cells]
        lines.append(("  " + "  ".join(painted)).rstrip())
    return "\n".join([*lines, *(f"  {text}" for text in table.notes)])


def _paint_verdict(cell: str, *, colour: bool) -> str:
    shade = {"met": _GREEN, "not met": _RED}.get(cell.strip())
    return _paint(cell, shade, colour=colour) if shade else cell


def _paint(text: str, shade: str, *, colour: bool) -> str:
    return f"{shade}{text}{_PLAIN}" if colour else text
