"""Several chats talk in one session at the same time: each turn that was answered is there once, whole and in order."""

from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.typed import Typed
from tests.faults.commands import Command, run
from tests.faults.shell import MODEL, Shell

pytestmark = pytest.mark.timeout(240)

CHATS: Final = 4
TURNS: Final = 20


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A place with a session of one turn."""
    shell = Shell.at(tmp_path)
    begun = run(shell, "-p", "Hello.", "--session-id", "shared", *MODEL)
    assert begun.code == 0, begun.err
    return shell


def messages(shell: Shell) -> list[dict[str, Any]]:
    shown = run(shell, "show", "shared", "--all", "--json")
    found: list[dict[str, Any]] = shown.data["messages"]
    return found


def assert_all_there(shell: Shell, said: list[list[str]]) -> None:
    """Fail unless everything that each of them said is there once, in his order, and each is followed by its answer."""
    found = messages(shell)
    assert [one["role"] for one in found] == ["user", "assistant"] * (len(found) // 2)
    texts = [one["text"] for one in found if one["role"] == "user"]
    assert sorted(texts) == sorted(["Hello.", *[text for one in said for text in one]])
    for one in said:
        assert [text for text in texts if text in one] == one
    checked = run(shell, "doctor")
    assert checked.code == 0, checked.out


def test_four_chats_in_one_session_lose_nothing(shell: Shell) -> None:
    said = [[f"Chat {number} says {turn}." for turn in range(TURNS)] for number in range(CHATS)]

    chats = [
        Command(shell, "chat", "shared", *MODEL, says="\n".join(lines), number=number)
        for number, lines in enumerate(said)
    ]
    told = [chat.end() for chat in chats]

    assert [one.code for one in told] == [0] * CHATS, [one.err[-300:] for one in told]
    assert [one.out.count("Yes.") for one in told] == [TURNS] * CHATS
    assert_all_there(shell, said)


def test_four_questions_at_once_in_one_session_are_all_answered(shell: Shell) -> None:
    said: list[list[str]] = [[] for _ in range(CHATS)]
    for turn in range(TURNS // 4):
        told: list[Typed] = []
        for number in range(CHATS):
            said[number].append(f"Question {turn} of {number}.")
        asking = [
            Command(shell, "-p", lines[-1], "-r", "shared", *MODEL, number=number) for number, lines in enumerate(said)
        ]
        told = [one.end() for one in asking]
        assert [(one.code, one.out) for one in told] == [(0, "Yes.\n")] * CHATS, [one.err for one in told]

    assert_all_there(shell, said)
