"""When two facts say the same, whatever their words, and when they never do, however near."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.memory.embeddings.installed import is_installed
from sojourn.memory.facts.judging import FactMeaning, MeaningJudge
from sojourn.memory.facts.meaning import NEAR, could_be_same, same_meaning
from sojourn.memory.facts.values import same_value
from sojourn.model.events import FactLearned
from sojourn.model.ids import Seq
from sojourn.model.knowledge import Fact, learned_fact
from sojourn.testing.factories import NEW_YEAR

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "meaning_pairs.jsonl").read_text("utf-8").splitlines()]
SAME = [(pair["one"], pair["other"]) for pair in PAIRS if pair["same"]]
DIFFERENT = [(pair["one"], pair["other"]) for pair in PAIRS if not pair["same"]]


def fact(content: str, *, slot: str | None = None, value: str | None = None) -> Fact:
    return learned_fact(learned(content, slot=slot, value=value), at=NEW_YEAR, seq=Seq(2))


def learned(content: str, *, slot: str | None = None, value: str | None = None) -> FactLearned:
    return FactLearned(fact_id=content, content=content, slot=slot, value=value)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_numbers_names_negations_and_opposites_keep_sentences_apart_at_any_nearness(one: str, other: str) -> None:
    assert not same_meaning(one, other)
    assert not same_meaning(one, other, cosine=0.9999)
    assert not same_meaning(other, one, cosine=0.9999)


def test_most_paraphrases_are_known_by_words_and_slots_alone() -> None:
    found = sum(same_meaning(one, other) for one, other in SAME)

    assert len(SAME) >= 60
    assert len(DIFFERENT) >= 60
    assert found / len(SAME) >= 0.75


@pytest.mark.skipif(not is_installed("numpy", "wordllama"), reason="wordllama is not installed")
def test_more_paraphrases_are_known_with_vectors_and_nothing_else_is() -> None:
    from sojourn.memory.embeddings.wordllama import WordLlamaEmbedder

    embedder = WordLlamaEmbedder()

    def near(one: str, other: str) -> bool:
        rows = embedder.embed([one, other])
        return same_meaning(one, other, cosine=float(rows[0] @ rows[1]))

    assert sum(near(one, other) for one, other in SAME) / len(SAME) >= 0.85
    assert not any(near(one, other) for one, other in DIFFERENT)


_ODD = st.one_of(st.text(max_size=60), st.sampled_from([one for pair in (*SAME, *DIFFERENT) for one in pair]))


@given(_ODD, _ODD)
def test_any_two_texts_can_be_compared_and_the_order_does_not_matter(one: str, other: str) -> None:
    assert same_meaning(one, one)
    assert same_meaning(one, other, cosine=0.9) == same_meaning(other, one, cosine=0.9)
    assert same_value(one, other) == same_value(other, one)
    assert same_value(one, one)


def test_what_shares_no_word_is_not_worth_comparing() -> None:
    assert not could_be_same("The user likes tea", "Port 80 is open")
    assert could_be_same("The cache is cleared every hour", "Every hour the cache gets cleared")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000 requests per hour", "1000/hour"),
        ("1000 req/h", "1000 requests an hour"),
        ("1k requests/hour", "1000 requests hourly"),
        ("1000", "1000 requests per hour"),
        ("60 seconds", "1 minute"),
        ("half an hour", "30 min"),
        ("10 MB", "10 megabytes"),
        ("$500", "500 USD"),
        ("3 pm", "15:00"),
        ("3 May", "May 3rd"),
        ("on Friday", "Friday"),
        ("v3.11", "3.11"),
        ("two", "2"),
        ("Paris", "Paris, France"),
        ("Acme", "Acme Inc."),
        ("Postgres", "PostgreSQL"),
        ("BERLIN", "Berlin"),
    ],
)
def test_one_value_has_many_spellings(one: str, other: str) -> None:
    assert same_value(one, other)
    assert same_value(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1000/hour", "1000/minute"),
        ("1000", "100"),
        ("3 pm", "3 am"),
        ("3 May", "5 May"),
        ("3 May", "3 June"),
        ("3.1", "3.11"),
        ("10 MB", "10 GB"),
        ("Paris", "Porto"),
        ("Alice", "Alice Smith"),
        ("30 seconds", "30 minutes"),
        ("1.2.3 s", "1.2 s"),
        ("", "1"),
    ],
)
def test_different_values_stay_different(one: str, other: str) -> None:
    assert not same_value(one, other)
    assert not same_value(other, one)


def test_a_slot_that_was_given_decides_over_the_wording() -> None:
    meaning = FactMeaning()
    known = fact("The gateway takes 1000/hour", slot="gateway/limit", value="1000/hour")

    assert meaning.same(learned("A thousand calls", slot="gateway/limit", value="1,000 per hour"), known)
    assert meaning.replaces(learned("Five hundred", slot="gateway/limit", value="500 per hour"), known)
    assert not meaning.replaces(learned("Five hundred", slot="gateway/burst", value="500"), known)
    assert not meaning.replaces(learned("Five hundred"), known)


def test_what_was_liked_is_replaced_by_hating_it_and_by_nothing_else() -> None:
    meaning = FactMeaning()
    likes = fact("The user likes tea", slot="user/interests", value="tea")

    assert meaning.replaces(learned("The user hates tea", slot="user/dislikes", value="tea"), likes)
    assert not meaning.replaces(learned("The user hates milk", slot="user/dislikes", value="milk"), likes)
    assert not meaning.replaces(learned("The user likes milk", slot="user/interests", value="milk"), likes)


@pytest.mark.anyio
async def test_without_an_embedder_words_decide() -> None:
    meaning = await MeaningJudge().about("Green tea is what the user drinks", [])

    assert not meaning.same(learned("Uploads are zipped"), fact("The files are compressed before they are sent"))


@pytest.mark.anyio
@pytest.mark.skipif(not is_installed("numpy"), reason="numpy is not installed")
async def test_near_vectors_make_one_of_two_wordings() -> None:
    import numpy as np

    class Pointing:
        """Every text points the same way."""

        name, dimensions = "pointing", 2

        def embed(self, texts: list[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
            return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))

    known = fact("Files are compressed ahead of an upload")
    said = learned("Files get zipped prior to the upload")
    near = await MeaningJudge(Pointing()).about(said.content, [known])  # type: ignore[arg-type]  # lists, not sequences
    far = await MeaningJudge(Pointing(), near=1.1).about(said.content, [known])  # type: ignore[arg-type]  # as above

    assert (near.same(said, known), far.same(said, known)) == (True, False)
    assert NEAR < 1
