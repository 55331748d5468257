"""A `ModelRequest` as the Messages API takes it, with what each of its models can and cannot do.

Newer models take no temperature, and decide themselves how much to think; older ones are given a budget. Thinking goes
back to the model that thought it and to no other, for another would refuse its signature.
"""

import re
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.message import Message, ThinkingPart
from sojourn.providers.anthropic_caching import with_marks
from sojourn.providers.payloads import is_redacted_thinking, payload
from sojourn.providers.protocol import ModelRequest, ToolDefinition

MAX_TOKENS: Final = 8192
LEAST_THINKING: Final = 1024
ROOM_TO_ANSWER: Final = 1024
_VERSION: Final = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_ADAPTIVE_SINCE: Final = (4, 6)
_NO_TEMPERATURE_SINCE: Final = (4, 7)
_OF_OTHERS: Final = (0, 0)
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_EFFORTS: Final = ((2048, "low"), (8192, "medium"))
_UNENFORCED: Final = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
        "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
"""What the API refuses in the schema of an answer. The model is told of it in the description instead."""
_FORMATS: Final = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)


def request_body(model: str, request: ModelRequest) -> dict[str, Any]:
    """Return what is posted to ask *model*: new values throughout, the request stays as it is."""
    messages = [_with_own_thinking(message, model) for message in request.messages]
    body = payload("anthropic", request.system, messages)
    body = {"model": model, "max_tokens": request.max_tokens or MAX_TOKENS, **body}
    if system := body.pop("system", "").strip():
        body["system"] = [{"type": "text", "text": system}]
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    elif called := _tools_of(body["messages"]):
        body |= {"tools": called, "tool_choice": {"type": "none"}}
    if request.schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": enforceable(request.schema)}}
    _think(body, request.thinking)
    if request.temperature is not None and "thinking" not in body and _version(model) < _NO_TEMPERATURE_SINCE:
        body["temperature"] = request.temperature
    stable = payload("anthropic", "", messages[: max(request.stable, 0)])["messages"]
    return with_marks(body, stable=sum(len(message["content"]) for message in stable))


def enforceable(schema: Any) -> Any:
    """Return a JSON Schema that the API accepts for an answer: objects are closed, and limits are told in words."""
    if isinstance(schema, list):
        return [enforceable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    limits = {name: value for name, value in schema.items() if _is_limit(name, value)}
    kept: dict[str, Any] = {}
    for name, value in schema.items():
        if name in {"properties", "$defs"} and isinstance(value, dict):
            kept[name] = {key: enforceable(item) for key, item in value.items()}
        elif name in {"items", "anyOf", "oneOf", "allOf"}:
            kept["anyOf" if name == "oneOf" else name] = enforceable(value)
        elif name not in limits:
            kept[name] = value
    if limits:
        words = ", ".join(f"{name} {value}" for name, value in limits.items())
        kept["description"] = f"{kept['description']} ({words})" if kept.get("description") else words
    if kept.get("type") == "object":
        kept["additionalProperties"] = False
    return kept


def _is_limit(name: str, value: object) -> bool:
    return name in _UNENFORCED or (name == "format" and value not in _FORMATS)


def _think(body: dict[str, Any], tokens: int | None) -> None:
    """Have the model think, as it understands that, and leave room for the answer behind it."""
    budget = max(tokens, LEAST_THINKING) if tokens else 0
    if _version(body["model"]) >= _ADAPTIVE_SINCE:
        if budget:
            # Without a word about it the newer ones show nothing of what they think.
            body["thinking"] = {"type": "adaptive", "display": "summarized"}
            effort = next((effort for limit, effort in _EFFORTS if budget <= limit), "high")
            body["output_config"] = {**body.get("output_config", {}), "effort": effort}
    else:
        begun = _begun_calls(body["messages"])
        if budget and (not begun or begun[0]["content"][0]["type"] in _THINKING):
            body["thinking"] = {"type": "enabled", "budget_tokens": budget}
        elif _version(body["model"]) > _OF_OTHERS:
            _forget_thinking(begun)
    if "thinking" in body:
        body["max_tokens"] = max(body["max_tokens"], budget + ROOM_TO_ANSWER)


def _begun_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the model said since it began to call the tools whose results it waits for; nothing if it does not.

    All that it says between its calls must be said with thinking or all without, and how it began decides which.
    """
    place = len(messages) - 1
    while place > 0 and any(block["type"] == "tool_result" for block in messages[place]["content"]):
        place -= 2
    return [message for message in messages[place + 1 :] if message["role"] == "assistant"]


def _forget_thinking(messages: list[dict[str, Any]]) -> None:
    for message in messages:
        message["content"] = [block for block in message["content"] if block["type"] not in _THINKING]


def _with_own_thinking(message: Message, model: str) -> Message:
    if isinstance(message.content, str) or message.model is None or _is_same(message.model, model):
        return message
    kept = tuple(
        part for part in message.content if not isinstance(part, ThinkingPart) and not is_redacted_thinking(part)
    )
    return message if len(kept) == len(message.content) else replace(message, content=kept)


def _is_same(answered: str, asked: str) -> bool:
    """Tell whether both names are of one model: one may have a date or a vendor more than the other."""
    first, second = (name.rpartition("/")[2] for name in (answered, asked))
    longer, shorter = sorted((first, second), key=len, reverse=True)
    rest = longer.removeprefix(shorter)
    return longer == shorter or (longer.startswith(shorter) and re.fullmatch(r"[-@]?\d{6,8}", rest) is not None)


def _version(model: str) -> tuple[int, int]:
    """Return which generation a model is of; models of others are older than any."""
    if (found := _VERSION.search(model)) is not None:
        return int(found[1]), int(found[2] or 0)
    return (5, 0) if "claude-mythos" in model else _OF_OTHERS


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    schema = {"type": "object", **tool.parameters}
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": schema}


def _tools_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools that a talk is about: the API wants every tool of a talk defined, though none may be called."""
    blocks = (block for message in messages for block in message["content"])
    names = dict.fromkeys(block["name"] for block in blocks if block["type"] == "tool_use")
    return [_tool(ToolDefinition(name=name)) for name in names]
