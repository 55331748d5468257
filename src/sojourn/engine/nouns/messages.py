"""What was said, and what it cost: `session.messages`."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError
from sojourn.model.conversation import OpenCall
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, Purpose, ToolRan, ToolStarted, UsageRecorded
from sojourn.model.ids import Seq
from sojourn.model.message import Message, Part, ToolCall

_PAGE = 200


class Messages:
    """Adds messages, tool runs and usage; reads the history in pages."""

    def __init__(self, session: Live) -> None:
        self._session = session

    async def add(self, message: Message, *, causes: Iterable[int] = ()) -> Entry:
        """Add a message as it is, and return its entry."""
        return (await self._session.append(MessageAdded(message=message), causes=causes)).entries[0]

    async def system(self, content: str | tuple[Part, ...], *, causes: Iterable[int] = ()) -> Entry:
        """Add a system message."""
        return await self.add(Message(role="system", content=content), causes=causes)

    async def user(
        self, content: str | tuple[Part, ...], *, metadata: dict[str, Any] | None = None, causes: Iterable[int] = ()
    ) -> Entry:
        """Add what the user said."""
        return await self.add(Message(role="user", content=content, metadata=metadata or {}), causes=causes)

    async def assistant(
        self,
        content: str | tuple[Part, ...] = "",
        *,
        tool_calls: Sequence[ToolCall] = (),
        model: str | None = None,
        tokens: int | None = None,
        causes: Iterable[int] = (),
    ) -> Entry:
        """Add what the model said, and the tools that it asks for.

        Raises:
            InvalidInputError: it says nothing and asks for nothing.
        """
        if not content and not tool_calls:
            raise InvalidInputError("an assistant's message needs content or tool calls")
        calls = tuple(tool_calls)
        message = Message(role="assistant", content=content, tool_calls=calls, model=model, tokens=tokens)
        return await self.add(message, causes=causes)

    async def tool(
        self, call_id: str, content: str | tuple[Part, ...], *, name: str | None = None, error: bool = False
    ) -> Entry:
        """Add the result of a tool call.

        Raises:
            InvalidInputError: no call with this id waits for a result.
        """
        call = self._open_call(call_id)
        if call is None:
            raise InvalidInputError(f"no tool call {call_id!r:.100} waits for a result")
        message = Message(role="tool", content=content, tool_call_id=call_id, name=name or call.name, error=error)
        return await self.add(message, causes=(call.asked_at,))

    async def tool_started(self, call_id: str, name: str, arguments: dict[str, Any] | None = None) -> Entry:
        """Note that a tool is about to run. Without a `tool_ran` after it, nobody knows whether it did."""
        event = ToolStarted(call_id=call_id, name=name, arguments=arguments or {})
        return (await self._session.append(event, causes=self._asked_at(call_id))).entries[0]

    async def tool_ran(
        self, call_id: str, name: str, *, success: bool = True, seconds: float = 0.0, error: str | None = None
    ) -> Entry:
        """Note that a tool ran and came back."""
        event = ToolRan(call_id=call_id, name=name, success=success, seconds=seconds, error=error)
        return (await self._session.append(event, causes=self._asked_at(call_id))).entries[0]

    def _open_call(self, call_id: str) -> OpenCall | None:
        return next((call for call in self._session.state.conversation.open_calls if call.call_id == call_id), None)

    def _asked_at(self, call_id: str) -> tuple[Seq, ...]:
        """Return the message that asked for a call, so that forgetting it reaches what the tool was given and said."""
        call = self._open_call(call_id)
        return () if call is None else (call.asked_at,)

    async def used(
        self,
        *,
        purpose: Purpose = "conversation",
        model: str | None = None,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cache_creation_tokens: int = 0,
        cache_read_tokens: int = 0,
        cost_micros: int | None = None,
        seconds: float | None = None,
        causes: Iterable[int] = (),
    ) -> None:
        """Record a model call: tokens in four disjoint buckets, cost in millionths of a dollar (None: unpriced)."""
        usage = UsageRecorded(
            purpose=purpose,
            model=model,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cache_creation_tokens=cache_creation_tokens,
            cache_read_tokens=cache_read_tokens,
            cost_micros=cost_micros,
            seconds=seconds,
        )
        await self._session.append(usage, causes=causes)

    async def last(self, limit: int = 20, *, before: int | None = None) -> list[Entry]:
        """Return the last *limit* messages (before entry *before*), oldest first."""
        if before is None:
            return await self._session.last_messages(limit)
        return await self._session.store.last_messages(self._session.id, limit, before=before)

    async def window(self, limit: int = 20) -> list[Entry]:
        """Return the last messages that a model can be sent, oldest first.

        At most *limit*; none that a compaction has summarised; and whole: it begins with a user's message, and each
        tool result stands behind the call that asked for it.
        """
        entries = await self.last(limit)
        after = self._session.state.conversation.window_start
        return whole([entry for entry in entries if entry.seq > after])

    async def all(self) -> AsyncIterator[Entry]:
        """Yield every message, oldest first, page by page."""
        after, head = 0, self._session.state.head
        while after < head:
            page = await self._session.store.read(self._session.id, after=after, before=head + 1, limit=_PAGE)
            for entry in page:
                if isinstance(entry.event, MessageAdded):
                    yield entry
            after = page[-1].seq


def whole(entries: Sequence[Entry]) -> list[Entry]:
    """Return the longest end of *entries*, all messages, that begins with a user's message."""
    for place, entry in enumerate(entries):
        if isinstance(entry.event, MessageAdded) and entry.event.message.role == "user":
            return list(entries[place:])
    return []
