"""The seam to the agent: how the loop has a text answered, and what it is told about it."""

from collections.abc import Awaitable, Callable
from typing import Any

from sojourn.model.value import Value


class ToolUse(Value, frozen=True, kw_only=True):
    """A tool that the model called, and what came of it; *result* is the output, or the error."""

    name: str
    arguments: dict[str, Any] = {}
    success: bool = True
    result: str = ""
    seconds: float = 0.0


class Executed(Value, frozen=True, kw_only=True):
    """What the model answered, and the tools that it called on the way."""

    text: str
    tools: tuple[ToolUse, ...] = ()


Execute = Callable[[str], Awaitable[Executed]]
"""Runs one query through model and tools beside the conversation: it sees the history, and adds nothing to it.

Whoever calls the loop holds the session's turn; this does not begin one. With `parallel_execution` two may be under way
at once. Errors rise as they are.
"""
