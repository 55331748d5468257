"""A log as Markdown that its content cannot break out of.

Whatever somebody said stands in a fence that is longer than any run of backticks in it; so it is never a heading, a
link or HTML, and cannot look like a message of somebody else. Names that stand outside a fence are made harmless.
"""

import re
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from sojourn.agent.logs.cleaning import shown
from sojourn.agent.logs.storage import EventRow, MessageRow

LONGEST_RESULT: Final = 2_000
CUT: Final = "... (truncated)"
_LONGEST_NAME: Final = 100
_LONGEST_VALUE: Final = 200
_TICKS: Final = re.compile(r"`+")
_NOT_IN_A_NAME: Final = re.compile(r"[^\w.:/-]")
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>&~|])")
_TITLES: Final = {"system": "System", "user": "User", "assistant": "Assistant"}


def context_header(started: datetime) -> str:
    """Return how `context.md` begins."""
    return f"# Session Log\n\nStarted: {started:%Y-%m-%d %H:%M:%S} UTC\n"


def verbose_header(started: datetime) -> str:
    """Return how `verbose.md` begins."""
    return f"# Verbose Log\n\nStarted: {started:%Y-%m-%d %H:%M:%S} UTC\n"


def message_text(row: MessageRow) -> str:
    """Return a message as a section of `context.md`."""
    if row.role == "tool":
        outcome = "error" if "error" in row.flags else "success"
        whole = shown(row.content)
        text = whole if len(whole) <= LONGEST_RESULT else f"{whole[:LONGEST_RESULT]}{CUT}"
        return f"\n### Tool Result: {_name(row.name or 'unknown')} ({outcome})\n\n{_fenced(text)}"
    at = "" if row.role == "system" else f" [{_time(row.timestamp)}]"
    note = " (cut off)" if "partial" in row.flags else ""
    parts = [f"\n## {_TITLES[row.role]}{at}{note}\n"]
    if row.content or not row.tool_calls:
        parts.append(f"\n{_fenced(shown(row.content))}")
    if row.tool_calls:
        parts.append("\n### Tool Calls\n")
        parts += map(_call, msgspec.json.decode(row.tool_calls, type=list[dict[str, Any]]))
    return "".join(parts)


def event_text(row: EventRow) -> str:
    """Return an event as a paragraph of `verbose.md`."""
    data, at = row.data, _time(row.timestamp)
    match row.event_type:
        case "thinking":
            return f"\n### Thinking [{at}]\n\n{_fenced(shown(str(data.get('content', ''))))}"
        case "timing":
            metadata = data.get("metadata", {})
            pairs = metadata.items() if isinstance(metadata, dict) else [("metadata", metadata)]
            told = ", ".join(f"{_name(key)}={_value(value)}" for key, value in pairs)
            operation = _name(str(data.get("operation", "")))
            return f"\n**{operation}** [{at}]: {data.get('duration_ms', 0):.1f}ms{f' ({told})' if told else ''}\n"
        case "token_usage":
            numbers = ", ".join(f"{key}={_value(value)}" for key, value in data.items() if key != "seq")
            return f"\n**Tokens** [{at}]: {numbers}\n"
        case other:
            told = ", ".join(f"{_name(key)}={_value(value)}" for key, value in data.items() if key != "seq")
            return f"\n**{_name(other)}** [{at}]: {told}\n"


def _call(call: dict[str, Any]) -> str:
    arguments = call.get("arguments_text")
    text = arguments if arguments is not None else msgspec.json.format(msgspec.json.encode(call["arguments"])).decode()
    return f"\n**{_name(call['name'])}**\n\n{_fenced(shown(text), 'json')}"


def _fenced(text: str, language: str = "") -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}\n"


def _name(text: str) -> str:
    """Return a name on one line, of which nothing is markup."""
    return _NOT_IN_A_NAME.sub("?", shown(text)[:_LONGEST_NAME]) or "?"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return _MARKUP.sub(r"\\\1", " ".join(shown(text).split())[:_LONGEST_VALUE])


def _time(timestamp: float) -> str:
    return f"{datetime.fromtimestamp(timestamp, UTC):%H:%M:%S}"
