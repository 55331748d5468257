"""Any stretch of any history, made into one that every provider accepts.

Whatever was cut off, cancelled, interrupted or lost: each call has its result right behind it, in the order of the
calls; no result is without its call; nothing is empty; and the first message is the user's. What is made up says so.
"""

from collections.abc import Iterable, Sequence, Set
from typing import Final

from sojourn.context.talk import Line
from sojourn.model.message import Message, TextPart, ThinkingPart, ToolCall

CANCELLED: Final = "Cancelled by user: tool execution was interrupted"
"""The result of a call that has none."""
TURN_CANCELLED: Final = "Previous turn was cancelled after tool execution."
"""What the assistant says where a turn ended after its tools and before an answer."""
CONTINUED: Final = "(The conversation goes on.)"
"""What the user says where a history begins without him."""


def made_valid(lines: Sequence[Line]) -> list[Line]:
    """Return *lines* as a talk that every provider accepts; the last line may be a tool's result."""
    if is_valid(lines):
        return [*lines]
    talk = [line for line in lines if not _is_empty(line.message)]
    if not is_valid(talk, begun=True):
        talk = _answered(_with_results(talk))
    first = next((place for place, line in enumerate(talk) if line.message.role != "system"), len(talk))
    if first < len(talk) and talk[first].message.role != "user":
        talk.insert(first, Line(message=Message(role="user", content=CONTINUED)))
    return talk


def is_valid(
    lines: Sequence[Line], *, called: Set[str] = frozenset(), begun: bool = False, after_tool: bool = False
) -> bool:
    """Tell whether nothing needs to be done about *lines*; nearly always it is so.

    They may stand behind a valid talk that *called* tools before, had *begun*, and ended *after_tool*.
    """
    waiting: list[str] = []
    made: set[str] = set()
    for line in lines:
        message = line.message
        role = message.role
        if role == "tool":
            if not waiting or waiting.pop(0) != message.tool_call_id:
                return False
            after_tool = True
            continue
        if waiting or (role == "user" and after_tool) or (role == "assistant" and not begun):
            return False
        begun, after_tool = begun or role == "user", False
        if message.tool_calls:
            waiting = [call.id for call in message.tool_calls]
            known = len(made)
            made.update(waiting)
            if len(made) != known + len(waiting) or not called.isdisjoint(waiting):
                return False
        elif _is_empty(message):
            return False
    return not waiting


def problems(messages: Sequence[Message]) -> list[str]:
    """Return what a provider would refuse; nothing, for whatever `made_valid` returned."""
    found: list[str] = []
    waiting: list[str] = []
    seen: set[str] = set()
    talk = [message for message in messages if message.role != "system"]
    if talk and talk[0].role != "user":
        found.append(f"the first message is the {talk[0].role}'s")
    for number, message in enumerate(talk, 1):
        if _is_empty(message):
            found.append(f"message {number} is empty")
        if message.role == "tool":
            if not waiting or message.tool_call_id != waiting[0]:
                found.append(
                    f"message {number} is the result of {message.tool_call_id}, which was not called just before"
                )
            else:
                waiting.pop(0)
            continue
        if waiting:
            found.append(f"message {number} comes before the results of {', '.join(waiting)}")
        waiting = [call.id for call in message.tool_calls]
        found += [f"message {number} calls {name} again" for name in waiting if name in seen]
        seen.update(waiting)
    if waiting:
        found.append(f"the results of {', '.join(waiting)} are missing")
    return found


def _with_results(lines: Sequence[Line]) -> list[Line]:
    """Put behind each call the results that it has, wherever they stand, and make up those that are missing."""
    results: dict[str, Line] = {}
    for line in lines:
        if line.message.role == "tool" and line.message.tool_call_id is not None:
            results.setdefault(line.message.tool_call_id, line)
    talk: list[Line] = []
    called: set[str] = set()
    for line in lines:
        if line.message.role == "tool":
            continue
        calls = _new_calls(line.message.tool_calls, called)
        if len(calls) != len(line.message.tool_calls):
            line = _with_calls(line, calls)  # noqa: PLW2901 - the same call twice is one call
            if _is_empty(line.message):
                continue
        talk.append(line)
        called.update(call.id for call in calls)
        talk += [results.get(call.id) or _made_up(call) for call in calls]
    return talk


def _new_calls(calls: Iterable[ToolCall], called: set[str]) -> tuple[ToolCall, ...]:
    return tuple({call.id: call for call in calls if call.id not in called}.values())


def _with_calls(line: Line, calls: tuple[ToolCall, ...]) -> Line:
    message = Message(
        role=line.message.role, content=line.message.content, tool_calls=calls, name=line.message.name,
        partial=line.message.partial, model=line.message.model,
    )  # fmt: skip
    return Line(message=message, seq=line.seq)


def _made_up(call: ToolCall) -> Line:
    return Line(message=Message(role="tool", content=CANCELLED, tool_call_id=call.id, name=call.name, error=True))


def _answered(lines: Sequence[Line]) -> list[Line]:
    """Let the assistant say something wherever the user speaks right after tools did."""
    talk: list[Line] = []
    for line in lines:
        if line.message.role == "user" and talk and talk[-1].message.role == "tool":
            talk.append(Line(message=Message(role="assistant", content=TURN_CANCELLED)))
        talk.append(line)
    return talk


def _is_empty(message: Message) -> bool:
    """Tell whether a message holds nothing that a provider accepts; a tool may return nothing."""
    if isinstance(message.content, str) and message.content and not message.content.isspace():
        return False
    if message.role == "tool" or message.tool_calls:
        return False
    if isinstance(message.content, str):
        return True
    texts = [part for part in message.content if isinstance(part, TextPart | ThinkingPart)]
    if len(texts) < len(message.content):
        return False
    # Thinking alone is no answer.
    return not any(part.text.strip() for part in texts if isinstance(part, TextPart))
