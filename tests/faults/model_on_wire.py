"""A model behind real HTTP, in three dialects, whose servers refuse what the real ones would.

What it answers depends on the request alone: the user says which kind of turn he wants, and the model looks how far it
has come. Some answers stop in the middle, until they are let go.
"""

import dataclasses
import itertools
import json
import re
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple

from sojourn.providers.anthropic_messages import AnthropicMessages
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.protocol import Provider
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_anthropic import Answer as AnthropicAnswer
from sojourn.testing.wire_anthropic import AnthropicWire, Block, text, thinking, tool_use
from sojourn.testing.wire_openai import Call, OpenAiWire
from sojourn.testing.wire_openai_forms import Answer as OpenAiAnswer

Dialect = Literal["messages", "older messages", "chat", "responses"]
DIALECTS: Final[tuple[Dialect, ...]] = ("messages", "older messages", "chat", "responses")
MODELS: Final[dict[Dialect, str]] = {
    "messages": "claude-opus-4-8",
    "older messages": "claude-haiku-4-5",
    "chat": "scripted",
    "responses": "scripted",
}
"""Which model is asked in which dialect; the older one thinks by another rule."""
_ASKED: Final = re.compile(r"\[(\w+) \w+\]")
LONG: Final = 60_000
STORY: Final = tuple(f"This is sentence {number} of a story that takes a while. " for number in range(60))


class Wanted(NamedTuple):
    """An answer, in no dialect yet. *counted*: its calls are numbered from zero, as those of any other answer."""

    text: tuple[str | Held, ...] = ()
    thinking: str | None = None
    calls: tuple[str, ...] = ()
    parallel: bool = False
    held_call: Held | None = None
    counted: bool = False


ROUNDS: Final[dict[str, tuple[Wanted, ...]]] = {
    "thoughtful": (Wanted(text=("It is.",), thinking="Let me think about it."),),
    "one": (Wanted(calls=("work",)),),
    "long": (Wanted(text=("A long one.",), calls=("long_work",)),),
    "several": (Wanted(calls=("work", "broken", "work")),),
    "counted": (Wanted(calls=("work", "plain_work"), counted=True), Wanted(calls=("work",), counted=True)),
    "chain": (
        Wanted(text=("Step by step.",), thinking="One more.", calls=("work",)),
        Wanted(calls=("work", "plain_work")),
        Wanted(thinking="And another.", calls=("work",)),
    ),
    "parallel": (Wanted(calls=("work", "broken", "plain_work", "work", "work"), parallel=True),),
    "guarded": (Wanted(calls=("work", "guarded", "work")),),
    "guarded_parallel": (Wanted(calls=("work", "guarded", "guarded"), parallel=True),),
    "endless": (Wanted(calls=("work", "endless", "work")),),
    "endless_parallel": (Wanted(calls=("work", "endless", "plain_work", "endless"), parallel=True),),
}
"""What comes before the answer, by the kind of turn."""
KINDS: Final = (*ROUNDS, "plain", "stalled", "stalled_call", "silent")


class Heard(NamedTuple):
    """A request, in no dialect any more."""

    user: list[str]
    rounds: int
    calls: dict[str, dict[str, Any]]
    results: list[tuple[str, str]]


