"""WordLlama: a vector for each token, averaged. Small and fast, its files come inside its package, and it knows no word
order.

The package can download other models; it is told not to, and where its own files are. It would also set up the root
logger of whoever imports it, which is not its business, so that is prevented.
"""

import importlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sojourn.errors import EmbeddingError
from sojourn.memory.embeddings.installed import require
from sojourn.memory.embeddings.once import Once
from sojourn.memory.embeddings.texts import is_empty, readable

if TYPE_CHECKING:
    from sojourn.memory.embeddings.vectors import Rows

CONFIG: Final = "l2_supercat"
DIMENSIONS: Final = 256


class _Loaded(NamedTuple):
    tokenizer: Any
    table: "Rows"


class WordLlamaEmbedder:
    """Embeds by WordLlama's 256-dimensional model. Lives as long as you like; holds about 60 MB once it is loaded.

    The first `embed` loads the model, which takes half a second or more. Safe to call from several threads.

    Raises:
        MissingExtraError: the package is not installed.
    """

    def __init__(self) -> None:
        require("numpy", "wordllama", extra="embeddings")
        self._loaded = Once(_load)

    @property
    def name(self) -> str:
        return f"wordllama-{CONFIG}-{DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def embed(self, texts: Sequence[str]) -> "Rows":
        """Return one row for each text, its order of words aside. Nothing is cut off, however long a text is."""
        from sojourn.memory.embeddings.vectors import np, scaled  # noqa: PLC0415 - much to load, for vectors alone

        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        if all(map(is_empty, texts)):
            return rows
        tokenizer, table = self._loaded.get()
        for row, text in zip(rows, texts, strict=True):
            # One text at a time: a batch would be padded to its longest, and would start threads of its own.
            tokens = [] if is_empty(text) else tokenizer.encode(readable(text), add_special_tokens=False).ids
            if tokens:
                row[:] = table[np.minimum(tokens, len(table) - 1)].mean(axis=0)
        return scaled(rows)


def _load() -> _Loaded:
    from sojourn.memory.embeddings.vectors import np  # noqa: PLC0415 - much to load, for vectors alone

    quiet = logging.NullHandler()
    root = logging.getLogger()
    root.addHandler(quiet)  # with a handler there, logging.basicConfig does nothing
    try:
        package = importlib.import_module("wordllama")
    except ImportError as error:
        raise EmbeddingError(f"wordllama cannot be imported: {error}") from error
    finally:
        root.removeHandler(quiet)
    try:
        # Told where its files are, because it looks for its tokenizer in a folder that it does not have.
        model = package.WordLlama.load(
            CONFIG, dim=DIMENSIONS, cache_dir=Path(str(package.__file__)).parent, disable_download=True
        )
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"wordllama's own files cannot be loaded: {error}") from error
    model.tokenizer.no_padding()
    table = np.asarray(model.embedding, np.float32)
    if table.ndim != 2 or table.shape[1] != DIMENSIONS:
        raise EmbeddingError(f"wordllama's table has the shape {table.shape}")
    return _Loaded(model.tokenizer, table)
