"""Whether what was found so far answers the question, and what is still to be asked."""

import logging
from collections.abc import Sequence
from typing import Final

from sojourn.agent.reasoning.advisor import Advisor
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.labelled import items, ratio, sections, verdict
from sojourn.context.fence import fenced
from sojourn.errors import ModelError
from sojourn.model.reasoning import EvaluationResult

_log: Final = logging.getLogger(__name__)
UNSURE: Final = 0.5
MAX_QUERIES: Final = 5
_RESULT: Final = 4_000
_QUERY: Final = 4_000
_REASONING: Final = 2_000
_MAX_TOKENS: Final = 2_000
_LABELS: Final = (
    "Completeness Assessment", "Confidence Score", "Confidence", "Reasoning", "Missing Aspects",
    "Additional Queries Needed",
)  # fmt: skip
_SYSTEM: Final = """\
You judge whether results that were gathered for a question answer all of it. Do not answer the question yourself.
Answer with exactly these sections:
**Completeness Assessment:** COMPLETE or INCOMPLETE
**Confidence Score:** a number from 0.0 to 1.0
**Reasoning:** one or two sentences
**Missing Aspects:**
- what is missing, or None
**Additional Queries Needed:**
1. what to find out next, as a sentence that can be understood alone, or None"""


class Evaluator:
    """Has a model evaluate results. Without an advisor, or if it fails, they count as incomplete."""

    def __init__(self, advisor: Advisor | None, *, config: ReasoningConfig | None = None) -> None:
        self._advisor = advisor
        self._config = config or ReasoningConfig()

    async def evaluate(self, query: str, results: Sequence[str]) -> EvaluationResult:
        """Return whether *results* answer *query*."""
        if self._advisor is None:
            return EvaluationResult(is_complete=False, confidence=UNSURE)
        shown = [
            fenced("context", result[:_RESULT], source=f"result {number}") for number, result in enumerate(results, 1)
        ]
        try:
            said = await self._advisor.ask(
                "\n\n".join([fenced("query", query[:_QUERY]), *shown]), system=_SYSTEM, max_tokens=_MAX_TOKENS
            )
        except ModelError as error:
            _log.warning("the results could not be evaluated, they count as incomplete: %s", error.detail)
            return EvaluationResult(is_complete=False, confidence=UNSURE)
        return read_evaluation(said, config=self._config)


def read_evaluation(text: str, *, config: ReasoningConfig | None = None) -> EvaluationResult:
    """Return the evaluation that a model wrote: incomplete, and half sure, where it does not say.

    Without a clear word it is complete if the score reaches `min_confidence`.
    """
    settings = config or ReasoningConfig()
    said = sections(text, _LABELS)
    score = ratio(said.get("Confidence Score") or said.get("Confidence"))
    complete = verdict(said.get("Completeness Assessment"), yes="complete", no="incomplete")
    if complete is None:
        complete = score is not None and score >= settings.min_confidence
    return EvaluationResult(
        is_complete=complete,
        confidence=UNSURE if score is None else score,
        reasoning=said.get("Reasoning", "")[:_REASONING],
        missing_aspects=items(said.get("Missing Aspects")),
        additional_queries=items(said.get("Additional Queries Needed"), most=MAX_QUERIES),
    )
