"""Where a title that is made from what was said ends."""

import pytest

from sojourn.engine.titles import make_title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("I live in Berlin and I am 31 years old", "Live in Berlin"),
        ("Explain what the login page does when you press it", "Explain what the login page does"),
        ("Compare both designs and say which we should take", "Compare both designs and say"),
    ],
)
def test_no_title_ends_in_the_middle_of_a_thought(said: str, title: str) -> None:
    assert make_title(said) == title
