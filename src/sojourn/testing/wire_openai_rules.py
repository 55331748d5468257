"""What OpenAI's servers refuse, and in which words: histories that make no sense, and requests with wrong fields.

A test server that took everything would let a broken history pass that a real one answers with status 400.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_BOTH: Final = frozenset({"model", "tools", "tool_choice", "parallel_tool_calls", "temperature", "stream", "store"})
_CHAT: Final = _BOTH | {
    "messages", "max_tokens", "max_completion_tokens", "stream_options", "response_format", "reasoning_effort",
}  # fmt: skip
_RESPONSES: Final = _BOTH | {"input", "instructions", "max_output_tokens", "include", "reasoning", "text"}
_FIELDS: Final = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal"},
    "tool": {"role", "content", "tool_call_id"},
}
_THOUGHT: Final = frozenset({"reasoning_content", "reasoning", "reasoning_details"})
_FUNCTION: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_IMAGE: Final = re.compile(r"https?://|data:image/(png|jpeg|gif|webp);base64,")
_NAME: Final = re.compile(r"[^\s<|\\/>]{1,64}")
_LONGEST_CHAT_ID: Final = 40
_LONGEST_RESPONSES_ID: Final = 64


def chat_problem(body: Mapping[str, Any], *, takes_thinking: bool = False) -> str | None:
    """Return why a chat request is refused, None if it is not. *takes_thinking*: as servers that are not OpenAI's."""
    return next(_chat_problems(body, takes_thinking=takes_thinking), None)


def responses_problem(body: Mapping[str, Any]) -> str | None:
    """Return why a request to the Responses API is refused, None if it is not."""
    return next(_responses_problems(body), None)


# --- chat completions


def _chat_problems(body: Mapping[str, Any], *, takes_thinking: bool) -> Iterator[str]:
    yield from _unknown(body, _CHAT)
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    if "stream_options" in body and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    for place, tool in enumerate(body.get("tools", ())):
        function = tool.get("function")
        if tool.get("type") != "function" or not isinstance(function, dict):
            yield f"Missing required parameter: 'tools[{place}].function'."
        else:
            yield from _tool_problems(function, f"tools[{place}].function")
    if body.get("tools") == []:
        yield "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1."
        return
    for place, message in enumerate(messages):
        yield from _message_problems(message, f"messages[{place}]", takes_thinking=takes_thinking)
    yield from _order_problems(messages)


def _message_problems(message: Any, at: str, *, takes_thinking: bool) -> Iterator[str]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _FIELDS:
        yield f"Invalid value: '{role}'. Supported values are: {', '.join(map(repr, _FIELDS))}. ({at}.role)"
        return
    unknown = message.keys() - _FIELDS[role] - (_THOUGHT if takes_thinking and role == "assistant" else set())
    if unknown:
        yield f"Unknown parameter: '{at}.{min(unknown)}'."
    calls = message.get("tool_calls")
    if calls is not None:
        yield from _calls_problems(calls, f"{at}.tool_calls")
    yield from _content_problems(message.get("content"), at, role=role, has_calls=bool(calls))
    if "name" in message and not _NAME.fullmatch(message["name"]):
        yield f"Invalid '{at}.name': string does not match pattern. Expected a string that matches '{_NAME.pattern}'."
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield f"Missing required parameter: '{at}.tool_call_id'."


def _content_problems(content: Any, at: str, *, role: str, has_calls: bool) -> Iterator[str]:
    if content is None:
        if not has_calls:
            yield f"Invalid value for 'content': expected a string, got null. ({at}.content)"
    elif isinstance(content, str):
        if not content.strip() and not has_calls:
            yield f"Invalid '{at}.content': the message is empty."
    elif not isinstance(content, list) or not content:
        yield f"Invalid type for '{at}.content': expected a string or an array of parts."
    else:
        allowed = {"text", "image_url", "input_audio", "file"} if role == "user" else {"text", "refusal"}
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            if kind not in allowed:
                yield f"Invalid value: '{kind}'. ({at}.content[{number}].type)"
            elif kind not in part:
                yield f"Missing required parameter: '{at}.content[{number}].{kind}'."
            else:
                yield from _media_problems(kind, part[kind], f"{at}.content[{number}]")


def _media_problems(kind: str, media: Any, at: str) -> Iterator[str]:
    match kind:
        case "image_url" if not _IMAGE.match(media.get("url", "")):
            yield f"Invalid '{at}.image_url.url': expected an address, or the data of a png, jpeg, gif or webp."
        case "file" if not media.get("file_data", "").startswith("data:application/pdf;base64,"):
            yield f"Invalid '{at}.file.file_data': expected the data of a PDF."
        case "input_audio" if media.get("format") not in {"wav", "mp3"}:
            yield f"Invalid value: '{media.get('format')}'. ({at}.input_audio.format)"


def _calls_problems(calls: Any, at: str) -> Iterator[str]:
    if not isinstance(calls, list) or not calls:
        yield f"Invalid '{at}': empty array. Expected an array with minimum length 1."
        return
    for place, call in enumerate(calls):
        function = call.get("function")
        if not isinstance(call.get("id"), str) or not 0 < len(call["id"]) <= _LONGEST_CHAT_ID:
            yield f"Invalid '{at}[{place}].id': expected a string of 1 to {_LONGEST_CHAT_ID} characters."
        if call.get("type") != "function" or not isinstance(function, dict):
            yield f"Missing required parameter: '{at}[{place}].function'."
            continue
        if not isinstance(function.get("arguments"), str):
            yield f"Invalid type for '{at}[{place}].function.arguments': expected a string."
        yield from _name_problems(function.get("name"), f"{at}[{place}].function.name")


