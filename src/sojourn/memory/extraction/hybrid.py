"""Rules at once, a model later: the default. What a turn waits for is quick and free, and a model makes it better."""

from collections.abc import Sequence

from sojourn.memory.extraction.model import ModelExtractor
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.reconciling import reconcile
from sojourn.memory.extraction.statement import Exchange, Extraction


class HybridExtractor(StateExtractor):
    """Reads every exchange by rules and, when asked to, again by a model. Keeps nothing itself.

    Args:
        rules: what reads at once.
        model: what reads later; without one, there is no later.
    """

    def __init__(self, rules: StateExtractor, model: ModelExtractor | None = None) -> None:
        self._rules = rules
        self._model = model

    @property
    def model(self) -> ModelExtractor | None:
        """What reads later, if anything does."""
        return self._model

    async def extract(self, exchange: Exchange) -> Extraction:
        """Return what the rules find in *exchange*, without waiting for a model."""
        return await self._rules.extract(exchange)

    def forget(self) -> None:
        """Forget what the model found so far: somebody wants something forgotten, and it may be among it."""
        if self._model is not None:
            self._model.forget()

    def due(self, waiting: int) -> bool:
        """Tell whether so many exchanges, read by rules alone so far, are to be handed to `later` now."""
        return self._model is not None and waiting > 0 and self._model.due(waiting)

    async def later(self, exchanges: Sequence[Exchange], *, session: str = "") -> list[Extraction]:
        """Return all that rules and model find in each exchange: what `extract` returned, weighed and added to.

        It takes as long as the model does, so nobody should wait for it. Without a model it is what the rules find.

        Raises:
            ExtractionError: the model failed or took too long. What `extract` returned still holds.
        """
        by_rules = [await self._rules.extract(exchange) for exchange in exchanges]
        if self._model is None:
            return by_rules
        by_model = await self._model.extract_batch(exchanges, session=session)
        return [reconcile(one, other) for one, other in zip(by_rules, by_model, strict=True)]
