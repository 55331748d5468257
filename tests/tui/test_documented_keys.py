"""The keys that the page about the app names are the keys of the app."""

import re
from pathlib import Path

import pytest

from sojourn.tui.chat.commands import app_commands
from sojourn.tui.keys import entries

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "app.md").read_text("utf-8")
_CHORD = re.compile(r"\b(ctrl\+[a-z]|f\d)\b")
_LETTER = re.compile(r"`([a-zA-Z=/{}])`")
_PARTS = {"find": "find a session", "branches": "branches", "context": "context", "knowledge": "knowledge"}


def bound(group: str | None = None) -> set[str]:
    """Return every key that the app binds, or those of one part of it."""
    found = [one.keys.split(", ") for one in entries({}) if group in {None, one.group}]
    return {key for keys in found for key in keys}


def test_each_chord_on_the_page_is_bound() -> None:
    assert set(_CHORD.findall(PAGE)) - bound() == set()


@pytest.mark.parametrize("screen", _PARTS)
def test_each_letter_of_a_screen_is_bound_there(screen: str) -> None:
    [row] = re.findall(rf"^\| {screen} \| (.*) \|$", PAGE, flags=re.MULTILINE)

    assert set(_LETTER.findall(row)) - bound(_PARTS[screen]) == set()


def test_each_command_on_the_page_is_there() -> None:
    named = set(re.findall(r"`/([a-z]+)`", PAGE))

    assert named - {*app_commands(), "exit"} == set()
