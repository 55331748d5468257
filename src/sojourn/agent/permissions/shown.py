"""What is shown of a call's arguments to who is asked, and kept with a refusal: short, and without secrets."""

from typing import Any, Final

import msgspec

from sojourn.context.secrets import redacted_message
from sojourn.model.message import Message, ToolCall

MAX_SHOWN: Final = 8_000
"""Characters of JSON, in all."""
_LONGEST_TEXT: Final = 1_000
_LONGEST_SEARCHED: Final = 8_000
"""Characters of a text that are searched for secrets; longer than a key, so that none is cut in two and shown."""
_LONGEST_NAME: Final = 100
_MOST_VALUES: Final = 200
_DEEPEST: Final = 6


def shown(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return *arguments* with `[redacted:kind]` in place of each secret, and `…` in place of what is too much."""
    call = ToolCall(id="", name="", arguments=_Cutter(_LONGEST_SEARCHED).cut(arguments))
    [clean] = redacted_message(Message(role="assistant", tool_calls=(call,))).tool_calls
    short: dict[str, Any] = _Cutter(_LONGEST_TEXT).cut(clean.arguments)
    text = msgspec.json.encode(short).decode()
    return short if len(text) <= MAX_SHOWN else {"arguments": f"{text[: MAX_SHOWN // 4]}…"}


class _Cutter:
    """Shortens one JSON value. Lives for that value."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._room = _MOST_VALUES

    def cut(self, value: Any, depth: int = 0) -> Any:
        self._room -= 1
        match value:
            case str():
                return value if len(value) <= self._longest else f"{value[: self._longest]}…"
            case dict() | list() | tuple() if depth == _DEEPEST or self._room <= 0:
                return "…"
            case dict():
                names = list(value)[: self._room]
                return {str(name)[:_LONGEST_NAME]: self.cut(value[name], depth + 1) for name in names if self._room > 0}
            case list() | tuple():
                return [self.cut(item, depth + 1) for item in value[: self._room] if self._room > 0]
            case _:
                return value
