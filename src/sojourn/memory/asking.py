"""What a question asks for, if it asks for something that the state knows: a field of the profile, or where we were.

Words are compared whole, so that asking for the language never finds the age. A question about somebody else ("my
brother's name") or something else ("the language of the server") asks for no field.
"""

import re
from functools import cache
from typing import Final

from sojourn.model.wording import terms

_MY: Final = r"(?:my|the user s|user s|mine)"
_KIND: Final = (
    r"(?:(?:first|last|full|own|current|present|main|primary|favou?rite|preferred|programming|coding|tech|technical"
    r"|technology|new|exact|day) )*"
)
_NOUNS: Final = {
    "name": "name|nickname",
    "age": "age",
    "location": "location|city|town|country|address|home|place of residence",
    "occupation": "job|occupation|profession|career|job title|line of work|role",
    "expertise_level": "expertise|expertise level|skill level|experience level|level of expertise|level",
    "programming_languages": "language|languages",
    "frameworks": "framework|frameworks",
    "interests": "interests|interest|hobbies|hobby",
    "current_project": "project|side project",
    "project_tech_stack": "stack|project stack|project s stack|technologies|tech",
    "communication_style": "communication style|style|answer style|preferred style|preferences? for answers",
}
_PHRASES: Final = {
    "name": (r"who am i", r"what am i called", r"what (?:do|should|can) (?:you|people|i) call me"),
    "age": (r"how old am i", r"how old is the user"),
    "location": (
        r"where (?:do|does) (?:i|the user) live",
        r"where am i(?: living| based| located| from)?",
        r"where is the user(?: living| based| located)?",
        r"(?:which|what) (?:city|town|country) (?:do i live|am i) in",
    ),
    "occupation": (
        r"what (?:do i|does the user) do(?: for (?:a living|work))?",
        r"what (?:do i|does the user) work as",
        r"what kind of work do i do",
    ),
    "expertise_level": (r"how (?:experienced|skilled|expert) am i",),
    "programming_languages": (
        r"(?:what|which) (?:programming |coding )?languages? (?:do|can|am|does) (?:i|the user)\b.*",
        r"what (?:do i|does the user) (?:code|program) in",
    ),
    "frameworks": (r"(?:what|which) frameworks? (?:do|am|does) (?:i|the user)\b.*",),
    "interests": (r"what (?:do i|does the user) (?:like|enjoy|love)(?: to do| doing)?", r"what am i interested in"),
    "current_project": (r"what (?:am i|is the user) (?:working on|building|making|developing)",),
    "project_tech_stack": (r"(?:what|which) (?:tech |technology )?stack (?:do i|am i|does my project)\b.*",),
    "communication_style": (r"how (?:do i|does the user) (?:like|prefer|want) (?:my |the |your )?answers?",),
}
_ASKING: Final = (
    r"(?:(?:hey|hi|so|ok|okay|please|sorry|remind me|tell me|do you (?:still )?(?:know|remember)"
    r"|(?:can|could) you (?:tell|remind) me|quick question|by the way) )*"
)
_WHAT: Final = r"(?:(?:what|which|where) (?:is|are|was|s|re) |what )?"
_TAIL: Final = r"(?: (?:again|please|right now|now|currently|these days|today|by the way|at the moment))*"
_ASKS: Final = frozenset({
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "do", "does", "did", "can", "could",
    "would", "should", "will", "shall", "may", "might", "is", "are", "was", "were", "am", "be", "been", "have",
    "has", "had", "i", "me", "my", "mine", "we", "us", "our", "you", "your", "it", "its", "this", "that",
    "these", "those", "there", "a", "an", "the", "of", "to", "in", "on", "at", "for", "from", "with", "by",
    "about", "and", "or", "if", "as", "so", "tell", "remind", "know", "remember", "please", "again", "ever",
    "any", "some", "many", "much", "kind", "sort", "user",
})  # fmt: skip
_WORD: Final = re.compile(r"[^\W_]+")
_LONGEST: Final = 200


def asked_field(question: str) -> str | None:
    """Return the profile field that *question* asks for, None if it asks for none."""
    plain = _plain(question)
    return next((field for field, pattern in _fields() if pattern.fullmatch(plain)), None) if plain else None


def asks_where_we_were(question: str) -> bool:
    """Tell whether *question* asks how far the talk has come."""
    return _recap().fullmatch(_plain(question)) is not None


def asked_words(question: str) -> frozenset[str]:
    """Return the words of *question* that an answer should hold: those that do not only make it a question."""
    return frozenset(word for word in terms(question) if word not in _ASKS)


def _plain(question: str) -> str:
    """Return the words of a short question in one case; a long one asks for more than a field."""
    if len(question) > _LONGEST:
        return ""
    return " ".join(_WORD.findall(question.casefold()))


@cache  # patterns of this size take a while, and few programs ask
def _fields() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (
            field,
            re.compile(rf"{_ASKING}(?:{_WHAT}{_MY} {_KIND}(?:{nouns})|{'|'.join(_PHRASES.get(field, ()))}){_TAIL}"),
        )
        for field, nouns in _NOUNS.items()
    )


@cache
def _recap() -> re.Pattern[str]:
    return re.compile(
        rf"{_ASKING}(?:where (?:were|are) we|where did we (?:stop|leave off|leave it)"
        r"|what were we (?:doing|working on|talking about)"
        r"|what (?:did|have) we (?:do|done|talk(?:ed)? about|discuss(?:ed)?)(?: so far| last time)?|catch me up"
        r"|recap(?: this| the)?(?: session| conversation)?"
        r"|summari[sz]e (?:this|the|our) (?:session|conversation|chat|talk)(?: so far)?"
        rf"|what is the (?:status|state)|bring me up to (?:speed|date)){_TAIL}",
    )
