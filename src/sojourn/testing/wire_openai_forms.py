"""What OpenAI's servers send, to the letter: completions, chunks of them, responses, and the events of these.

An answer is scripted once (`Answer`) and written in whichever form is asked for: whole or streamed, by chat completions
or by the Responses API.
"""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sojourn.testing.wire import Held

Said = str | Sequence[str | Held] | None
"""What is said: a text, or its pieces, each sent by itself; a `Held` among them is waited for."""
Ending = Literal["whole", "cut", "short", "error"]
"""How a stream ends: as it should, by a lost connection, without its end, or by an event that tells of an error."""
CREATED: Final = 1_700_000_000
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool. Arguments that are text, or pieces of it, are sent as they are, were they no JSON."""

    name: str
    arguments: Mapping[str, Any] | str | Sequence[str | Held] = field(default_factory=dict)
    id: str = "call_1"

    @property
    def pieces(self) -> tuple[str | Held, ...]:
        """The arguments as they are sent, one after the other."""
        if isinstance(self.arguments, Mapping):
            return (json.dumps(self.arguments),)
        return (self.arguments,) if isinstance(self.arguments, str) else tuple(self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a model.

    Attributes:
        thinking_field: where a chat completion has the thinking.
        encrypted: what the Responses API sends of the thinking for nobody to read.
        cached_tokens: how many of *input_tokens* came from a cache, as OpenAI counts.
        has_usage: whether the server says what was used.
        number: what the ids of its items end with; no two answers have the same.
    """

    text: Said = None
    thinking: Said = None
    calls: Sequence[Call] = ()
    refusal: str | None = None
    model: str = "scripted"
    input_tokens: int = 100
    output_tokens: int = 20
    cached_tokens: int = 0
    finish_reason: str | None = None
    thinking_field: str = "reasoning_content"
    encrypted: str = "gAAAAAB-scripted"
    has_usage: bool = True
    number: int = field(default_factory=_numbers.__next__)
    ending: Ending = "whole"
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "as the test wants it", "code": None})

    @property
    def why(self) -> str:
        """Why the model stopped, in the words of chat completions."""
        return self.finish_reason or ("tool_calls" if self.calls else "stop")


def pieces(said: Said) -> tuple[str | Held, ...]:
    """Return the pieces in which *said* is sent."""
    if said is None:
        return ()
    return (said,) if isinstance(said, str) else tuple(said)


def whole(said: Said) -> str:
    """Return all that is said."""
    return "".join(piece for piece in pieces(said) if isinstance(piece, str))


def event(body: Mapping[str, Any], *, name: str | None = None) -> bytes:
    """Return one server-sent event."""
    data = b"data: " + json.dumps(body).encode() + b"\n\n"
    return b"event: " + name.encode() + b"\n" + data if name else data


# --- chat completions


