"""A question is read into terms, people and times; any text is one."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.memory.index.period import MAX_PERIODS, Period, periods_of
from sojourn.memory.index.question import MAX_TERMS, read_question

NOW = datetime(2024, 5, 10, 12, tzinfo=UTC)


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, 15, tzinfo=UTC)


def test_words_that_tell_nothing_are_left_out() -> None:
    assert read_question("What is the name of the harbour?").words == ["name", "harbour"]


def test_words_that_tell_nothing_are_kept_when_there_are_no_others() -> None:
    assert read_question("to be or not to be").words == ["to", "be", "or", "not"]


def test_forms_of_one_word_are_one_term() -> None:
    assert read_question("paint painted painting").words == ["paint"]


def test_a_quoted_phrase_is_one_word_to_match() -> None:
    assert read_question('the "rate limit" of uploads').words == ["rate limit", "uploads"]


def test_a_star_asks_for_the_beginning_of_words() -> None:
    assert read_question("conf* broken").words == ["conf*", "broken"]


def test_a_quote_that_is_not_closed_is_no_phrase() -> None:
    assert read_question('say "blue door').words == ["say", "blue", "door"]


def test_identifiers_and_paths_are_looked_for_as_parts_and_by_their_words() -> None:
    question = read_question("where is max_retry_count set in src/main.py?")

    assert question.parts == ["max_retry_count", "src/main.py"]
    assert {"max", "retry", "count", "src", "main"} <= set(question.words)


def test_prose_has_no_parts() -> None:
    assert read_question("A part-time job, well-paid: e.g. none.").parts in ([], ["e.g"])


@pytest.mark.parametrize("run", ["東京タワー", "กรุงเทพ", "서울에서"])
def test_scripts_without_spaces_are_looked_for_as_parts(run: str) -> None:
    assert read_question(f"about {run} today").parts == [run]


def test_clitics_are_no_words() -> None:
    assert read_question("Didn't Nadia's brother say he'll come?").words == ["nadia", "brother", "say", "come"]


def test_accents_and_case_do_not_matter() -> None:
    assert read_question("CAFÉ Zürich").words == read_question("cafe zurich").words


def test_a_named_speaker_is_recognised_by_the_first_name() -> None:
    assert read_question("Where does ingrid's dog sleep?").named(["Ingrid Holm", "Pavel"]) == {"Ingrid Holm"}


def test_a_question_without_its_speaker_keeps_the_rest() -> None:
    question = read_question("Where does Ingrid's dog sleep?").without(["Ingrid Holm"])

    assert question.text == "Where does dog sleep?"
    assert question.words == ["dog", "sleep"]


def test_a_question_of_nothing_but_a_name_keeps_it() -> None:
    assert read_question("Ingrid?").without(["Ingrid"]).words == ["ingrid"]


@pytest.mark.parametrize(
    ("text", "roles"),
    [("What did I say?", {"user"}), ("What did you suggest?", {"assistant"}), ("Who called?", set())],
)
def test_it_is_known_of_whom_a_question_speaks(text: str, roles: set[str]) -> None:
    assert read_question(text).roles == roles


@pytest.mark.parametrize("text", ["When was it?", "what year did it end", "How long ago was that?", "how many days"])
def test_a_question_for_a_time_is_recognised(text: str) -> None:
    assert read_question(text).asks_when


def test_a_question_for_something_else_asks_for_no_time() -> None:
    assert not read_question("Who painted the fence?").asks_when


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\x00\x01\x02", "🎉🎉🏳️‍🌈", "'; DROP TABLE documents; --", 'NEAR("a" "b", 3) AND NOT ^x:y* OR',
        '"', '""', "***", "\ud800", "a" * 100_000, "((((", "\\", "%s %(x)s {0}", "٣٤٥", "ﷺ İ ß",
    ],
)  # fmt: skip
def test_any_text_is_a_question(text: str) -> None:
    question = read_question(text, now=NOW)

    assert len(question.terms) <= MAX_TERMS


def test_ten_thousand_words_are_cut() -> None:
    question = read_question(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}" for n in range(10_000)))

    assert len(question.terms) == MAX_TERMS


@given(st.text(max_size=300))
def test_reading_never_fails(text: str) -> None:
    question = read_question(text, now=NOW)

    assert all(question.words)
    assert all(question.parts)


# --- times


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("what happened in 2021?", day(2021, 8, 1), day(2022, 1, 1)),
        ("the trip of June 2022", day(2022, 6, 30), day(2022, 7, 1)),
        ("on 7 June 2022", day(2022, 6, 7), day(2022, 6, 8)),
        ("on June 7th, 2022", day(2022, 6, 7), day(2022, 6, 6)),
        ("on 2022-06-07", day(2022, 6, 7), day(2022, 6, 8)),
        ("in october", day(2019, 10, 3), day(2019, 11, 3)),
        ("yesterday", day(2024, 5, 9), day(2024, 5, 10)),
        ("who came last Saturday?", day(2024, 5, 4), day(2024, 5, 5)),
        ("last Friday", day(2024, 5, 3), day(2024, 5, 10)),
        ("in the past three months", day(2024, 3, 1), day(2024, 1, 1)),
        ("last week", day(2024, 5, 3), day(2024, 4, 20)),
        ("three weeks ago", day(2024, 4, 19), day(2024, 5, 8)),
        ("two months ago", day(2024, 3, 11), day(2024, 5, 8)),
    ],
)
def test_a_time_is_understood(text: str, inside: datetime, outside: datetime) -> None:
    (period,) = periods_of(text, now=NOW)

    assert period.holds(inside)
    assert not period.holds(outside)


@pytest.mark.parametrize("text", ["it may rain", "march on", "jan is here", "room 2150", "a 1999-page book 12345"])
def test_other_words_are_no_times(text: str) -> None:
    assert periods_of(text.replace("1999-page", "long"), now=NOW) == ()


@pytest.mark.parametrize("text", ["this week", "this month", "this year"])
def test_what_is_going_on_ends_today_because_nothing_was_said_later(text: str) -> None:
    (period,) = periods_of(text, now=NOW)

    assert period.holds(NOW - timedelta(days=3))
    assert period.holds(NOW)
    assert not period.holds(NOW + timedelta(days=2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Which museum did I visit two months ago?", ["museum", "visit"]),
        ("Who sang last Saturday?", ["sang"]),
        ("the hikes of the past three weeks", ["hikes"]),
        ("what broke yesterday or last night", ["broke"]),
        ("who comes this weekend", ["comes", "weekend"]),
        ("who came on Monday", ["came", "monday"]),
        ("What did I do yesterday?", ["yesterday"]),
    ],
)
def test_how_long_ago_it_was_is_no_word_to_look_for_unless_nothing_else_is_left(text: str, words: list[str]) -> None:
    assert read_question(text, now=NOW).words == words


def test_without_a_now_how_long_ago_it_was_is_a_word_like_others() -> None:
    assert read_question("Who sang last Saturday?").words == ["sang", "last", "saturday"]


@pytest.mark.parametrize(
    "text", ["How many museums did I visit?", "how much did we spend", "the total cost", "What is our average age?"]
)
def test_a_question_that_counts_or_sums_up_asks_for_all(text: str) -> None:
    assert read_question(text).asks_for_all


@pytest.mark.parametrize("text", ["Which museum did I visit?", "how long is the pier", "Somehow, many people came."])
def test_other_questions_ask_for_the_best(text: str) -> None:
    assert not read_question(text).asks_for_all


def test_relative_times_need_a_now() -> None:
    assert periods_of("yesterday and last week") == ()


def test_a_date_that_does_not_exist_is_none() -> None:
    assert all(period.holds(day(2023, 2, 1)) for period in periods_of("on 31 February 2023"))


def test_a_thousand_years_ago_is_survived() -> None:
    assert len(periods_of("999 years ago, 2001, 2002, 2003, 2004, 2005", now=NOW)) == MAX_PERIODS


def test_a_moment_without_zone_is_compared_too() -> None:
    assert Period(since=NOW).holds(day(2024, 6, 1).replace(tzinfo=None))
