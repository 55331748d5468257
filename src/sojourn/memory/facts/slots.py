"""The question that a sentence answers: "The user lives in Paris" answers "user/location", with "Paris".

Two sentences of one slot with different values cannot both hold, if the slot is exclusive; so a slot decides what a new
fact replaces. A wrong slot throws a true fact out, a missing one only leaves two facts side by side: whatever is
negated, hedged, wished for, past, conditional or not understood has none.
"""

import re
from typing import Final

from sojourn.memory.facts import people, things
from sojourn.memory.facts.question import Slot, is_exclusive, qualified, slot_name, without_tail

__all__ = ["Slot", "is_exclusive", "slot_name", "slot_of"]

MAX_LENGTH: Final = 300
_READERS: Final = (*things.SURE, *people.READERS, *things.READERS)
_SEVERAL_SENTENCES: Final = re.compile(r"\?|[.!;]\s+\w")
_HEDGED: Final = re.compile(
    r"\b(?:not|never|cannot|\w+n't|no longer|nor|neither|might|may|maybe|perhaps|possibly|probably|would|could|should"
    r"|if|unless|whether|wants?|wanted|plans?|planned|planning|hopes?|hoping|wishes|considering|considers|thinking"
    r"|thinks?|thought|used to|formerly|previously|once|dreams?|intends?|asks?|asked|wonders?|believes?|according"
    r"|either|almost|nearly|or)\b",
    re.IGNORECASE,
)
_MAY: Final = re.compile(
    r"\b(?:in|of|on|by|until|since|before|after|early|mid|late|is|to|\d{1,2}(?:st|nd|rd|th)?)\s+May\b|\bMay\s+\d"
)
"""The month, which hedges nothing."""
_LEAD: Final = re.compile(
    r"^(?:(?:actually|currently|now|so|also|well|note that|as of (?:now|today)|at the moment|right now|today)\b"
    r"[,:]?\s+)+",
    re.IGNORECASE,
)
_LEAD_QUALIFIER: Final = re.compile(r"(?P<qualifier>(?:in|on|for|with) [^,]{2,40}), (?P<rest>.+)", re.IGNORECASE)


def slot_of(content: str) -> Slot | None:
    """Return the question that *content* answers, a sentence in the third person; None if that is not certain."""
    text = " ".join(content.replace("’", "'").split()).rstrip(" .!;")
    if not text or len(text) > MAX_LENGTH or _SEVERAL_SENTENCES.search(text):
        return None
    text = _LEAD.sub("", text)
    if (disliked := people.disliked(text)) is not None:
        return disliked
    if _HEDGED.search(_MAY.sub(" ", text)):
        return None
    qualifier = ""
    if lead := _LEAD_QUALIFIER.fullmatch(text):
        qualifier, text = lead["qualifier"], lead["rest"]
    text = without_tail(text)
    for reader in _READERS:
        if (found := reader.read(text)) is not None:
            return qualified(found, qualifier)
    return None
