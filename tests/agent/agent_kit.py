"""What tests of the agent share: a model's call of tools, skills that wait, and what a session holds."""

from collections.abc import AsyncIterator
from typing import Any

import anyio

from sojourn import Session
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.model.events import MessageAdded
from sojourn.model.message import Message, ToolCall
from sojourn.providers.protocol import ModelRequest, RawLog, StreamComplete
from sojourn.providers.scripted import ScriptedProvider

_count = 0


def calling(*calls: tuple[str, dict[str, Any]], text: str = "") -> Message:
    """Return what a model says when it calls tools: pairs of a name and arguments, each with an id of its own."""
    global _count  # noqa: PLW0603 - ids must differ between messages, as a provider's do
    made = []
    for name, arguments in calls:
        _count += 1
        made.append(ToolCall(id=f"call_{_count}", name=name, arguments=arguments))
    return Message(role="assistant", content=text, tool_calls=tuple(made))


async def said(session: Session) -> list[Message]:
    """Return every message of *session*, in order."""
    return [entry.event.message async for entry in session.messages.all() if isinstance(entry.event, MessageAdded)]


async def kinds(session: Session) -> list[str]:
    """Return the name of every event of *session*, in order."""
    entries = await session.store.read(session.id, limit=1_000)
    return [type(entry.event).__name__ for entry in entries]


class Waits:
    """A skill that tells when it runs, and then waits until it is let go, or cancelled."""

    def __init__(self) -> None:
        self.runs = anyio.Event()
        self.let_go = anyio.Event()
        self.cancelled = False

    async def __call__(self) -> str:
        """Wait."""
        self.runs.set()
        try:
            await self.let_go.wait()
        except BaseException:
            self.cancelled = True
            raise
        return "waited"


class Slow(ScriptedProvider):
    """A model that answers when it is let go."""

    def __init__(self, answer: str = "") -> None:
        super().__init__(otherwise=answer)
        self.asked = anyio.Event()
        self.go = anyio.Event()

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        self.asked.set()
        await self.go.wait()
        return await super().complete(request, raw_log=raw_log)


def registry(**functions: Any) -> SkillRegistry:
    """Return skills made of these functions, under these names."""
    made = SkillRegistry()
    for name, function in functions.items():
        made.skill(name=name)(function)
    return made


async def listed(events: AsyncIterator[Any]) -> list[Any]:
    """Return everything that an iteration gives."""
    return [event async for event in events]
