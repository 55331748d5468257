"""The program is started without what a terminal gives it: no streams, no rights, no room for what it says."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.shell import MODEL, Shell, is_one_sentence

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A place with one session in it."""
    shell = Shell.at(tmp_path)
    asked = shell.type("-p", "The first.", *MODEL)
    assert asked.code == 0, asked.err
    return shell


def closing(*numbers: int) -> Callable[[], None]:
    """Return what closes these streams."""

    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_cost_their_words_and_nothing_else(shell: Shell, closed: tuple[int, ...]) -> None:
    before = closing(*closed)

    listed = shell.type("ls", before=before)
    asked = shell.type("-p", "The second.", *MODEL, before=before)
    talked = shell.type("chat", *MODEL, says="The third.\n", before=before)
    missing = shell.type("show", "nothing-like-this", before=before)

    assert (listed.code, asked.code, talked.code, missing.code) == (0, 0, 0, 3)
    assert (asked.out == "") is (1 in closed)
    assert all("Traceback" not in told.err for told in (listed, asked, talked, missing))
    said = ["The second."] if 0 in closed else ["The second.", "The third."]
    assert shell.said() == said
    assert shell.type("doctor").code == 0


@pytest.mark.parametrize("words", [("ls",), ("show", "--json"), ("-p", "More.", *MODEL)])
def test_a_result_that_cannot_be_written_is_told(shell: Shell, words: tuple[str, ...]) -> None:
    def fill() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    told = shell.type(*words, before=fill)

    assert is_one_sentence(told, codes=[1])
    assert "No space left" in told.err
    assert shell.type("doctor").code == 0
