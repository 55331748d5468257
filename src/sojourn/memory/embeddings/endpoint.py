"""Embeddings from a server that speaks the OpenAI protocol: OpenAI itself, Ollama, vLLM, llama.cpp and many others.

The server is not trusted to answer as asked: every answer is checked for how many vectors it has, of which size, and
whether they are numbers. Trying again after a failure is left to the SDK, which knows which are worth it.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit

from sojourn.errors import EmbeddingError, InvalidInputError
from sojourn.memory.embeddings.installed import require
from sojourn.memory.embeddings.once import Once
from sojourn.memory.embeddings.texts import batches, is_empty, readable
from sojourn.memory.embeddings.vectors import Rows, np, scaled

BATCH: Final = 64
TIMEOUT: Final = 30.0
NO_KEY: Final = "none"
"""Sent when there is no key. Without one the SDK would take OPENAI_API_KEY and send it to whatever server this is."""


class EndpointEmbedder:
    """Embeds by asking a server. Safe to call from several threads; close it to close its connections.

    Args:
        base_url: where the server's API begins, such as `http://localhost:11434/v1`.
        model: which model to ask for; part of `name`, as is the server.
        api_key: none is sent unless it is given.
        dimensions: the size to ask for, of models that can shorten their vectors; None for the model's own size, which
            is learned from the first answer. Asking `dimensions` before that asks the server.
        timeout: seconds that one request may take.
        retries: how often the SDK tries again after a failure that may pass.

    Raises:
        MissingExtraError: the SDK is not installed.
        InvalidInputError: *base_url* is not an HTTP address, or there is no model.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        timeout: float = TIMEOUT,
        retries: int = 2,
    ) -> None:
        require("openai", extra="openai")
        address = urlsplit(base_url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise InvalidInputError(f"base_url {base_url!r}: give an address that begins with http:// or https://")
        if not model:
            raise InvalidInputError("model: name the model to ask for")
        if dimensions is not None and dimensions < 1:
            raise InvalidInputError(f"dimensions={dimensions}: give 1 or more, or None for the model's own")
        self._base_url = base_url
        self._model = model
        self._host = address.netloc.rpartition("@")[2]  # without a password
        self._asked_size = dimensions
        self._size = dimensions
        self._lock = Lock()
        self._client = Once(lambda: _client(base_url, api_key, timeout, retries))
        self._closed = False

    def __repr__(self) -> str:
        return f"EndpointEmbedder({self.name!r})"

    @property
    def name(self) -> str:
        shortened = f"-{self._asked_size}" if self._asked_size else ""
        return f"{self._model}{shortened}@{self._host}"

    @property
    def dimensions(self) -> int:
        if self._size is None:
            self._ask(["size"])
        return self._size or 0

    def embed(self, texts: Sequence[str]) -> Rows:
        """Return one row for each text.

        Raises:
            EmbeddingError: the server cannot be reached, refuses, takes too long, or answers with something else.
        """
        filled = [place for place, text in enumerate(texts) if not is_empty(text)]
        answers = [
            (places, self._ask([readable(texts[place]) for place in places])) for places in batches(filled, BATCH)
        ]
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for places, vectors in answers:
            rows[list(places)] = vectors
        return rows

    def close(self) -> None:
        """Close the connections. It can be called twice; afterwards nothing can be embedded."""
        if not self._closed:
            self._closed = True
            self._client.get().close()

    def __enter__(self) -> "EndpointEmbedder":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _ask(self, texts: list[str]) -> Rows:
        """Return the vectors of *texts*, none of which is empty, with length 1."""
        import openai  # noqa: PLC0415  # an extra, and slow to import

        from sojourn.providers.openai_errors import in_words  # noqa: PLC0415  # needs the same extra

        if self._closed:
            raise EmbeddingError(f"{self.name} is closed")
        options: dict[str, Any] = {"dimensions": self._asked_size} if self._asked_size else {}
        try:
            answer = self._client.get().embeddings.create(
                model=self._model, input=texts, encoding_format="float", **options
            )
        except openai.OpenAIError as error:
            raise EmbeddingError(f"{self.name}: {in_words(error)}") from error
        except ValueError as error:  # an answer that is not JSON at all
            raise EmbeddingError(f"{self.name} answers with something that is not JSON") from error
        return scaled(self._checked(answer, len(texts)))

    def _checked(self, answer: Any, expected: int) -> Rows:
        data = getattr(answer, "data", None)
        if not isinstance(data, list) or len(data) != expected:
            found = len(data) if isinstance(data, list) else "no"
            raise EmbeddingError(f"{self.name} gave {found} vectors for {expected} texts")
        try:
            # In the order of their numbers, which an answer need not be in.
            data = sorted(data, key=lambda item: int(item.index))
            vectors = np.asarray([item.embedding for item in data], np.float32)
        except (AttributeError, TypeError, ValueError) as error:
            raise EmbeddingError(f"{self.name} answers with vectors that are none") from error
        if [int(item.index) for item in data] != list(range(expected)):
            raise EmbeddingError(f"{self.name} numbers its vectors wrongly")
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise EmbeddingError(f"{self.name} gave vectors of several sizes, or of none")
        if not np.isfinite(vectors).all():
            raise EmbeddingError(f"{self.name} gave values that are no numbers")
        with self._lock:
            self._size = self._size or vectors.shape[1]
        if vectors.shape[1] != self._size:
            raise EmbeddingError(f"{self.name} gave vectors of size {vectors.shape[1]}, not {self._size}")
        return vectors


def _client(base_url: str, api_key: str | None, timeout: float, retries: int) -> Any:
    import openai  # noqa: PLC0415  # an extra, and slow to import

    return openai.OpenAI(base_url=base_url, api_key=api_key or NO_KEY, timeout=timeout, max_retries=retries)
