"""The OpenAI protocol on a `WireServer`: chat completions as they are scripted, embeddings that are always the same.

A chat request for which nothing is scripted is refused, so that a test notices a call that it did not expect.
"""

import base64
import hashlib
import json
import math
import re
import struct
from collections.abc import Mapping
from typing import Any, Final

from sojourn.testing.wire import Held, Reply, Request, Script, WireServer

SIZE: Final = 16
_WORD: Final = re.compile(r"\w+")


class OpenAiWire:
    """What a server at `base_url` says. The methods script one answer each, given in turn.

    Attributes:
        chat: the answers that chat requests get.
        embeddings: answers that embedding requests get before the usual ones.
        vector_size: how long the usual vectors are; may be changed at any time.
    """

    def __init__(self, server: WireServer, *, vector_size: int = SIZE) -> None:
        self.base_url = f"{server.address}/v1"
        self.chat: Script = server.script()
        self.embeddings: Script = server.script()
        self.vector_size = vector_size
        server.route("/v1/chat/completions", self._chat)
        server.route("/v1/embeddings", self._embed)

    def say(self, text: str | None, *, held: Held | None = None, **details: Any) -> None:
        """Answer a chat request with *text*; *details* are those of `completion`."""
        self.chat.add(Reply(body=encoded(completion(text, **details)), held=held))

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
        if request.json.get("stream"):
            return _refusal("this server does not stream")
        return self.chat.take() or _refusal("no answer is scripted for this request")

    def _embed(self, request: Request) -> Reply:
        scripted = self.embeddings.take()
        if scripted is not None:
            return scripted
        asked = request.json
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        size = asked.get("dimensions") or self.vector_size
        vectors = [word_vector(text, size) for text in texts]
        return Reply(body=encoded(embedding_list(vectors, in_base64=asked.get("encoding_format") == "base64")))


def completion(
    text: str | None,
    *,
    model: str = "scripted",
    input_tokens: int = 100,
    output_tokens: int = 20,
    cached_tokens: int = 0,
    finish_reason: str = "stop",
    refusal: str | None = None,
) -> dict[str, Any]:
    """Return a chat completion as the protocol has it."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}],
        "usage": {
            "prompt_tokens": input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": input_tokens + output_tokens,
            "prompt_tokens_details": {"cached_tokens": cached_tokens},
        },
    }


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
