"""A snippet shows the stretch of a text that was found, and a long text is cut into pieces to embed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.memory.index.chunking import OVERLAP, SIZE, spans, texts_to_embed
from sojourn.memory.index.question import Term, read_question
from sojourn.memory.index.snippet import ELLIPSIS, LENGTH, make_snippet
from sojourn.memory.index.spotting import Spotter
from sojourn.memory.index.stems import fold, occurrences, stem

FILLER = "The meeting went on for a while and nothing of note was decided by anybody there. " * 6


def shown(text: str, question: str) -> tuple[str, list[str]]:
    snippet, highlights = make_snippet(text, Spotter(read_question(question).terms))
    return snippet, [snippet[start:end] for start, end in highlights]


def test_a_short_text_is_shown_whole() -> None:
    assert shown("The kiln is hot.", "kiln") == ("The kiln is hot.", ["kiln"])


def test_other_forms_of_a_word_are_highlighted() -> None:
    _, words = shown("She paints; he painted, they were painting paintwork.", "paint")

    assert words == ["paints", "painted", "painting"]


def test_the_stretch_with_most_different_words_is_shown() -> None:
    snippet, words = shown(f"A kiln. A kiln. {FILLER} The glaze cracked in the kiln. {FILLER}", "cracked glaze kiln")

    assert words == ["glaze", "cracked", "kiln"]
    assert snippet.startswith(ELLIPSIS)
    assert snippet.endswith(ELLIPSIS)


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    spotter = Spotter(read_question("kiln meeting").terms)

    snippet, _ = make_snippet(f"{FILLER} The kiln. {'x ' * 200}", spotter, weights=[5.0, 0.1])

    assert "kiln" in snippet


def test_phrases_prefixes_and_parts_are_highlighted() -> None:
    text = "The rate limits of confirm_upload are confusing, in src/gate.py."

    assert shown(text, '"rate limit"')[1] == ["rate limits"]
    assert shown(text, "confu*")[1] == ["confusing"]
    assert shown(text, "confirm_upload src/gate.py")[1][0] == "confirm_upload"


def test_highlights_do_not_overlap() -> None:
    _, words = shown("Look into src/gate.py now", "src/gate.py")

    assert words == ["src/gate.py"]


def test_accents_do_not_hide_a_word() -> None:
    assert shown("Das Café in Zürich", "cafe zurich")[1] == ["Café", "Zürich"]


def test_text_without_any_word_of_the_question_begins_at_its_beginning() -> None:
    snippet, words = shown(FILLER, "giraffe")

    assert words == []
    assert snippet.startswith("The meeting")
    assert len(snippet) <= LENGTH + 1


def test_an_emoji_is_never_cut() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

    snippet, _ = shown(family * 200, "giraffe")

    assert snippet.removesuffix(ELLIPSIS).replace(family, "") == ""


def test_white_space_becomes_single_spaces() -> None:
    assert shown("one\n\n\ttwo", "two") == ("one two", ["two"])


@given(st.text(max_size=600), st.text(max_size=40))
def test_highlights_lie_within_the_snippet(text: str, question: str) -> None:
    snippet, highlights = make_snippet(text, Spotter(read_question(question).terms))

    assert all(0 <= start < end <= len(snippet) for start, end in highlights)
    assert list(highlights) == sorted(highlights)


# --- stems


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"), ("hoping", "hope"),
        ("hopping", "hop"), ("happy", "happi"), ("relational", "relat"), ("goodness", "good"),
        ("adoption", "adopt"), ("controller", "control"), ("sky", "sky"), ("by", "by"), ("東京", "東京"),
    ],
)  # fmt: skip
def test_a_stem_is_porters(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text(alphabet="abcdeilnosty", min_size=1, max_size=12))
def test_every_word_is_found_by_its_own_stem(word: str) -> None:
    assert (2, 2 + len(word), 0) in list(occurrences(f"x {word}.", [stem(word)]))


def _word(text: str) -> Term:
    return Term(kind="word", text=text, stems=(stem(text),))


def test_the_same_words_are_found_whether_few_or_many_are_looked_for() -> None:
    text = fold("Hoping for ships, we saw the tide_table: 3 of the SHIPS' papers were filed, a naïve way, in 日本.")
    few = [_word(word) for word in ("hope", "ship", "table", "naive", "3", "file", "日本", "paper", "hoping")]
    many = [*few, *(_word(f"absent{number}") for number in range(40))]

    assert len(Spotter(few).spots(text)) == 10
    assert Spotter(many).spots(text) == Spotter(few).spots(text)
    assert Spotter(many).counts(text) == [*Spotter(few).counts(text), *[0] * 40]


@given(st.text(max_size=100))
def test_folding_moves_no_character(text: str) -> None:
    assert len(fold(text)) == len(text)


# --- pieces to embed


def test_a_short_text_is_embedded_whole() -> None:
    assert texts_to_embed(" A short text. ") == ["A short text."]


def test_a_text_without_content_has_nothing_to_embed() -> None:
    assert texts_to_embed("") == []
    assert texts_to_embed(" \n ") == []


def test_a_long_text_is_cut_after_sentences() -> None:
    pieces = texts_to_embed(FILLER * 4)

    assert len(pieces) > 3
    assert all(piece.endswith(".") for piece in pieces)
    assert all(len(piece) <= SIZE for piece in pieces)


def test_without_sentences_it_is_cut_at_spaces() -> None:
    words = "lorem ipsum dolor sit amet " * 60

    assert all(piece.split()[-1] in words.split() for piece in texts_to_embed(words))


def test_a_run_without_spaces_is_cut_where_it_must() -> None:
    assert [len(piece) for piece in texts_to_embed("x" * 1000)] == [SIZE, SIZE, 1000 - 2 * (SIZE - OVERLAP)]


@given(st.text(alphabet="ab .!?\n", max_size=3000))
def test_pieces_cover_all_of_a_text_and_overlap_a_little(text: str) -> None:
    cut = spans(text)

    assert not text or (cut[0][0] == 0 and cut[-1][1] == len(text))
    for (start, end), (following, _) in pairwise(cut):
        assert start < following <= end
        assert end - following <= OVERLAP
