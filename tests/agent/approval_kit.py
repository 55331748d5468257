"""A tool that wants to write, a human who is asked, and a session to keep what they say."""

from typing import Any

from sojourn import Session
from sojourn.agent.events import TurnEvent
from sojourn.agent.permissions.gate import PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.skills.skill import SkillTraits, ToolResult
from sojourn.model.events import (
    Event,
    InterruptRaised,
)
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import ToolCall

WRITES = SkillTraits(path_arguments=("path",))
TRUSTED = Permissions()


class Tool:
    """A skill that is never run here."""

    description = ""
    parameters: dict[str, Any] = {"type": "object"}

    def __init__(self, name: str = "write_file", traits: SkillTraits = WRITES) -> None:
        self.name = name
        self.traits = traits

    async def execute(self, **arguments: Any) -> ToolResult:
        raise NotImplementedError


class Human:
    """Answers as he is told to, one after the other, and remembers what he was asked."""

    def __init__(self, *answers: Approval) -> None:
        self.answers = list(answers)
        self.asked: list[Interrupt] = []

    async def __call__(self, interrupt: Interrupt) -> Approval:
        self.asked.append(interrupt)
        return self.answers.pop(0)


def call(number: int = 1, path: str = "a.txt") -> ToolCall:
    return ToolCall(id=f"c{number}", name="write_file", arguments={"path": path})


async def wish(session: Session, *calls: ToolCall) -> None:
    await session.messages.assistant(tool_calls=calls)


def heard(_: TurnEvent) -> None:
    """Hear what is told, and do nothing."""


async def admit(gate: PermissionGate, wanted: ToolCall, tool: Tool | None = None) -> str | None:
    return await gate.admit(wanted, tool or Tool(), wanted.arguments, announce=heard)


async def happened(session: Session, *kinds: type[Event]) -> list[Any]:
    entries = await session.store.read(session.id)
    return [entry.event for entry in entries if isinstance(entry.event, kinds)]


async def asked(session: Session) -> int:
    return len(await happened(session, InterruptRaised))
