"""When two values are one: "1,000 requests per hour" is "1000 req/h", "3 pm" is "15:00", "3 May" is "May 3rd"."""

import re
from typing import Final, NamedTuple

from sojourn.memory.facts.words import root

_NUMBER_WORDS: Final = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15",
    "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30",
    "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
}  # fmt: skip
_SPELLINGS: Final = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), "s"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "min"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), "h"),
    **dict.fromkeys(("day", "days", "d"), "d"),
    **dict.fromkeys(("week", "weeks", "wk"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years", "yr", "yrs"), "year"),
    **dict.fromkeys(("millisecond", "milliseconds", "ms", "msec"), "ms"),
    **dict.fromkeys(("kilobyte", "kilobytes", "kb"), "kb"),
    **dict.fromkeys(("megabyte", "megabytes", "mb", "mib", "meg", "megs"), "mb"),
    **dict.fromkeys(("gigabyte", "gigabytes", "gb", "gib", "gig", "gigs"), "gb"),
    **dict.fromkeys(("dollar", "dollars", "usd"), "$"),
    **dict.fromkeys(("euro", "euros", "eur"), "€"),
    **dict.fromkeys(("pound", "pounds", "gbp"), "£"),
    **dict.fromkeys(("percent", "pct"), "%"),
    **dict.fromkeys(("request", "requests", "req", "reqs", "call", "calls", "query", "queries"), "request"),
    **dict.fromkeys(("user", "users"), "user"),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers", "km", "kms"), "km"),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters", "cm"), "cm"),
    **dict.fromkeys(("kilogram", "kilograms", "kilo", "kilos", "kg", "kgs"), "kg"),
    "rps": "request/s", "rpm": "request/min", "rph": "request/h", "colour": "color", "grey": "gray", "ny": "new york",
    "nyc": "new york", "uk": "united kingdom", "usa": "united states", "us": "united states", "postgres": "postgresql",
    "js": "javascript", "ts": "typescript", "golang": "go", "k8s": "kubernetes", "mongo": "mongodb",
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august",
    "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december",
    "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thurs": "thursday",
    "fri": "friday", "sat": "saturday", "sun": "sunday",
}  # fmt: skip
_DROPPED: Final = frozenset({
    "a", "an", "the", "on", "at", "of", "in", "by", "about", "approximately", "exactly", "old", "to", "my", "his",
    "her", "their", "named", "called", "this", "coming", "up", "is", "o'clock",
})  # fmt: skip
_IN_SECONDS: Final = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
_PER: Final = re.compile(
    r"\s*(?:/|\bper\b|\b(?:an?|each|every)\b(?=\s+(?:second|minute|hour|day|week|month|year)\b))\s*"
)
_TOKEN: Final = re.compile(r"[$€£%]|/[^\W\d_]+|\d+(?:[.:]\d+)*|[^\W\d_][\w+#.'-]*", re.UNICODE)


class Reading(NamedTuple):
    """A value taken apart: its numbers in order, and its other words in one spelling."""

    numbers: tuple[str, ...]
    words: tuple[str, ...]


def same_value(one: str, other: str) -> bool:
    """Tell whether the two are one value. A number with a unit is that number without one."""
    first, second = read_value(one), read_value(other)
    if first == second:
        return True
    if first.numbers or second.numbers:
        mine, theirs = set(first.words), set(second.words)
        return first.numbers == second.numbers and (mine <= theirs or theirs <= mine)
    if [root(word) for word in first.words] == [root(word) for word in second.words]:
        return True
    # "Paris" is "Paris, France", and "Acme" is "Acme Inc."
    short, long = sorted((first.words, second.words), key=len)
    if not short or long[: len(short)] != short:
        return False
    return "," in one + other or set(long[len(short) :]) <= {"inc", "ltd", "gmbh", "corp", "co", "llc", "city"}


def unit_of(word: str) -> str | None:
    """Return the one spelling of a unit, an abbreviation or a currency; None if *word* is none."""
    return _SPELLINGS.get(word.casefold())


def read_value(text: str) -> Reading:
    """Take a value apart."""
    plain = text.casefold().strip().replace("’", "'")
    plain = re.sub(r"(?<=\d)[,_ ](?=\d{3}\b)", "", plain)
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain)
    plain = re.sub(r"\b(\d+(?:\.\d+)?)\s?k\b", lambda match: _plain_number(float(match[1]) * 1000), plain)
    plain = re.sub(r"\bhalf an hour\b", "30 min", plain)
    plain = re.sub(r"\bv(?=\d)|\.0+(?=\s|$)|\bversion\b", "", plain)
    plain = re.sub(
        r"\b(hour|dai|week|month|year|minute)ly\b", lambda match: f"/{match[1].replace('dai', 'day')}", plain
    )
    plain = re.sub(r"\b(\d{1,2})(?::(\d\d))?\s?([ap])\.?m\b\.?", _clock, plain)
    plain = _PER.sub(" /", plain)
    numbers, words = [], []
    for found in _TOKEN.findall(plain):
        token = _NUMBER_WORDS.get(found, found)
        if token[0].isdigit():
            numbers.append(token)
        elif token.startswith("/"):
            words.append("/" + _SPELLINGS.get(token[1:], token[1:]))
        elif token not in _DROPPED:
            words += _SPELLINGS.get(token.rstrip("."), token.rstrip(".")).replace("/", " /").split()
    return _in_seconds(numbers, words)


def _clock(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
    return f"{hour}:{match[2] or '00'}"


def _in_seconds(numbers: list[str], words: list[str]) -> Reading:
    """Bring a length of time to seconds, so that a minute is sixty of them."""
    if len(numbers) == len(words) == 1 and words[0] in _IN_SECONDS and re.fullmatch(r"\d+(?:\.\d+)?", numbers[0]):
        return Reading((_plain_number(float(numbers[0]) * _IN_SECONDS[words[0]]),), ("s",))
    return Reading(tuple(numbers), tuple(words))


def _plain_number(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")
