"""A talk in the words of a provider: the JSON that its API takes.

What the provider sent itself (thinking with its signature) goes back as it came, and to no other provider. The talk
must be valid (`context.validity`); these functions only write it down.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET

from sojourn.errors import InvalidInputError
from sojourn.model.message import DataPart, MediaPart, Message, Part, TextPart, ThinkingPart, ToolCall

Form = Literal["anthropic", "openai-chat", "openai-responses"]
_NOTHING: Final = "(no output)"
_NO_TEXT: Final = "(no text)"
_SAID: Final = ("output_text", "refusal")
_NO_NAME: Final = re.compile(r"[\s<|\\/>]+")
_NO_FUNCTION_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64
_CHAT_ID: Final = 40
_RESPONSES_ID: Final = 64
"""How long OpenAI lets the id of a call be."""
_AUDIO: Final = {
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav",
}  # fmt: skip
"""What OpenAI calls these kinds of sound; it takes no others."""
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_PDF: Final = "application/pdf"
_LONGEST_TOOL_NAME: Final = 128
_ID: Final = re.compile(r"[A-Za-z0-9_-]+")


def is_redacted_thinking(part: Part) -> bool:
    """Tell whether a part is thinking that Anthropic keeps to itself, which only it can read."""
    return isinstance(part, DataPart) and isinstance(part.data, dict) and part.data.get("type") == "redacted_thinking"


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
        if not blocks:  # nothing, or thinking alone, which is no message
            continue
        if written and written[-1]["role"] == role:
            written[-1]["content"] += blocks
        else:
            written.append({"role": role, "content": blocks})
    return {"system": system, "messages": written} if system else {"messages": written}


def _anthropic_blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        call_id = _anthropic_id(message.tool_call_id or "")
        content = message.text if message.text.strip() else _NOTHING
        result = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return [{**result, "is_error": True} if message.error else result]
    blocks = [block for part in _parts(message) for block in _anthropic_part(part)]
    calls = [
        {"type": "tool_use", "id": _anthropic_id(call.id), "name": _tool_name(call.name), "input": call.arguments}
        for call in message.tool_calls
    ]
    ordered = _as_sent([*blocks, *calls], message)
    while ordered and ordered[-1]["type"] in _THINKING:  # a message may not end with it
        ordered.pop()
    return ordered


def _as_sent(blocks: list[dict[str, Any]], message: Message) -> list[dict[str, Any]]:
    """Return *blocks* in the order of the provider's own JSON, if they are all in it."""
    sent = None if message.raw is UNSET else msgspec.json.decode(message.raw)
    content = sent.get("content") if isinstance(sent, dict) else None
    left, ordered = list(blocks), []
    for item in content if isinstance(content, list) else ():
        found = next((block for block in left if isinstance(item, dict) and block.items() <= item.items()), None)
        if found is not None:
            ordered.append(found)
            left.remove(found)
    return blocks if left else ordered


def _anthropic_id(call_id: str) -> str:
    """Return a call's id as the API takes it: another provider's may have characters that it refuses."""
    if _ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def _tool_name(name: str) -> str:
    """Return the name of a tool that was called as the API takes it: a model may have made one up."""
    return _NO_FUNCTION_NAME.sub("_", name)[:_LONGEST_TOOL_NAME] or "unknown"


def _anthropic_part(part: Part) -> list[dict[str, Any]]:
    match part:
        case TextPart(text=text):
            return [{"type": "text", "text": text}] if text.strip() else []
        case ThinkingPart(text=text, signature=signature):
            # Without its signature the provider would refuse it.
            return [{"type": "thinking", "thinking": text, "signature": signature}] if signature else []
        case MediaPart():
            return [_anthropic_media(part)]
        case DataPart(data=data):
            return [data] if is_redacted_thinking(part) else [{"type": "text", "text": _as_json(data)}]


def _anthropic_media(part: MediaPart) -> dict[str, Any]:
    """Return an image or a document; of what the API cannot look at, only that it is there."""
    kind = "image" if part.media_type in _IMAGES else "document"
    if part.media_type in _IMAGES or part.media_type == _PDF:
        if part.data is not None:
            encoded = base64.b64encode(part.data).decode()
            return {"type": kind, "source": {"type": "base64", "media_type": part.media_type, "data": encoded}}
        if part.url:
            return {"type": kind, "source": {"type": "url", "url": part.url}}
    return {"type": "text", "text": _unseen(part)}


# --- OpenAI


def _openai_chat(system: str, messages: Sequence[Message]) -> dict[str, Any]:
    written: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for message in messages:
        if message.role == "tool":
            call_id = _id(message.tool_call_id or "", longest=_CHAT_ID)
            written.append({"role": "tool", "tool_call_id": call_id, "content": _noted(message) or _NOTHING})
            continue
        one: dict[str, Any] = {"role": message.role, "content": _chat_content(message)}
        if message.tool_calls:
            one["tool_calls"] = [_chat_call(call) for call in message.tool_calls]
        if message.name is not None and message.role == "user" and (name := _NO_NAME.sub("_", message.name)):
            one["name"] = name[:_LONGEST_NAME]
        written.append(one)
    return {"messages": written}


def _chat_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": _function_name(call.name), "arguments": _arguments(call)}
    return {"id": _id(call.id, longest=_CHAT_ID), "type": "function", "function": function}


def _chat_content(message: Message) -> str | list[dict[str, Any]] | None:
    if message.role != "user" or not any(isinstance(part, MediaPart) for part in _parts(message)):
        return _noted(message) or (None if message.tool_calls else _NO_TEXT)
    content: list[dict[str, Any]] = []
    for part in _parts(message):
        if isinstance(part, MediaPart):
            content.append(_chat_media(part))
        elif text := _part_text(part):
            content.append({"type": "text", "text": text})
    return content


