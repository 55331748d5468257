"""Questions that a sentence can answer, and their one spelling: "the API's rate limits" is "api/rate limit"."""

import re
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from sojourn.memory.facts.attributes import ALIASES, DROPPED_MODIFIERS, LISTS, MANY_RELATIONS, ONE_RELATION

USER: Final = "user"
THE_WORK: Final = "project"
"""Whose attribute it is when nobody says whose: "the deadline is Friday"."""

MAX_QUESTION: Final = 120
_DETERMINERS: Final = frozenset({"the", "a", "an", "my", "our", "your", "this", "that", "their", "his", "her", "its"})
_TOKEN: Final = re.compile(r"[^\W_][\w.+#&-]*", re.UNICODE)
_TAIL: Final = re.compile(
    r"(?:,|\s)+(?:now|currently|at the moment|right now|these days|today|any ?more|instead|again|as of .+|since .+"
    r"|from now on|already|as well|too|\([^)]*\))$",
    re.IGNORECASE,
)
_ADVERBS: Final = r"(?:(?:now|currently|presently|recently|just|already|actually|still|also|officially|finally)\s+)*"


class Slot(NamedTuple):
    """A question and its answer. *subject* and *attribute* are in one spelling, *value* is as it was said."""

    subject: str
    attribute: str
    value: str
    exclusive: bool

    @property
    def name(self) -> str:
        """The question as facts carry it: "api/rate limit"."""
        return f"{self.subject}/{self.attribute}"


class Reader(NamedTuple):
    """A way to say something, as a regular expression, and what makes a slot of it if the words fit."""

    pattern: str
    understand: Callable[[re.Match[str]], Slot | None]

    def read(self, text: str) -> Slot | None:
        """Return the slot that *text* fills, said this way."""
        match = _compiled(self.pattern).fullmatch(text)
        return self.understand(match) if match else None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: there are many, and importing Sojourn is not to wait for them."""
    return re.compile(pattern)


def says(verb: str, value: str, understand: Callable[[re.Match[str]], Slot | None]) -> Reader:
    """Return the reader of sentences "SUBJECT verb VALUE"; adverbs such as "now" may stand around the verb.

    In *verb*, `IS` stands for "is" or "are" with adverbs, `BE` for any form that is followed by what was done, and
    `HAVE` for "has" or "have". What was, is not any more: a state is read with `IS`.
    """
    verb = verb.replace("BE ", rf"(?:is|are|was|were|has been|have been|got) {_ADVERBS}")
    verb = verb.replace("IS ", rf"(?:is|are) {_ADVERBS}")
    verb = verb.replace("HAVE ", rf"(?:has|have) {_ADVERBS}")
    return Reader(rf"(?P<subject>.{{1,80}}?) {_ADVERBS}{verb}\s*{_ADVERBS}{value}", understand)


def slot_name(subject: str, attribute: str) -> str:
    """Return the name of a question in its one spelling: ("the API", "rate limits") is "api/rate limit"."""
    return f"{subject_of(subject)}/{attribute_of(attribute)}"


def is_exclusive(slot: str) -> bool:
    """Tell whether only one value can fill the slot of this name."""
    subject, _, attribute = slot.rpartition("/")
    bare = attribute.split(" for ", maxsplit=1)[0].split(" in ", maxsplit=1)[0]
    if bare in LISTS or bare in MANY_RELATIONS or bare.startswith("former "):
        return False
    return not (set(subject.split()[-1:]) & MANY_RELATIONS)


def is_about_user(slot: str) -> bool:
    """Tell whether the slot of this name asks about the user, or about somebody of the user's."""
    subject = slot.rpartition("/")[0].split()
    return subject == [USER] or (subject[:1] == [USER] and subject[-1] in ONE_RELATION | MANY_RELATIONS)


def tokens(text: str) -> list[str]:
    """Return the words of *text* in one spelling, without determiners and possessives."""
    plain = re.sub(r"'s?(?=\s|$)", "", text.casefold())
    found = [token.rstrip(".-") for token in _TOKEN.findall(plain)]
    return [ALIASES.get(token, token) for token in found if token not in _DETERMINERS]


def subject_of(text: str) -> str:
    """Return a subject in its one spelling; the work at hand, if there is none."""
    return " ".join(tokens(text)) or THE_WORK


def attribute_of(text: str) -> str:
    """Return an attribute in its one spelling."""
    return " ".join(token for token in tokens(text) if token not in DROPPED_MODIFIERS)


def without_tail(text: str) -> str:
    """Return *text* without words at its end that change nothing, such as "these days"."""
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return text.rstrip(" ,.")


def slot(subject: str | None, attribute: str | None, value: str) -> Slot | None:
    """Return the slot; None if any part of it is missing, or the question is longer than anybody asks."""
    value = without_tail(value.strip().strip("\"'`").strip())
    if not value or not subject or not attribute or len(subject) + len(attribute) > MAX_QUESTION:
        return None
    return Slot(subject, attribute, value, is_exclusive(f"{subject}/{attribute}"))


def qualified(found: Slot | None, qualifier: str) -> Slot | None:
    """Return the slot of the narrower question: the limit for free accounts is another than that for paid ones."""
    if found is None or not qualifier:
        return found
    preposition, _, rest = qualifier.partition(" ")
    words = " ".join([preposition.casefold(), *tokens(rest)])
    return slot(found.subject, f"{found.attribute} {words}", found.value)
