"""Which question a sentence answers, and which sentences answer none."""

import pytest

from sojourn.memory.facts.question import is_about_user
from sojourn.memory.facts.slots import is_exclusive, slot_name, slot_of

READ = [
    ("The user lives in Paris", "user/location", "Paris"),
    ("the user lives in paris", "user/location", "paris"),
    ("User moved to Berlin", "user/location", "Berlin"),
    ("The user moved from Paris to Berlin last year", "user/location", "Berlin"),
    ("The user has recently moved to San Francisco", "user/location", "San Francisco"),
    ("The user now lives in Lyon with her sister.", "user/location", "Lyon"),
    ("The user lives in a small village in Bavaria", "user/location", "Bavaria"),
    ("The user is 31 years old", "user/age", "31"),
    ("The user is 31", "user/age", "31"),
    ("The user's age is 31", "user/age", "31"),
    ("The user just turned 32", "user/age", "32"),
    ("The user's name is Lena", "user/name", "Lena"),
    ("The user is called Lena", "user/name", "Lena"),
    ("The user is a software engineer", "user/occupation", "software engineer"),
    ("The user works for Acme as a data engineer", "user/occupation", "data engineer"),
    ("The user's job is nurse", "user/occupation", "nurse"),
    ("Alice works at Acme", "alice/employer", "Acme"),
    ("The user's wife is called Ana", "user wife/name", "Ana"),
    ("The user's boss is Amira", "user boss/name", "Amira"),
    ("The user's wife works at Acme", "user wife/employer", "Acme"),
    ("The user's favourite colour is blue", "user/favorite color", "blue"),
    ("The user is vegan", "user/diet", "vegan"),
    ("The user has two kids", "user/number of children", "two"),
    ("The user's email is ada@example.org", "user/email", "ada@example.org"),
    ("The user is working on Atlas", "user/current_project", "Atlas"),
    ("API rate limit is 1000 requests/hour", "api/rate limit", "1000 requests/hour"),
    ("API rate limit: 1000 requests/hour", "api/rate limit", "1000 requests/hour"),
    ("The API's rate limit is now 500 requests per hour", "api/rate limit", "500 requests per hour"),
    ("The rate limit of the API was raised from 1000 to 2000", "api/rate limit", "2000"),
    ("Server runs on port 8080", "server/port", "8080"),
    ("The server's port is 9090 now", "server/port", "9090"),
    ("The server listens on port 9090", "server/port", "9090"),
    ("The staging server uses port 8081", "staging server/port", "8081"),
    ("The project uses Python 3.11", "python/version", "3.11"),
    ("The project was upgraded from Python 3.11 to Python 3.12", "python/version", "3.12"),
    ("The Python version is 3.12", "python/version", "3.12"),
    ("The backend runs on Python 3.12", "backend/python version", "3.12"),
    ("the deadline is Friday", "project/deadline", "Friday"),
    ("The deadline was moved to 3 May", "project/deadline", "3 May"),
    ("The project's deadline is on Friday", "project/deadline", "Friday"),
    ("The meeting with Bob is at 3 pm", "meeting with bob/time", "3 pm"),
    ("The meeting was moved to Thursday", "meeting/date", "Thursday"),
    ("Caching is enabled", "caching/enabled", "enabled"),
    ("Caching was switched off", "caching/enabled", "disabled"),
    ("max upload size is 10 MB", "project/maximum upload size", "10 MB"),
    ("The API's maximum upload size is 20 MB", "api/maximum upload size", "20 MB"),
    ("The default branch is main", "project/default branch", "main"),
    ("The API key expires after 30 days", "api key/expir after", "after 30 days"),
    ("The cache is cleared every hour", "cache/clear every", "every hour"),
    ("Logs are kept for 30 days", "logs/keep for", "for 30 days"),
    ("Our logs are kept for 2 weeks", "logs/keep for", "for 2 weeks"),
    ("The budget got cut to $1500", "project/budget", "$1500"),
    ("The staging database is on port 5434", "staging database/port", "5434"),
    ("The backend is written in Go", "backend/written in", "Go"),
    ("The project is called Atlas", "project/name", "Atlas"),
]

