"""The OpenAI protocol on a `WireServer`: chat completions and responses as they are scripted, whole or streamed, and
embeddings that are always the same.

A request for which nothing is scripted is refused, so that a test notices a call that it did not expect. So is one
that OpenAI itself would refuse (`wire_openai_rules`), before any answer is taken from the script.
"""

import base64
import dataclasses
import hashlib
import json
import math
import re
import struct
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from sojourn.testing import wire_openai_forms as forms
from sojourn.testing.wire import Held, Reply, Request, Script, WireServer
from sojourn.testing.wire_openai_forms import Answer, Call, Said
from sojourn.testing.wire_openai_rules import chat_problem, responses_problem

__all__ = ["Call", "OpenAiWire", "completion", "embedding_list", "encoded", "word_vector"]

SIZE: Final = 16
EVENTS: Final = "text/event-stream; charset=utf-8"
_WORD: Final = re.compile(r"\w+")


class OpenAiWire:
    """What a server at `base_url` says. The methods script one answer each, given in turn.

    Args:
        server: where it serves.
        vector_size: how long the usual vectors are.
        is_strict: whether histories are refused that OpenAI refuses.
        takes_thinking: whether messages may hold thinking, as at servers that are not OpenAI's.
        refuses: options that this server does not know.
        otherwise: makes the answer to a request for which nothing is scripted, of its body; it may be called on
            several threads at once.

    Attributes:
        chat: the answers that chat requests get.
        responses: the answers that requests to the Responses API get.
        embeddings: answers that embedding requests get before the usual ones.
        bodies: what was sent to either of the two that talk, in the order it came.
        refusals: why it refused what no script said it should.
        vector_size: may be changed at any time.
    """

    def __init__(
        self,
        server: WireServer,
        *,
        vector_size: int = SIZE,
        is_strict: bool = True,
        takes_thinking: bool = True,
        refuses: Collection[str] = (),
        otherwise: Callable[[dict[str, Any]], Answer] | None = None,
    ) -> None:
        self.base_url = f"{server.address}/v1"
        self.chat: Script = server.script()
        self.responses: Script = server.script()
        self.embeddings: Script = server.script()
        self.bodies: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.vector_size = vector_size
        self._is_strict = is_strict
        self._takes_thinking = takes_thinking
        self._refuses = refuses
        self._otherwise = otherwise
        server.route("/v1/chat/completions", self._chat)
        server.route("/v1/responses", self._respond)
        server.route("/v1/embeddings", self._embed)

    def say(self, text: Said = None, *, held: Held | None = None, **details: Any) -> None:
        """Answer a chat request with *text*, whole or streamed as it is asked for; *details* are those of `Answer`."""
        self.chat.add(dataclasses.replace(_completed(Answer(text=text, **details)), held=held))

    def respond(self, text: Said = None, *, held: Held | None = None, **details: Any) -> None:
        """Answer a request to the Responses API with *text*; *details* are those of `Answer`."""
        self.responses.add(dataclasses.replace(_responded(Answer(text=text, **details)), held=held))

    def stream(self, *pieces: bytes | Held, script: Script | None = None, cut: bool = False) -> None:
        """Answer a streamed request with *pieces*, whatever they are."""
        (script or self.chat).add(Reply(pieces=pieces, cut=cut))

    def fail(self, status: int, message: str = "as the test wants it", *, script: Script | None = None) -> None:
        """Refuse a request, and let the SDK try again at once if it wants to."""
        body = encoded({"error": {"message": message, "type": "error", "code": None, "param": None}})
        (script or self.chat).add(Reply(status=status, body=body, headers={"Retry-After-Ms": "1"}))

    def garble(self, body: bytes = b"<html>not what was asked</html>", *, script: Script | None = None) -> None:
        """Answer with *body*, whatever it is."""
        (script or self.chat).add(Reply(body=body))

    def hold(self, *, script: Script | None = None) -> Held:
        """Answer nothing until the test says so, and then with an error."""
        held = Held()
        body = encoded({"error": {"message": "held until now"}})
        (script or self.chat).add(Reply(status=400, body=body, held=held))
        return held

    def hang_up(self, *, in_the_middle: bool = False, script: Script | None = None) -> None:
        """Close the connection without an answer, or within it."""
        body = encoded(completion("cut off"))
        (script or self.chat).add(Reply(body=body, cut=in_the_middle, disconnect=not in_the_middle))

    def _chat(self, request: Request) -> Reply:
        body = request.json
        problem = chat_problem(body, takes_thinking=self._takes_thinking) if self._is_strict else None
        reply = self._answered(body, self.chat, problem, _completed)
        if reply.pieces is None or (body.get("stream_options") or {}).get("include_usage"):
            return reply
        return dataclasses.replace(reply, pieces=forms.without_usage(reply.pieces))

    def _respond(self, request: Request) -> Reply:
        body = request.json
        problem = responses_problem(body) if self._is_strict else None
        return self._answered(body, self.responses, problem, _responded)

    def _answered(
        self, body: dict[str, Any], script: Script, problem: str | None, write: Callable[[Answer], Reply]
    ) -> Reply:
        self.bodies.append(body)
        refused = next((name for name in self._refuses if name in body), None)
        if refused is not None:
            return _refusal(f"Unrecognized request argument supplied: {refused}")
        reply = script.take() if problem is None else None
        if reply is None and problem is None and self._otherwise is not None:
            reply = write(self._otherwise(body))
            script.let_go_at_end(reply)
        if reply is None:
            self.refusals.append(problem or "no answer is scripted for this request")
            return _refusal(self.refusals[-1])
        if reply.pieces is None:
            return reply
        if not body.get("stream"):
            return dataclasses.replace(reply, pieces=None)
        return dataclasses.replace(reply, headers={"Content-Type": EVENTS, **reply.headers})

    def _embed(self, request: Request) -> Reply:
        scripted = self.embeddings.take()
        if scripted is not None:
            return scripted
        asked = request.json
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        size = asked.get("dimensions") or self.vector_size
        vectors = [word_vector(text, size) for text in texts]
        return Reply(body=encoded(embedding_list(vectors, in_base64=asked.get("encoding_format") == "base64")))


