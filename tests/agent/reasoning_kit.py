"""What tests of the reasoning loop share: hands that answer, models that judge, and who listens."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from sojourn import Session
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Executed
from sojourn.agent.reasoning.loop import AdaptiveReasoningLoop
from sojourn.model.events import Strategy
from sojourn.providers.scripted import Reply, ScriptedProvider

QUERY = "Why is the API slow, and what would it cost to fix?"
PLAN = "1. [HIGH PRIORITY] Measure the API\n2. [HIGH PRIORITY] Read the logs"
INCOMPLETE = "**Completeness Assessment:** INCOMPLETE\n**Confidence Score:** 0.4"
COMPLETE = "**Completeness Assessment:** COMPLETE\n**Confidence Score:** 0.9"


def judged(score: float, word: str = "SUFFICIENT", missing: str = "None") -> str:
    return (
        f"**Quality Assessment:** {word}\n**Confidence Score:** {score}\n**Reasoning:** So so.\n"
        f"**Missing Aspects:**\n- {missing}"
    )


def analysed(strategy: Strategy, *, iterations: int = 2) -> str:
    return (
        f"**Complexity Level:** COMPLEX\n**Recommended Strategy:** {strategy}\n**Estimated Iterations:** {iterations}"
    )


class Hands:
    """Stands for the agent: answers what it is asked in turn, and says which tools it used."""

    def __init__(self, *answers: str | Executed | BaseException | Callable[[str], Any]) -> None:
        self.asked: list[str] = []
        self._answers = list(answers)

    async def __call__(self, text: str) -> Executed:
        self.asked.append(text)
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            answer = await answer(text)
        return answer if isinstance(answer, Executed) else Executed(text=answer)


def loop_of(
    session: Session,
    hands: Hands,
    replies: Sequence[Reply] = (),
    *,
    enabled: bool = True,
    config: ReasoningConfig | None = None,
    **options: Any,
) -> AdaptiveReasoningLoop:
    callbacks = ReasoningCallbacks(is_reasoning_enabled=lambda: enabled)
    provider = options.pop("provider", None) or ScriptedProvider(replies)
    return AdaptiveReasoningLoop.of(session, hands, provider, config=config, callbacks=callbacks, **options)


class Recorder:
    """Listens to everything, with plain and async callbacks in turn."""

    NAMES = tuple(name for name in ReasoningCallbacks.__dataclass_fields__ if name.startswith("on_"))

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        listening: dict[str, Any] = {name: self._plain(name) for name in self.NAMES[::2]}
        listening |= {name: self._async(name) for name in self.NAMES[1::2]}
        self.callbacks = ReasoningCallbacks(**listening)

    def _plain(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self.calls.append((name, *arguments))

    def _async(self, name: str) -> Callable[..., Any]:
        async def record(*arguments: Any) -> None:
            await asyncio.sleep(0)
            self.calls.append((name, *arguments))

        return record

    def names(self) -> list[str]:
        return [str(call[0]) for call in self.calls]

    def of(self, name: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == name]
