"""Messages that a program holds itself as an agent's conversation: nothing is stored, everything else is the same."""

import copy
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace

from sojourn.agent.settings import AgentSettings
from sojourn.agent.storable import storable_message
from sojourn.agent.talk import OpenTurn, Outcome, Said, with_fresh_ids
from sojourn.context.manager import ContextManager
from sojourn.context.validity import CANCELLED
from sojourn.engine.repair import CANCELLED_BEFORE
from sojourn.errors import InvalidInputError
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ModelRequest, ToolDefinition


class ManagedTalk:
    """The messages of a `ContextManager`. Lives as long as the agent, or for one turn."""

    def __init__(self, context: ContextManager, *, settings: AgentSettings) -> None:
        self._context = context
        self._settings = settings
        self._variables: dict[str, Any] = {}
        self._partial = ""
        self._started: set[str] = set()
        self.usage = Usage()
        """What all calls of the model took."""

    @property
    def variables(self) -> Mapping[str, Any]:
        return dict(self._variables)

    @asynccontextmanager
    async def turn(
        self,
        text: str | None = None,
        *,
        asked: bool = False,
        injected: Sequence[tuple[int, int]] = (),  # noqa: ARG002 - nobody learns
        values: Mapping[str, Any] | None = None,
        resume: bool = False,
        wait: bool = True,  # noqa: ARG002 - it is nobody else's
    ) -> AsyncIterator[OpenTurn]:
        if resume:
            raise InvalidInputError("messages in memory are never put aside: there is nothing to resume")
        self._variables |= copy.deepcopy(dict(values or {}))
        last = self._context.messages[-1:]
        try:
            if text is not None and not (asked and last and last[0].role == "user"):
                self._context.add_user_message(text)
            yield _Held()
        except BaseException:
            self._close()
            raise

    def _close(self) -> None:
        """Let the next turn be valid, wherever this one was left."""
        for call in self._waiting():
            text = CANCELLED if call.id in self._started else CANCELLED_BEFORE
            self._add_result(call, text, error=True)
        if self._partial:
            self._context.add_message(Message(role="assistant", content=self._partial, partial=True))
            self._partial = ""

    def _waiting(self) -> list[ToolCall]:
        answered = {message.tool_call_id for message in self._context.messages if message.role == "tool"}
        calls = [call for message in self._context.messages for call in message.tool_calls]
        return [call for call in calls if call.id not in answered]

    async def open_calls(self) -> tuple[ToolCall, ...]:
        return tuple(call for call in self._waiting() if call.id not in self._started)

    async def flush(self, tools: Sequence[tuple[str, str]]) -> None:
        waiting = {call.id: call for call in self._waiting()}
        for call_id, _ in tools:
            if call_id in waiting:
                self._add_result(waiting[call_id], CANCELLED, error=True)

    async def request(self, tools: tuple[ToolDefinition, ...]) -> ModelRequest:
        self._context.set_tool_definitions([tool.to_dict() for tool in tools])
        messages = [message for message in self._context.build_messages() if message.role != "system"]
        return ModelRequest(
            messages=tuple(messages),
            system=self._context.system_prompt,
            tools=tools,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            thinking=self._settings.thinking,
        )

    async def keep_partial(self, text: str) -> None:
        self._partial = text

    async def answer(
        self,
        message: Message | None,
        usage: Usage,
        *,
        seconds: float,  # noqa: ARG002 - nobody asks
        last: bool = False,  # noqa: ARG002 - a turn in memory ends by itself
    ) -> Said:
        self._partial = ""
        self.usage = _sum(self.usage, usage)
        if message is None:
            return Said(message=None, usage=usage)
        known = {call.id for said in self._context.messages for call in said.tool_calls}
        said = replace(with_fresh_ids(storable_message(message), known), tokens=usage.output_tokens or None)
        self._context.add_message(said)
        return Said(message=said, usage=usage)

    async def tool_started(self, call: ToolCall, arguments: dict[str, Any]) -> None:  # noqa: ARG002 - nobody asks
        self._started.add(call.id)

    async def tools_done(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            self._add_result(outcome.call, outcome.text, error=not outcome.success)
            if outcome.output is not None:
                self._variables[outcome.output] = outcome.value

    def _add_result(self, call: ToolCall, text: str, *, error: bool) -> None:
        self._started.discard(call.id)
        self._context.add_message(Message(role="tool", content=text, tool_call_id=call.id, name=call.name, error=error))


class _Held:
    def put_aside(self) -> None:
        raise InvalidInputError("a turn without a session cannot wait for a human: give the agent a session")


def _sum(one: Usage, other: Usage) -> Usage:
    cost = None
    if one.cost_micros is not None or other.cost_micros is not None:
        cost = (one.cost_micros or 0) + (other.cost_micros or 0)
    return Usage(
        model=other.model or one.model,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cache_creation_tokens=one.cache_creation_tokens + other.cache_creation_tokens,
        cache_read_tokens=one.cache_read_tokens + other.cache_read_tokens,
        cost_micros=cost,
    )
