"""The Messages API on a `WireServer`: answers as they are scripted, streamed or whole as the request wants them.

It is as strict as the real one (`wire_anthropic_rules`): a history that Anthropic would refuse gets status 400, and so
does thinking that comes back changed. A request for which nothing is scripted is refused, too.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sojourn.testing.wire import Held, Reply, Request, Script, WireServer
from sojourn.testing.wire_anthropic_rules import refusal, signature_of

ERROR_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of content: as it is when it is whole, as it begins, and what is added to it in a stream."""

    whole: Mapping[str, Any]
    start: Mapping[str, Any]
    deltas: tuple[Mapping[str, Any] | Held, ...] = ()


def tokens(*, read: int = 100, written: int = 20, cached: int = 0, cache_created: int = 0) -> dict[str, int]:
    """Return what a call used. The cached ones are not among those that were read."""
    return {
        "input_tokens": read,
        "cache_creation_input_tokens": cache_created,
        "cache_read_input_tokens": cached,
        "output_tokens": written,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer, whether it is streamed or not.

    With *error* the stream breaks off after its blocks with an error of this type; with *cut* it just ends there, the
    connection closed; with *unfinished* it ends there as if that were the end.
    """

    blocks: tuple[Block | Held, ...]
    stop_reason: str = "end_turn"
    usage: Mapping[str, int] = field(default_factory=tokens)
    model: str = "scripted"
    error: str | None = None
    cut: bool = False
    unfinished: bool = False
    stop_details: Mapping[str, Any] | None = None


class AnthropicWire:
    """What a server at `base_url` says. The methods script one answer each, given in turn.

    Args:
        server: where it is served.
        api_key: the one key that is accepted; any, or none, if it is not given.
        otherwise: makes the answer to a request for which nothing is scripted, of its body; it may be called on
            several threads at once.

    Attributes:
        refusals: why requests were refused as invalid, in the order they were.
    """

    def __init__(
        self,
        server: WireServer,
        *,
        api_key: str | None = None,
        otherwise: Callable[[dict[str, Any]], Answer] | None = None,
    ) -> None:
        self.base_url = server.address
        self.refusals: list[str] = []
        self._server = server
        self._api_key = api_key
        self._otherwise = otherwise
        self._answers: deque[Answer | Reply] = deque()
        self._held: Script = server.script()
        server.route("/v1/messages", self._reply)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was asked, in the order it was."""
        return [request.json for request in self._server.requests]

    @property
    def left(self) -> int:
        """How many answers wait to be given."""
        return len(self._answers)

    def say(self, *content: "str | Block | Held", stop_reason: str | None = None, **details: Any) -> None:
        """Answer with *content*; a `Held` in it is waited for. *details* are those of `Answer`."""
        blocks = tuple(text(piece) if isinstance(piece, str) else piece for piece in content)
        calls = any(isinstance(block, Block) and block.whole["type"] == "tool_use" for block in blocks)
        usual = "tool_use" if calls else "end_turn"
        self.add(Answer(blocks=blocks, stop_reason=stop_reason or usual, **details))

    def add(self, answer: Answer | Reply) -> None:
        """Give *answer* after all that were added before."""
        self._let_go_at_end(answer)
        self._answers.append(answer)

    def fail(self, status: int, message: str = "as the test wants it") -> None:
        """Refuse a request, and let the SDK try again at once if it wants to."""
        self.add(_error(status, message))

    def hold(self) -> Held:
        """Answer nothing until the test says so, and then with an error."""
        held = Held()
        self.add(Reply(status=400, body=_encoded(error_body("invalid_request_error", "held until now")), held=held))
        return held

    def hang_up(self) -> None:
        """Close the connection without an answer."""
        self.add(Reply(disconnect=True))

    def garble(self, body: bytes = b"<html>not what was asked</html>", *, kind: str = "text/html") -> None:
        """Answer with *body*, whatever it is."""
        self.add(Reply(body=body, headers={"Content-Type": kind}))

    def _reply(self, request: Request) -> Reply:
        if self._api_key is not None and self._api_key not in _keys(request):
            return _error(401, "invalid x-api-key")
        body = request.json
        if (reason := refusal(body)) is not None:
            self.refusals.append(reason)
            return _error(400, reason)
        try:
            answer = self._answers.popleft()
        except IndexError:
            if self._otherwise is None:
                return _error(400, "no answer is scripted for this request")
            answer = self._otherwise(body)
            self._let_go_at_end(answer)
        if isinstance(answer, Reply):
            return answer
        if body.get("stream"):
            pieces = tuple(streamed(answer))
            return Reply(pieces=pieces, headers={"Content-Type": "text/event-stream"}, cut=answer.cut)
        return Reply(body=_encoded(whole(answer)), cut=answer.cut)

    def _let_go_at_end(self, answer: Answer | Reply) -> None:
        for held in _holds(answer):
            self._held.add(Reply(held=held))  # closing the server lets it go


# --- content


def text(*pieces: str | Held) -> Block:
    """Return words, streamed in these pieces."""
    said = "".join(piece for piece in pieces if isinstance(piece, str))
    deltas = _deltas(pieces, "text_delta", "text")
    return Block(whole={"type": "text", "text": said}, start={"type": "text", "text": ""}, deltas=deltas)


def thinking(*pieces: str | Held) -> Block:
    """Return thinking, signed by this server."""
    thought = "".join(piece for piece in pieces if isinstance(piece, str))
    signature = signature_of(thought)
    return Block(
        whole={"type": "thinking", "thinking": thought, "signature": signature},
        start={"type": "thinking", "thinking": "", "signature": ""},
        deltas=(
            *_deltas(pieces, "thinking_delta", "thinking"),
            {"type": "signature_delta", "signature": signature},
        ),
    )


def redacted_thinking(secret: str) -> Block:
    """Return thinking that nobody but this server can read."""
    block = {"type": "redacted_thinking", "data": f"{secret}.{signature_of(secret)}"}
    return Block(whole=block, start=block)


def tool_use(name: str, arguments: "dict[str, Any] | str", *, id: str = "toolu_1") -> Block:  # noqa: A002  # its name
    """Return a call of a tool, its arguments streamed in pieces. As a text they are sent as they are, JSON or not."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    block = {"type": "tool_use", "id": id, "name": name}
    pieces = ("", *(written[at : at + 7] for at in range(0, len(written), 7)))
    return Block(
        whole={**block, "input": arguments},
        start={**block, "input": {}},
        deltas=_deltas(pieces, "input_json_delta", "partial_json"),
    )


def _deltas(pieces: tuple[str | Held, ...], kind: str, name: str) -> tuple[Mapping[str, Any] | Held, ...]:
    return tuple(piece if isinstance(piece, Held) else {"type": kind, name: piece} for piece in pieces)


# --- the protocol


def whole(answer: Answer) -> dict[str, Any]:
    """Return an answer as the protocol has it when it is not streamed."""
    return {
        **_head(answer),
        "content": [dict(block.whole) for block in answer.blocks if isinstance(block, Block)],
        "stop_reason": answer.stop_reason,
        "stop_details": answer.stop_details,
        "usage": dict(answer.usage),
    }


def streamed(answer: Answer) -> Iterator[bytes | Held]:
    """Yield an answer as the protocol streams it."""
    yield event("message_start", message={**_head(answer), "usage": {**answer.usage, "output_tokens": 1}})
    yield event("ping")
    index = 0
    for block in answer.blocks:
        if isinstance(block, Held):
            yield block
            continue
        yield event("content_block_start", index=index, content_block=dict(block.start))
        for delta in block.deltas:
            yield delta if isinstance(delta, Held) else event("content_block_delta", index=index, delta=dict(delta))
        yield event("content_block_stop", index=index)
        index += 1
    if answer.error is not None:
        yield event("error", **error_body(answer.error, "as the test wants it"))
    elif not answer.cut and not answer.unfinished:
        delta = {"stop_reason": answer.stop_reason, "stop_sequence": None, "stop_details": answer.stop_details}
        yield event("message_delta", delta=delta, usage={"output_tokens": answer.usage["output_tokens"]})
        yield event("message_stop")


def event(name: str, **data: Any) -> bytes:
    """Return one event of a stream."""
    return f"event: {name}\ndata: {json.dumps({**data, 'type': name})}\n\n".encode()


def error_body(kind: str, message: str) -> dict[str, Any]:
    """Return an error as the protocol has it."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def _head(answer: Answer) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _error(status: int, message: str) -> Reply:
    body = error_body(ERROR_TYPES.get(status, "api_error"), message)
    return Reply(status=status, body=_encoded(body), headers={"Retry-After-Ms": "1"})


def _keys(request: Request) -> set[str]:
    return {request.headers.get("x-api-key", ""), request.headers.get("authorization", "").removeprefix("Bearer ")}


def _holds(answer: Answer | Reply) -> Iterator[Held]:
    if isinstance(answer, Reply):
        if answer.held is not None:
            yield answer.held
        return
    for block in answer.blocks:
        if isinstance(block, Held):
            yield block
        else:
            yield from (delta for delta in block.deltas if isinstance(delta, Held))


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode()
