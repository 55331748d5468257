"""The system ends a chat, or its terminal goes: it is left as with Ctrl-C, so that all that was heard is kept."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

_SIGNALS: Final = ("SIGTERM", "SIGHUP")
_BY_SIGNAL: Final = 128
"""A shell reports so much more than the signal that ended a program."""
TERMINAL_GONE: Final = _BY_SIGNAL + 1


class Ended(KeyboardInterrupt):
    """The program was told to end; *code* is what to end with."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = _BY_SIGNAL + number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise `Ended` in the body, which runs on the main thread, at the first such signal. The second ends at once.

    Who started the program with a signal ignored, as nohup does, wants it to go on.
    """
    known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known if signal.getsignal(number) != signal.SIG_IGN}

    def end(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - whatever it was at
        for one in before:
            signal.signal(one, signal.SIG_DFL)
        raise Ended(number)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
