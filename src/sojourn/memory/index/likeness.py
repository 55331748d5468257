"""How like the candidates are to the best hits: what finds the rest of a kind, once some of it is found.

"How many museums did I visit?" is answered by every visit, and each is told in other words: of a gallery, of an
exhibition. What they have in common is not in the question, but it is in the best hits. So these become a second
question: the sum of their vectors, of each the one that is nearest to what was asked, times how likely it is to be part
of the answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from sojourn.memory.index.protocol import SearchIndex
from sojourn.memory.index.ranking import Judged, Ranking

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

EXAMPLES: Final = 3
"""So many hits, of different sessions, stand for the kind."""


class Asked(NamedTuple):
    """The question as one embedding model has it."""

    model: str
    vector: "NDArray[float32]"


async def judge_likeness(
    index: SearchIndex, ranking: Ranking, judged: Sequence[Judged], *, asked: Iterable[Asked]
) -> None:
    """Set the signal `alike` of what is *judged*: its cosine with the best hits, less the mean of all candidates.

    What has no vector yet is taken to be as like them as the others are.
    """
    foremost = ranking.foremost(judged, limit=EXAMPLES)
    examples = {one.number: likely / foremost[0][0] for likely, one in foremost if one.number is not None}
    numbers = [one.candidate.number for one in judged if one.candidate.number is not None]
    found: dict[int, list[float]] = {}
    for question in asked:
        for number, likeness in (await _likenesses(index, question, examples, numbers)).items():
            found.setdefault(number, []).append(likeness)
    for one in judged:
        if one.candidate.number in found:
            one.note_likeness(fmean(found[one.candidate.number]))


async def _likenesses(
    index: SearchIndex, asked: Asked, examples: Mapping[int, float], numbers: Sequence[int]
) -> dict[int, float]:
    """Return by one model how like each document is to the *examples*, given with what each counts."""
    vectors = await index.closest_vectors(asked.model, asked.vector, list(examples))
    if not vectors:
        return {}
    kind = sum((examples[number] * vector for number, vector in vectors.items()), start=0 * asked.vector)
    cosines = await index.similarities(asked.model, kind, numbers)
    usual = sum(cosines.values()) / max(1, len(cosines))
    return {number: cosine - usual for number, cosine in cosines.items()}
