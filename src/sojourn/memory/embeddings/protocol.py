"""What an embedder is: it turns texts into vectors, so that texts of like meaning have vectors of like direction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Makes vectors. It may take long: a caller on the event loop runs it on a thread.

    Attributes:
        name: which model, with all that changes its vectors. It is stored with each vector, and vectors of another
            name are never compared with these.
        dimensions: how long a vector is.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Return one row of length 1 for each text; an empty text has a row of zeros.

        Raises:
            EmbeddingError: the model failed, or answered with vectors of another size.
        """
        ...
