"""The disk is full while a person talks: one sentence says so, nothing is damaged, and it goes on with more room."""

from pathlib import Path
from typing import Final

import pytest

from tests.faults.commands import run
from tests.faults.disks import fill_up, resize
from tests.faults.shell import MODEL, Shell, is_one_sentence

pytestmark = pytest.mark.timeout(240)

LONG: Final = "word " * 8000
TURNS: Final = 20
ENOUGH: Final = 8 * 1024 * 1024


@pytest.fixture
def shell(tmp_path: Path, small_disk: Path) -> Shell:
    """A place whose sessions are kept on a small disk."""
    (tmp_path / "work").mkdir()
    shell = Shell(folder=tmp_path / "work", home=small_disk / "home")
    begun = run(shell, "-p", "Hello.", *MODEL)
    assert begun.code == 0, begun.err
    return shell


def test_questions_are_refused_on_a_full_disk_and_answered_when_it_grows(shell: Shell, small_disk: Path) -> None:
    asked, question = ["Hello."], f"0 {LONG}".strip()
    while (told := run(shell, "-p", "-c", *MODEL, says=question)).code == 0:
        asked.append(question)
        question = f"{len(asked)} {LONG}".strip()
    assert is_one_sentence(told, codes=[1]), told
    assert "no space left" in told.err

    resize(small_disk, ENOUGH)
    more = run(shell, "-p", "After.", "-c", *MODEL)

    assert (more.code, more.out) == (0, "Yes.\n"), more.err
    assert [text for text in shell.said("@last", "--all") if text != question] == [*asked, "After."]
    assert run(shell, "doctor").code == 0


def test_a_chat_tells_that_the_disk_is_full_and_goes_on_when_there_is_room(shell: Shell, small_disk: Path) -> None:
    lines = [f"{count} {LONG}".strip() for count in range(TURNS)]

    told = run(shell, "chat", *MODEL, says="\n".join(lines))

    answered = told.out.count("Yes.")
    assert told.code == 1
    assert 0 < answered < TURNS
    assert "Traceback" not in told.err
    assert all("no space left" in line for line in told.err.splitlines() if line.startswith("error: "))
    resize(small_disk, ENOUGH)
    after = run(shell, "chat", *MODEL, says="After.\n")
    assert (after.code, after.out) == (0, "Yes.\n"), after.err
    said = shell.said("@last", "--all")
    assert [text for text in said if text in lines][:answered] == lines[:answered]
    assert said[-1] == "After."
    assert run(shell, "doctor").code == 0


@pytest.mark.parametrize(
    "typed",
    [
        "compact --keep 1",
        "config set model local",
        "db backup ../disk/copy.db",
        "db rebuild",
        "export -o ../disk/out.md",
        "forget message 3 --yes",
        "ls",
        "new",
        "search Hello",
    ],
)
def test_a_command_on_a_full_disk_says_so_leaves_no_half_file_and_works_later(
    shell: Shell, small_disk: Path, typed: str
) -> None:
    filler = fill_up(small_disk)
    before = sorted(path.name for path in small_disk.iterdir())

    told = run(shell, *typed.split())

    assert told.code == 0 or is_one_sentence(told, codes=[1]), told
    assert "space" in told.err or told.code == 0
    assert sorted(path.name for path in small_disk.iterdir()) == before
    filler.unlink()
    assert run(shell, "doctor").code == 0
    again = run(shell, *typed.split())
    assert again.code == 0, again.err
