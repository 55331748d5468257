"""A session as one page for a browser: no scripts, nothing from elsewhere, and all that was said is text.

The journal is read twice: for the list of prompts at the top, and for what was said.
"""

import base64
from collections.abc import AsyncIterator, Iterator
from html import escape
from typing import Final

import msgspec

from sojourn.desk.exporting.markdown import arguments_of, moment, parts_of
from sojourn.desk.exporting.rendered import Rendering
from sojourn.desk.exporting.source import Source
from sojourn.desk.exporting.style import POLICY, STYLE
from sojourn.desk.importing.talk import origin_of
from sojourn.desk.legible import legible
from sojourn.desk.wording import count, money, one_line
from sojourn.model.entry import Entry
from sojourn.model.events import Compacted, MessageAdded, SessionForked
from sojourn.model.message import MediaPart, Message, Part, TextPart, ThinkingPart

_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PROMPT: Final = 100
_OPEN_INDEX: Final = 40
"""Prompts up to which the list of them is unfolded."""


async def page(source: Source) -> AsyncIterator[str]:
    """Yield the page piece by piece."""
    prompts = [one async for one in _prompts(source)]
    yield _opening(source)
    yield _index(prompts)
    render = Rendering()
    names: dict[str, str] = {}
    async for entry in source.entries():
        passage = _passage(entry, source, render)
        if passage:
            yield passage
        message = source.message(entry)
        if message is not None:
            names.update({call.id: call.name for call in message.tool_calls})
            body = "".join(_said(message, source, render, names))
            if body:
                yield _article(entry, message, body)
    yield "</main>\n</body>\n</html>\n"


async def _prompts(source: Source) -> AsyncIterator[tuple[int, str]]:
    """Yield where the user said something, and its first words."""
    async for entry in source.entries(watched=False):
        if isinstance(entry.event, MessageAdded) and _is_prompt(entry.event.message):
            yield entry.seq, one_line(source.redactor.again(entry.event.message.text)[: 4 * _PROMPT], _PROMPT)


def _is_prompt(message: Message) -> bool:
    """Tell whether the user said something, and not a program in his name."""
    return message.role == "user" and bool(message.text.strip()) and not origin_of(message).get("meta")


def _text(text: str) -> str:
    return escape(legible(text))


def _opening(source: Source) -> str:
    header, title = source.header, _text(source.title)
    facts = [count(header.message_count, "message"), f"{moment(header.created_at)} to {moment(header.updated_at)} UTC"]
    facts += [f"{header.total_tokens:,} tokens", money(header.cost_micros)] if header.total_tokens else []
    facts += [f"#{source.redactor.again(tag)}" for tag in header.tags]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f'<p class="about"><code>{_text(header.session_id)}</code> · {_text(" · ".join(facts))}</p>\n'
    )


def _index(prompts: list[tuple[int, str]]) -> str:
    if len(prompts) < 2:
        return ""
    items = "\n".join(f'<li><a href="#e{seq}">{_text(words)}</a></li>' for seq, words in prompts)
    unfolded = " open" if len(prompts) <= _OPEN_INDEX else ""
    return (
        f"<nav><details{unfolded}><summary>{len(prompts):,} prompts</summary>\n<ol>\n{items}\n</ol></details></nav>\n"
    )


def _passage(entry: Entry, source: Source, render: Rendering) -> str:
    """Return what happened to the talk itself: it was compacted, or it goes on from another one."""
    match entry.event:
        case Compacted(summary=""):
            body = "Cleared: from here on, a model sees nothing of what is above."
        case Compacted(summary=summary):
            told = "Compacted: from here on, a summary stands for what is above."
            shown = render(source.redactor.text(summary))
            body = f"{told}<details><summary>the summary</summary>{shown}</details>"
        case SessionForked(forked_from=parent, at=at):
            body = f"Forked from <code>{_text(parent)}</code> after its entry {at}."
        case _:
            return ""
    return f'<div class="passage" id="e{entry.seq}">{body}</div>\n'


def _article(entry: Entry, message: Message, body: str) -> str:
    name = f" {one_line(message.name, 60)}" if message.name else ""
    marks = [mark for mark, is_so in (("cut off", message.partial), ("failed", message.error)) if is_so]
    told = "".join(f' <span class="mark">{mark}</span>' for mark in marks)
    head = (
        f"<header><b>{message.role.capitalize()}{_text(name)}</b>"
        f'<time datetime="{entry.at.isoformat()}">{moment(entry.at)}</time>{told}'
        f'<a href="#e{entry.seq}">#{entry.seq}</a></header>'
    )
    return f'<article class="{message.role}" id="e{entry.seq}">{head}\n{body}</article>\n'


def _said(message: Message, source: Source, render: Rendering, names: dict[str, str]) -> Iterator[str]:
    if message.role == "tool":
        if source.tools == "full":
            name = message.name or names.get(message.tool_call_id or "") or "a tool"
            yield _folded(f"result of {one_line(name, 60)}", message.text or "(no output)")
            yield from (_media(part) for part in parts_of(message) if isinstance(part, MediaPart))
        return
    for part in parts_of(message):
        yield from _part(part, source, render)
    for call in message.tool_calls:
        if source.tools == "names":
            yield f'<p class="mark">called <code>{_text(one_line(call.name, 60))}</code></p>\n'
        elif source.tools == "full":
            yield _folded(f"calls {one_line(call.name, 60)}", arguments_of(call))


def _part(part: Part, source: Source, render: Rendering) -> Iterator[str]:
    match part:
        case TextPart(text=text):
            if text.strip():
                yield render(text)
        case ThinkingPart(text=text):
            if source.tools == "full" and text.strip():
                yield _folded("thinking", text)
        case MediaPart():
            yield _media(part)
        case _:
            if source.tools == "full":
                yield _folded("data", msgspec.json.format(msgspec.json.encode(part.data), indent=2).decode())


def _media(part: MediaPart) -> str:
    name = _text(one_line(part.name or part.url or "inline", 200))
    if part.data is not None and part.media_type in _PICTURES:
        encoded = base64.b64encode(part.data).decode()
        return f'<p><img alt="{name}" src="data:{part.media_type};base64,{encoded}"></p>\n'
    return f'<p class="mark">({_text(one_line(part.media_type))}: {name})</p>\n'


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{_text(summary)}</summary><pre>{_text(text)}</pre></details>\n"
