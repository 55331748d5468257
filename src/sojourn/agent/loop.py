"""One turn: the model is asked, its tools are run, and it is asked again, until it has an answer."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

import anyio

from sojourn.agent.batch import Batch
from sojourn.agent.cancellation import checkpoint
from sojourn.agent.events import (
    ContentChunk,
    IterationCompleted,
    ModelAnswered,
    ReasoningChunk,
    ReasoningEnded,
    ReasoningStarted,
    ToolDetected,
)
from sojourn.agent.gate import Announce
from sojourn.agent.settings import AgentSettings
from sojourn.agent.talk import Talk
from sojourn.errors import ModelError
from sojourn.model.message import Message
from sojourn.model.usage import Usage
from sojourn.providers.protocol import (
    ContentDelta,
    Provider,
    RawLog,
    ReasoningDelta,
    StreamComplete,
    StreamEvent,
    ToolCallStarted,
    ToolDefinition,
)

AT_LIMIT: Final = "[Max tool iterations reached]"
NO_ANSWER: Final = "[The model gave no answer]"
_EMPTY_REPLIES: Final = 2
"""So many replies in a row that say nothing and call nothing end the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """How a turn ended: with this answer, or at the limit of its rounds."""

    text: str
    halted_at_limit: bool = False


class TurnLoop:
    """Works on one answer. Lives for one turn."""

    def __init__(
        self,
        provider: Provider,
        talk: Talk,
        batch: Batch,
        *,
        tools: Callable[[], tuple[ToolDefinition, ...]],
        settings: AgentSettings,
        announce: Announce,
        monotonic: Callable[[], float],
        raw_log: RawLog | None = None,
    ) -> None:
        """Talk in *talk*; *tools* are asked for before each call of the model, because they may change."""
        self._provider = provider
        self._talk = talk
        self._batch = batch
        self._tools = tools
        self._settings = settings
        self._announce = announce
        self._monotonic = monotonic
        self._raw_log = raw_log

    async def run(self, *, resume: bool = False) -> Answered:
        """Work until there is an answer; with *resume*, begin with the calls that were left open.

        Raises:
            Waiting: a human has to allow a call first.
            ModelError: the model failed; what it had said so far is kept.
            BudgetExceededError: the next call would cost more than is allowed.
        """
        if resume and (calls := await self._talk.open_calls()):
            await self._batch.run(calls)
        empty = 0
        for iteration in range(1, self._settings.max_iterations + 1):
            message = await self._ask()
            if message is None:
                empty += 1
                if empty == _EMPTY_REPLIES:
                    return await self._end(iteration, NO_ANSWER)
                self._announce(IterationCompleted(iteration=iteration, will_continue=True))
                continue
            empty = 0
            if not message.tool_calls:
                self._announce(IterationCompleted(iteration=iteration, will_continue=False))
                return Answered(text=message.text)
            await self._batch.run(message.tool_calls)
            will_continue = iteration < self._settings.max_iterations
            if will_continue:
                self._announce(IterationCompleted(iteration=iteration, will_continue=True))
        return await self._end(self._settings.max_iterations, AT_LIMIT, halted_at_limit=True)

    async def _end(self, iteration: int, notice: str, *, halted_at_limit: bool = False) -> Answered:
        """End the turn with a notice, which is shown and stored: the talk must not end on a tool's result."""
        self._announce(ContentChunk(text=notice))
        await self._talk.answer(Message(role="assistant", content=notice), Usage(), seconds=0.0, last=True)
        self._announce(IterationCompleted(iteration=iteration, will_continue=False))
        return Answered(text=notice, halted_at_limit=halted_at_limit)

    async def _ask(self) -> Message | None:
        """Ask the model once, and store what it says; None if that is nothing."""
        request = await self._talk.request(self._tools())
        began = self._monotonic()
        hearing = _Hearing(self._talk, self._announce, settings=self._settings, monotonic=self._monotonic)
        try:
            async with aclosing(self._provider.stream(request, raw_log=self._raw_log)) as stream:
                async for event in stream:
                    await hearing.hear(event)
                    if hearing.complete is not None:
                        break  # whatever a model says behind its end is no part of the answer
                    await checkpoint()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await hearing.keep()
            raise
        complete = hearing.complete
        if complete is None:
            raise ModelError(f"{self._provider.name}: its answer has no end")
        hearing.stop_reasoning()
        said = complete.message
        is_empty = not said.tool_calls and not said.text.strip()
        added = await self._talk.answer(
            None if is_empty else said,
            complete.usage,
            seconds=max(0.0, self._monotonic() - began),
            last=not is_empty and not said.tool_calls,
        )
        if added.message is not None:
            self._announce(ModelAnswered(message=added.message, usage=added.usage))
        return added.message


class _Hearing:
    """What one call of the model has said so far."""

    def __init__(
        self, talk: Talk, announce: Announce, *, settings: AgentSettings, monotonic: Callable[[], float]
    ) -> None:
        self._talk = talk
        self._announce = announce
        self._settings = settings
        self._monotonic = monotonic
        self._pieces: list[str] = []
        self._unsaved = 0
        self._saved_at = monotonic()
        self._reasons = False
        self.complete: StreamComplete | None = None

    async def hear(self, event: StreamEvent) -> None:
        """Pass on a piece at once, and keep it if the last time is long ago."""
        match event:
            case ContentDelta(text=text):
                self.stop_reasoning()
                self._announce(ContentChunk(text=text))
                await self._add(text)
            case ReasoningDelta(text=text):
                if not self._reasons:
                    self._reasons = True
                    self._announce(ReasoningStarted())
                self._announce(ReasoningChunk(text=text))
            case ToolCallStarted(id=call_id, name=name):
                self.stop_reasoning()
                self._announce(ToolDetected(name=name, tool_id=call_id))
            case StreamComplete():
                self.complete = event

    def stop_reasoning(self) -> None:
        """Tell that the model thinks no more, if it did."""
        if self._reasons:
            self._reasons = False
            self._announce(ReasoningEnded())

    async def keep(self) -> None:
        """Keep all that was said."""
        if self._unsaved:
            await self._talk.keep_partial("".join(self._pieces))
            self._unsaved, self._saved_at = 0, self._monotonic()

    async def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._unsaved += len(text)
        late = self._monotonic() - self._saved_at >= self._settings.partial_seconds
        if self._unsaved >= self._settings.partial_characters or late:
            await self.keep()
