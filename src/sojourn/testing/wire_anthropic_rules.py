"""What Anthropic refuses in a request, and what it says about it: the rules that a history is held to.

The first thing wrong is named, in the words of the real server as far as they matter. Two assistant messages in a row
are refused where the first has open calls, though the real one would join them: nobody should count on that.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_BLOCKS: Final = {
    "user": frozenset({"text", "image", "document", "tool_result"}),
    "assistant": frozenset({"text", "thinking", "redacted_thinking", "tool_use"}),
}
_WITH_BUDGET: Final = re.compile(r"claude-[a-z]+-4-5")
"""Models that think only when they are told how much."""
_MOST_MARKS: Final = 4
_LEAST_THINKING: Final = 1024

Json = dict[str, Any]


def refusal(body: Any) -> str | None:
    """Return why a request is refused, or None if it is accepted."""
    if not isinstance(body, dict):
        return "the body must be a JSON object"
    return next(_problems(body), None)


def _problems(body: Json) -> Iterator[str]:
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            yield f"{name}: Field required"
            return
    if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    if not body["messages"]:
        yield "messages: at least one message is required"
        return
    messages = [{**message, "content": _blocks(message.get("content"))} for message in body["messages"]]
    for place, message in enumerate(messages):
        yield from _message_problems(place, message)
    yield from _order_problems(messages)
    yield from _tool_problems(body, messages)
    yield from _thinking_problems(body, messages)
    yield from _mark_problems(body, messages)
    yield from _schema_problems(body.get("output_config", {}).get("format"))


def _message_problems(place: int, message: Json) -> Iterator[str]:
    role = message.get("role")
    if role not in _BLOCKS:
        yield f"messages.{place}.role: Input should be 'user' or 'assistant'"
        return
    if not message["content"]:
        yield f"messages.{place}: all messages must have non-empty content"
    for number, block in enumerate(message["content"]):
        where = f"messages.{place}.content.{number}"
        kind = block.get("type")
        if kind not in _BLOCKS[role]:
            yield f"{where}: `{kind}` blocks are not permitted in a message of the {role}"
        elif kind == "text" and not str(block.get("text", "")).strip():
            yield f"{where}: text content blocks must contain non-whitespace text"
        elif kind == "tool_use" and not isinstance(block.get("input"), dict):
            yield f"{where}.tool_use.input: Input should be a valid dictionary"
        elif kind in {"tool_use", "tool_result"}:
            name = block.get("id" if kind == "tool_use" else "tool_use_id")
            if not isinstance(name, str) or not _ID.fullmatch(name):
                yield f"{where}.{kind}.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
            if kind == "tool_use" and not _TOOL_NAME.fullmatch(str(block.get("name", ""))):
                yield f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    if message["content"] and message["content"][-1].get("type") in _THINKING:
        yield f"messages.{place}: The final block in an assistant message cannot be `thinking`."


def _order_problems(messages: list[Json]) -> Iterator[str]:
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    if messages[-1]["role"] != "user":
        yield "This model does not support assistant message prefill. The conversation must end with a user message."
    called = [block["id"] for message in messages for block in message["content"] if block["type"] == "tool_use"]
    if len(called) != len(set(called)):
        yield "messages: `tool_use` ids must be unique"
    empty: Json = {"role": "user", "content": []}
    for place, (before, message) in enumerate(pairwise([empty, *messages, empty])):
        open_calls = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if missing := [name for name in open_calls if name not in results]:
            yield (
                f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )
        if strange := [name for name in results if name not in open_calls]:
            yield (
                f"messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(strange)}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        if len(results) != len(set(results)):
            yield f"messages.{place}: each tool_use must have a single result"
        kinds = [block["type"] for block in message["content"]]
        if "tool_result" in kinds[len(results) :]:
            yield f"messages.{place}: `tool_result` blocks must come before everything else in a message"


def _tool_problems(body: Json, messages: list[Json]) -> Iterator[str]:
    tools = body.get("tools", [])
    for place, tool in enumerate(tools):
        if not _TOOL_NAME.fullmatch(str(tool.get("name", ""))):
            yield f"tools.{place}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if tool.get("input_schema", {}).get("type") != "object":
            yield f"tools.{place}.custom.input_schema.type: Input should be 'object'"
    names = [tool.get("name") for tool in tools]
    if len(names) != len(set(names)):
        yield "tools: Tool names must be unique."
    if not tools and any(block["type"] == "tool_use" for message in messages for block in message["content"]):
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"


def _thinking_problems(body: Json, messages: list[Json]) -> Iterator[str]:
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        budget = thinking.get("budget_tokens", 0)
        if budget < _LEAST_THINKING:
            yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        if budget >= body["max_tokens"]:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`"
    if thinking.get("type") in {"enabled", "adaptive"} and body.get("temperature", 1) != 1:
        yield "`temperature` may only be set to 1 when thinking is enabled"
    if _WITH_BUDGET.match(str(body["model"])):
        yield from _misplaced_thinking(messages, enabled=thinking.get("type") == "enabled")
    for place, message in enumerate(messages):
        for number, block in enumerate(message["content"]):
            where = f"messages.{place}.content.{number}"
            if block["type"] == "thinking" and not block.get("signature"):
                yield f"{where}.thinking.signature: Field required"
            elif block["type"] in _THINKING and not _is_genuine(block):
                yield f"{where}: Invalid `signature` in `{block['type']}` block"


def _misplaced_thinking(messages: list[Json], *, enabled: bool) -> Iterator[str]:
    """What a model says between its calls is said with thinking or without, as it began."""
    place = len(messages) - 1
    while place > 0 and any(block["type"] == "tool_result" for block in messages[place]["content"]):
        place -= 2
    begun = messages[place + 1 : -1 : 2]
    if enabled and begun and (first := begun[0]["content"][0]["type"]) not in _THINKING:
        yield (
            f"messages.{place + 1}.content.0: Expected `thinking` or `redacted_thinking`, but found `{first}`. When "
            "`thinking` is enabled, a final `assistant` message must start with a thinking block."
        )
    if not enabled and any(block["type"] in _THINKING for message in begun for block in message["content"]):
        yield (
            "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use "
            "thinking blocks, enable `thinking` in your request."
        )


def _is_genuine(block: Json) -> bool:
    if block["type"] == "thinking":
        return bool(block.get("signature") == signature_of(block.get("thinking", "")))
    secret, _, signature = str(block.get("data", "")).rpartition(".")
    return signature == signature_of(secret)


def signature_of(thought: str) -> str:
    """Return the signature that the server puts under a thought."""
    return hashlib.sha256(f"signed:{thought}".encode()).hexdigest()[:32]


def _mark_problems(body: Json, messages: list[Json]) -> Iterator[str]:
    blocks = [*body.get("tools", []), *_blocks(body.get("system", []))]
    blocks += [block for message in messages for block in message["content"]]
    marked = [block for block in blocks if block.get("cache_control")]
    if len(marked) > _MOST_MARKS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    if any(block.get("type") in _THINKING for block in marked):
        yield "cache_control cannot be set for `thinking` blocks"
    if any(block.get("cache_control") != {"type": "ephemeral"} for block in marked):
        yield "cache_control.type: Input should be 'ephemeral'"
    if any(not str(block.get("text", "")).strip() for block in _blocks(body.get("system", []))):
        yield "system: text content blocks must be non-empty"


def _schema_problems(output: Json | None) -> Iterator[str]:
    if output is None:
        return
    if output.get("type") != "json_schema" or not isinstance(output.get("schema"), dict):
        yield "output_config.format: Input should be a JSON Schema"
        return
    for schema in _schemas(output["schema"]):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            yield "output_config.format.schema: 'additionalProperties' of an object must be set to false"
        if unknown := {"minimum", "maximum", "maxLength", "minLength", "maxItems"} & schema.keys():
            yield f"output_config.format.schema: properties {', '.join(sorted(unknown))} are not supported"


def _schemas(schema: Any) -> Iterator[Json]:
    if isinstance(schema, list):
        for item in schema:
            yield from _schemas(item)
    elif isinstance(schema, dict):
        yield schema
        for name in ("items", "anyOf", "allOf"):
            yield from _schemas(schema.get(name))
        for name in ("properties", "$defs"):
            yield from _schemas(list((schema.get(name) or {}).values()))


def _blocks(content: Any) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or [])
