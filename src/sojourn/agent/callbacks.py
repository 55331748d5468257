"""Callbacks over a turn's events: for who would rather be called than iterate."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from sojourn.agent.events import (
    ReasoningEnded,
    ReasoningStarted,
    ToolBatchCompleted,
    ToolBatchHalted,
    ToolBatchStarted,
    ToolCompleted,
    ToolDetected,
    ToolStarted,
    TurnEvent,
)
from sojourn.model.message import ToolCall

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Callbacks:
    """What to call when something happens in a turn. One that fails is reported, and the turn goes on.

    Attributes:
        on_tool_call: (name, id): the model began to write a call.
        on_tool_complete: (name, id, success): a tool came back. `on_batch_progress` tells more.
        on_reasoning: True when the model begins to think, False when it stops.
        on_batch_start: all calls of the batch that is about to run.
        on_tool_active: (name, id): a tool begins to run.
        on_batch_progress: (name, id, success, error): a tool came back.
        on_batch_halt: a tool failed, so those behind it do not run.
        on_batch_complete: every call of the batch has its result.
    """

    on_tool_call: Callable[[str, str], None] | None = None
    on_tool_complete: Callable[[str, str, bool], None] | None = None
    on_reasoning: Callable[[bool], None] | None = None
    on_batch_start: Callable[[tuple[ToolCall, ...]], None] | None = None
    on_tool_active: Callable[[str, str], None] | None = None
    on_batch_progress: Callable[[str, str, bool, str], None] | None = None
    on_batch_halt: Callable[[], None] | None = None
    on_batch_complete: Callable[[], None] | None = None

    def tell(self, event: TurnEvent) -> None:
        """Call whoever wants to know of *event*."""
        try:
            self._tell(event)
        except Exception:  # noqa: BLE001 - a callback is anybody's code; it must not end the turn
            _log.exception("a callback failed on %s", type(event).__name__)

    def _tell(self, event: TurnEvent) -> None:
        match event:
            case ToolDetected(name=name, tool_id=tool_id) if self.on_tool_call is not None:
                self.on_tool_call(name, tool_id)
            case ReasoningStarted() if self.on_reasoning is not None:
                self.on_reasoning(True)
            case ReasoningEnded() if self.on_reasoning is not None:
                self.on_reasoning(False)
            case ToolBatchStarted(tool_calls=calls) if self.on_batch_start is not None:
                self.on_batch_start(calls)
            case ToolStarted(name=name, tool_id=tool_id) if self.on_tool_active is not None:
                self.on_tool_active(name, tool_id)
            case ToolCompleted(name=name, tool_id=tool_id, success=success, error=error):
                if self.on_batch_progress is not None:
                    self.on_batch_progress(name, tool_id, success, error)
                if self.on_tool_complete is not None:
                    self.on_tool_complete(name, tool_id, success)
            case ToolBatchHalted() if self.on_batch_halt is not None:
                self.on_batch_halt()
            case ToolBatchCompleted() if self.on_batch_complete is not None:
                self.on_batch_complete()
