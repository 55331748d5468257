"""How a chat looks: as text for people, or as JSON for programs.

Answers are results and go to stdout; everything about them goes to stderr. Whatever a model, a tool or a user wrote
passes through `safe`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final, Protocol

import click
import msgspec

from sojourn.agent import events as ev
from sojourn.cli import diagnostics
from sojourn.cli.output import write, write_json, write_json_error, write_piece
from sojourn.desk.visible import safe
from sojourn.desk.wording import advice, complaint, one_line
from sojourn.errors import SojournError
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import ToolCall

_ARGUMENTS: Final = 60
"""Characters of a call's arguments that are shown."""
_LINE: Final = 200
"""Characters of what went wrong, or of a question, that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a chat begins with: the model and why that one, where sessions are kept, and which one goes on, if any.

    *caution* is what one should know of the model.
    """

    model: str
    provider: str
    why: str
    location: str
    caution: str = ""
    session_id: str | None = None
    welcome: tuple[str, ...] = ()


class Screen(Protocol):
    """Shows what happens in a chat."""

    def begin(self, opening: Opening) -> None:
        """Say what is about to happen."""
        ...

    def leave(self, session_id: str, again: str) -> None:
        """Say which session was kept, and what goes on with it."""
        ...

    def show(self, event: ev.TurnEvent) -> None:
        """Show an event of a turn."""
        ...

    def ask(self, interrupt: Interrupt, choices: str) -> None:
        """Show a question to the person, and what can be answered."""
        ...

    def end_answer(self) -> None:
        """Note that a turn is over, however it ended."""
        ...

    def lines(self, command: str, lines: Sequence[str]) -> None:
        """Show what a command has to say."""
        ...

    def complain(self, error: SojournError) -> None:
        """Say in one sentence what went wrong."""
        ...


class TextScreen:
    """For people. Lives as long as the chat."""

    def __init__(self, *, verbose: bool = False, answers: bool = True) -> None:
        """Show what is done for answers; if *verbose*, also what is thought, and what tools put out.

        Without *answers*, somebody else shows those.
        """
        self._verbose = verbose
        self._answers = answers
        self._in_line = False
        self._calls: dict[str, ToolCall] = {}

    def begin(self, opening: Opening) -> None:
        who = f"{opening.model} ({opening.provider}), because {opening.why}"
        diagnostics.note(safe(f"{who}; sessions are kept in {opening.location}"))
        for line in (opening.caution, *opening.welcome):
            if line:
                diagnostics.note(_dim(line))

    def leave(self, session_id: str, again: str) -> None:  # noqa: ARG002 - a program wants the id, people the command
        diagnostics.note(_dim(f"kept; to go on: {again}"))

    def show(self, event: ev.TurnEvent) -> None:
        match event:
            case ev.ContentChunk(text=text) if text and self._answers:
                write_piece(safe(text))
                self._in_line = not text.endswith("\n")
            case ev.ReasoningStarted():
                self._aside("thinking ...")
            case ev.ToolBatchStarted(tool_calls=calls):
                self._calls = {call.id: call for call in calls}
            case ev.ToolStarted(name=name, tool_id=tool_id):
                self._aside(f"▸ {name}{_arguments(self._calls.get(tool_id))}")
            case ev.ToolCompleted(name=name, success=False, error=error):
                self._aside(f"▸ {name} failed: {one_line(error, most=_LINE)}")
            case ev.ModelAnswered(message=message) if not message.text.strip() and not message.tool_calls:
                self._aside("it said nothing")
            case ev.ContextCompacted(notice=notice):
                self._aside(notice)
            case ev.SessionWaiting(interrupt=interrupt):
                self._aside(f"it waits for an answer: {one_line(interrupt.question or '', most=_LINE)}")
            case ev.SessionCancelled():
                self._aside("stopped; what was said is kept")
            case ev.SessionCompleted(halted_at_limit=True):
                self._aside("stopped: it asked for tools too often in one turn")
            case _ if self._verbose:
                self._show_more(event)
            case _:
                pass

    def _show_more(self, event: ev.TurnEvent) -> None:
        """Show what only some want to see: what the model thinks, and what tools put out."""
        match event:
            case ev.ReasoningChunk(text=text):
                diagnostics.prompt(_dim(text))
            case ev.ReasoningEnded():
                diagnostics.note("")
            case ev.ToolCompleted(output=output) if output:
                # Indented in every line, so that nothing in it can pass for the program's own words.
                self._aside("  " + output.replace("\n", "\n    "))
            case _:
                pass

    def ask(self, interrupt: Interrupt, choices: str) -> None:
        self.end_answer()
        _ask(interrupt, choices)

    def end_answer(self) -> None:
        if self._in_line:
            write()
        self._in_line = False

    def lines(self, command: str, lines: Sequence[str]) -> None:  # noqa: ARG002 - a program wants to know which
        for line in lines:
            write(safe(line))

    def complain(self, error: SojournError) -> None:
        self.end_answer()
        diagnostics.complain(complaint(error), hints=advice(error))

    def _aside(self, text: str) -> None:
        self.end_answer()
        diagnostics.note(_dim(f"  {text}"))


class JsonScreen:
    """For programs: one JSON object in each line, of the shape that every command's has."""

    def __init__(self, command: str = "chat") -> None:
        """Say in each object that it comes from *command*."""
        self._command = command

    def begin(self, opening: Opening) -> None:
        write_json(self._command, {"event": "ChatStarted", **asdict(opening)})

    def leave(self, session_id: str, again: str) -> None:
        write_json(self._command, {"event": "ChatEnded", "session_id": session_id, "again": again})

    def show(self, event: ev.TurnEvent) -> None:
        write_json(self._command, event.to_dict())

    def ask(self, interrupt: Interrupt, choices: str) -> None:
        _ask(interrupt, choices)

    def end_answer(self) -> None:
        """Do nothing: each line stands alone."""

    def lines(self, command: str, lines: Sequence[str]) -> None:
        write_json(self._command, {"event": "Command", "command": command, "lines": list(lines)})

    def complain(self, error: SojournError) -> None:
        write_json_error(self._command, error, hints=advice(error))


def _ask(interrupt: Interrupt, choices: str) -> None:
    """Write a question where the person sees it, whoever reads the answers: with all that the tool would be given."""
    for name, value in interrupt.data.get("arguments", {}).items():
        written = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        # Indented in every line, so that nothing in it can pass for the question.
        diagnostics.note(_dim(f"  {name}: {written}".replace("\n", "\n    ")))
    diagnostics.note(safe(interrupt.question or "May it?"))
    diagnostics.note(_dim(choices))


def _dim(text: str) -> str:
    return click.style(safe(text), dim=True)


def _arguments(call: ToolCall | None) -> str:
    if call is None or not (call.arguments or call.arguments_text):
        return "()"
    written = call.arguments_text or ", ".join(
        f"{name}={msgspec.json.encode(value).decode()}" for name, value in call.arguments.items()
    )
    return f"({one_line(written, most=_ARGUMENTS)})"
