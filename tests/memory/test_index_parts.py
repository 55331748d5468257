"""What a text is made of: words, and grams of what is not written in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.memory.index.parts import MAX_RUN, SEPARATOR, grams_of, grams_of_part, holds_part, words_of

NAMES = ("getUserName", "max_retry_count", "src/app/main_window.py", "E4021-B", "v2.31.0rc1", "Ünïcode_näme")
DENSE = ("東京都に住んでいます", "กรุงเทพมหานคร", "한국어를공부합니다", "コーヒーを飲む")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Kettle's blue!", ["the", "kettle", "s", "blue"]),
        ("Grüße aus ZÜRICH", ["grusse", "aus", "zurich"]),
        ("max_retry_count=3", ["max", "retry", "count", "3"]),
        ("ｆｕｌｌ ｗｉｄｔｈ", ["full", "width"]),
        ("한국어 東京", ["한국어", "東京"]),
        ("🎉 \0 ?!", []),
        ("x" * 256 + " y", ["y"]),
    ],
)
def test_words_are_runs_of_letters_and_digits_in_one_case_without_accents(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize("text", ["", "Hello there. It's five o'clock!", "a well-known man", "HTTP is fine, 100 times"])
def test_prose_has_no_grams(text: str) -> None:
    assert grams_of(text) == []


def test_an_identifier_has_grams_of_three_and_separators_are_all_the_same() -> None:
    assert grams_of("see ab_cd") == ["ab·", "b·c", "·cd"]
    assert grams_of("ab/cd") == grams_of("AB::cd") == grams_of("ab_cd")


def test_a_script_without_spaces_has_grams_of_one_and_two() -> None:
    assert grams_of("in 東京都.") == ["東", "京", "都", "東京", "京都"]


@pytest.mark.parametrize("part", ["", "a", "ab", "?!", "👩‍👩‍👧", "\0"])
def test_what_is_too_short_has_no_grams_to_be_found_by(part: str) -> None:
    assert grams_of_part(part) == []


@given(st.sampled_from(NAMES), st.data())
def test_every_part_of_an_identifier_is_found_in_it(name: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(name) - 3))
    part = name[start : data.draw(st.integers(start + 3, len(name)))]

    assert set(grams_of_part(part)) <= set(grams_of(f"there is {name}, you see"))
    assert holds_part(f"there is {name}, you see", part) or not grams_of_part(part)


@given(st.sampled_from(DENSE), st.data())
def test_every_part_of_a_text_without_spaces_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]

    assert set(grams_of_part(part)) <= set(grams_of(f"so: {text}!"))


@given(st.text())
def test_no_gram_holds_a_space_or_punctuation_and_each_is_there_once(text: str) -> None:
    grams = grams_of(text)

    assert len(set(grams)) == len(grams)
    assert all(character.isalnum() or ord(character) > 127 for gram in grams for character in gram)


def test_a_long_run_of_data_has_few_grams() -> None:
    blob = "".join(f"{number:x}A" for number in range(20_000))

    assert len(grams_of(blob)) <= MAX_RUN


def test_grams_may_agree_where_the_part_does_not_stand() -> None:
    text, part = "abc_bcd_abcx1", "abcd"

    assert set(grams_of_part(part)) <= set(grams_of(text))
    assert not holds_part(text, part)


def test_a_part_is_compared_without_case_and_kind_of_separator() -> None:
    assert holds_part("open SRC\\App\\main.py", "src/app")
    assert not holds_part("open SRC\\App\\main.py", SEPARATOR)
    assert not holds_part("anything", "?!")
