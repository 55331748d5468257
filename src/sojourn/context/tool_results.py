"""What a model is shown of a tool's result: all of it, or its beginning and how to read on.

The journal keeps results whole, so what is left out here is one call of `read_more` away.
"""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from sojourn.model.message import Message

SHOWN_TOKENS: Final = 7_500
SHOWN: Final = SHOWN_TOKENS * 4
"""Characters of a result that are shown, about 7,500 tokens. A fixed number, so that the same result is always cut at
the same place, which keeps a provider's cache warm and tells where to read on."""


def shown(message: Message) -> Message:
    """Return *message* as a model sees it: a tool's long result is cut, and says so; anything else is as it is."""
    if message.role != "tool" or not isinstance(message.content, str) or len(message.content) <= SHOWN:
        return message
    return replace(message, content=shown_text(message.content, message.tool_call_id or ""), raw=UNSET, tokens=None)


def shown_text(text: str, call_id: str) -> str:
    """Return the beginning of a long result, and how to read on."""
    if len(text) <= SHOWN:
        return text
    return (
        f"{text[:SHOWN]}\n[... {len(text) - SHOWN:,} of {len(text):,} characters are not shown; to read on, call"
        f' read_more with call_id="{call_id}" and offset={SHOWN} ...]'
    )
