"""The answer of a chat completion, put together from its pieces as they come. No I/O."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sojourn.model.message import ToolCall
from sojourn.model.usage import Usage
from sojourn.providers import openai_reading as read
from sojourn.providers.openai_calls import Calls
from sojourn.providers.protocol import (
    ContentDelta,
    ReasoningDelta,
    StopReason,
    StreamComplete,
    StreamEvent,
)

FORM: Final = "openai-chat"
REASONING: Final = ("reasoning_content", "reasoning")
"""Where servers put what a model thinks: vLLM and DeepSeek, then OpenRouter and Ollama."""
DETAILS: Final = "reasoning_details"
"""Where OpenRouter puts the blocks of it that must go back as they came."""
_STOPS: Final[dict[str, StopReason]] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "refusal",
}


class ChatAnswer:
    """One answer. It is handed each chunk of the stream, or the whole completion, and says what is new in it.

    Args:
        model: who was asked; the server may say that another answered.
        host: the server, kept with what only that server wants back.
        taken: ids of calls that the talk has already. Some servers count anew in each answer.
    """

    def __init__(self, *, model: str, host: str, taken: Iterable[str] = ()) -> None:
        self._model = model
        self._host = host
        self._calls = Calls(taken)
        self._thinking: list[str] = []
        self._said: list[str] = []
        self._field = ""
        self._details: dict[str, dict[str, Any]] = {}
        self._finish: str | None = None
        self._has_message = False
        self._refused = False
        self._usage: dict[str, Any] = {}

    @property
    def is_finished(self) -> bool:
        """Whether the model said that it is done. What may follow is what it used."""
        return self._finish is not None

    @property
    def has_message(self) -> bool:
        """Whether any piece of a message came, were it an empty one."""
        return self._has_message

    def take(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        """Add *chunk* and yield what is new: one chunk, or a whole completion, whose message is like one big piece."""
        self._model = read.text(chunk.get("model")) or self._model
        self._usage = read.mapping(chunk.get("usage")) or self._usage
        for choice in read.objects(chunk.get("choices"))[:1]:
            piece = choice.get("delta") or choice.get("message")
            self._has_message = self._has_message or isinstance(piece, dict)
            yield from self._pieces(read.mapping(piece))
            self._finish = read.text(choice.get("finish_reason")) or self._finish

    def end(self) -> Iterator[StreamEvent]:
        """Yield what was held back, and last the whole answer."""
        yield from self._calls.end()
        calls = self._calls.all()
        message = read.message(
            thinking=["".join(self._thinking)], said="".join(self._said), calls=calls, model=self._model
        )
        if self._field or self._details:
            kept = {"form": FORM, "host": self._host, "field": self._field, DETAILS: list(self._details.values())}
            message = read.with_kept(message, kept)
        yield StreamComplete(message=message, usage=self._used(), stop=self._stop(calls))

    def _pieces(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        thought, said = self._thought(delta), read.text(delta.get("content"))
        for part in read.objects(delta.get("content")):  # Mistral's way: a list of parts
            thought += "".join(read.text(one.get("text")) for one in read.objects(part.get("thinking")))
            said += read.text(part.get("text"))
        if refusal := read.text(delta.get("refusal")):
            self._refused = True
            said += refusal
        if thought:
            self._thinking.append(thought)
            yield ReasoningDelta(text=thought)
        if said:
            self._said.append(said)
            yield ContentDelta(text=said)
        for place, piece in enumerate(read.objects(delta.get("tool_calls"))):
            yield from self._calls.take(piece, place=place)

    def _thought(self, delta: dict[str, Any]) -> str:
        for place, detail in enumerate(read.objects(delta.get(DETAILS))):
            self._keep(detail, place)
        for field in REASONING:
            if thought := read.text(delta.get(field)):
                self._field = self._field or field
                return thought
        return ""

    def _keep(self, detail: dict[str, Any], place: int) -> None:
        """Put a piece of a block of thinking behind what came of that block."""
        key = f"{detail.get('type')} {detail.get('index', place)}"
        kept = self._details.setdefault(key, {})
        for name, value in detail.items():
            if name in {"text", "summary", "data"} and isinstance(value, str):
                kept[name] = f"{kept.get(name) or ''}{read.text(value)}"
            elif value is not None or name not in kept:
                kept[name] = value

    def _used(self) -> Usage:
        used = self._usage
        # DeepSeek's own name for what was cached.
        details = used.get("prompt_tokens_details") or {"cached_tokens": used.get("prompt_cache_hit_tokens")}
        return read.usage(
            self._model, read=used.get("prompt_tokens"), written=used.get("completion_tokens"), details=details
        )

    def _stop(self, calls: tuple[ToolCall, ...]) -> StopReason:
        if self._refused:
            return "refusal"
        stop = _STOPS.get(self._finish or "", "other")
        return "tools" if stop == "end" and calls else stop
