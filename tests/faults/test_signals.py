"""The system ends a chat, or its terminal goes: the exit code says so, and what was said and answered is kept."""

import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_openai import OpenAiWire
from tests.faults.commands import run
from tests.faults.shell import MODEL, Shell

pytestmark = pytest.mark.timeout(240)

SIGNALS: Final = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
ENDS: Final = {signal.SIGINT: {130}, signal.SIGTERM: {143, -15}, signal.SIGHUP: {129, -1}}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell.at(tmp_path)


@pytest.fixture
def wire() -> Iterator[OpenAiWire]:
    with WireServer() as server:
        yield OpenAiWire(server, is_strict=False)


def assert_goes_on(shell: Shell, *, said: list[str], heard: str) -> None:
    """Fail unless the session has what was said and heard, is whole, and takes another turn."""
    after = run(shell, "-p", "Go on.", "-c", *MODEL)
    assert (after.code, after.out) == (0, "Yes.\n"), after.err
    messages = run(shell, "show", "--all", "--json").data["messages"]
    assert [one["text"] for one in messages if one["role"] == "user"] == [*said, "Go on."]
    assert any(one["text"].startswith(heard) for one in messages if one["role"] == "assistant")
    assert run(shell, "doctor").code == 0


@pytest.mark.parametrize("number", SIGNALS, ids=lambda one: one.name)
def test_an_answer_that_is_printed_is_cut_off_by_a_signal_and_kept(
    shell: Shell, wire: OpenAiWire, number: signal.Signals
) -> None:
    wire.say(["Once upon ", Held(), "a time."])
    asking = shell.start("-p", "Tell me a story.", "--model", f"{wire.base_url}#stub", "--no-tools")
    with asking:
        assert asking.stdin is not None
        assert asking.stdout is not None
        asking.stdin.close()
        heard = asking.stdout.read(len("Once upon "))
        asking.send_signal(number)
        asking.wait(60)
        assert asking.stderr is not None
        told = asking.stderr.read()

    assert asking.returncode in ENDS[number], told
    assert "Traceback" not in told
    assert_goes_on(shell, said=["Tell me a story."], heard=heard.strip())


@pytest.mark.parametrize("number", SIGNALS[1:], ids=lambda one: one.name)
def test_a_chat_that_is_ended_by_a_signal_keeps_what_was_heard(
    shell: Shell, wire: OpenAiWire, number: signal.Signals
) -> None:
    wire.say("Gladly.")
    wire.say(["Once upon ", Held(), "a time."])
    talking = shell.start("chat", "--model", f"{wire.base_url}#stub", "--no-tools")
    with talking:
        assert talking.stdin is not None
        assert talking.stdout is not None
        talking.stdin.write("Would you?\nTell me a story.\n")
        talking.stdin.flush()
        heard = talking.stdout.read(len("Gladly.\nOnce upon "))
        talking.send_signal(number)
        talking.wait(60)
        assert talking.stderr is not None
        told = talking.stderr.read()

    assert talking.returncode in ENDS[number], told
    assert "Traceback" not in told
    assert_goes_on(shell, said=["Would you?", "Tell me a story."], heard=heard.splitlines()[1].strip())


@pytest.mark.batches(share=0.015, rounds=1)
def test_a_signal_at_any_moment_leaves_a_session_that_goes_on(shell: Shell, rng: random.Random, batch: int) -> None:
    number = rng.choice(SIGNALS)
    asking = shell.start("-p", "Hello.", *MODEL)
    with asking:
        assert asking.stdin is not None
        asking.stdin.close()
        try:
            asking.wait(rng.uniform(0, 2))
        except subprocess.TimeoutExpired:
            asking.send_signal(number)
            asking.wait(60)
        assert asking.stderr is not None
        told = asking.stderr.read()

    assert asking.returncode in {0, *ENDS[number], -number}, told
    assert "Traceback" not in told, told
    after = run(shell, "-p", "Go on.", *MODEL)
    assert (after.code, after.out) == (0, "Yes.\n"), after.err
    assert run(shell, "doctor").code == 0
