"""What a turn tells while it goes on: small frozen values, in the order in which things happen.

They are for who watches (a terminal, a socket, a test). What must last is in the journal, which has events of its own
(`sojourn.model.events`); these are never stored.
"""

from sojourn.model.interrupts import Interrupt
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.model.value import Value


class TurnEventBase(Value, frozen=True, kw_only=True, tag_field="event", tag=True):
    """What all of them share: as JSON, `event` says which it is."""


class ContentChunk(TurnEventBase, frozen=True, kw_only=True):
    """A piece of the answer."""

    text: str


class ReasoningStarted(TurnEventBase, frozen=True, kw_only=True):
    """The model began to think."""


class ReasoningChunk(TurnEventBase, frozen=True, kw_only=True):
    """A piece of what it thinks."""

    text: str


class ReasoningEnded(TurnEventBase, frozen=True, kw_only=True):
    """The model stopped thinking: it speaks, calls a tool, or is done."""


class ToolDetected(TurnEventBase, frozen=True, kw_only=True):
    """The model began to write a call of a tool."""

    name: str
    tool_id: str


class ToolBatchStarted(TurnEventBase, frozen=True, kw_only=True):
    """The tools that the model called are about to run, one after the other or *parallel*."""

    tool_calls: tuple[ToolCall, ...]
    parallel: bool = False


class ApprovalRequested(TurnEventBase, frozen=True, kw_only=True):
    """A tool waits until a human allows it."""

    call: ToolCall
    interrupt: Interrupt


class ToolStarted(TurnEventBase, frozen=True, kw_only=True):
    """A tool begins to run."""

    name: str
    tool_id: str


class ToolCompleted(TurnEventBase, frozen=True, kw_only=True):
    """A tool came back, or was not allowed to run; *output* is what the model is shown of it."""

    name: str
    tool_id: str
    success: bool
    error: str = ""
    output: str = ""
    seconds: float = 0.0


class ToolBatchHalted(TurnEventBase, frozen=True, kw_only=True):
    """A tool failed, so those behind it do not run."""


class ToolBatchCompleted(TurnEventBase, frozen=True, kw_only=True):
    """Every tool of the batch has its result."""


class ModelAnswered(TurnEventBase, frozen=True, kw_only=True):
    """The model is done with one message, which is stored; what the call took, and cost if that is known."""

    message: Message
    usage: Usage


class IterationCompleted(TurnEventBase, frozen=True, kw_only=True):
    """One round of model and tools is over."""

    iteration: int
    will_continue: bool


class ContextCompacted(TurnEventBase, frozen=True, kw_only=True):
    """Older messages were summarised to make room."""

    notice: str


class SessionCompleted(TurnEventBase, frozen=True, kw_only=True):
    """The turn is over and has its answer, or ran out of rounds."""

    halted_at_limit: bool = False


class SessionCancelled(TurnEventBase, frozen=True, kw_only=True):
    """The turn was stopped; what there was of it is stored."""


class SessionWaiting(TurnEventBase, frozen=True, kw_only=True):
    """The turn was put aside until a human allows what a tool wants; `Agent.resume` goes on with it."""

    interrupt: Interrupt


TurnEvent = (
    ContentChunk | ReasoningStarted | ReasoningChunk | ReasoningEnded | ToolDetected | ToolBatchStarted
    | ApprovalRequested | ToolStarted | ToolCompleted | ToolBatchHalted | ToolBatchCompleted | ModelAnswered
    | IterationCompleted | ContextCompacted | SessionCompleted | SessionCancelled | SessionWaiting
)  # fmt: skip
