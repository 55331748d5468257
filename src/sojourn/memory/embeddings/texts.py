"""What every embedder does with texts before its model sees them."""

from collections.abc import Iterator, Sequence


def is_empty(text: str) -> bool:
    """Tell whether *text* says nothing, so that its row is zeros."""
    return not text or text.isspace()


def readable(text: str) -> str:
    """Return *text* with half a surrogate pair, which no tokenizer and no server takes, as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def batches(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Cut *items* into runs of at most *size*."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
