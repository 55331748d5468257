"""Child processes to kill.

They are forked from a server that has Sojourn imported and nothing opened, so that one more costs some milliseconds.
A child talks through a pipe; what goes wrong in it becomes an error in the test.
"""

import multiprocessing
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "__main__",
        "anthropic",
        "openai",
        "sojourn.engine.session",
        "sojourn.store.files.store",
        "sojourn.store.sql.postgres_driver",
        "sojourn.store.sql.sqlite_driver",
        "sojourn.store.sql.store",
        "tests.faults.warm",
    ]
)


class Failure(NamedTuple):
    """What a child says when it ends with an error."""

    report: str


class Child:
    """A process that runs *target* with its end of a pipe and *arguments*."""

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        self._pipe, theirs = FORKS.Pipe()
        self._process = FORKS.Process(target=_run, args=(target, theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def send(self, message: object) -> None:
        self._pipe.send(message)

    def receive(self) -> Any:
        """Return the next message, waiting for it.

        Raises:
            EOFError: the child has ended and everything it said was received.
        """
        try:
            message = self._pipe.recv()
        except ConnectionResetError as error:
            raise EOFError from error
        if isinstance(message, Failure):
            raise AssertionError(f"the child failed:\n{message.report}")
        return message

    def listen(self, seconds: float) -> Iterator[Any]:
        """Yield the messages of the next *seconds*."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and self._pipe.poll(left):
            try:
                yield self.receive()
            except EOFError:
                return

    def rest(self) -> Iterator[Any]:
        """Yield the messages until the child's end of the pipe is closed."""
        while True:
            try:
                yield self.receive()
            except EOFError:
                return

    def kill(self) -> None:
        """End the child as the operating system does when it must: no handler, no clean-up."""
        self._process.kill()

    def join(self) -> int | None:
        """Wait for the child's end and return its exit code; minus the signal if one ended it."""
        self._process.join()
        self._pipe.close()
        return self._process.exitcode


@contextmanager
def children(count: int, target: Callable[..., None], *arguments: Any) -> Iterator[list[Child]]:
    """Start *count* children, which get their number as their last argument; end those that are left."""
    started = [Child(target, *arguments, number) for number in range(count)]
    try:
        yield started
    finally:
        for child in started:
            child.kill()
            child.join()


def _run(target: Callable[..., None], pipe: Connection, *arguments: Any) -> None:
    try:
        target(pipe, *arguments)
    except BaseException:  # noqa: BLE001 - becomes an error of the test
        pipe.send(Failure(traceback.format_exc()))
        raise SystemExit(1) from None
