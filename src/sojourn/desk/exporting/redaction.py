"""What leaves the store without its secrets, and how many there were of each kind."""

import re
from collections import Counter
from typing import Any, Final

import msgspec

from sojourn.context.secrets import redacted_json, redacted_message
from sojourn.model.message import Message
from sojourn.model.secrets import without_secrets

_MARK: Final = re.compile(rb"\[redacted:([a-z_]+)\]")


class Redactor:
    """Takes secrets out of what passes through it, and counts them. Lives for one export."""

    def __init__(self, *, active: bool = True) -> None:
        """Let everything pass as it is unless *active*."""
        self.active = active
        self.found: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """Return *text* without secrets."""
        if not self.active:
            return text
        clean = without_secrets(text)
        self._count(text.encode(errors="replace"), clean.encode(errors="replace"))
        return clean

    def again(self, text: str) -> str:
        """Return *text* without secrets, uncounted: it repeats what is counted elsewhere."""
        return without_secrets(text) if self.active else text

    def message(self, message: Message) -> Message:
        """Return *message* without secrets; one that has none is the same, with all that its provider sent."""
        if not self.active:
            return message
        before = msgspec.json.encode(msgspec.structs.replace(message, raw=msgspec.UNSET))
        clean = redacted_message(message)
        return clean if self._count(before, msgspec.json.encode(clean)) else message

    def json(self, value: Any) -> Any:
        """Return JSON without secrets, uncounted: it repeats what is counted elsewhere."""
        return redacted_json(value) if self.active else value

    def payload(self, payload: str) -> str:
        """Return the stored text of an event without secrets; one that has none is returned to the letter."""
        if not self.active:
            return payload
        value = msgspec.json.decode(payload)
        clean = redacted_json(value)
        if clean == value:
            return payload
        written = msgspec.json.encode(clean)
        self._count(payload.encode(), written)
        return written.decode()

    def _count(self, before: bytes, after: bytes) -> bool:
        """Count the marks that are new; tell whether there are any."""
        if before == after:
            return False
        new = Counter(_MARK.findall(after)) - Counter(_MARK.findall(before))
        self.found.update({kind.decode(): number for kind, number in new.items()})
        return bool(new)
