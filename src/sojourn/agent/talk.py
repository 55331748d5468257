"""Where a turn's messages are kept, and what the model is shown of them.

There are three: a durable session (`journal_talk`), messages that a program holds itself (`managed_talk`), and a
scratch pad beside a session, for attempts that may never become part of it (`scratch_talk`). The loop knows no
difference.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol

import uuid_utils
from msgspec.structs import replace

from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.model.value import Value
from sojourn.providers.protocol import ModelRequest, ToolDefinition

HALTED: Final = "Did not execute: halted due to error in previous tool"


class Outcome(Value, frozen=True, kw_only=True):
    """What became of one call.

    *text* is the result, whole. *arguments* are what the skill got. *ran* is whether it really ran; *output* is the
    variable that gets *value*. *inward*: it tells what the session knows already.
    """

    call: ToolCall
    text: str
    arguments: dict[str, Any] = {}
    success: bool
    ran: bool = True
    seconds: float = 0.0
    output: str | None = None
    value: Any = None
    inward: bool = False


class Said(Value, frozen=True, kw_only=True):
    """What a model said, as it was added, and what it took, with its price where that is known."""

    message: Message | None
    usage: Usage


class OpenTurn(Protocol):
    """A turn that is going on."""

    def put_aside(self) -> None:
        """Let the turn end with its calls open: a human is asked first."""
        ...


class Talk(Protocol):
    """What one answer is worked on in."""

    @property
    def variables(self) -> Mapping[str, Any]:
        """Named values that calls may use."""
        ...

    async def open_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls that wait for a result and were never started, in the order they were made."""
        ...

    async def request(self, tools: tuple[ToolDefinition, ...]) -> ModelRequest:
        """Return what the model is to be asked now."""
        ...

    async def keep_partial(self, text: str) -> None:
        """Keep what was streamed so far, in case the rest never comes."""
        ...

    async def answer(self, message: Message | None, usage: Usage, *, seconds: float, last: bool = False) -> "Said":
        """Add what the model said, if it said anything, and what that took; return both as they were added.

        It may be the *last* that is said in the turn, which is complete with it.
        A call whose id was used before gets another: no provider accepts the same one twice.
        """
        ...

    async def tool_started(self, call: ToolCall, arguments: dict[str, Any]) -> None:
        """Note that a tool is about to run, before it does."""
        ...

    async def tools_done(self, outcomes: Sequence[Outcome]) -> None:
        """Add the results of calls."""
        ...


class LastingTalk(Talk, Protocol):
    """A conversation that goes on from turn to turn."""

    def turn(
        self,
        text: str | None = None,
        *,
        asked: bool = False,
        injected: Sequence[tuple[int, int]] = (),
        values: Mapping[str, Any] | None = None,
        resume: bool = False,
        wait: bool = True,
    ) -> AbstractAsyncContextManager[OpenTurn]:
        """Hold the turn, and begin it with what the user says; *wait* for it if somebody else does.

        If the text was *asked* already and waits for its answer, it is not added again. *injected* are the stretches of
        it that are not the user's own words. *values* are variables to set.

        Left by a cancel or an error, every call that is still open gets a result that says so. With *resume*, calls
        that an earlier turn left open stay open until this one runs them.

        Raises:
            LockedError: another turn is going on, and nobody wants to wait.
            InvalidInputError: nothing waits that could be resumed, or a value cannot be kept; nothing is changed.
        """
        ...

    async def flush(self, tools: Sequence[tuple[str, str]]) -> None:
        """Give each of these calls (id, name) that still waits for a result the one that says it was cancelled."""
        ...


def with_fresh_ids(message: Message, known: set[str]) -> Message:
    """Return *message* with new ids for those of its calls whose id is *known*, or was used twice.

    Some servers count their calls from zero in each answer.
    """
    calls, seen = [], set(known)
    for call in message.tool_calls:
        fresh = call if call.id not in seen else replace(call, id=f"call_{uuid_utils.uuid7().hex}")
        seen.add(fresh.id)
        calls.append(fresh)
    return replace(message, tool_calls=tuple(calls))
