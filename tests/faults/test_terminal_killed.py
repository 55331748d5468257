"""A person talks in the app, his terminal is killed in the middle of an answer, and he comes back."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from struct import pack
from typing import Final

import pytest

from sojourn.model.events import MessageAdded
from sojourn.store import open_store
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_openai import OpenAiWire

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

_PATIENCE: Final = 30.0
_CONTROL: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_APP: Final = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from sojourn.cli import main
main()
"""


class Terminal:
    """A terminal with the app in it, as a person has it before him."""

    def __init__(self, arguments: list[str], *, folder: Path, home: Path) -> None:
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, pack("HHHH", 30, 100, 0, 0))
        environment = {**os.environ, "SOJOURN_HOME": str(home), "TERM": "xterm-256color"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _APP, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self._shown = b""

    def type(self, text: str) -> None:
        """Type *text*."""
        os.write(self._master, text.encode())

    def wait_for(self, text: str) -> None:
        """Wait until *text* was drawn, in whatever colours."""
        until = time.monotonic() + _PATIENCE
        while text not in (drawn := _CONTROL.sub("", self._shown.decode(errors="replace"))):
            left = until - time.monotonic()
            ready, _, _ = select.select([self._master], [], [], max(0.0, left))
            try:
                more = os.read(self._master, 65_536) if ready and left > 0 else b""
            except OSError:  # the app has ended
                more = b""
            if not more:
                raise AssertionError(f"{text!r} was never drawn; the end of what was: {drawn[-600:]!r}")
            self._shown += more

    def forget(self) -> None:
        """Look only at what is drawn from now on."""
        self._shown = b""

    def kill(self) -> None:
        """Kill the app, which hears nothing of it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(_PATIENCE)
        os.close(self._master)

    def close(self) -> None:
        """Close the window: the app is told that its terminal is gone."""
        os.close(self._master)
        self._process.wait(_PATIENCE)

    def leave(self) -> int:
        """Press ctrl+q, and return how the app ended."""
        self.type("\x11")
        while True:
            ready, _, _ = select.select([self._master], [], [], 0.05)
            try:
                if ready and not os.read(self._master, 65_536):
                    break
            except OSError:  # the other end is closed
                break
            if self._process.poll() is not None and not ready:
                break
        code = self._process.wait(_PATIENCE)
        os.close(self._master)
        return code


@contextmanager
def model() -> Iterator[OpenAiWire]:
    with WireServer() as server:
        yield OpenAiWire(server, is_strict=False)


@pytest.mark.parametrize("end", ["killed", "closed"])
async def test_a_talk_goes_on_where_a_lost_terminal_cut_it_off(end: str, tmp_path: Path) -> None:
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    with model() as wire:
        arguments = ["--model", f"{wire.base_url}#stub", "--no-tools"]
        wire.say("Nice to meet you.")
        wire.say(["Once upon a time there was", Held(), " a ship."])
        terminal = Terminal(arguments, folder=folder, home=home)
        terminal.wait_for("ready")
        terminal.type("My sister is called Grace.\r")
        terminal.wait_for("Nice to meet you.")
        terminal.type("Tell me a story.\r")
        terminal.wait_for("upon a time")
        terminal.kill() if end == "killed" else terminal.close()

        wire.say("It was called Endurance.")
        again = Terminal(arguments, folder=folder, home=home)
        again.wait_for("going on with")
        again.wait_for("Nice to meet you.")
        again.forget()
        again.type("What was it called?\r")
        again.wait_for("It was called Endurance.")
        code = again.leave()

    assert code == 0
    async with open_store(home / "sojourn.db") as store:
        (row,) = (await store.list_sessions()).rows
        entries = await store.last_messages(row.header.session_id, 50)
    said = [entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)]
    assert [message.text for message in said if message.role == "user"] == [
        "My sister is called Grace.",
        "Tell me a story.",
        "What was it called?",
    ]
    assert [message.text for message in said if message.role == "assistant" and not message.partial] == [
        "Nice to meet you.",
        "It was called Endurance.",
    ]
    assert all("Once upon a time".startswith(message.text[:16]) for message in said if message.partial)
