"""On a terminal a command asks before it does what cannot be taken back, and candidates are reviewed one by one."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sojourn
from sojourn.engine.session import Session
from sojourn.model.message import Message
from tests.cli.seeded import seed
from tests.cli.typed import Type

Answer = Callable[..., tuple[int, str]]
SOJOURN = str(Path(sys.executable).with_name("sojourn"))
CTRL_C = "\x03"
CTRL_D = "\x04"
QUESTIONS = ("[y/N] ", "[a/r/e/w/s/q] ", "it says: ")


async def _known(_: sojourn.Sojourn, session: Session) -> None:
    await session.messages.add(Message(role="user", content="a secret word"))
    for text in ("uses iOS 12", "the cache runs on Redis", "deploys on Fridays", "tests take an hour"):
        await session.facts.learn(text, status="candidate", source="assistant", confidence=0.6)


def _read(terminal: int) -> str:
    """Return what comes next on a terminal; nothing, when the other side is closed."""
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:  # so Linux says that it is
        return ""


def _answer(process: "subprocess.Popen[bytes]", terminal: int, waiting: list[str]) -> str:
    """Type one answer to each question that shows on a terminal, and return all that showed until its end."""
    seen = ""
    while piece := _read(terminal):
        seen += piece
        if waiting and seen.endswith(QUESTIONS):
            answer = waiting.pop(0)
            if answer == CTRL_C:
                process.send_signal(signal.SIGINT)
            else:
                os.write(terminal, answer.encode())
    process.wait()
    return seen


@pytest.fixture
def answering(folder: Path) -> Answer:
    """Types a command on a terminal, and then an answer to each question; returns its exit code and the screen."""
    seed(folder, _known)

    def typed(words: tuple[str, ...], *answers: str, program: tuple[str, ...] = (SOJOURN,)) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [*program, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder / "work"
        ) as process:
            os.close(theirs)
            try:
                seen = _answer(process, ours, list(answers))
            finally:
                process.kill()  # it has ended, or this test has failed
                os.close(ours)
        return process.returncode, seen

    return typed


def test_a_no_forgets_nothing(answering: Answer, type_: Type) -> None:
    code, seen = answering(("forget", "message", "2"), "n\n")

    assert code == 0
    assert "[2] user said: a secret word" in seen
    assert "forget 1 message for good? [y/N]" in seen
    assert "nothing was forgotten" in seen
    assert seen.count("a secret word") == 1
    assert "secret" in type_("show").out


def test_a_yes_forgets_it(answering: Answer, type_: Type) -> None:
    code, seen = answering(("forget", "message", "2"), "y\n")

    assert (code, "forgotten for good: 1 entry" in seen) == (0, True)
    assert "secret" not in type_("show").out


def test_the_end_of_the_input_is_a_no(answering: Answer, type_: Type) -> None:
    code, _ = answering(("forget", "message", "2"), CTRL_D)

    assert code == 0
    assert "secret" in type_("show").out


def test_ctrl_c_at_a_question_changes_nothing(answering: Answer, type_: Type) -> None:
    code, seen = answering(("forget", "message", "2"), CTRL_C)

    assert (code, "stopped" in seen) == (130, True)
    assert "secret" in type_("show").out


_HEARD_ELSEWHERE = """
import signal, threading
from sojourn.cli.prompting import agrees

threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # of this thread alone: the other gets the signal
agrees("forget it?")
"""


def test_ctrl_c_ends_a_question_also_when_another_thread_gets_the_signal(answering: Answer) -> None:
    """A signal that comes just before the wait begins is like that, too: it does not end the wait by itself."""
    code, seen = answering((_HEARD_ELSEWHERE,), CTRL_C, program=(sys.executable, "-c"))

    assert (code, "KeyboardInterrupt" in seen) == (-signal.SIGINT, True)


def test_candidates_are_asked_about_one_by_one(answering: Answer, type_: Type) -> None:
    code, seen = answering(("facts", "review"), "a\n", "r\n", "w\n", "e\n", "tests take an hour or two\n", "s\n")

    assert code == 0
    assert "1 of 4:" in seen
    assert "4 of 4:" in seen
    facts = type_("facts", "ls", "--status", "all", "--json").data["facts"]
    statuses = [fact["status"] for fact in facts]
    assert sorted(statuses) == ["active", "active", "candidate", "retired"]
    assert [fact["content"] for fact in facts if fact["confidence"] == 1.0] == ["tests take an hour or two"]


def test_a_review_is_left_at_any_time(answering: Answer, type_: Type) -> None:
    answering(("facts", "review"), "\n", "huh\n", "Accept\n", "q\n")

    assert len(type_("facts", "review", "--json").data["waiting"]) == 3


def test_with_json_nobody_is_asked(answering: Answer, type_: Type) -> None:
    code, seen = answering(("forget", "message", "2", "--json"))

    assert (code, '"forgotten":false' in seen) == (0, True)
