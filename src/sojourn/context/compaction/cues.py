"""By which words a sentence tells that it settles, requires, reports or leaves something open."""

import re
from typing import Final

from sojourn.context.compaction.shape import Heading


def _any(*forms: str) -> re.Pattern[str]:
    """Return what finds any of *forms* as whole words."""
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE)


_VERBS: Final = "use|go|keep|do|make|drop|stick|take|call|ship|move|put|start|stay|pick|set|add|remove|skip|build|write"
_DECIDED: Final = _any(
    "decided", "decision", "(?:we|they|all|have|had) agreed?", "agreed (?:on|to|that)", "settled on", "chose", "picked",
    "opted", "approved", "rejected",
    "ruled out", "confirmed", "go(?:es|ing)? (?:with|for)", "went (?:with|for)", "instead of", "rather than",
    "switch(?:ed|ing)? (?:back )?to", "stick(?:ing)? (?:with|to)", "in favou?r of", "renamed? .{1,40} to",
    "replaced? .{1,40} (?:with|by)", "from now on", "final (?:answer|call|choice|version)", "i'll take", "we're using",
    rf"let'?s (?:just )?(?:not )?(?:{_VERBS})",
    rf"we(?:'ll| will|'re going to| are going to| won't| shall) (?:not )?(?:{_VERBS})",
)  # fmt: skip
_CORRECTED: Final = re.compile(
    r"^(?:please )?(?:don't|do not|stop) (?!be |worry|give up)"
    r"|^(?:no[,.] (?:\S+ ){3}|actually\b|correction\b|sorry[,.]|wait[,.])"
    r"|\b(?:i meant|not .{1,30}, but|that's wrong|was wrong)\b",
    re.IGNORECASE,
)
_SETTLED: Final = re.compile(
    r"^(?:(?:then|so|and|ok(?:ay)?|fine)[, ]+)?(?:we|i)(?:'ll)? "
    rf"(?:{_VERBS}|sell|buy|book|order|leave|cancel)\b"
    r"|^no (?!one|idea|problem|worries|need|way|doubt)[\w-]+[,;.]"
    r"|\b(?:stays?|remains?) (?:in|out|on|off|as|until|where)"
    r"|\b(?:is|are) (?:exempt|out|off the table|in scope|out of scope|final)\b|\b\w+ goes to (?:my|our|the)\b",
    re.IGNORECASE,
)
"""What somebody says as if it were done: "we sell the wardrobe", "no Redis, please"."""
_REQUIRED: Final = _any(
    "must(?:n't)?(?! (?:feel|have been|be (?:so|great|nice|hard|fun)))", "never", "always", "required?", "requires",
    "needs? to", "has to", "have to", "at most", "at least", "no more than", "no later", "deadline", "due (?:on|by)",
    "limit(?:ed)?", "budget", "not allowed", "forbidden", "constraint", "only (?:if|when|on|for|the)", "allergic",
    r"\w+ only(?=[.!]?$)", "cannot", "can't (?!wait|stop|believe)", "do not", "don't", "root cause", "turned out",
    "because", "the (?:problem|reason|cause|fix) (?:is|was)",
)  # fmt: skip
_OPEN: Final = _any(
    "todo", "to do", "still (?:need|open|missing|to|have|waiting|unclear)", "open question", "undecided", "unresolved",
    "not (?:yet )?(?:clear|decided|sure)", "next step", "remains? (?:to|open)", "remind me", "later (?:we|on)",
    "we(?:'ll| will) see", "waiting (?:for|on)", "blocked (?:by|on)", "follow[- ]up", "tbd", "don't forget",
    "to be (?:decided|done|determined)", "(?:don't|do not|nobody) knows? yet", "has yet to",
    "(?:have|has|needs?) to (?:ask|find|check|figure|decide|clarify|look into|update|call|book|remember)",
)  # fmt: skip
_HEDGED: Final = _any(
    "should we", "could we", "shall we", "would you", "maybe", "perhaps", "might", "either", "if we", "what if",
    "for example", "let me know", "feel free", "you (?:could|can|might)", "one option", "alternatively",
)  # fmt: skip
_POLITE: Final = (
    "ok(?:ay)?", "thanks?(?: you)?", "great", "cool", "nice", "perfect", "sure", "yes", "yep", "no problem", "hi",
    "hello", "hey", "good (?:morning|evening|afternoon)", "sounds good", "got it", "you're welcome", "happy to help",
    "of course", "certainly", "absolutely", "awesome", "done", "wonderful", "excellent", "i see", "makes sense",
    "let me know",
)  # fmt: skip
_CHATTER: Final = re.compile(rf"^(?:{'|'.join(_POLITE)})\b[^.!?\d]{{0,16}}[.!?]*$", re.IGNORECASE)
_CONSENT: Final = re.compile(
    r"^(?:yes|yeah|yep|sure|ok(?:ay)?|agreed|exactly|correct|right|go ahead|do it|please do|sounds good|fine)\b",
    re.IGNORECASE,
)
_PROPOSED: Final = _any(
    "shall (?:i|we)", "should (?:i|we|it|they|the)", "do you want (?:me|us|to)", "would you (?:like|prefer)", "may i",
    "want me to", "can i", "could (?:i|we)", "do we", "are we", "is it ok(?:ay)?", "ok(?:ay)? (?:if|to)", "must it",
)  # fmt: skip
_REFUSAL: Final = re.compile(r"^(?:no|nope|nah|not now|don't|please don't|rather not)\b", re.IGNORECASE)
_PRECISE: Final = re.compile(
    r"\d|`[^`]+`|(?:[\w.-]+/)+[\w.-]+|\b[A-Z][A-Za-z]*[A-Z]\w*\b|\b[A-Z]{2,}\b|\b\w+_\w+\b|\w@\w|https?://"
)
_NAMED: Final = re.compile(r"(?<=[a-z,;] )(?!I\b)[A-Z][\w-]+")


def is_chatter(sentence: str) -> bool:
    """Tell whether a sentence is only polite."""
    return bool(_CHATTER.match(_plain(sentence)))


def verdict(sentence: str) -> str | None:
    """Return "yes" or "no" if a sentence begins with one of them, in whatever words."""
    plain = _plain(sentence)
    if _CONSENT.match(plain):
        return "yes"
    return "no" if _REFUSAL.match(plain) else None


def is_proposal(question: str) -> bool:
    """Tell whether a question asks for a decision, so that a yes or a no settles something."""
    return bool(_PROPOSED.search(_plain(question)))


def is_hedged(sentence: str) -> bool:
    """Tell whether a sentence only weighs, proposes or asks."""
    return sentence.endswith("?") or bool(_HEDGED.search(_plain(sentence)))


def is_precise(sentence: str) -> bool:
    """Tell whether a sentence holds a number, a name in code, a path or an address."""
    return bool(_PRECISE.search(sentence))


def specifics(sentence: str) -> int:
    """Return how many numbers, names, paths and the like a sentence holds."""
    return len(_PRECISE.findall(sentence)) + len(_NAMED.findall(sentence))


def heading_of(sentence: str) -> Heading:
    """Return where a sentence belongs; one that only says something belongs under "Also"."""
    plain = _plain(sentence)
    if _OPEN.search(plain):
        return "Open"
    hedged = is_hedged(sentence)
    if not hedged and any(form.search(plain) for form in (_DECIDED, _CORRECTED, _SETTLED)):
        return "Decided"
    if not hedged and (_REQUIRED.search(plain) or is_precise(sentence)):
        return "Known"
    return "Also"


def _plain(sentence: str) -> str:
    return sentence.replace("\u2019", "'")
