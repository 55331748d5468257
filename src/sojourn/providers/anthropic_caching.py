"""Where a request to the Messages API is marked, so that the server keeps what the next one begins with, too.

The server reads tools, then the system, then the messages. A mark on a block keeps everything up to it. The tools stay
when the system changes; the system stays when the talk does; the stable part of the talk is what the next turn begins
with; and the last block is what the next round of this turn begins with.
"""

from collections.abc import Iterable
from typing import Any, Final

MARK: Final = {"type": "ephemeral"}
MOST: Final = 4
"""How many marks the server takes in one request."""
_MARKABLE: Final = frozenset({"text", "image", "document", "tool_use", "tool_result"})


def with_marks(body: dict[str, Any], *, stable: int) -> dict[str, Any]:
    """Return *body* with at most four marks; the argument stays as it is.

    The system and the messages must be lists of blocks; a text in their place is left without a mark.

    Args:
        body: a request, without marks.
        stable: so many blocks of the messages, counted from the first, begin the next turn's request, too.
    """
    marked = dict(body)
    for name in ("tools", "system"):
        if isinstance(body.get(name), list) and (place := _last_markable(body[name], name=name)) is not None:
            marked[name] = [_mark(block) if at == place else block for at, block in enumerate(body[name])]
    messages = body.get("messages") or []
    places = [
        (number, at)
        for number, message in enumerate(messages)
        for at in range(len(message["content"]) if isinstance(message["content"], list) else 0)
    ]
    chosen = _chosen([messages[number]["content"][at] for number, at in places], stable=stable)
    if chosen:
        marked["messages"] = _marked_messages(messages, {places[index] for index in chosen})
    return marked


def _chosen(blocks: list[dict[str, Any]], *, stable: int) -> set[int]:
    """Return which blocks are marked: the last of the stable part, and the last of all."""
    end = min(max(stable, 0), len(blocks))
    within = _last_markable(blocks[:end])
    after = _last_markable(blocks[end:])
    return {place for place in (within, None if after is None else end + after) if place is not None}


def _last_markable(blocks: list[dict[str, Any]], *, name: str = "") -> int | None:
    places = range(len(blocks) - 1, -1, -1)
    return next((place for place in places if name == "tools" or _is_markable(blocks[place])), None)


def _is_markable(block: dict[str, Any]) -> bool:
    """Tell whether the server takes a mark here: never on thinking, never on a text that says nothing."""
    return block.get("type") in _MARKABLE and (block["type"] != "text" or bool(str(block.get("text", "")).strip()))


def _marked_messages(messages: Iterable[dict[str, Any]], places: set[tuple[int, int]]) -> list[dict[str, Any]]:
    numbers = {number for number, _ in places}
    marked: list[dict[str, Any]] = []
    for number, message in enumerate(messages):
        if number not in numbers:
            marked.append(message)
            continue
        content = [_mark(block) if (number, at) in places else block for at, block in enumerate(message["content"])]
        marked.append({**message, "content": content})
    return marked


def _mark(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "cache_control": dict(MARK)}