def _noted(message: Message) -> str:
    """Return a message as text, with a note where media were: only the user may send them."""
    shown = (_unseen(part) if isinstance(part, MediaPart) else _part_text(part) for part in _parts(message))
    return "\n".join(text for text in shown if text)


def _chat_media(part: MediaPart) -> dict[str, Any]:
    """Return an image, a document or a sound; of what the API cannot look at, only that it is there."""
    if part.media_type in _IMAGES and _address(part):
        return {"type": "image_url", "image_url": {"url": _address(part)}}
    if part.media_type == _PDF and part.data is not None:
        return {"type": "file", "file": {"filename": part.name or "file.pdf", "file_data": _address(part)}}
    if part.media_type in _AUDIO and part.data is not None:
        audio = {"data": base64.b64encode(part.data).decode(), "format": _AUDIO[part.media_type]}
        return {"type": "input_audio", "input_audio": audio}
    return {"type": "text", "text": _unseen(part)}


def _openai_responses(system: str, messages: Sequence[Message]) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            call_id = _id(message.tool_call_id or "", longest=_RESPONSES_ID)
            items.append({"type": "function_call_output", "call_id": call_id, "output": _responses_output(message)})
            continue
        if kept := _own_items(message):
            items += kept
            continue
        content = _responses_content(message)
        if content:
            items.append({"type": "message", "role": message.role, "content": content})
        items += [_responses_call(call) for call in message.tool_calls]
    return {"instructions": system, "input": items} if system else {"input": items}


def _responses_call(call: ToolCall) -> dict[str, Any]:
    call_id = _id(call.id, longest=_RESPONSES_ID)
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": _function_name(call.name),
        "arguments": _arguments(call),
    }


def _responses_content(message: Message) -> list[dict[str, Any]]:
    kind = "output_text" if message.role == "assistant" else "input_text"
    content: list[dict[str, Any]] = []
    for part in _parts(message):
        if isinstance(part, MediaPart) and message.role in {"user", "tool"}:
            content.append(_responses_media(part))
        elif text := _part_text(part):
            content.append({"type": kind, "text": text})
    return content or ([] if message.tool_calls else [{"type": kind, "text": _NO_TEXT}])


def _responses_output(message: Message) -> str | list[dict[str, Any]]:
    """Return what a tool gave back, pictures and files included."""
    if any(isinstance(part, MediaPart) for part in _parts(message)):
        return _responses_content(message)
    return _plain(message) or _NOTHING


def _responses_media(part: MediaPart) -> dict[str, Any]:
    if part.media_type in _IMAGES and _address(part):
        return {"type": "input_image", "image_url": _address(part)}
    if part.media_type == _PDF and part.data is not None:
        return {"type": "input_file", "filename": part.name or "file.pdf", "file_data": _address(part)}
    if part.media_type == _PDF and part.url:
        return {"type": "input_file", "file_url": part.url}
    return {"type": "input_text", "text": _unseen(part)}


def _own_items(message: Message) -> list[dict[str, Any]]:
    """Return the items that the Responses API sent for *message*; none if it did not, or if they no longer fit it.

    Thinking at the end goes: the API wants behind it what it led to.
    """
    if message.role != "assistant" or not isinstance(message.raw, msgspec.Raw):
        return []
    try:
        kept = msgspec.json.decode(message.raw, type=_Kept)
    except msgspec.DecodeError:
        return []  # another provider's
    items = kept.items if kept.form == "openai-responses" and all(map(_is_item, kept.items)) else []
    calls = [item.get("call_id") for item in items if item.get("type") == "function_call"]
    ids = [str(item["id"]) for item in items if "id" in item]
    if calls != [call.id for call in message.tool_calls] or len({*ids}) < len(ids):
        return []
    while items and items[-1].get("type") == "reasoning":
        items = items[:-1]
    return items


def _is_item(item: dict[str, Any]) -> bool:
    """Tell whether an item is such as the API takes: some servers send others."""
    match item:
        case {"type": "message", "role": "assistant", "content": [*parts]}:
            return bool(parts) and all(isinstance(part, dict) and part.get("type") in _SAID for part in parts)
        case {"type": "function_call", "call_id": str(call_id), "name": str(name), "arguments": str()}:
            return 0 < len(call_id) <= _RESPONSES_ID and name == _function_name(name)
        case {"type": "reasoning", "summary": [*_]}:
            return True
        case _:
            return False


class _Kept(msgspec.Struct):
    form: str
    items: list[dict[str, Any]]


def _id(call_id: str, *, longest: int) -> str:
    """Return the id of a call; one that another provider made too long is replaced, the same way each time."""
    if len(call_id) <= longest:
        return call_id
    return f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:32]}"


def _function_name(name: str) -> str:
    """Return the name of what was called. A model can make one up that OpenAI refuses to see again."""
    return _NO_FUNCTION_NAME.sub("_", name)[:_LONGEST_NAME] or "_"


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
        case DataPart(data=data) if not is_redacted_thinking(part):
            return _as_json(data)
        case _:
            return ""


def _as_json(data: Any) -> str:
    return msgspec.json.encode(data).decode()


def _unseen(part: MediaPart) -> str:
    return f"(a file that cannot be shown here: {part.name or part.media_type})"


def _arguments(call: ToolCall) -> str:
    return call.arguments_text if call.arguments_text is not None else msgspec.json.encode(call.arguments).decode()


def _address(part: MediaPart) -> str:
    if part.data is not None:
        return f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
    return part.url or ""