def _completed(answer: Answer) -> Reply:
    body, pieces = encoded(forms.completion(answer)), forms.completion_chunks(answer)
    return Reply(body=body, pieces=pieces, cut=answer.ending == "cut")


def _responded(answer: Answer) -> Reply:
    body, pieces = encoded(forms.response(answer)), forms.response_events(answer)
    return Reply(body=body, pieces=pieces, cut=answer.ending == "cut")


def completion(text: str | None, **details: Any) -> dict[str, Any]:
    """Return a chat completion as the protocol has it; *details* are those of `Answer`."""
    return forms.completion(Answer(text=text, **details))


def embedding_list(vectors: list[list[float]], *, in_base64: bool = False) -> dict[str, Any]:
    """Return an answer to an embedding request as the protocol has it."""
    data = [
        {"object": "embedding", "index": index, "embedding": _base64(vector) if in_base64 else vector}
        for index, vector in enumerate(vectors)
    ]
    return {"object": "list", "data": data, "model": "scripted", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def word_vector(text: str, size: int) -> list[float]:
    """Return a vector of length 1 that depends on the words alone: texts that share words are near each other."""
    vector = [0.0] * size
    for word in _WORD.findall(text.casefold()) or [text]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        vector[int.from_bytes(digest[:4], "big") % size] += 1.0 if digest[4] % 2 else -1.0
        vector[int.from_bytes(digest[5:9], "big") % size] += 0.5
    length = math.hypot(*vector)
    return [value / length for value in vector] if length else [1.0, *vector[1:]]


def encoded(body: Mapping[str, Any]) -> bytes:
    """Return *body* as JSON."""
    return json.dumps(body).encode()


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _refusal(message: str) -> Reply:
    return Reply(status=400, body=encoded({"error": {"message": message}}))
