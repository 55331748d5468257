"""What goes wrong in the background while a person talks, told in a line.

The engine writes it to its log, for programs. A person is told what it was, once, and not where in the code.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from sojourn.desk.wording import one_line

_LOGGER: Final = "sojourn"
_MOST: Final = 300


class _Overheard(logging.Handler):
    """Hands each warning to *note*, on the thread of *loop*. Lives as long as a chat."""

    def __init__(self, note: Callable[[str], None], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(logging.WARNING)
        self._note = note
        self._loop = loop
        self._thread = threading.get_ident()
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = one_line(record.getMessage(), _MOST)
        if text in self._told:
            return
        self._told.add(text)
        if threading.get_ident() == self._thread:
            self._tell(text)
        else:
            self._loop.call_soon_threadsafe(self._tell, text)

    def _tell(self, text: str) -> None:
        with suppress(OSError):  # whoever cannot be told goes on working
            self._note(text)


@contextmanager
def overheard(note: Callable[[str], None]) -> Iterator[None]:
    """Let *note* hear what goes wrong in the background. It is entered on the thread of a running event loop."""
    logger, handler = logging.getLogger(_LOGGER), _Overheard(note, asyncio.get_running_loop())
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
