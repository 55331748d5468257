"""What a program says beside the protocol. Its last lines tell why it did not start; the rest is dropped.

A pipe of our own takes it, so that it neither spoils the screen nor fills a disk.
"""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, TextIO

import anyio

KEPT: Final = 4_096


class LastWords:
    """The end of what a program said. Lives as long as the program.

    Attributes:
        into: where the program writes.
    """

    def __init__(self, into: TextIO, source: int | None) -> None:
        self.into = into
        self._source = source
        self._kept = b""

    def __repr__(self) -> str:
        return f"LastWords({self.line!r})"

    @property
    def line(self) -> str:
        """The last line that is not empty; empty if nothing was said."""
        self._read()
        lines = [line.strip() for line in self._kept.decode(errors="replace").splitlines()]
        return next((line for line in reversed(lines) if line), "")

    async def take(self) -> None:
        """Take what comes, until cancelled, so that the program never waits for a reader."""
        while self._source is not None:
            await anyio.wait_readable(self._source)
            self._read()

    def end(self) -> None:
        """Take what is still there. What the program says from now on is lost."""
        self._read()
        self._source = None

    def _read(self) -> None:
        while self._source is not None:
            try:
                piece = os.read(self._source, KEPT)
            except BlockingIOError:
                return
            if not piece:
                return
            self._kept = (self._kept + piece)[-KEPT:]


@asynccontextmanager
async def last_words() -> AsyncGenerator[LastWords, None]:
    """Listen to what a program says, from now to the end of the block."""
    if sys.platform == "win32":  # the event loop there cannot wait for a pipe
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230, PTH123 - a device, it never blocks
            yield LastWords(nowhere, None)
        return
    source, target = os.pipe()
    os.set_blocking(source, False)
    try:
        with os.fdopen(target, "w", encoding="utf-8") as into:
            words = LastWords(into, source)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(words.take)
                try:
                    yield words
                finally:
                    tasks.cancel_scope.cancel()
                    words.end()
    finally:
        os.close(source)
