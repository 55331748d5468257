"""What came of a command that was typed."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Typed(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def answer(self) -> dict[str, Any]:
        """The whole JSON object."""
        answer: dict[str, Any] = json.loads(self.out)
        assert answer["schema"] == "sojourn/1"
        return answer

    @property
    def data(self) -> Any:
        """What was found, of a command that did what it was told."""
        assert self.answer["ok"] is True
        return self.answer["data"]

    @property
    def error(self) -> dict[str, str]:
        """What went wrong."""
        assert self.answer["ok"] is False
        error: dict[str, str] = self.answer["error"]
        return error


Type = Callable[..., Typed]
Pipe = Callable[..., Typed]
"""As `Type`, and *text* is piped in."""
