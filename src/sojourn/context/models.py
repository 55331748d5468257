"""What is known about models: how much they take, and what they cost.

Windows and prices come from the package genai-prices, offline; it is large, so it is loaded by who asks. It does not
know every model, and prices change: whatever is given here comes first. What nobody knows is None, never a guess.
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

from msgspec.structs import replace

from sojourn.errors import InvalidInputError, MissingExtraError
from sojourn.model.usage import Usage
from sojourn.model.value import Value

_MILLION: Final = 1_000_000
_FLAVOURS: Final = {
    "openai-chat": ("openai", "chat"),
    "openai-responses": ("openai", "responses"),
    "anthropic": ("anthropic", "default"),
}


class ModelInfo(Value, frozen=True, kw_only=True):
    """A model: how many tokens it takes, and what a million of each kind cost in dollars; None is unknown.

    Without prices of their own, tokens that are read from or written to a cache cost what input costs.
    """

    window: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None


class ModelCatalog:
    """Answers questions about models by name. Lives as long as anybody wants it.

    Args:
        overrides: what is known better here than in genai-prices, by the model's name.
    """

    def __init__(self, overrides: Mapping[str, ModelInfo] | None = None) -> None:
        self._overrides: dict[str, ModelInfo] = {}
        for name, info in (overrides or {}).items():
            self.learn(name, info)

    def learn(self, name: str, info: ModelInfo) -> None:
        """Take *info* for what is known about the model *name* from now on.

        Raises:
            InvalidInputError: its window is no number of tokens.
        """
        if info.window is not None and info.window < 1:
            raise InvalidInputError(f"model {name!r:.100}: a window is a number of tokens from 1, got {info.window}")
        self._overrides[name] = info

    def window(self, model: str | None) -> int | None:
        """Return how many tokens *model* takes; None if that is not known."""
        if model is None:
            return None
        given = self._overrides.get(model)
        if given is not None and given.window is not None:
            return given.window
        found = _known(_bare(model))
        window: int | None = None if found is None else found.context_window
        return window

    def usage(self, response: Mapping[str, Any], form: str, *, model: str | None = None) -> Usage:
        """Return what a provider's *response* says it used, and what that cost.

        Providers differ in whether their input tokens hold those of the cache; the result never does. *form* is that
        of `Context.payload`; *model* is the one that was asked, if the response does not name it.

        Raises:
            InvalidInputError: the form is unknown, or the response tells no usage.
            MissingExtraError: genai-prices is not installed.
        """
        if form not in _FLAVOURS:
            raise InvalidInputError(f"form {form!r:.50}: use one of {', '.join(_FLAVOURS)}")
        prices = _prices()
        provider, flavour = _FLAVOURS[form]
        # Of a model that it does not know, the package would not even read the usage.
        nameless = {key: value for key, value in response.items() if key != "model"}
        try:
            extracted = prices.extract_usage(nameless, provider_id=provider, api_flavor=flavour)
        except (LookupError, ValueError, TypeError) as error:
            raise InvalidInputError(f"this response tells no usage: {error}") from error
        counted = extracted.usage
        read, written = counted.cache_read_tokens or 0, counted.cache_write_tokens or 0
        usage = Usage(
            input_tokens=max((counted.input_tokens or 0) - read - written, 0),
            output_tokens=counted.output_tokens or 0,
            cache_creation_tokens=written,
            cache_read_tokens=read,
        )
        return self.priced(replace(usage, model=str(response.get("model") or model or "")), provider=provider)

    def priced(self, usage: Usage, *, provider: str | None = None, asked: str | None = None) -> Usage:
        """Return *usage* with what it cost; as it is, if nobody knows the prices of its model.

        *provider* is who runs the model, where several sell one of the same name. *asked* is the name by which it was
        asked for: servers answer with a longer one (`NAME-2026-05-01`), and people set prices for the one they know.
        """
        name = usage.model or ""
        for known in (name, asked or ""):
            given = self._overrides.get(known)
            if given is not None and given.input_price is not None:
                return _priced(usage, given)
        if not name or _known(_bare(name), provider) is None:
            return usage
        prices = _prices()
        counted = prices.Usage(
            input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_creation_tokens,
        )
        cost: Decimal = prices.calc_price(counted, _bare(name), provider_id=provider).total_price
        return replace(usage, cost_micros=round(cost * _MILLION))


def _priced(usage: Usage, info: ModelInfo) -> Usage:
    """Return *usage* with its cost: dollars per million tokens are millionths of a dollar per token."""
    paid, other = info.input_price or 0.0, info.output_price or 0.0
    read = paid if info.cache_read_price is None else info.cache_read_price
    written = paid if info.cache_write_price is None else info.cache_write_price
    cost = (
        usage.input_tokens * paid
        + usage.output_tokens * other
        + usage.cache_read_tokens * read
        + usage.cache_creation_tokens * written
    )
    return replace(usage, cost_micros=round(cost))


@lru_cache(maxsize=256)
def _known(model: str, provider: str | None = None) -> Any:
    """Return what genai-prices knows of a model, or None; it need not be installed to build a context."""
    if find_spec("genai_prices") is None:
        return None
    prices = _prices()
    try:
        return prices.calc_price(prices.Usage(input_tokens=1), model, provider_id=provider).model
    except LookupError:
        return None


def _bare(model: str) -> str:
    """Return a model's name without the provider that some write before it."""
    return model.rsplit("/", maxsplit=1)[-1]


def _prices() -> Any:
    try:
        import genai_prices  # noqa: PLC0415 - a large table, loaded by who asks
    except ImportError as error:
        raise MissingExtraError("prices need: pip install 'sojourn[prices]'") from error
    return genai_prices
