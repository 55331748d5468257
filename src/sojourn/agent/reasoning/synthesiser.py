"""One answer made of the results of several steps."""

import logging
import re
from collections.abc import Sequence
from typing import Final

from sojourn.agent.reasoning.advisor import Advisor
from sojourn.agent.reasoning.labelled import sections
from sojourn.context.fence import fenced
from sojourn.errors import ModelError

_log: Final = logging.getLogger(__name__)
NO_RESULTS: Final = "No results available to synthesize."
FILTER_ABOVE: Final = 3
KEPT: Final = 7
_QUERY: Final = 4_000
_RESULT: Final = 10_000
_PREVIEW: Final = 1_000
_MAX_TOKENS: Final = 1_000
_SYSTEM: Final = """\
You write the answer to a question from results that were gathered for it. Use only what the results say; where they \
contradict each other or leave something open, say so. Write the answer itself, without telling how it was made."""
_FILTER: Final = """\
You choose which results help to answer a question. Answer with one line, the numbers of the results that help, the \
most useful first:
**Relevant Results:** 2, 1"""


class Synthesiser:
    """Has a model put results together. Without an advisor, or if it fails, they follow each other, numbered."""

    def __init__(self, advisor: Advisor | None) -> None:
        self._advisor = advisor

    async def filter(self, query: str, results: Sequence[str]) -> tuple[str, ...]:
        """Return the results that help to answer *query*, at most seven, the most useful first.

        Up to three are all kept, and nobody is asked.
        """
        if len(results) <= FILTER_ABOVE:
            return tuple(results)
        if self._advisor is None:
            return tuple(results[:KEPT])
        try:
            said = await self._advisor.ask(
                _prompt(query, results, most=_PREVIEW), system=_FILTER, max_tokens=_MAX_TOKENS
            )
        except ModelError as error:
            _log.warning("the results could not be filtered, the first %d are kept: %s", KEPT, error.detail)
            return tuple(results[:KEPT])
        chosen = read_choice(said, of=len(results))
        return tuple(results[place] for place in chosen[:KEPT]) if chosen else tuple(results[:KEPT])

    async def synthesise(self, query: str, results: Sequence[str]) -> str:
        """Return one answer to *query* that says what *results* say."""
        if not results:
            return NO_RESULTS
        if len(results) == 1:
            return results[0]
        if self._advisor is None:
            return _numbered(results)
        try:
            return await self._advisor.ask(_prompt(query, results, most=_RESULT), system=_SYSTEM)
        except ModelError as error:
            _log.warning("the results could not be put together, they are listed: %s", error.detail)
            return _numbered(results)


def read_choice(text: str, *, of: int) -> list[int]:
    """Return the places (from 0) of the results that a model chose by number out of *of*, each once."""
    listed = sections(text, ("Relevant Results",)).get("Relevant Results", text)
    numbers = (int(number) for number in re.findall(r"(?<![0-9.])[0-9]{1,4}(?![0-9])", listed))
    return list(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= of))


def _prompt(query: str, results: Sequence[str], *, most: int) -> str:
    shown = (fenced("context", result[:most], source=f"result {number}") for number, result in enumerate(results, 1))
    return "\n\n".join([fenced("query", query[:_QUERY]), *shown])


def _numbered(results: Sequence[str]) -> str:
    return "\n\n".join(f"{number}. {result}" for number, result in enumerate(results, 1))
