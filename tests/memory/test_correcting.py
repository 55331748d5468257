"""Short corrections that only make sense to somebody who knows what is believed."""

import pytest

from sojourn.memory.facts.correcting import Believed, denied, forgotten_field, left_behind, put_right, updated

LATEST = [
    Believed("timeout", "The timeout is 10 seconds.", "10 seconds"),
    Believed("rotation", "The password rotates every 30 days.", "every 30 days"),
    Believed("name", "Stefan", "Stefan"),
    Believed("location", "Nantes", "Nantes"),
]

RIGHT = [
    ("Make that 20 seconds.", "timeout", "20 seconds", "The timeout is 20 seconds."),
    ("oops, 15", "timeout", "15 seconds", "The timeout is 15 seconds."),
    ("It rotates every 60 days, not 30.", "rotation", "every 60 days", "The password rotates every 60 days."),
    ("Actually it's 90 days", "rotation", "every 90 days", "The password rotates every 90 days."),
    ("It's spelled Stephan.", "name", "Stephan", "Stephan"),
    ("Stephan with a ph", None, "", ""),
    ("Steffan with a double f, please", "name", "Steffan", "Steffan"),
    ("that's not right, it's stephan", "name", "Stephan", "Stephan"),
    ("His name is Stewart, not Stefan", "name", "Stewart", "Stewart"),
    ("typo, Nancy", "name", "Nancy", "Nancy"),
    ("Sorry, I meant Nancy.", "name", "Nancy", "Nancy"),
]


@pytest.mark.parametrize(("sentence", "key", "value", "text"), RIGHT)
def test_the_last_that_fits_is_put_right(sentence: str, key: str | None, value: str, text: str) -> None:
    correction = put_right(sentence, LATEST)

    assert (correction and tuple(correction)) == (key and (key, value, text))


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Stephan",
        "20 seconds",
        "It is 20 degrees outside and rather windy today, is it not",
        "No?",
        "No, thanks",
        "No, Thursday",
        "Sorry, Sarah",
        "Sorry, I was busy with something else for a while there",
        "Actually 20 MB",
        "It's Stefan, not me",
        "No, Stefan",
        "It is warm, not 99",
    ],
)
def test_what_has_no_cue_or_does_not_fit_puts_nothing_right(sentence: str) -> None:
    assert put_right(sentence, LATEST) is None


@pytest.mark.parametrize("sentence", ["Make that 20 seconds.", "typo, Nancy", "every 60 days, not 30"])
def test_a_sentence_that_is_read_twice_puts_right_once(sentence: str) -> None:
    first = put_right(sentence, LATEST)
    assert first is not None

    others = [one for one in LATEST if one.key != first.key]
    twins = [*others, *(Believed(one.key + " too", one.text, one.value) for one in LATEST)]
    assert put_right(sentence, [Believed(first.key, first.text, first.value), *twins]) is None


def test_nothing_is_put_right_if_nothing_is_believed() -> None:
    assert put_right("Make that 20 seconds.", []) is None
    assert put_right("typo, Nancy", []) is None
    assert put_right("every 60 days, not 30", []) is None


@pytest.mark.parametrize(
    ("sentence", "name", "value"),
    [
        ("They raised the rate limit to 120 requests per minute.", "project/rate limit", "120 requests per minute"),
        ("we've extended the deadline to Wednesday", "project/deadline", "Wednesday"),
        ("Wrong, the staging database is on port 5434.", "staging database/port", "5434"),
        ("My boss is Amira now.", "user boss/name", "Amira"),
        ("the budget got cut to $1500", "project/budget", "$1500"),
    ],
)
def test_a_sentence_that_answers_a_question_brings_it_up_to_date(sentence: str, name: str, value: str) -> None:
    answer = updated(sentence)

    assert answer is not None
    assert (answer[1].name, answer[1].value) == (name, value)


@pytest.mark.parametrize("sentence", ["The user likes tea", "Should the port be 80?", "Good morning", ""])
def test_what_answers_no_question_with_one_answer_updates_nothing(sentence: str) -> None:
    assert updated(sentence) is None


def test_what_is_denied_is_named() -> None:
    assert denied("Sorry, my daughter is 7, not 6.") == "6"
    assert denied("My daughter is 7.") is None


@pytest.mark.parametrize(
    ("sentence", "gone"),
    [
        ("I gave up skiing.", ["skiing"]),
        ("I don't like golf anymore.", ["golf"]),
        ("I'm not into golf any more", ["golf"]),
        ("I no longer use Perl", ["Perl"]),
        ("I'm not into golf any more, I like skiing", ["golf"]),
        ("I like golf", []),
        ("I don't like golf", []),
        ("My brother gave up golf", []),
        ("Should I say that I gave up golf?", []),
        ("I gave up golfing", []),
    ],
)
def test_what_the_user_left_behind_is_named(sentence: str, gone: list[str]) -> None:
    assert left_behind(sentence, ["skiing", "golf", "Perl"]) == gone


@pytest.mark.parametrize(
    ("sentence", "field"),
    [
        ("Forget where I live.", "location"),
        ("Ignore what I said about my job.", "occupation"),
        ("please forget my age", "age"),
        ("Please don't remember my name!", "name"),
        ("Forget about my project", "current_project"),
        ("Forget my umbrella", None),
        ("I forget my age", None),
        ("Don't forget my name", None),
    ],
)
def test_the_field_that_is_to_be_forgotten_is_known(sentence: str, field: str | None) -> None:
    assert forgotten_field(sentence) == field
