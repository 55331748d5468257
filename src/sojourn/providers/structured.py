"""A model that answers with JSON of a given shape: what reading, judging and summarising need of a provider."""

from typing import Any, Protocol, Self

from sojourn.errors import ModelError
from sojourn.model.message import Count, Message
from sojourn.model.value import Value
from sojourn.providers.protocol import ModelRequest, Provider


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


class StructuredByProvider:
    """A structured model that is any `Provider`. It lives as long as the provider, and closing it closes that."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def __repr__(self) -> str:
        return f"StructuredByProvider({self._provider!r})"

    @property
    def name(self) -> str:
        return self._provider.name

    async def structured(
        self, *, system: str, prompt: str, schema: dict[str, Any], max_tokens: int
    ) -> StructuredAnswer:
        """Return the answer to *prompt* as `StructuredModel` says.

        Raises:
            ModelError: the model cannot be reached, refuses, takes too long, or gives no text.
        """
        asked = Message(role="user", content=prompt)
        answer = await self._provider.complete(
            ModelRequest(messages=(asked,), system=system, schema=schema, max_tokens=max_tokens)
        )
        if answer.stop == "refusal":
            raise ModelError(f"{self.name}: it refused to answer")
        text = answer.message.text
        if not text.strip():
            raise ModelError(f"{self.name}: it answered without any text")
        used = answer.usage
        return StructuredAnswer(
            text=text,
            input_tokens=used.input_tokens + used.cache_creation_tokens,
            output_tokens=used.output_tokens,
            cache_read_tokens=used.cache_read_tokens,
            model=used.model or self._provider.model,
            complete=answer.stop != "length",
        )

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()
