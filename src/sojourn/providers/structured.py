"""A model that answers with JSON of a given shape: what reading, judging and summarising need of a provider."""

from typing import Any, Protocol

from sojourn.model.message import Count
from sojourn.model.value import Value


class StructuredAnswer(Value, frozen=True, kw_only=True):
    """What a model answered: text that should be JSON of the shape that was asked for, and need not be.

    The tokens are in disjoint buckets: *cache_read_tokens* are not among *input_tokens*. *complete* is False if the
    answer was cut off where it reached its limit.
    """

    text: str
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_tokens: Count = 0
    model: str = ""
    complete: bool = True


class StructuredModel(Protocol):
    """Answers one question at a time. Several may be asked at once; cancelling the task cancels the question.

    Attributes:
        name: which model it is, and where; part of what a cached answer is found by.
    """

    @property
    def name(self) -> str: ...

    async def structured(
        self, *, system: str, prompt: str, schema: dict[str, Any], max_tokens: int
    ) -> StructuredAnswer:
        """Return the answer to *prompt*, of at most *max_tokens*, that *schema* (a JSON Schema) describes.

        The schema names every property as required and allows no others, which is what strict providers want.

        Raises:
            ModelError: the model cannot be reached, refuses, or gives no text.
        """
        ...