LISTS = [
    ("The user likes tea", "user/interests", "tea"),
    ("The user does not like tea", "user/dislikes", "tea"),
    ("The user hates tea", "user/dislikes", "tea"),
    ("Bob speaks Spanish", "bob/languages", "Spanish"),
    ("The user has visited Japan", "user/visited", "Japan"),
    ("The project uses Django", "project/uses", "Django"),
    ("The user's sister is called Mia", "user sister/name", "Mia"),
    ("The user's dog is named Rex", "user dog/name", "Rex"),
    ("The user is allergic to nuts", "user/allergies", "nuts"),
    ("The user codes in Rust", "user/programming_languages", "Rust"),
]

UNREAD = [
    "",
    "   ",
    "Tea is hot",
    "The port is open",
    "The deadline is tight",
    "The database is down",
    "The API is slow",
    "The user is a good listener",
    "The user might move to Rome",
    "The user wants to live in Rome",
    "The user used to live in Rome",
    "The port was 8080",
    "The user was a nurse",
    "The user no longer lives in Rome",
    "The user does not live in Rome",
    "Does the user live in Rome?",
    "If the user lives in Rome, the shop is closed",
    "The user lives in fear",
    "The user moved to a new flat",
    "The team moved to Slack",
    "The limit is 100 or 200",
    "The user lives in Rome. The user likes tea.",
    "The night train costs 39 EUR",
    "The trip goes from Madrid to Lisbon in May",
    "Python is a programming language",
    "It is 30",
    "The port should be 8080",
    "The user lives in deep sorrow",
    "The user's favourite thing is so hard to explain",
    "The user likes tea and coffee",
    "The user speaks slowly",
    "The user codes in pyjamas",
    "The user is working on Atlas and Borealis",
    "The user is called names all the time",
    "Every port is 8080",
    "The project uses a lot of memory",
    "The project uses Redis for caching",
    "Everything is enabled",
    "The user is working on a parser",
    "The users live in Paris",
    "The limit is 5 for " + "very " * 30 + "good accounts",
    "Alice runs every day",
    "Alice has known her friends for 4 years",
    "The man has known her for 4 years",
    "The user runs for 30 minutes",
    "The trip lasts for ever",
    "The user's wife is Danish",
    "The user's boss is German",
    "Nora Smith is French",
    "The user's wife is very nice",
    "The user lives in " + "x" * 400,
]


@pytest.mark.parametrize(("content", "name", "value"), READ)
def test_a_sentence_answers_a_question_that_has_one_answer(content: str, name: str, value: str) -> None:
    slot = slot_of(content)

    assert slot is not None
    assert (slot.name, slot.value, slot.exclusive) == (name, value, True)


@pytest.mark.parametrize(("content", "name", "value"), LISTS)
def test_a_sentence_answers_a_question_that_has_many_answers(content: str, name: str, value: str) -> None:
    slot = slot_of(content)

    assert slot is not None
    assert (slot.name, slot.value, slot.exclusive) == (name, value, False)


@pytest.mark.parametrize("content", UNREAD)
def test_what_is_hedged_negated_past_or_not_understood_answers_nothing(content: str) -> None:
    assert slot_of(content) is None


def test_a_condition_makes_another_question() -> None:
    names = {
        slot.name
        for content in (
            "The API rate limit is 1000 requests/hour for free accounts",
            "For free accounts, the API rate limit is 100 per hour",
            "The API rate limit is 5000 per hour for paid accounts",
            "The API rate limit is 300 per hour",
        )
        if (slot := slot_of(content))
    }

    assert names == {"api/rate limit", "api/rate limit for free accounts", "api/rate limit for paid accounts"}


def test_a_limit_of_users_is_nothing_about_the_user() -> None:
    slot = slot_of("The user limit is 100")

    assert slot is not None
    assert slot.name == "project/user limit"
    assert is_about_user("user/age")
    assert is_about_user("user sister/age")
    assert not is_about_user("user guide/version")
    assert not is_about_user("age")


def test_a_name_is_spelled_in_one_way() -> None:
    assert slot_name("The API", "rate limits") == slot_name("our API's", "Rate Limit") == "api/rate limit"
    assert slot_name("", "new deadline") == "project/deadline"


def test_a_question_whose_name_is_not_known_has_one_answer() -> None:
    assert is_exclusive("api/auth method")
    assert not is_exclusive("user/interests")
    assert not is_exclusive("user daughter/age")
    assert not is_exclusive("user/former home")
