"""Who looks for a word finds what holds it, and not what was said beside it."""

from pathlib import Path

import pytest

import sojourn
from sojourn.engine.session import Session
from tests.cli.seeded import seed
from tests.cli.typed import Type


async def _asked_and_answered(_: sojourn.Sojourn, session: Session) -> None:
    for number in range(30):
        await session.messages.user(f"Question {number}: what about thing number {number}?")
        await session.messages.assistant(f"Answer number {number} about a long theme, with many words in it.")


@pytest.mark.parametrize("number", [1, 2, 10, 25])
def test_only_what_holds_the_word_is_found_however_few_are_wanted(folder: Path, type_: Type, number: int) -> None:
    seed(folder, _asked_and_answered)

    hits = type_("search", "thing", "-n", str(number), "--json").data["hits"]

    assert len(hits) == number
    assert {hit["role"] for hit in hits} == {"user"}
    assert all("thing" in hit["snippet"] and hit["highlights"] for hit in hits)


def test_the_best_match_comes_first(folder: Path, type_: Type) -> None:
    seed(folder, _asked_and_answered)

    [hit] = type_("search", '"thing number 12"', "--json").data["hits"]

    assert hit["snippet"] == "Question 12: what about thing number 12?"


@pytest.mark.parametrize("words", ["", "  ", "*", '""'])
def test_without_a_word_there_is_nothing_to_look_for(folder: Path, type_: Type, words: str) -> None:
    refused = type_("search", words)

    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "error: say what to look for: a word, or a phrase in quotes\n"
