"""Whether an answer is good enough to be given, or has to be tried harder."""

import json
import logging
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sojourn.agent.reasoning.advisor import Advisor
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import ToolUse
from sojourn.agent.reasoning.labelled import items, ratio, sections, verdict
from sojourn.context.fence import fenced
from sojourn.errors import ModelError
from sojourn.model.events import Strategy
from sojourn.model.reasoning import EvaluationResult

_log: Final = logging.getLogger(__name__)
UNJUDGED: Final = 0.5
"""How good an answer counts that nobody could judge: it is given, for trying again would not be judged either."""
RESPONSE_CHARS: Final = 2_000
PREVIEW_CHARS: Final = 300
MAX_TOOLS: Final = 30
_QUERY: Final = 4_000
_REASONING: Final = 2_000
_MAX_TOKENS: Final = 1_500
_LABELS: Final = ("Quality Assessment", "Confidence Score", "Confidence", "Reasoning", "Missing Aspects")
_SYSTEM: Final = """\
You judge whether an assistant's answer to a question is good enough: right as far as you can see, whole, resting on \
the tools that it called where it needed them. Do not answer the question yourself. An answer may be cut off where it \
is shown to you; do not hold that against it.
Answer with exactly these sections:
**Quality Assessment:** SUFFICIENT or INSUFFICIENT
**Confidence Score:** a number from 0.0 to 1.0: how good the answer is
**Reasoning:** one or two sentences
**Missing Aspects:**
- what is missing, or None"""


class Judge:
    """Has a model judge answers. Without an advisor, or if it fails, an answer counts as sufficient."""

    def __init__(self, advisor: Advisor | None, *, config: ReasoningConfig | None = None) -> None:
        self._advisor = advisor
        self._config = config or ReasoningConfig()

    async def judge(
        self, query: str, response: str, *, strategy: Strategy, tools: Sequence[ToolUse] = ()
    ) -> EvaluationResult:
        """Return whether *response* is good enough for an answer that *strategy* made.

        *tools* are those that were called for this query, and for no other.
        """
        if not response.strip():
            return EvaluationResult(is_complete=False, confidence=0.0, reasoning="The answer is empty.")
        if self._advisor is None:
            return _unjudged("No model is at hand that could judge the answer.")
        prompt = [
            fenced("query", query[:_QUERY]),
            fenced("context", _told(tools), source="tools that were called"),
            fenced("context", response[:RESPONSE_CHARS], source="answer"),
        ]
        try:
            said = await self._advisor.ask("\n\n".join(prompt), system=_SYSTEM, max_tokens=_MAX_TOKENS)
        except ModelError as error:
            _log.warning("the answer could not be judged, it counts as sufficient: %s", error.detail)
            return _unjudged(f"The answer could not be judged: {error}")
        return read_judgement(said, gate=self._config.gate(strategy))


def read_judgement(text: str, *, gate: float) -> EvaluationResult:
    """Return the judgement that a model wrote. One whose score is below *gate* is "insufficient", whatever it says.

    What cannot be read as a judgement counts as sufficient, so that a model that never keeps to the form does not make
    every answer be tried again.
    """
    said = sections(text, _LABELS)
    score = ratio(said.get("Confidence Score") or said.get("Confidence"))
    sufficient = verdict(said.get("Quality Assessment"), yes="sufficient", no="insufficient")
    if score is None and sufficient is None:
        return _unjudged("The judgement could not be read.")
    judged = EvaluationResult(
        is_complete=sufficient is not False,
        confidence=UNJUDGED if score is None else score,
        reasoning=said.get("Reasoning", "")[:_REASONING],
        missing_aspects=items(said.get("Missing Aspects")),
    )
    return replace(judged, is_complete=False) if score is not None and score < gate else judged


def _told(tools: Sequence[ToolUse]) -> str:
    """Return the last tools that were called, one a line: name, input, outcome, and the beginning of the result."""
    if not tools:
        return "None."
    lines = [
        f"- {use.name}({_cut(json.dumps(use.arguments, ensure_ascii=False, default=str))})"
        f" -> {'' if use.success else 'ERROR: '}{_cut(use.result)}"
        for use in tools[-MAX_TOOLS:]
    ]
    left_out = len(tools) - len(lines)
    return "\n".join([f"({left_out} earlier calls are not shown)", *lines] if left_out else lines)


def _cut(text: str) -> str:
    return " ".join(text[:PREVIEW_CHARS].split())


def _unjudged(why: str) -> EvaluationResult:
    return EvaluationResult(is_complete=True, confidence=UNJUDGED, reasoning=why[:_REASONING])
