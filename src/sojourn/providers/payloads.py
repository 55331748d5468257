"""A talk in the words of a provider: the JSON that its API takes.

What the provider sent itself (thinking with its signature) goes back as it came. The talk must be valid
(`context.validity`); these functions only write it down.
"""

import base64
from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import msgspec

from sojourn.errors import InvalidInputError
from sojourn.model.message import DataPart, MediaPart, Message, Part, TextPart, ThinkingPart, ToolCall

Form = Literal["anthropic", "openai-chat", "openai-responses"]
_NOTHING: Final = "(no output)"


def payload(form: Form, system: str, messages: Sequence[Message]) -> dict[str, Any]:
    """Return *messages* as the provider's API takes them, with *system* where it wants the instructions.

    Raises:
        InvalidInputError: there is no such form.
    """
    match form:
        case "anthropic":
            return _anthropic(system, messages)
        case "openai-chat":
            return _openai_chat(system, messages)
        case "openai-responses":
            return _openai_responses(system, messages)
    raise InvalidInputError(f"payload {form!r:.50}: use one of {', '.join(get_args(Form))}")


# --- Anthropic


def _anthropic(system: str, messages: Sequence[Message]) -> dict[str, Any]:
    """Results of one batch of calls are blocks of one user message; what one side says in a row is one message."""
    written: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            system = f"{system}\n\n{message.text}" if system else message.text
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _anthropic_blocks(message)
        if written and written[-1]["role"] == role:
            written[-1]["content"] += blocks
        else:
            written.append({"role": role, "content": blocks})
    return {"system": system, "messages": written} if system else {"messages": written}


def _anthropic_blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text or _NOTHING}
        return [{**result, "is_error": True} if message.error else result]
    blocks = [block for part in _parts(message) for block in _anthropic_part(part)]
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in message.tool_calls
    ]
    return [*blocks, *calls]


def _anthropic_part(part: Part) -> list[dict[str, Any]]:
    match part:
        case TextPart(text=text):
            return [{"type": "text", "text": text}] if text.strip() else []
        case ThinkingPart(text=text, signature=signature):
            # Without its signature the provider would refuse it.
            return [{"type": "thinking", "thinking": text, "signature": signature}] if signature else []
        case MediaPart(media_type=media_type, data=data, url=url):
            kind = "image" if media_type.startswith("image/") else "document"
            if data is not None:
                encoded = base64.b64encode(data).decode()
                return [{"type": kind, "source": {"type": "base64", "media_type": media_type, "data": encoded}}]
            return [{"type": kind, "source": {"type": "url", "url": url}}] if url else []
        case DataPart(data=data):
            return [{"type": "text", "text": msgspec.json.encode(data).decode()}]


# --- OpenAI


def _openai_chat(system: str, messages: Sequence[Message]) -> dict[str, Any]:
    written: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for message in messages:
        if message.role == "tool":
            result = {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text or _NOTHING}
            written.append(result)
            continue
        one: dict[str, Any] = {"role": message.role, "content": _chat_content(message)}
        if message.tool_calls:
            one["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
                for call in message.tool_calls
            ]
        if message.name is not None and message.role == "user":
            one["name"] = message.name
        written.append(one)
    return {"messages": written}


def _chat_content(message: Message) -> str | list[dict[str, Any]] | None:
    media = [part for part in _parts(message) if isinstance(part, MediaPart)]
    if not media:
        return _plain(message) or (None if message.tool_calls else "")
    content: list[dict[str, Any]] = []
    for part in _parts(message):
        if isinstance(part, MediaPart):
            content.append({"type": "image_url", "image_url": {"url": _address(part)}})
        elif text := _part_text(part):
            content.append({"type": "text", "text": text})
    return content


def _openai_responses(system: str, messages: Sequence[Message]) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            output = message.text or _NOTHING
            items.append({"type": "function_call_output", "call_id": message.tool_call_id, "output": output})
            continue
        content = _responses_content(message)
        if content:
            items.append({"type": "message", "role": message.role, "content": content})
        items += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": _arguments(call)}
            for call in message.tool_calls
        ]
    return {"instructions": system, "input": items} if system else {"input": items}


def _responses_content(message: Message) -> list[dict[str, Any]]:
    kind = "output_text" if message.role == "assistant" else "input_text"
    content: list[dict[str, Any]] = []
    for part in _parts(message):
        if isinstance(part, MediaPart) and message.role != "assistant":
            content.append({"type": "input_image", "image_url": _address(part)})
        elif text := _part_text(part):
            content.append({"type": kind, "text": text})
    return content


# --- what they share


def _parts(message: Message) -> tuple[Part, ...]:
    return (TextPart(text=message.content),) if isinstance(message.content, str) else message.content


def _plain(message: Message) -> str:
    return "\n".join(text for part in _parts(message) if (text := _part_text(part)))


def _part_text(part: Part) -> str:
    """Return a part as plain text; thinking and media have none."""
    match part:
        case TextPart(text=text):
            return text if text.strip() else ""
        case DataPart(data=data):
            return msgspec.json.encode(data).decode()
        case _:
            return ""


def _arguments(call: ToolCall) -> str:
    return call.arguments_text if call.arguments_text is not None else msgspec.json.encode(call.arguments).decode()


def _address(part: MediaPart) -> str:
    if part.data is not None:
        return f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
    return part.url or ""
