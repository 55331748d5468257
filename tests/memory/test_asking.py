"""What a question asks for: a field of the profile, where we were, or something else."""

import pytest

from sojourn.memory.asking import asked_field, asked_words, asks_where_we_were


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("What's my name?", "name"),
        ("who am I", "name"),
        ("Do you remember my name?", "name"),
        ("How old am I?", "age"),
        ("tell me my age please", "age"),
        ("What language do I use?", "programming_languages"),
        ("Which programming languages do I know?", "programming_languages"),
        ("where do I live?", "location"),
        ("Where am I based?", "location"),
        ("what's my job again?", "occupation"),
        ("What do I do for a living?", "occupation"),
        ("what are my hobbies", "interests"),
        ("What am I working on?", "current_project"),
        ("which frameworks do I use", "frameworks"),
    ],
)
def test_a_question_about_oneself_asks_for_a_field(question: str, field: str) -> None:
    assert asked_field(question) == field


@pytest.mark.parametrize(
    "question",
    [
        "What is my brother's name?",
        "What's my dog's name?",
        "What language is the server written in?",
        "what do I do about the failing test?",
        "What is the average age of an oak?",
        "List the languages of Switzerland",
        "my",
        "",
        "name " * 10_000,
    ],
)
def test_a_question_about_something_else_asks_for_no_field(question: str) -> None:
    assert asked_field(question) is None


def test_asking_where_we_were_is_understood() -> None:
    assert asks_where_we_were("Where were we?")
    assert asks_where_we_were("what did we talk about last time")
    assert not asks_where_we_were("where were we on Tuesday when the server died?")


def test_the_words_of_a_question_are_those_that_an_answer_holds() -> None:
    assert asked_words("What is the rate limit of the API?") == {"rate", "limit", "api"}