def _order_problems(messages: list[dict[str, Any]]) -> Iterator[str]:
    waiting: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                yield (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with "
                    f"'tool_calls'. (messages[{place}])"
                )
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield _unanswered(waiting)
        waiting = [call.get("id") for call in message.get("tool_calls") or ()]
        if len({*waiting}) < len(waiting) or seen & {*waiting}:
            yield f"Duplicate value for 'tool_call_id'. (messages[{place}].tool_calls)"
        seen.update(waiting)
    if waiting:
        yield _unanswered(waiting)


def _unanswered(waiting: list[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(waiting)}"
    )


# --- the Responses API


def _responses_problems(body: Mapping[str, Any]) -> Iterator[str]:
    yield from _unknown(body, _RESPONSES)
    for place, tool in enumerate(body.get("tools", ())):
        if tool.get("type") != "function":
            yield f"Invalid value: '{tool.get('type')}'. (tools[{place}].type)"
        else:
            yield from _tool_problems(tool, f"tools[{place}]")
    items = body.get("input")
    if isinstance(items, str) and items:
        return
    if not isinstance(items, list) or not items:
        yield "Missing required parameter: 'input'."
        return
    for place, item in enumerate(items):
        yield from _item_problems(item, f"input[{place}]", following=items[place + 1 :])
    ids = [item["id"] for item in items if "id" in item]
    yield from (f"Duplicate item found with id {one}." for one in ids if ids.count(one) > 1)
    yield from _pairing_problems(items)


def _item_problems(item: dict[str, Any], at: str, *, following: list[dict[str, Any]]) -> Iterator[str]:
    match item.get("type", "message"):
        case "message":
            yield from _said_problems(item, at)
        case "function_call":
            if not isinstance(item.get("arguments"), str):
                yield f"Invalid type for '{at}.arguments': expected a string."
            if not isinstance(item.get("call_id"), str) or not 0 < len(item["call_id"]) <= _LONGEST_RESPONSES_ID:
                yield f"Invalid '{at}.call_id': expected a string of 1 to {_LONGEST_RESPONSES_ID} characters."
            yield from _name_problems(item.get("name"), f"{at}.name")
        case "function_call_output":
            if not isinstance(item.get("output"), str | list):
                yield f"Missing required parameter: '{at}.output'."
        case "reasoning":
            if not isinstance(item.get("summary"), list):
                yield f"Missing required parameter: '{at}.summary'."
            led_to = next((one for one in following if one.get("type") != "reasoning"), {"type": None})
            if led_to.get("type", "message") not in {"message", "function_call"}:
                yield f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
        case unknown:
            yield f"Invalid value: '{unknown}'. ({at}.type)"


def _said_problems(item: dict[str, Any], at: str) -> Iterator[str]:
    role = item.get("role")
    if role not in {"system", "developer", "user", "assistant"}:
        yield f"Invalid value: '{role}'. ({at}.role)"
    elif not item.get("content"):
        yield f"Missing required parameter: '{at}.content'."
    elif isinstance(item["content"], list):
        yield from _part_problems(item["content"], at, is_assistant=role == "assistant")


def _part_problems(parts: list[dict[str, Any]], at: str, *, is_assistant: bool) -> Iterator[str]:
    allowed = {"output_text", "refusal"} if is_assistant else {"input_text", "input_image", "input_file"}
    for place, part in enumerate(parts):
        if part.get("type") not in allowed:
            yield f"Invalid value: '{part.get('type')}'. ({at}.content[{place}].type)"
        elif part["type"] == "input_image" and not _IMAGE.match(part.get("image_url", "")):
            yield f"Invalid '{at}.content[{place}].image_url'."
        elif part["type"] == "input_file" and not (part.get("file_url") or part.get("file_data")):
            yield f"Missing required parameter: '{at}.content[{place}].file_data'."


def _pairing_problems(items: list[dict[str, Any]]) -> Iterator[str]:
    called = [item.get("call_id") for item in items if item.get("type") == "function_call"]
    answered = [item.get("call_id") for item in items if item.get("type") == "function_call_output"]
    seen: set[Any] = set()
    for item in items:
        if item.get("type") == "function_call":
            if item.get("call_id") in seen:
                yield f"Duplicate function call with call_id {item.get('call_id')}."
            seen.add(item.get("call_id"))
        elif item.get("type") == "function_call_output" and item.get("call_id") not in seen:
            yield f"No tool call found for function call output with call_id {item.get('call_id')}."
    for call_id in called:
        if call_id not in answered:
            yield f"No tool output found for function call {call_id}."
    if len(answered) > len({*answered}):
        yield "Duplicate function call output."


# --- what they share


def _unknown(body: Mapping[str, Any], known: frozenset[str]) -> Iterator[str]:
    yield from (f"Unknown parameter: '{name}'." for name in sorted(body.keys() - known))
    if not body.get("model"):
        yield "you must provide a model parameter"


def _tool_problems(function: Mapping[str, Any], at: str) -> Iterator[str]:
    yield from _name_problems(function.get("name"), f"{at}.name")
    schema = function.get("parameters", {})
    if not isinstance(schema, dict) or (schema and schema.get("type") != "object"):
        yield f"Invalid schema for function '{function.get('name')}': it must be of type 'object'. ({at}.parameters)"
    try:
        json.dumps(schema, allow_nan=False)
    except ValueError:
        yield f"Invalid schema for function '{function.get('name')}': it is no JSON. ({at}.parameters)"


def _name_problems(name: Any, at: str) -> Iterator[str]:
    if not isinstance(name, str) or not _FUNCTION.fullmatch(name):
        yield f"Invalid '{at}': string does not match pattern. Expected a string that matches '^{_FUNCTION.pattern}$'."
