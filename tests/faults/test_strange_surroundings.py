"""The program is started without what a terminal gives it: no streams, no rights, no room for what it says."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from tests.faults.commands import run, store_of
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
    newest_first = ["The second.", "The first."] if 0 in closed else ["The third.", "The second."]
    assert [*shell.said("@last"), *shell.said("@-2")] == newest_first
    assert shell.type("doctor").code == 0


@pytest.mark.parametrize("words", [("ls",), ("show", "--json"), ("-p", "More.", *MODEL)])
def test_a_result_that_cannot_be_written_is_told(shell: Shell, words: tuple[str, ...]) -> None:
    def fill() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    told = shell.type(*words, before=fill)

    assert is_one_sentence(told, codes=[1])
    assert "No space left" in told.err
    assert shell.type("doctor").code == 0


EVERYWHERE = [
    ("ls",),
    ("show", "--json"),
    ("search", "first"),
    ("-p", "More.", "-c", *MODEL),
    ("chat", *MODEL),
    ("new",),
    ("delete", "@last"),
    ("db", "rebuild"),
    ("db", "backup", "../copy.db"),
    ("doctor", "--repair"),
    ("scrub", "--all", "--yes"),
]


def test_what_a_newer_program_wrote_is_refused_by_every_command_and_left_alone(shell: Shell) -> None:
    database = apsw.Connection(str(store_of(shell)))
    database.execute("PRAGMA user_version = 9999")
    database.close()
    before = store_of(shell).read_bytes()

    told = [run(shell, *words) for words in EVERYWHERE]

    assert [one.code for one in told] == [5] * len(EVERYWHERE), told
    assert all("newer Sojourn" in one.out + one.err for one in told)
    assert all("Traceback" not in one.err for one in told)
    assert store_of(shell).read_bytes() == before


@pytest.fixture
def read_only(shell: Shell) -> Iterator[Shell]:
    """The same place, on a disk that cannot be written to."""
    home = str(shell.home)
    for options in (["--bind", home, home], ["-o", "remount,bind,ro", home]):
        mounted = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            pytest.skip(f"a disk that is read only needs the right to mount one: {mounted.stderr.strip()}")
    try:
        yield shell
    finally:
        subprocess.run(["umount", "-l", home], check=True)


def test_a_disk_that_cannot_be_written_to_is_told_by_every_command(read_only: Shell) -> None:
    told = [run(read_only, *words) for words in EVERYWHERE if "--json" not in words]

    assert all(is_one_sentence(one, codes=[1]) for one in told), told
    assert all("damaged" not in one.out + one.err for one in told)
