"""What every embedder does with texts before, and with rows after, its model.

numpy comes with the extras. Embedders take it from here, so that its absence is one clear sentence.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from sojourn.errors import MissingExtraError

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError as error:
    raise MissingExtraError("vectors need numpy: pip install 'sojourn[embeddings]'") from error

__all__ = ["Rows", "batches", "is_empty", "np", "readable", "scaled"]

Rows: TypeAlias = NDArray[np.float32]


def is_empty(text: str) -> bool:
    """Tell whether *text* says nothing, so that its row is zeros."""
    return not text or text.isspace()


def readable(text: str) -> str:
    """Return *text* with half a surrogate pair, which no tokenizer and no server takes, as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def scaled(rows: Rows) -> Rows:
    """Return *rows* with length 1 each; one of zeros stays so."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.zeros_like(rows)
    np.divide(rows, lengths, out=unit, where=lengths > 0)
    return unit


def batches(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Cut *items* into runs of at most *size*."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
