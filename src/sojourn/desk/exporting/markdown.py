"""A session as Markdown, to be read on GitHub or in any editor.

What a message says is Markdown already, and is left so. It cannot reach beyond itself: a fence that it leaves open is
closed behind it, and HTML in it is text.
"""

import re
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Final

import msgspec

from sojourn.desk.exporting.source import Source
from sojourn.desk.legible import legible
from sojourn.desk.wording import count, money, one_line
from sojourn.model.events import Compacted, SessionForked
from sojourn.model.message import MediaPart, Message, Part, TextPart, ThinkingPart, ToolCall

_FENCE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])(?!https?://)")
_TICKS: Final = re.compile(r"`{3,}")
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|])")
_SAYING: Final = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


async def markdown(source: Source) -> AsyncIterator[str]:
    """Yield the document piece by piece."""
    yield "\n".join(_opening(source))
    names: dict[str, str] = {}
    async for entry in source.entries():
        match entry.event:
            case Compacted(summary=""):
                yield "\n\n---\n\n*Cleared: from here on, a model sees nothing of what is above.*"
            case Compacted(summary=summary):
                note = "*Compacted: from here on, a summary stands for what is above.*"
                yield f"\n\n---\n\n{note}\n\n{_folded('the summary', contained(source.redactor.text(summary)))}"
            case SessionForked(forked_from=parent, at=at):
                yield f"\n\n---\n\n*Forked from `{parent}` after its entry {at}.*"
        message = source.message(entry)
        if message is not None:
            names.update({call.id: call.name for call in message.tool_calls})
            told = list(_said(message, source, names))
            if told:
                yield "\n\n".join(["\n", _heading(message, entry.at, entry.seq), *told])
    yield "\n"


def _opening(source: Source) -> Iterator[str]:
    header = source.header
    yield f"# {escaped(source.title)}"
    yield ""
    facts = [count(header.message_count, "message"), f"{moment(header.created_at)} to {moment(header.updated_at)} UTC"]
    facts += [f"{header.total_tokens:,} tokens", money(header.cost_micros)] if header.total_tokens else []
    facts += [f"#{escaped(source.redactor.again(tag))}" for tag in header.tags]
    yield " · ".join([f"Session `{header.session_id}`", *facts])


def _heading(message: Message, at: datetime, seq: int) -> str:
    who = _SAYING[message.role]
    name = f" ({escaped(one_line(legible(message.name), 40))})" if message.name and message.role != "tool" else ""
    marks = [mark for mark, is_so in ((" · cut off", message.partial), (" · failed", message.error)) if is_so]
    return f"## {who}{name}\n\n<sub>{moment(at)} · entry {seq}{''.join(marks)}</sub>"


def _said(message: Message, source: Source, names: dict[str, str]) -> Iterator[str]:
    if message.role == "tool":
        if source.tools == "full":
            name = message.name or names.get(message.tool_call_id or "") or "a tool"
            yield _folded(f"result of {one_line(legible(name), 60)}", _fenced(_plain(message)))
        return
    for part in parts_of(message):
        yield from _part(part, source)
    for call in message.tool_calls:
        if source.tools == "names":
            yield f"*called* `{_code(call.name)}`"
        elif source.tools == "full":
            yield _folded(f"calls {one_line(legible(call.name), 60)}", _fenced(arguments_of(call), "json"))


def _part(part: Part, source: Source) -> Iterator[str]:
    match part:
        case TextPart(text=text):
            if text.strip():
                yield contained(text)
        case ThinkingPart(text=text):
            if source.tools == "full" and text.strip():
                yield _folded("thinking", contained(text))
        case MediaPart():
            yield f"*({_code(part.media_type)}: {escaped(one_line(legible(part.name or part.url or 'inline'), 200))})*"
        case _:
            if source.tools == "full":
                yield _folded("data", _fenced(msgspec.json.encode(part.data).decode(), "json"))


def parts_of(message: Message) -> tuple[Part, ...]:
    """Return what a message is made of; one of plain text is one part."""
    return (TextPart(text=message.content),) if isinstance(message.content, str) else message.content


def arguments_of(call: ToolCall) -> str:
    """Return what a tool was called with, as people read it."""
    if call.arguments_text is not None:
        return call.arguments_text
    return msgspec.json.format(msgspec.json.encode(call.arguments), indent=2).decode()


def moment(at: datetime) -> str:
    """Return a time to the minute."""
    return f"{at:%Y-%m-%d %H:%M}"


def contained(text: str) -> str:
    """Return Markdown that ends where it ends: no fence stays open, and no HTML begins."""
    lines, fence = [], ""
    for line in legible(text).strip("\n").split("\n"):
        found = _FENCE.fullmatch(line)
        if found is not None and not fence and not ("`" in found["info"] and found["mark"][0] == "`"):
            fence = found["mark"]
        elif found is not None and fence and _closes(found, fence):
            fence = ""
        lines.append(line if fence else _without_tags(line))
    return "\n".join([*lines, fence] if fence else lines)


def _closes(found: re.Match[str], fence: str) -> bool:
    return found["mark"][0] == fence[0] and len(found["mark"]) >= len(fence) and not found["info"].strip()


def _without_tags(line: str) -> str:
    """Return a line with its tags as text, but for those within `code`."""
    pieces = line.split("`")
    return "`".join(piece if number % 2 else _TAG.sub("&lt;", piece) for number, piece in enumerate(pieces))


def escaped(text: str) -> str:
    """Return *text* as Markdown that shows it, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(legible(text).split()))


def _code(text: str) -> str:
    return legible(text).replace("`", "'")


def _plain(message: Message) -> str:
    texts = [part.text if isinstance(part, TextPart) else "" for part in parts_of(message)]
    return "\n".join(text for text in texts if text) or "(no output)"


def _fenced(text: str, language: str = "") -> str:
    shown = legible(text)
    longest = max((len(run) for run in _TICKS.findall(shown)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def _folded(summary: str, body: str) -> str:
    shown = summary.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{shown}</summary>\n\n{body}\n\n</details>"
