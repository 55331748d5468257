"""Titles made without a model: a short phrase out of what the user first asked for."""

import re
from typing import Final

MAX_CHARS: Final = 50
MAX_WORDS: Final = 6
UNTITLED: Final = "New conversation"

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`]*`", re.DOTALL)
_LINK: Final = re.compile(r"https?://\S+")
_SENTENCE_END: Final = re.compile(r"[.!?;:\n](?:\s|$)")
_WORD: Final = re.compile(r"[^\W_][\w.+#/'’-]*", re.UNICODE)
_OPENERS: Final = frozenset(
    """a about am an any are at be been being but by can could did do does for from get give go had has have hello help
    hey hi how i i'd i'm i've if is it it's its just kindly let let's like make me my need of on or our please shall
    should so some tell thank thanks that the their them then there these they this those to us want was we were what
    what's when where which who why will with would you your""".split()  # noqa: SIM905 - a list of words is read best as words
)
_TRAILERS: Final = frozenset(
    """a am an and are as at be but by can could for from had has have he her his i i'd i'm i've if in into is it its
    my of on or our she so than that the their they this to was we were which who will with would you your""".split()  # noqa: SIM905
)


def make_title(text: str) -> str:
    """Return a short title for a session that begins with *text*.

    The first sentence that says something, without code, links, greetings and question words, cut to six words.
    """
    plain = _LINK.sub(" ", _CODE.sub(" ", text))
    for sentence in _SENTENCE_END.split(plain):
        words = _WORD.findall(sentence)
        while words and words[0].casefold() in _OPENERS:
            words = words[1:]
        words = _fitting(words)
        if words:
            title = " ".join(words)
            return title[0].upper() + title[1:]
    return UNTITLED


def _fitting(words: list[str]) -> list[str]:
    """Return the first words that fit into a title, without prepositions hanging at the end."""
    kept: list[str] = []
    for word in words[:MAX_WORDS]:
        if len(" ".join([*kept, word])) > MAX_CHARS:
            break
        kept.append(word)
    if not kept and words:
        kept = [words[0][:MAX_CHARS]]
    while kept and kept[-1].casefold() in _TRAILERS:
        kept.pop()
    return kept
