"""An answer of the Responses API, put together from its events. No I/O.

The items of the answer are kept to the letter: what the model thought is encrypted, and must go back as it came for
the model to go on with it (`payloads`).
"""

from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

from sojourn.model.message import ToolCall
from sojourn.providers import openai_reading as read
from sojourn.providers.protocol import (
    ContentDelta,
    ReasoningDelta,
    StopReason,
    StreamComplete,
    StreamEvent,
    ToolCallStarted,
)

FORM: Final = "openai-responses"
ENDS: Final = frozenset({"response.completed", "response.incomplete"})
FAILURES: Final = frozenset({"response.failed", "error"})
_THINKING: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_SAYING: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_BETWEEN: Final = "\n\n"
"""What stands between two parts of a summary of thinking."""


class ResponsesAnswer:
    """One answer. It is handed each event of the stream, or the whole response, and says what is new in it.

    Args:
        model: who was asked; the server may say that another answered.
        host: the server, kept with the items that only that server wants back.
    """

    def __init__(self, *, model: str, host: str) -> None:
        self._model = model
        self._host = host
        self._items: list[dict[str, Any]] = []
        self._thought_in: Any = None
        self._calls = 0
        self._own_id = uuid4().hex
        self._response: dict[str, Any] | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the response came to its end."""
        return self._response is not None

    def take(self, event: dict[str, Any]) -> Iterator[StreamEvent]:
        """Add *event* and yield what is new in it. Events that say nothing of use are passed over."""
        kind, item = read.text(event.get("type")), read.mapping(event.get("item"))
        if kind in _THINKING:
            yield from self._thought(event)
        elif kind in _SAYING and (said := read.text(event.get("delta"))):
            yield ContentDelta(text=said)
        elif kind == "response.output_item.added" and item.get("type") == "function_call":
            call = self._call(item, self._calls)
            self._calls += 1
            yield ToolCallStarted(index=self._calls - 1, id=call.id, name=call.name)
        elif kind == "response.output_item.done":
            self._items.append(item)
        elif kind in ENDS:
            self.finish(read.mapping(event.get("response")))

    def finish(self, response: dict[str, Any]) -> None:
        """Take the whole response, which is the last word on what was said."""
        self._response = response

    def end(self) -> StreamComplete:
        """Return the whole answer, after `finish`."""
        response = self._response or {}
        items = read.objects(response.get("output")) or self._items
        model = read.text(response.get("model")) or self._model
        called = (item for item in items if item.get("type") == "function_call")
        calls = tuple(self._call(item, place) for place, item in enumerate(called))
        contents = [part for item in items if item.get("type") == "message" for part in _contents(item)]
        message = read.message(
            thinking=[_thinking(item) for item in items if item.get("type") == "reasoning"],
            said="".join(read.text(part.get("text") or part.get("refusal")) for part in contents),
            calls=calls,
            model=model,
        )
        if items:
            message = read.with_kept(message, {"form": FORM, "host": self._host, "items": items})
        used = read.mapping(response.get("usage"))
        usage = read.usage(
            model,
            read=used.get("input_tokens"),
            written=used.get("output_tokens"),
            details=used.get("input_tokens_details"),
        )
        refused = any(part.get("type") == "refusal" for part in contents)
        return StreamComplete(message=message, usage=usage, stop="refusal" if refused else _stop(response, calls))

    def _call(self, item: dict[str, Any], place: int) -> ToolCall:
        """Return the call that is the item at *place* among the calls; a result can find it, even if it has no id."""
        call_id = read.text(item.get("call_id")) or f"call_{self._own_id}_{place}"
        return read.tool_call(call_id, read.text(item.get("name")), read.arguments(item.get("arguments")))

    def _thought(self, event: dict[str, Any]) -> Iterator[StreamEvent]:
        thought = read.text(event.get("delta"))
        if not thought:
            return
        part = event.get("summary_index", event.get("content_index"))
        place = (event.get("output_index"), part)
        is_next_part = self._thought_in is not None and self._thought_in[0] == place[0] and self._thought_in != place
        self._thought_in = place
        yield ReasoningDelta(text=f"{_BETWEEN}{thought}" if is_next_part else thought)


def _thinking(item: dict[str, Any]) -> str:
    """Return what an item shows of the model's thinking: a summary of it, or, of an open model, the thinking itself."""
    shown = read.objects(item.get("summary")) or read.objects(item.get("content"))
    return _BETWEEN.join(read.text(part.get("text")) for part in shown)


def _contents(item: dict[str, Any]) -> list[dict[str, Any]]:
    return read.objects(item.get("content"))


def _stop(response: dict[str, Any], calls: tuple[ToolCall, ...]) -> StopReason:
    if response.get("status") == "incomplete":
        match read.mapping(response.get("incomplete_details")).get("reason"):
            case "max_output_tokens":
                return "length"
            case "content_filter":
                return "refusal"
            case _:
                return "other"
    return "tools" if calls else "end"
