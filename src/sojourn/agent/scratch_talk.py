"""A scratch pad beside a session: an attempt that sees the conversation and adds nothing to it.

What is said here is in memory and gone with the attempt. What is *done* is not: a tool's start and end are in the
journal, and so is what the model took, because both really happened.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sojourn.agent.journal_talk import JournalTalk
from sojourn.agent.storable import storable_message
from sojourn.agent.talk import Outcome, Said, with_fresh_ids
from sojourn.context.talk import Line
from sojourn.context.tool_results import shown
from sojourn.context.validity import made_valid
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ModelRequest, ToolDefinition


class ScratchTalk:
    """One attempt. Lives until it is answered; the session's turn must be held meanwhile.

    Attributes:
        outcomes: what became of the calls, in the order in which they came back.
    """

    def __init__(self, beside: JournalTalk, query: str) -> None:
        """Ask *query* in the light of what is said in *beside*."""
        self._beside = beside
        self._query = query
        self._messages: list[Message] = []
        self.outcomes: list[Outcome] = []

    @property
    def variables(self) -> Mapping[str, Any]:
        return self._beside.variables

    async def open_calls(self) -> tuple[ToolCall, ...]:
        return ()

    async def request(self, tools: tuple[ToolDefinition, ...]) -> ModelRequest:
        request = await self._beside.request(tools, question=self._query)
        more = made_valid([Line(message=message) for message in (*request.messages, *map(shown, self._messages))])
        return replace(request, messages=tuple(line.message for line in more))

    async def keep_partial(self, text: str) -> None:
        """Do nothing: an attempt that breaks off is made again."""

    async def answer(self, message: Message | None, usage: Usage, *, seconds: float, last: bool = False) -> Said:  # noqa: ARG002 - the turn goes on
        paid = await self._beside.answer(None, usage, seconds=seconds)
        if message is None:
            return paid
        known = {call.id for earlier in self._messages for call in earlier.tool_calls}
        said = with_fresh_ids(storable_message(message), known)
        self._messages.append(said)
        return Said(message=said, usage=paid.usage)

    async def tool_started(self, call: ToolCall, arguments: dict[str, Any]) -> None:
        await self._beside.tool_started(call, arguments)

    async def tools_done(self, outcomes: Sequence[Outcome]) -> None:
        self.outcomes += outcomes
        await self._beside.note_tools(outcomes)
        self._messages += [
            Message(
                role="tool", content=done.text, tool_call_id=done.call.id, name=done.call.name, error=not done.success
            )
            for done in outcomes
        ]