class Model:
    """Answers on a server. Lives as long as the server does.

    Attributes:
        seen: what it was told of each call, by nonce.
        on_stall: told of each answer that stands still, or soon will, on a thread of the server; without it, the model
            never stops in the middle.
    """

    def __init__(self, server: WireServer) -> None:
        self.anthropic = AnthropicWire(server, otherwise=self._to_messages)
        self.openai = OpenAiWire(server, otherwise=self._to_openai)
        self.seen: dict[str, set[str]] = defaultdict(set)
        self.on_stall: Callable[[Held], None] | None = None
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        """Where it is asked."""
        return self.anthropic.base_url

    @property
    def refusals(self) -> list[str]:
        """Why requests were refused."""
        return [*self.anthropic.refusals, *self.openai.refusals]

    def _to_messages(self, body: dict[str, Any]) -> AnthropicAnswer:
        wanted = self._wanted(_heard_messages(body))
        blocks: list[Block | Held] = []
        if wanted.thinking is not None and body.get("thinking"):
            blocks.append(thinking(wanted.thinking))
        if wanted.text:
            blocks.append(text(*wanted.text))
        for call in self._calls(wanted):
            block = tool_use(call.name, dict(call.arguments), id=call.id)  # type: ignore[arg-type]  # always a mapping
            if wanted.held_call is not None:
                block = dataclasses.replace(block, deltas=(*block.deltas[:2], wanted.held_call, *block.deltas[2:]))
            blocks.append(block)
        return AnthropicAnswer(blocks=tuple(blocks), stop_reason="tool_use" if wanted.calls else "end_turn")

    def _to_openai(self, body: dict[str, Any]) -> OpenAiAnswer:
        wanted = self._wanted(_heard_chat(body) if "messages" in body else _heard_responses(body))
        calls = self._calls(wanted)
        if wanted.held_call is not None:
            written = json.dumps(calls[0].arguments)
            calls[0] = dataclasses.replace(calls[0], arguments=(written[:9], wanted.held_call, written[9:]))
        return OpenAiAnswer(text=wanted.text or None, thinking=wanted.thinking, calls=calls)

    def _calls(self, wanted: Wanted) -> list[Call]:
        made = []
        for place, name in enumerate(wanted.calls):
            arguments = {"nonce": secrets.token_hex(8), **({"_parallel": True} if wanted.parallel else {})}
            number = f"{place}" if wanted.counted else f"{next(self._numbers)}_{secrets.token_hex(4)}"
            made.append(Call(name=name, arguments=arguments, id=f"call_{number}"))
        return made

    def _wanted(self, heard: Heard) -> Wanted:
        with self._lock:
            for call_id, result in heard.results:
                self.seen[heard.calls[call_id]["nonce"]].add(result)
        asked = [found for said in heard.user for found in _ASKED.findall(said)]
        return self._answer(asked[-1] if asked else "plain", heard.rounds)

    def _answer(self, kind: str, rounds: int) -> Wanted:
        """Return what comes after so many *rounds* of calls."""
        if rounds == 0:
            match kind:
                case "stalled":
                    return Wanted(text=(*STORY[:40], *self._stall(), *STORY[40:]))
                case "stalled_call":
                    return Wanted(text=("So be it.",), calls=("work",), held_call=next(self._stall(), None))
                case "silent":
                    return Wanted(text=(*self._stall(), "Late."))
        rest = ROUNDS.get(kind, ())[rounds:]
        return rest[0] if rest else Wanted(text=("That is ", "done, ", secrets.token_hex(8)))

    def _stall(self) -> Iterator[Held]:
        if self.on_stall is not None:
            held = Held()
            self.on_stall(held)
            yield held


@contextmanager
def model_on_wire() -> Iterator[Model]:
    """Serve a model."""
    with WireServer() as server:
        yield Model(server)


def provider_for(dialect: Dialect, address: str) -> Provider:
    """Return what asks the model at *address* in one of its dialects."""
    match dialect:
        case "messages" | "older messages":
            return AnthropicMessages(MODELS[dialect], base_url=address)
        case "chat":
            return OpenAiChat(MODELS[dialect], base_url=f"{address}/v1")
        case "responses":
            return OpenAiResponses(MODELS[dialect], base_url=f"{address}/v1")


# --- requests


def _heard_messages(body: dict[str, Any]) -> Heard:
    heard = Heard([], 0, {}, [])
    for message in body["messages"]:
        content = message["content"]
        blocks: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        heard.calls.update({block["id"]: block["input"] for block in blocks if block["type"] == "tool_use"})
        heard.results.extend(
            (block["tool_use_id"], _plain(block["content"])) for block in blocks if block["type"] == "tool_result"
        )
        words = [block["text"] for block in blocks if block["type"] == "text"]
        if message["role"] == "user" and words:
            heard.user.extend(words)
            heard = heard._replace(rounds=0)
        elif any(block["type"] == "tool_use" for block in blocks):
            heard = heard._replace(rounds=heard.rounds + 1)
    return heard


def _heard_chat(body: dict[str, Any]) -> Heard:
    heard = Heard([], 0, {}, [])
    for message in body["messages"]:
        if message["role"] == "user":
            heard.user.append(_plain(message["content"]))
            heard = heard._replace(rounds=0)
        elif message["role"] == "tool":
            heard.results.append((message["tool_call_id"], _plain(message["content"])))
        elif calls := message.get("tool_calls"):
            heard.calls.update({call["id"]: json.loads(call["function"]["arguments"]) for call in calls})
            heard = heard._replace(rounds=heard.rounds + 1)
    return heard


def _heard_responses(body: dict[str, Any]) -> Heard:
    heard = Heard([], 0, {}, [])
    in_calls = False
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "message" and item["role"] == "user":
            heard.user.append(_plain(item["content"]))
            heard = heard._replace(rounds=0)
        elif kind == "function_call_output":
            heard.results.append((item["call_id"], _plain(item["output"])))
        elif kind == "function_call":
            heard.calls[item["call_id"]] = json.loads(item["arguments"])
            heard = heard._replace(rounds=heard.rounds + (not in_calls))
        in_calls = kind == "function_call"
    return heard


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
