"""How much a fact matters now: how strong it is, halved with every half-life since it was last met."""

from datetime import datetime

from sojourn.model.knowledge import HALF_LIFE, Fact, strength


def importance(fact: Fact, now: datetime) -> float:
    """Return how much *fact* matters, from 0 to 1; nothing, if it is retired.

    It is the more the surer it is, the more it was used, the wider it holds and the later it was met; and what the user
    said counts more than what was inferred. Of two facts that were not met meanwhile, the order never changes.
    """
    if fact.status == "retired":
        return 0.0
    age = max((now - fact.updated_at).total_seconds(), 0.0)
    return float(strength(fact) * 0.5 ** (age / HALF_LIFE))
