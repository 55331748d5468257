"""What a call of a model took."""

from sojourn.model.message import Count
from sojourn.model.value import Value


class Usage(Value, frozen=True, kw_only=True):
    """What a call used, in four buckets that do not overlap, and what it cost in millionths of a dollar.

    *cost_micros* is None if nobody knows the model's prices.
    """

    model: str | None = None
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_creation_tokens: Count = 0
    cache_read_tokens: Count = 0
    cost_micros: Count | None = None
