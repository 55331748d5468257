"""Figures as people read them."""

import pytest

from sojourn.desk.figures import amount, gauge, percent, sparkline


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"), (999, "999"), (1_000, "1.0k"), (2_649, "2.6k"), (9_949, "9.9k"), (9_950, "10k"), (999_499, "999k"),
        (999_500, "1.0M"), (44_000_000, "44M"), (999_600_000, "1.0G"), (5_000_000_000_000, "5,000G"),
    ],
)  # fmt: skip
def test_an_amount_takes_few_characters(number: int, shown: str) -> None:
    assert amount(number) == shown


def test_a_share_of_nothing_is_not_told() -> None:
    assert percent(1, 3) == "33%"
    assert percent(1, 0) == ""


def test_whatever_is_more_than_nothing_has_a_bar() -> None:
    assert sparkline([0, 1, 500, 1_000]) == "▁▂▅█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""


def test_each_part_of_a_gauge_has_its_share() -> None:
    assert gauge([("█", 50), ("▒", 25)], 100, 8) == "████▒▒··"
    assert gauge([("█", 1), ("▒", 1)], 1_000, 5) == "█▒···"
    assert gauge([("█", 300)], 100, 5) == "█████"
    assert gauge([], 0, 3) == "···"
