"""What travels between components: one small frozen value for each kind of event."""

from datetime import datetime
from typing import Any, ClassVar, Final

import msgspec

from sojourn.errors import InvalidInputError
from sojourn.model.value import Value


class Payload(Value, frozen=True, kw_only=True):
    """What an event is about. One of an unknown kind has everything in *data*."""

    kind: ClassVar[str] = ""
    required: ClassVar[tuple[str, ...]] = ()

    timestamp: datetime | None = None
    component_id: str = ""
    component_type: str = ""
    data: dict[str, Any] = {}

    def validate(self) -> list[str]:
        """Return what is missing; nothing, if all is well."""
        return [f"{self.kind}: {name} is missing" for name in self.required if not getattr(self, name)]


class InputReceived(Payload, frozen=True, kw_only=True):
    """The user said something."""

    kind: ClassVar[str] = "input.received"
    required: ClassVar[tuple[str, ...]] = ("input", "session_id")

    input: str = ""
    inputs: dict[str, Any] = {}
    session_id: str = ""


class AgentThought(Payload, frozen=True, kw_only=True):
    """An agent thinks."""

    kind: ClassVar[str] = "agent.thought"
    required: ClassVar[tuple[str, ...]] = ("thought",)

    thought: str = ""
    session_id: str = ""


class AgentAction(Payload, frozen=True, kw_only=True):
    """An agent decided to use tools."""

    kind: ClassVar[str] = "agent.action"
    required: ClassVar[tuple[str, ...]] = ("action",)

    action: list[dict[str, Any]] = []
    session_id: str = ""


class ToolCalled(Payload, frozen=True, kw_only=True):
    """A tool begins to run."""

    kind: ClassVar[str] = "tool.call"
    required: ClassVar[tuple[str, ...]] = ("tool",)

    tool: str = ""
    args: dict[str, Any] = {}
    session_id: str = ""


class ToolObservation(Payload, frozen=True, kw_only=True):
    """A tool came back."""

    kind: ClassVar[str] = "tool.observation"
    required: ClassVar[tuple[str, ...]] = ("tool",)

    tool: str = ""
    observation: str = ""
    session_id: str = ""


class StepComplete(Payload, frozen=True, kw_only=True):
    """One round of model and tools is over."""

    kind: ClassVar[str] = "agent.step_complete"

    step: int = 0
    session_id: str = ""


class AgentError(Payload, frozen=True, kw_only=True):
    """An agent failed."""

    kind: ClassVar[str] = "agent.error"
    required: ClassVar[tuple[str, ...]] = ("error",)

    error: str = ""
    error_type: str = ""
    context: dict[str, Any] = {}
    session_id: str = ""


class Response(Payload, frozen=True, kw_only=True):
    """A component gave something back."""

    kind: ClassVar[str] = "component.response"

    response: Any = None
    session_id: str = ""


class AgentResponse(Response, frozen=True, kw_only=True):
    """An agent answered."""

    kind: ClassVar[str] = "agent.response"


KINDS: Final[dict[str, type[Payload]]] = {
    one.kind: one
    for one in (
        InputReceived, AgentThought, AgentAction, ToolCalled, ToolObservation, StepComplete, AgentError, Response,
        AgentResponse,
    )
}  # fmt: skip
"""The payload of each kind of event that the runtime itself emits."""


def payload_of(kind: str, data: Payload | dict[str, Any]) -> Payload:
    """Return *data* as the payload of an event of this *kind*; of an unknown kind, all of it is in `data`.

    Raises:
        InvalidInputError: a field has the wrong type.
    """
    if isinstance(data, Payload):
        return data
    known = KINDS.get(kind)
    if known is None:
        return Payload(data=dict(data))
    try:
        return msgspec.convert(data, known)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"{kind}: {error}") from error
