"""How each item of a talk looks. A view is made once and not laid out again: that is what keeps a long talk quick."""

from typing import Final

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text
from textual.widgets import Static

from sojourn.desk.visible import safe
from sojourn.desk.wording import count, one_line
from sojourn.model.message import MediaPart, Message, ThinkingPart, ToolCall
from sojourn.tui.chat.items import Item

_MOST: Final = 20_000
"""Characters of one message that are drawn; the rest is told."""
_MOST_WHOLE: Final = 400_000
"""The same where somebody asked for all of it."""
_ARGUMENTS: Final = 100
_NAMES: Final = {"user": "❯", "assistant": "●", "tool": "▹", "system": "⚙", "compaction": "⊟", "note": "·"}


class ItemView(Static):
    """One item. *verbose* shows thinking, arguments and what tools gave back."""

    def __init__(self, item: Item, *, verbose: bool = False) -> None:
        super().__init__(_drawn(item, verbose=verbose), markup=False, classes=f"item {item.kind}")
        self.item = item
        self.is_verbose = verbose

    def show_details(self, *, verbose: bool) -> None:
        """Show more of the item, or less."""
        if verbose != self.is_verbose:
            self.is_verbose = verbose
            self.update(_drawn(self.item, verbose=verbose))


def call_line(call: ToolCall, *, whole: bool = False) -> str:
    """Return a tool call in one line."""
    written = call.arguments_text or ", ".join(
        f"{name}={msgspec.json.encode(value).decode()}" for name, value in call.arguments.items()
    )
    return safe(f"▸ {one_line(call.name)}({written if whole else one_line(written, most=_ARGUMENTS)})")


def _drawn(item: Item, *, verbose: bool) -> RenderableType:
    message = item.message
    match item.kind:
        case "assistant" if message is not None:
            return _answer(message, verbose=verbose)
        case "tool" if message is not None:
            return _result(message, verbose=verbose)
        case "compaction":
            return _compaction(item, verbose=verbose)
        case "note":
            return Text(f"· {safe(item.text)}", style="dim")
        case _:
            return Group(*_media(message), Text(f"{_NAMES[item.kind]} {_cut(safe(item.text), verbose=verbose)}"))


def _answer(message: Message, *, verbose: bool) -> RenderableType:
    parts: list[RenderableType] = []
    if verbose and not isinstance(message.content, str):
        thoughts = [part.text for part in message.content if isinstance(part, ThinkingPart)]
        parts += [Text(_cut(safe(text), verbose=True), style="dim italic") for text in thoughts]
    if message.text.strip():
        from rich.markdown import Markdown  # noqa: PLC0415 - much to load, for a talk with answers

        parts.append(Markdown(_cut(safe(message.text), verbose=verbose), hyperlinks=False))
    if message.partial:
        parts.append(Text("… cut off", style="dim"))
    parts += [Text(call_line(call, whole=verbose), style="dim") for call in message.tool_calls]
    return Group(*_media(message), *(parts or [Text("it said nothing", style="dim")]))


def _result(message: Message, *, verbose: bool) -> RenderableType:
    text = safe(message.text)
    lines = text.count("\n") + 1 if text else 0
    said = "failed" if message.error else "ok"
    first = f"  ▹ {one_line(message.name or 'tool', most=40)}  {said} · {count(lines, 'line')}"
    head = Text(safe(first), style="dim")
    if not verbose:
        return head if not message.error else Group(head, Text(f"    {one_line(text, most=200)}", style="dim"))
    return Group(head, Text(_cut(text, verbose=True), style="dim"))


def _compaction(item: Item, *, verbose: bool) -> RenderableType:
    if not item.text:  # nothing stands for what was said before
        return Text("⊟ the model sees nothing of what is above  ·  u takes that back", style="bold")
    head = Text("⊟ older messages are represented by a summary here  ·  enter shows it, u takes it back", style="bold")
    return Group(head, Text(_cut(safe(item.text), verbose=True), style="dim")) if verbose else head


def _media(message: Message | None) -> list[RenderableType]:
    if message is None or isinstance(message.content, str):
        return []
    parts = [part for part in message.content if isinstance(part, MediaPart)]
    return [Text(safe(f"({part.media_type}: {part.name or part.url or 'inline'})"), style="dim") for part in parts]


def _cut(text: str, *, verbose: bool) -> str:
    most = _MOST_WHOLE if verbose else _MOST
    if len(text) <= most:
        return text
    more = "ctrl+o shows more" if not verbose else "sojourn show --all has the rest"
    return f"{text[:most]}\n… {len(text) - most:,} more characters; {more}"
