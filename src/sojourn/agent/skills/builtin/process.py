"""Running a program: within a time, with an end to its output, and with nothing of it left behind.

A program gets a process group of its own. When its time is over, when the caller is cancelled, and also when it ended
by itself, whatever is left of the group is ended: politely at first, then for good. A program that leaves its group
escapes that; it is not waited for.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

import anyio
from anyio import to_thread

POLITE: Final = 1.0
"""Seconds that a program has to end itself once it is told to."""
DRAIN: Final = 1.0
"""Seconds in which the rest of the output may come once the program is over."""
_LAST: Final = 5.0
_CHUNK: Final = 65_536


class Finished(NamedTuple):
    """What became of a program.

    *code* is its exit code, below 0 the signal that ended it. Of a long output the middle is missing: so many bytes are
    *left_out*. *left_running*: it was over, and others that it had started were not; they are now.
    """

    code: int
    output: str
    left_out: int
    timed_out: bool
    left_running: bool


async def run(
    arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str], seconds: float, most: int
) -> Finished:
    """Run a program to its end, or for *seconds*, and return what it wrote to both outputs, at most *most* bytes.

    Raises:
        OSError: it cannot be started.
    """
    output = _Output(most)
    timed_out = left_running = False
    child = _start(arguments, folder, environment)
    try:
        with anyio.move_on_after(seconds) as limit:
            await _follow(child, output)
        timed_out = limit.cancelled_caught
        left_running = not timed_out and _signal(child, signal.SIGTERM)
    finally:
        try:
            with anyio.CancelScope(shield=True):
                await _end(child)
        finally:
            _signal(child, signal.SIGKILL)  # even if somebody cancels the polite way
            if child.stdout is not None:
                child.stdout.close()
    code = -signal.SIGKILL if child.returncode is None else child.returncode
    return Finished(code, output.text(), output.left_out, timed_out, left_running)


def _start(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - running what the caller names is what this is for
        list(arguments),
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        bufsize=0,
    )


async def _follow(child: "subprocess.Popen[bytes]", output: "_Output") -> None:
    """Read what the program writes until it is over, and a moment longer if others still hold its output."""
    assert child.stdout is not None  # noqa: S101 - it was started with a pipe
    async with anyio.create_task_group() as tasks:
        ended = anyio.Event()
        tasks.start_soon(_read, child.stdout, output, ended)
        await to_thread.run_sync(child.wait, abandon_on_cancel=True)
        with anyio.move_on_after(DRAIN):
            await ended.wait()
        tasks.cancel_scope.cancel()


async def _read(pipe: IO[bytes], output: "_Output", ended: anyio.Event) -> None:
    os.set_blocking(pipe.fileno(), False)
    while True:
        await anyio.wait_readable(pipe)
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(pipe.fileno(), _CHUNK)
            if not chunk:
                break
            output.add(chunk)
    ended.set()


async def _end(child: "subprocess.Popen[bytes]") -> None:
    """End what is left of the program's group."""
    if child.poll() is None:
        _signal(child, signal.SIGTERM)
        await _wait(child, POLITE)
    _signal(child, signal.SIGKILL)
    await _wait(child, _LAST)


async def _wait(child: "subprocess.Popen[bytes]", seconds: float) -> None:
    if child.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(child.wait, seconds)


def _signal(child: "subprocess.Popen[bytes]", number: int) -> bool:
    """Send a signal to all that is left of the program's group; tell whether anything is."""
    try:
        # The group has the number of its first process, and keeps it for as long as anybody is in it.
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class _Output:
    """The beginning and the end of what was written."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, chunk: bytes) -> None:
        self._total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    @property
    def left_out(self) -> int:
        return max(self._total - len(self._head) - self._half, 0)

    def text(self) -> str:
        head = bytes(self._head)
        tail = bytes(self._tail[-self._half :])
        if not self.left_out:
            return (head + tail).decode("utf-8", "replace")
        mark = f"\n[... {self.left_out:,} bytes left out ...]\n"
        return f"{head.decode('utf-8', 'ignore')}{mark}{tail.decode('utf-8', 'ignore')}"
