"""Times, amounts and texts are written as people read them, and take the room that they take on a terminal."""

from datetime import UTC, datetime, timedelta

import pytest

from sojourn.desk.columns import fit, pad, terminal_columns, width
from sojourn.desk.periods import period
from sojourn.desk.wording import ago, complaint, count, money, one_line
from sojourn.errors import AccessError, ConflictError, CorruptError, InvalidInputError, NotFoundError, SojournError

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=5), "5min ago"),
        (timedelta(hours=2, minutes=59), "2h ago"),
        (timedelta(days=3), "3d ago"),
        (timedelta(days=800), "2y ago"),
        (timedelta(seconds=-10), "just now"),
    ],
)
def test_how_long_ago_is_said_in_the_largest_unit(passed: timedelta, said: str) -> None:
    assert ago(NOW - passed, NOW) == said


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InvalidInputError("give one statement, not several"), "give one statement, not several"),
        (NotFoundError("there is no step '7'"), "there is no step '7'"),
        (AccessError("/there: Permission denied"), "/there: Permission denied"),
        (InvalidInputError("session=a: cannot fork at 99"), "session=a: cannot fork at 99"),
        (NotFoundError(), "There is no such thing here. Check its name."),
        (NotFoundError("agent=7"), "There is no such thing here. Check its name. (agent=7)"),
        (
            ConflictError("session=a expected=1 head=2"),
            "Another writer moved the session first. Read what it added and retry. (session=a expected=1 head=2)",
        ),
        (CorruptError("entry 7"), str(CorruptError("entry 7"))),
    ],
)
def test_what_went_wrong_is_said_without_what_says_nothing(error: SojournError, said: str) -> None:
    assert complaint(error) == said


def test_amounts_and_counts_are_short() -> None:
    assert [money(micros) for micros in (0, 1, 9_999, 20_000, 41_200_000)] == [
        "$0.00",
        "<$0.01",
        "<$0.01",
        "$0.02",
        "$41.20",
    ]
    assert [count(number, "message") for number in (0, 1, 2_000)] == ["0 messages", "1 message", "2,000 messages"]
    assert one_line("two\n  lines") == "two lines"
    assert one_line("abcdef", most=4) == "abc…"


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("שלום", 4), ("🎉", 2), ("ｆｕｌｌ", 8), ("", 0)]
)
def test_a_text_takes_the_columns_that_a_terminal_gives_it(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(pad(text, 10)) == 10


@pytest.mark.parametrize("text", ["日本語の題名", "abcdefgh", "e\u0301" * 9, "a日b本c語"])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5])
def test_what_does_not_fit_is_cut_between_characters(text: str, columns: int) -> None:
    cut = fit(text, columns)

    assert width(cut) <= columns
    assert cut.endswith("…")
    assert text.startswith(cut[:-1])


@pytest.mark.parametrize(("said", "columns"), [("40", 40), ("1", 20), ("0", None), ("wide", None), ("", None)])
def test_a_width_is_believed_if_it_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, columns: int | None
) -> None:
    monkeypatch.setenv("COLUMNS", said)

    assert terminal_columns() == columns


@pytest.mark.parametrize(("typed", "hours"), [("48h", 48), ("90d", 90 * 24), (" 2w ", 14 * 24), ("0d", 0)])
def test_a_period_is_read_as_it_is_typed(typed: str, hours: int) -> None:
    assert period(typed) == timedelta(hours=hours)


@pytest.mark.parametrize("typed", ["", "d", "-1d", "1.5d", "3 days", "1m", "999999d", "１d"])
def test_what_is_no_period_is_refused(typed: str) -> None:
    with pytest.raises(InvalidInputError, match="no period"):
        period(typed)
