"""An embedder that remembers the last texts it was asked for.

It is imported whether or not an embedder is installed, so it imports numpy only when there are vectors.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Final

from sojourn.errors import EmbeddingError, InvalidInputError
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.embeddings.texts import is_empty

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

SIZE: Final = 1000


class CachingEmbedder:
    """Any embedder, with the rows of the last *size* texts kept in memory. Safe to call from several threads.

    A text is kept as its hash. Each text of a call is embedded once, the empty ones not at all. Two threads that ask
    for the same new text at the same time may both embed it.
    """

    def __init__(self, embedder: Embedder, *, size: int = SIZE) -> None:
        if size < 1:
            raise InvalidInputError(f"size={size}: give 1 or more")
        self._embedder = embedder
        self._size = size
        self._rows: OrderedDict[bytes, NDArray[float32]] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Return one row for each text, new or remembered; changing the rows changes nothing here."""
        import numpy as np  # noqa: PLC0415  # an extra

        keys = [b"" if is_empty(text) else _key(text) for text in texts]
        known = self._known(keys)
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if key and key not in known}
        if unknown:
            rows = self._embedder.embed(list(unknown.values()))
            if len(rows) != len(unknown):
                raise EmbeddingError(f"{self.name} gave {len(rows)} vectors for {len(unknown)} texts")
            new = {key: row.copy() for key, row in zip(unknown, rows, strict=True)}
            self._keep(new)
            known |= new
        if not known:
            return np.zeros((len(texts), self.dimensions), np.float32)
        zeros = np.zeros(self.dimensions, np.float32)
        return np.stack([known.get(key, zeros) for key in keys])

    def _known(self, keys: list[bytes]) -> "dict[bytes, NDArray[float32]]":
        with self._lock:
            known = {key: self._rows[key] for key in keys if key in self._rows}
            for key in known:
                self._rows.move_to_end(key)
        return known

    def _keep(self, rows: "dict[bytes, NDArray[float32]]") -> None:
        with self._lock:
            for key, row in rows.items():
                self._rows[key] = row
                self._rows.move_to_end(key)
            while len(self._rows) > self._size:
                self._rows.popitem(last=False)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
