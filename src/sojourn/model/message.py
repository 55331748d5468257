"""One message of a conversation: text, other media, tool calls and results, and what the provider really sent."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from sojourn.model.value import Value

Role = Literal["system", "user", "assistant", "tool"]
Count = Annotated[int, Meta(ge=0, le=10**12)]
"""How many there are of something; the limit keeps sums within a database's integers."""


class TextPart(Value, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="text"):
    """Plain text."""

    text: str


class MediaPart(Value, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="media"):
    """An image, a sound, a document: its bytes, or where to find them."""

    media_type: str
    data: bytes | None = None
    url: str | None = None
    name: str | None = None


class ThinkingPart(Value, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="thinking"):
    """A model's reasoning, with the signature that its provider wants back unchanged."""

    text: str
    signature: str | None = None


class DataPart(Value, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="data"):
    """Structured content of any other kind, as JSON."""

    data: Any


Part = TextPart | MediaPart | ThinkingPart | DataPart


class ToolCall(Value, frozen=True, kw_only=True, omit_defaults=True):
    """A model's wish to run a tool. *arguments_text* keeps arguments that were not valid JSON."""

    id: str
    name: str
    arguments: dict[str, Any] = {}
    arguments_text: str | None = None


class Message(Value, frozen=True, kw_only=True, omit_defaults=True):
    """What one participant said.

    *raw* is the provider's own JSON for this message, kept to the letter. *partial* marks an answer that was cut
    off by a cancel or a crash. A tool's result has role `tool`, the call's id, and *error* if the tool failed.
    """

    role: Role
    content: str | tuple[Part, ...] = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    error: bool = False
    partial: bool = False
    model: str | None = None
    tokens: Count | None = None
    metadata: dict[str, Any] = {}
    raw: Raw | UnsetType = UNSET

    @property
    def text(self) -> str:
        """The message's plain text; other parts contribute nothing."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if isinstance(part, TextPart))

    def with_raw(self, provider_json: bytes | str) -> "Message":
        """Return this message with the provider's own JSON attached."""
        return msgspec.structs.replace(self, raw=Raw(provider_json))