def completion(answer: Answer) -> dict[str, Any]:
    """Return *answer* as a chat completion."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if answer.text is None else whole(answer.text),
        "refusal": answer.refusal,
    }
    if answer.thinking is not None:
        message[answer.thinking_field] = whole(answer.thinking)
    if answer.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": whole(call.pieces)}}
            for call in answer.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": answer.why, "logprobs": None}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": CREATED, "model": answer.model}
    return {**body, "choices": [choice], **({"usage": _chat_usage(answer)} if answer.has_usage else {})}


def completion_chunks(answer: Answer) -> tuple[bytes | Held, ...]:
    """Return *answer* as the stream of a chat completion."""
    sent: list[bytes | Held] = [
        delta if isinstance(delta, Held) else event(_chunk(answer, [_choice(delta)])) for delta in _chat_deltas(answer)
    ]
    if answer.ending == "error":
        return (*sent, event({"error": dict(answer.error)}))
    if answer.ending != "whole":
        return tuple(sent)
    sent.append(event(_chunk(answer, [_choice({}, answer.why)])))
    if answer.has_usage:
        sent.append(event({**_chunk(answer, []), "usage": _chat_usage(answer)}))
    return (*sent, b"data: [DONE]\n\n")


def without_usage(chunks: tuple[bytes | Held, ...]) -> tuple[bytes | Held, ...]:
    """Return *chunks* without what was used, which is told only to who asks for it."""
    return tuple(chunk for chunk in chunks if isinstance(chunk, Held) or b'"choices": [], "usage": {' not in chunk)


def _chat_deltas(answer: Answer) -> Iterator[dict[str, Any] | Held]:
    yield {"role": "assistant", "content": ""}
    for piece in pieces(answer.thinking):
        yield piece if isinstance(piece, Held) else {answer.thinking_field: piece}
    for piece in pieces(answer.text):
        yield piece if isinstance(piece, Held) else {"content": piece}
    if answer.refusal is not None:
        yield {"refusal": answer.refusal}
    for index, call in enumerate(answer.calls):
        function = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}
        for piece in call.pieces:
            written = {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            yield piece if isinstance(piece, Held) else written


def _chunk(answer: Answer, choices: list[dict[str, Any]]) -> dict[str, Any]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": CREATED, "model": answer.model}
    return {**head, "choices": choices, "usage": None}


def _choice(delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}


def _chat_usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
    }


# --- the Responses API


def response(answer: Answer) -> dict[str, Any]:
    """Return *answer* as a whole response."""
    is_whole = answer.finish_reason is None
    body: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": CREATED,
        "model": answer.model,
        "status": "completed" if is_whole else "incomplete",
        "error": None,
        "incomplete_details": None if is_whole else {"reason": answer.finish_reason},
        "output": [item for item, _ in _items(answer)],
    }
    if answer.has_usage:
        body["usage"] = {
            "input_tokens": answer.input_tokens,
            "input_tokens_details": {"cached_tokens": answer.cached_tokens},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.input_tokens + answer.output_tokens,
        }
    return body


def response_events(answer: Answer) -> tuple[bytes | Held, ...]:
    """Return *answer* as the stream of a response."""
    begun = {**response(answer), "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any] | Held] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, (item, deltas) in enumerate(_items(answer)):
        place = {"output_index": index, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", "output_index": index, "item": _begun(item)})
        events += [delta if isinstance(delta, Held) else {**delta, **place} for delta in deltas]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    if answer.ending == "error":
        events.append({"type": "error", "param": None, **answer.error})
    elif answer.ending == "whole":
        ended = response(answer)
        events.append({"type": f"response.{ended['status']}", "response": ended})
    return tuple(
        one if isinstance(one, Held) else event({**one, "sequence_number": number}, name=one["type"])
        for number, one in enumerate(events)
    )


def failure_events(error: Mapping[str, Any]) -> tuple[bytes, ...]:
    """Return the stream of a response that failed on the server's side."""
    begun = {**response(Answer()), "status": "in_progress"}
    failed = {**begun, "status": "failed", "error": dict(error)}
    told = ({"type": "response.created", "response": begun}, {"type": "response.failed", "response": failed})
    return tuple(event({**one, "sequence_number": number}, name=str(one["type"])) for number, one in enumerate(told))


def _items(answer: Answer) -> Iterator[tuple[dict[str, Any], list[dict[str, Any] | Held]]]:
    """Yield each item of the answer, and the events that tell of it piece by piece."""
    if answer.thinking is not None:
        summary = [{"type": "summary_text", "text": whole(answer.thinking)}] if whole(answer.thinking) else []
        kind = {"type": "response.reasoning_summary_text.delta", "summary_index": 0}
        item = {"id": f"rs_{answer.number}", "type": "reasoning", "summary": summary}
        yield {**item, "encrypted_content": answer.encrypted}, _deltas(kind, pieces(answer.thinking))
    if answer.text is not None or answer.refusal is not None:
        yield _said_item(answer)
    for number, call in enumerate(answer.calls, 1):
        item = {
            "id": f"fc_{answer.number}_{number}", "type": "function_call", "status": "completed",
            "call_id": call.id, "name": call.name, "arguments": whole(call.pieces),
        }  # fmt: skip
        yield item, _deltas({"type": "response.function_call_arguments.delta"}, call.pieces)


def _said_item(answer: Answer) -> tuple[dict[str, Any], list[dict[str, Any] | Held]]:
    content: dict[str, Any] = {"type": "output_text", "text": whole(answer.text), "annotations": [], "logprobs": []}
    deltas = _deltas({"type": "response.output_text.delta", "content_index": 0}, pieces(answer.text))
    if answer.refusal is not None:
        content = {"type": "refusal", "refusal": answer.refusal}
        deltas = _deltas({"type": "response.refusal.delta", "content_index": 0}, (answer.refusal,))
    item = {"id": f"msg_{answer.number}", "type": "message", "status": "completed", "role": "assistant"}
    return {**item, "content": [content]}, deltas


def _deltas(kind: Mapping[str, Any], said: Sequence[str | Held]) -> list[dict[str, Any] | Held]:
    return [piece if isinstance(piece, Held) else {**kind, "delta": piece} for piece in said]


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as it is when it begins: without what comes piece by piece."""
    empty = {"content": [], "summary": [], "arguments": "", "encrypted_content": "", "status": "in_progress"}
    return {name: empty.get(name, value) for name, value in item.items()}
