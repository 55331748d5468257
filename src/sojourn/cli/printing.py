"""`sojourn -p`: one question, one answer, and nothing else on stdout. Made for scripts and pipes."""

from typing import Any, Final

import anyio.from_thread
from msgspec.structs import replace

from sojourn.agent import events as ev
from sojourn.agent.agent import MAX_INPUT
from sojourn.agent.cancellation import CancellationToken
from sojourn.cli import diagnostics, output
from sojourn.cli.ending import ended_by_signals
from sojourn.cli.line_mode import on_interrupt
from sojourn.cli.reading import piped_in
from sojourn.cli.screen import JsonScreen, TextScreen
from sojourn.desk.conversation import Conversation
from sojourn.desk.opening import caution, enter, open_conversation
from sojourn.desk.start import Start, again
from sojourn.desk.visible import safe
from sojourn.desk.wording import advice, complaint
from sojourn.errors import ApprovalNeededError, SojournError, outside
from sojourn.model.interrupts import Interrupt
from sojourn.model.usage import Usage

_COMMAND: Final = "sojourn"
_INTERRUPTED: Final = 130
"""What a shell reports of a program that Ctrl-C ended."""
_HALTED: Final = "it stopped before it was done: it asked for tools too often in one turn"


def read_input() -> str:
    """Return what is piped in; of what is too long to be said, more than can be, so that it is refused."""
    return piped_in(MAX_INPUT)


def print_answer(start: Start, *, form: str) -> int:
    """Ask what *start* asks first, print the answer in this *form*, and return the exit code.

    A tool that a human has to allow is not run: the question stays in the session, and the turn is put aside.
    """
    token = CancellationToken()
    answer = _Answer(start, form)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            open_conversation(start, approver=None, when_nobody="leave", note=_note, once=True)
        ) as conversation,
    ):
        portal.call(enter, conversation, start)
        answer.begin(conversation)

        def interrupt() -> None:
            if token.is_cancelled:
                raise KeyboardInterrupt
            token.cancel()

        with on_interrupt(interrupt), ended_by_signals():
            asking = portal.start_task_soon(conversation.say, start.prompt or "", token, answer.take)
            try:
                asking.result()
            except KeyboardInterrupt:
                asking.cancel()
                raise
            except SojournError as error:
                answer.error = error
        return answer.tell(conversation)


class _Answer:
    """What comes of one question. Lives as long as it is worked on."""

    def __init__(self, start: Start, form: str) -> None:
        self.error: SojournError | None = None
        self._start = start
        self._form = form
        self._events = JsonScreen(_COMMAND) if form == "stream-json" else None
        self._asides = TextScreen(verbose=True, answers=False) if form == "text" and start.verbose else None
        self._streams = False
        self._said: list[str] = []
        self._usage = Usage()
        self._cost = 0
        self._unpriced = 0
        self._outcome = "completed"
        self._interrupt: Interrupt | None = None

    def begin(self, conversation: Conversation) -> None:
        """Say what should be known of the model; find out whether all that it says will be the answer."""
        self._streams = self._form == "text" and not conversation.uses_tools
        warning = caution(conversation.choice)
        if warning and self._form == "text":
            diagnostics.note(safe(warning))

    def take(self, event: ev.TurnEvent) -> None:
        """Take in what happens."""
        if self._events is not None:
            self._events.show(event)
        if self._asides is not None:
            self._asides.show(event)
        match event:
            case ev.ContentChunk(text=text):
                self._said.append(text)
                if self._streams:
                    output.write_piece(safe(text))
            case ev.ToolBatchStarted():  # what was said before it was about the work
                self._said.clear()
            case ev.ModelAnswered(usage=usage):
                self._count(usage)
            case ev.SessionWaiting(interrupt=interrupt):
                self._outcome, self._interrupt = "waiting", interrupt
            case ev.SessionCancelled():
                self._outcome = "cancelled"
            case ev.SessionCompleted(halted_at_limit=True):
                self._outcome = "halted"
            case _:
                pass

    def tell(self, conversation: Conversation) -> int:
        """Print what came of it, and return the exit code."""
        session = None if conversation.session is None or self._start.ephemeral else conversation.session.id
        hint = again(session, self._start.store) if session is not None else None
        error = self._trouble(hint)
        if self._form == "text":
            self._tell_person(error, hint)
        else:
            self._tell_program(conversation, error, session, hint)
        if error is not None:
            return outside(error).exit
        return {"cancelled": _INTERRUPTED, "halted": 1}.get(self._outcome, 0)

    def _trouble(self, hint: str | None) -> SojournError | None:
        if self.error is not None or self._interrupt is None:
            return self.error
        error = ApprovalNeededError(self._interrupt.question or "")
        if hint is not None:
            error.add_note(f"{hint} asks you, and goes on")
        return error

    def _tell_person(self, error: SojournError | None, hint: str | None) -> None:
        text = "".join(self._said)
        if self._streams:
            if text and not text.endswith("\n"):
                output.write()
        elif text.strip():
            output.write(safe(text))
        if error is not None:
            diagnostics.complain(complaint(error), hints=advice(error))
        elif self._outcome == "halted":
            diagnostics.complain(_HALTED)
        elif self._outcome == "cancelled":
            diagnostics.note("stopped; what was said is kept")
        if hint is not None:
            diagnostics.note(safe(f"kept; to go on: {hint}"))

    def _tell_program(
        self, conversation: Conversation, error: SojournError | None, session: str | None, hint: str | None
    ) -> None:
        data: dict[str, Any] = {
            "answer": "".join(self._said),
            "outcome": self._outcome if self.error is None else "failed",
            "session_id": session,
            "model": conversation.choice.model,
            "provider": conversation.choice.provider,
            "usage": {
                "input_tokens": self._usage.input_tokens,
                "cache_read_tokens": self._usage.cache_read_tokens,
                "cache_creation_tokens": self._usage.cache_creation_tokens,
                "output_tokens": self._usage.output_tokens,
            },
            "cost_micros": self._cost,
            "currency": "USD",
            "unpriced_calls": self._unpriced,
            "again": hint,
        }
        if self._interrupt is not None:
            data["question"] = self._interrupt.to_dict()
        if self._events is not None:
            data = {"event": "Result", **data}
        if error is None:
            output.write_json(_COMMAND, data)
        else:
            output.write_json_error(_COMMAND, error, hints=advice(error), data=data)

    def _count(self, usage: Usage) -> None:
        total = self._usage
        self._usage = replace(
            total,
            input_tokens=total.input_tokens + usage.input_tokens,
            output_tokens=total.output_tokens + usage.output_tokens,
            cache_creation_tokens=total.cache_creation_tokens + usage.cache_creation_tokens,
            cache_read_tokens=total.cache_read_tokens + usage.cache_read_tokens,
        )
        self._cost += usage.cost_micros or 0
        self._unpriced += usage.cost_micros is None


def _note(text: str) -> None:
    diagnostics.note(safe(text))
