"""A chat line by line, on a terminal or from a pipe.

The person's side runs on the main thread, because that is where a terminal is read and Ctrl-C arrives; the engine works
in an event loop on another, and goes on (learning, indexing) while the person types.
"""

import concurrent.futures
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Final

from anyio.from_thread import BlockingPortal

from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.permissions.verdicts import Approval
from sojourn.cli import diagnostics
from sojourn.cli.asking import Asking
from sojourn.cli.ending import Ended
from sojourn.cli.screen import Screen
from sojourn.desk import slash_commands
from sojourn.desk.conversation import Conversation, Show
from sojourn.errors import SojournError, outside
from sojourn.model.interrupts import Interrupt

PROMPT: Final = "> "
MORE: Final = ". "
ASK: Final = "? "
_ANSWERS: Final = {
    "y": (Approval.ONCE, "yes, once"),
    "n": (Approval.NO, "no"),
    "f": (Approval.FILE, "this file from now on"),
    "d": (Approval.FOLDER, "this folder from now on"),
    "s": (Approval.SESSION, "always in this session"),
    "a": (Approval.APPROVE_ALL, "all that this turn asks"),
    "x": (Approval.DENY_ALL, "nothing that this turn asks"),
}
"""What a person can type, what that means, and how it is called."""
_GO_ON: Final = "/go"
_LEAVE: Final = frozenset({"exit", "quit", "bye", ";", "/exit", "/quit"})
_INTERRUPTED: Final = 130
"""What a shell reports of a program that Ctrl-C ended."""

Turn = Callable[[CancellationToken, Show], Awaitable[None]]


class LineMode:
    """Reads what a person says and shows what the model answers, until he leaves. Lives that long."""

    def __init__(
        self, portal: BlockingPortal, conversation: Conversation, screen: Screen, *, asking: Asking | None = None
    ) -> None:
        """Talk in *conversation*, which lives in *portal*; *asking* brings what it has to ask."""
        self._portal = portal
        self._conversation = conversation
        self._screen = screen
        self._asking = asking or Asking()
        self._by_hand = sys.stdin.isatty()
        self._is_asking = False
        self._code = 0

    def run(self, first: str | None = None) -> int:
        """Talk until the input ends or the person leaves; return the exit code. *first* is said at once.

        Somebody who types has seen what went wrong, so leaving is no failure; a script is told.
        """
        if self._by_hand:
            _edit_lines()
            diagnostics.note("/help lists what there is beside talking; exit leaves")
        said = first is not None
        try:
            if self._portal.call(self._conversation.is_cut_off):
                diagnostics.note(f"the last turn was cut off; {_GO_ON} goes on with it")
            if first is not None:
                self._take(first)
            while (line := self._read()) is not None and line.lower() not in _LEAVE:
                if line:
                    said = True
                    self._take(line)
        except Ended as end:
            return end.code
        except KeyboardInterrupt:
            return _INTERRUPTED
        if not said and not self._by_hand:
            diagnostics.note("nothing came in: each line of the input is a message, as in: echo Hello | sojourn chat")
        return self._code

    def _take(self, line: str) -> None:
        """Do what a line asks for. What goes wrong is told, and the chat goes on."""
        try:
            if line.lower() == _GO_ON:
                self._work(self._conversation.go_on)
            elif slash_commands.is_command(line, self._conversation):
                self._command(line)
            else:
                self._work(partial(self._conversation.say, line))
        except SojournError as error:
            self._screen.complain(error)
            self._code = 0 if self._by_hand else outside(error).exit

    def _command(self, line: str) -> None:
        running = self._portal.start_task_soon(slash_commands.run, self._conversation, line)
        with on_interrupt(running.cancel):
            try:
                self._screen.lines(line, running.result())
            except concurrent.futures.CancelledError:
                diagnostics.note("stopped")
            except Ended:
                running.cancel()
                raise

    def _work(self, turn: Turn) -> None:
        """Take a turn and show the answer. Ctrl-C stops it; a second one, before it has stopped, leaves."""
        token = CancellationToken()

        def interrupt() -> None:
            if token.is_cancelled or self._is_asking:
                raise KeyboardInterrupt
            token.cancel()

        with on_interrupt(interrupt):
            answering = self._portal.start_task_soon(turn, token, self._screen.show)
            try:
                self._asking.serve(answering, lambda question: self._ask(question, token))
            except KeyboardInterrupt:
                answering.cancel()
                raise
            finally:
                self._screen.end_answer()

    def _ask(self, interrupt: Interrupt, token: CancellationToken) -> Approval:
        """Return what the person says to a question. Ctrl-C stops the whole answer; whatever is unclear is a no."""
        offered = {
            key: (option, text) for key, (option, text) in _ANSWERS.items() if option in interrupt.data["options"]
        }
        self._screen.ask(interrupt, " · ".join(f"{key} {text}" for key, (_, text) in offered.items()))
        self._is_asking = True
        try:
            said = self._typed(ASK).strip().lower()
        except EOFError:
            said = ""
        except Ended:
            raise
        except KeyboardInterrupt:
            said = ""
            token.cancel()
        finally:
            self._is_asking = False
        return offered[said[:1]][0] if said[:1] in offered else Approval.NO

    def _read(self) -> str | None:
        """Return the next line; None at the end of the input, or after Ctrl-C twice."""
        interrupted = False
        while True:
            try:
                line = self._typed_whole() if self._by_hand else sys.stdin.readline()
            except EOFError:
                diagnostics.note("")
                return None
            except Ended:
                raise
            except KeyboardInterrupt:
                if not self._by_hand:
                    raise
                if interrupted:
                    return None
                interrupted = True
                diagnostics.note("\nCtrl-C again leaves; so do Ctrl-D and exit")
                continue
            return line.strip() if line or self._by_hand else None

    def _typed_whole(self) -> str:
        """Return what the person types, with further lines as long as one ends with a backslash."""
        line = self._typed(PROMPT)
        while line.endswith("\\"):
            line = f"{line[:-1]}\n{self._typed(MORE)}"
        return line

    def _typed(self, prompt: str) -> str:
        if sys.stdout.isatty():
            return input(prompt)
        diagnostics.prompt(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.removesuffix("\n")


@contextlib.contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """Call *act* at each Ctrl-C while the body runs."""
    before = signal.signal(signal.SIGINT, lambda *_: act())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _edit_lines() -> None:
    """Let a line be edited while it is typed, where the system can do that."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - to import it is to use it, and not every system has it
