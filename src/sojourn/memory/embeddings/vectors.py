"""What every embedder does with rows after its model.

numpy comes with the extras. Embedders take it from here, so that its absence is one clear sentence.
"""

from typing import TypeAlias

from sojourn.errors import MissingExtraError

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError as error:
    raise MissingExtraError("vectors need numpy: pip install 'sojourn[embeddings]'") from error

__all__ = ["Rows", "np", "scaled"]

Rows: TypeAlias = NDArray[np.float32]


def scaled(rows: Rows) -> Rows:
    """Return *rows* with length 1 each; one of zeros stays so."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.zeros_like(rows)
    np.divide(rows, lengths, out=unit, where=lengths > 0)
    return unit
