"""What may be written to a log: no secrets, nothing that is no text, and, where people read, nothing invisible.

A secret that a model streams comes in pieces of a few letters, and none of them looks like one: in the raw log of a
stream it can be put together again. Everywhere else it is found.
"""

import re
from typing import Any, Final

import msgspec

from sojourn.context.secrets import redacted_json
from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ThinkingPart
from sojourn.model.secrets import without_secrets

_INVISIBLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and those that make a text look as if it stood in another order."""
_LINE_END: Final = re.compile(r"\r\n?")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_SECRET_HEADERS: Final = frozenset({
    "authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "ocp-apim-subscription-key",
    "cookie", "set-cookie", "x-amz-security-token",
})  # fmt: skip
_HIDDEN: Final = "[redacted:authorization]"
TOO_DEEP: Final = "[nested too deeply]"


def kept(text: str) -> str:
    """Return *text* as a database takes it: half a surrogate pair is no character, and secrets are not kept."""
    return without_secrets(_SURROGATE.sub("\ufffd", text))


def shown(text: str) -> str:
    """Return what is *kept* as people see it in an editor: without control characters, but for tabs and lines."""
    seen = _INVISIBLE.sub("", _LINE_END.sub("\n", text))
    return text if seen == text else kept(seen)  # what stood between the halves of a secret is gone now


def kept_json(value: Any) -> Any:
    """Return a JSON value without secrets, whose texts a file takes; `TOO_DEEP` if it is nested beyond all measure."""
    try:
        return _plain(redacted_json(value))
    except RecursionError:
        return TOO_DEEP


def wire_json(value: Any) -> Any:
    """Return what went over the wire as `kept_json` does; whatever identifies the caller is never written."""
    try:
        return kept_json(_without_headers(value))
    except RecursionError:
        return TOO_DEEP


def said(message: Message) -> str:
    """Return what a message says, as text: a picture is named, other data is shown as JSON, thinking is left out."""
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(text for part in content if (text := _part(part)))


def thought(message: Message) -> str:
    """Return what the model thought before it said *message*."""
    content = message.content
    if isinstance(content, str):
        return ""
    return "\n".join(part.text for part in content if isinstance(part, ThinkingPart) and part.text)


def _part(part: object) -> str:
    match part:
        case TextPart(text=text):
            return text
        case MediaPart(media_type=media_type, name=name, url=url):
            return f"[{' '.join(word for word in (media_type, name or url) if word)}]"
        case DataPart(data=data):
            return msgspec.json.encode(data).decode()
        case _:
            return ""


def _plain(value: Any) -> Any:
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case dict():
            return {kept(str(name)): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case bytes():
            return f"[{len(value):,} bytes]"
        case None | bool() | int() | float():
            return value
        case _:
            return kept(str(value))


def _without_headers(value: Any) -> Any:
    match value:
        case dict():
            return {name: _header(str(name), item) for name, item in value.items()}
        case list() | tuple():
            return [_without_headers(item) for item in value]
        case _:
            return value


def _header(name: str, value: Any) -> Any:
    # A tool may well have a parameter of that name: its schema is no credential.
    if name.casefold() in _SECRET_HEADERS and not isinstance(value, dict):
        return _HIDDEN
    return _without_headers(value)
