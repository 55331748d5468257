"""The stretches of time that a question names: a year, a month, a day, "last week", "three days ago".

They make what was said then more likely to be the answer; they exclude nothing, because what happened at one time is
often told at another. Nothing was said later than now, so "this week" ends today.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final

from sojourn.model.value import Value

MAX_PERIODS: Final = 4

_MONTHS: Final = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YEAR}-(?P<number>[01]\d)(?:-(?P<day>[0-3]\d))?\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}\b(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH}\s+{_DAY}\b(?!\d)(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH}\b,?\s+(?:of\s+)?{_YEAR}",
        rf"\b{_YEAR}\b",
        # "may" and "march" are mostly other words, and "mar" and "jan" are names.
        r"\b(?:in|during|last|this|since|early|late|mid|of)[\s-]+" + _MONTH + r"\b",
    )
)
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_AGO: Final = re.compile(
    r"\b(?:(?P<count>\d{1,3}|" + "|".join(_NUMBERS) + r")\s+(?:of\s+)?)(?P<unit>day|week|month|year)s?\s+ago\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:past|last)\s+(?P<count>\d{1,3}|" + "|".join(_NUMBERS) + r")\s+(?P<unit>day|week|month|year)s\b",
    re.IGNORECASE,
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Final = re.compile(rf"\b(?:last|on|past|this)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_RELATIVE: Final = re.compile(
    r"\b(?P<word>today|yesterday|tomorrow|(?P<which>last|past|this|next)\s+(?P<unit>week(?:end)?|month|year|night))\b",
    re.IGNORECASE,
)
_PAST_WORD: Final = re.compile(r"\b(?:ago|last|past|yesterday)\b", re.IGNORECASE)
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}


class Period(Value, frozen=True, kw_only=True):
    """A stretch of time: between two moments, or one month of any year."""

    since: datetime | None = None
    until: datetime | None = None
    month: int | None = None

    def holds(self, at: datetime) -> bool:
        """Tell whether *at* is in the period. A moment without time zone is compared by its date and time alone."""
        if self.month is not None:
            return at.month == self.month
        since, until = self.since, self.until
        plain = at.replace(tzinfo=None)
        return (since is None or plain >= since.replace(tzinfo=None)) and (
            until is None or plain < until.replace(tzinfo=None)
        )


def periods_of(text: str, *, now: datetime | None = None) -> tuple[Period, ...]:
    """Return the periods that *text* names, at most `MAX_PERIODS`. Relative ones need *now*."""
    found = list(_dates(text))
    if now is not None:
        found += _relative(text, now)
    return tuple(found[:MAX_PERIODS])


def without_past(text: str) -> str:
    """Return *text* without its words for how long ago something was.

    They say when to look, and as words they mislead: "last week" in another message is another week.
    """
    for pattern in (_AGO, _PAST, _WEEKDAY, _RELATIVE):
        text = pattern.sub(lambda match: " " if _PAST_WORD.search(match[0]) else match[0], text)
    return text


def _dates(text: str) -> Iterator[Period]:
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            period = _date(match.groupdict())
            if period is not None:
                taken.append(match.span())
                yield period


def _date(given: dict[str, str | None]) -> Period | None:
    month_name, number = given.get("month"), given.get("number")
    month = _MONTHS[month_name.lower()[:3]] if month_name else int(number) if number else None
    year, day = given.get("year"), given.get("day")
    if year is None:
        return Period(month=month)
    try:
        since = datetime(int(year), month or 1, int(day or 1))  # noqa: DTZ001 - a date as people say it has no time zone
    except ValueError:
        return None
    if month is None:
        return Period(since=since, until=since.replace(year=since.year + 1))
    if day is None:
        return Period(since=since, until=(since + timedelta(days=32)).replace(day=1))
    return Period(since=since, until=since + timedelta(days=1))


def _relative(text: str, now: datetime) -> Iterator[Period]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for match in _AGO.finditer(text):
        length = _DAYS[match["unit"].lower()]
        middle = _back(today, _number(match["count"]) * length)
        # The larger the unit, the less exactly it is meant.
        slack = max(1, length // 2)
        yield Period(since=_back(middle, slack), until=_back(middle, -slack - 1))
    for match in _PAST.finditer(text):
        days = _number(match["count"]) * _DAYS[match["unit"].lower()]
        yield Period(since=_back(today, days), until=_back(today, -1))
    for match in _WEEKDAY.finditer(text):
        back = (today.weekday() - _WEEKDAYS.index(match["weekday"].lower())) % 7 or 7
        yield Period(since=_back(today, back), until=_back(today, back - 1))
    for match in _RELATIVE.finditer(text):
        yield _NAMED[(match["which"] or match["word"]).lower()](today, _DAYS[(match["unit"] or "day").lower()])


def _number(word: str) -> int:
    return _NUMBERS[word.lower()] if word.lower() in _NUMBERS else int(word)


def _back(moment: datetime, days: int) -> datetime:
    try:
        return moment - timedelta(days=days)
    except OverflowError:
        return moment


def _span(first: Callable[[int], int], last: Callable[[int], int]) -> Callable[[datetime, int], Period]:
    return lambda today, length: Period(since=_back(today, first(length)), until=_back(today, last(length)))


# From how many days before today to how many, for a unit of so many days. A last week may be seven days or a calendar
# week, so it reaches back for two.
_NAMED: Final[dict[str, Callable[[datetime, int], Period]]] = {
    "today": _span(lambda _: 0, lambda _: -1),
    "yesterday": _span(lambda _: 1, lambda _: 0),
    "tomorrow": _span(lambda _: -1, lambda _: -2),
    "last": _span(lambda days: 2 * days, lambda _: 0),
    "past": _span(lambda days: days, lambda _: -1),
    "this": _span(lambda days: days, lambda _: -1),
    "next": _span(lambda _: 0, lambda days: -2 * days),
}
