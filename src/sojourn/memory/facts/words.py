"""Words that mean the same, and words that never do: what tells a paraphrase from a contradiction."""

import re
from typing import Final

_SYNONYMS: Final = (
    "live reside dwell", "like love enjoy fond adore", "use utilise utilize", "begin start commence kick",
    "finish complete", "big large huge", "maximum max upper", "minimum min", "job occupation profession",
    "child kid", "buy purchase", "call name", "need require", "prefer favor favour", "database db",
    "configuration config", "repository repo", "documentation doc", "application app", "production prod",
    "development dev", "request call", "hate dislike detest loathe", "employ work job", "spouse partner",
    "authenticate auth authentication", "fast quick", "photo picture", "movie film", "holiday vacation",
    "deadline due", "colour color", "favourite favorite", "mother mom mum", "father dad", "allow permit",
    "forbid prohibit", "fix repair", "delete remove", "choose select pick", "test check", "cost price",
    "automobile car", "flat apartment", "university college", "doctor physician", "attorney lawyer",
    "programmer developer coder", "grow increase", "year yr", "hour hr", "minute min", "second sec", "limit cap",
    "bike bicycle cycle", "cook prepare", "speak talk", "learn study", "own possess", "marry wed",
    "fluent speak", "every each per", "keep retain", "plan schedule", "fear afraid", "allergic allergy",
    "lead leader", "deploy deployment", "leave depart", "play player", "ill sick", "often frequently",
)  # fmt: skip
_OPPOSITES: Final = (
    "enable disable", "on off", "before after", "like hate", "open close", "increase decrease", "raise lower",
    "allow forbid deny block", "accept reject", "always never", "true false", "synchronous asynchronous", "sync async",
    "public private", "read write", "up down", "first last", "minimum maximum", "buy sell", "win lose", "hot cold",
    "left right", "male female", "morning evening afternoon night", "north south east west", "inside outside",
    "with without", "more less fewer", "above below", "upload download", "import export", "push pull",
    "encrypt decrypt", "install uninstall", "add remove", "include exclude", "require optional", "internal external",
    "client server", "input output", "old new young", "early late", "fast slow", "cheap expensive", "success failure",
    "succeed fail", "marry single divorce engage widow", "production staging development testing", "begin finish end",
    "monday tuesday wednesday thursday friday saturday sunday weekend",
    "january february march april may june july august september october november december",
    "spring summer autumn winter", "sister brother mother father son daughter aunt uncle cousin wife husband",
    "dog cat horse parrot rabbit hamster", "second minute hour day week month year", "frontend backend",
    "red blue green yellow black white purple orange pink brown gray", "vegan vegetarian pescatarian",
    "primary secondary replica", "upstream downstream", "horizontal vertical", "arrive depart", "borrow lend",
    "breakfast lunch dinner", "s min h d week month year",
    "tea coffee", "tab space", "light dark", "tomorrow yesterday today", "win lose draw",
    "junior senior", "hire fire", "gain loss", "ascend descend", "odd even", "manual automatic", "hard soft easy",
    "rise fall", "pass fail", "indoor outdoor", "alive dead", "rich poor", "strong weak", "safe dangerous", "wet dry",
)  # fmt: skip
_IRREGULAR: Final = {
    "bought": "buy", "sold": "sell", "left": "leave", "went": "go", "wrote": "write", "written": "write", "ran": "run",
    "taught": "teach", "spoke": "speak", "ate": "eat", "kept": "keep", "built": "build", "sent": "send", "met": "meet",
    "paid": "pay", "drove": "drive", "gave": "give", "began": "begin", "begun": "begin", "chose": "choose",
    "chosen": "choose", "won": "win", "lost": "lose", "came": "come", "took": "take", "told": "tell", "grew": "grow",
    "men": "man", "women": "woman", "children": "child", "people": "person", "slept": "sleep", "drank": "drink",
    "used": "use", "married": "marry", "divorced": "divorce", "wed": "marry",
}  # fmt: skip
STOP: Final = frozenset({
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "of", "to", "in", "on", "at", "by", "for",
    "and", "that", "which", "who", "where", "it", "its", "this", "there", "has", "have", "had", "do", "does", "did",
    "as", "with", "from", "will", "their", "his", "her", "they", "he", "she", "currently", "now", "very", "really",
    "also", "just", "so", "am", "pm", "one", "person", "someone", "up", "out", "into", "about", "set", "get", "s",
    "what", "place", "can", "made", "make", "makes", "city", "town", "residence", "home", "itself", "himself",
    "herself",
})  # fmt: skip
LIGHT: Final = frozenset({
    "get", "own", "year", "use", "host", "happen", "team", "most", "take", "give", "do", "go", "keep", "kind", "thing",
    "time", "way", "live", "run", "want", "prefer", "need", "usually", "always", "made", "build", "implement", "write",
    "base", "locate", "called", "day", "project", "system", "service", "app",
})  # fmt: skip
"""Words that say little: with or without them a sentence may say the same."""
NEGATIONS: Final = frozenset({
    "no", "not", "never", "none", "without", "cannot", "nor", "neither", "nobody", "nothing", "quit", "stopped",
    "stops", "dropped", "ceased", "former", "formerly",
})  # fmt: skip
_WISHED: Final = re.compile(
    r"\b(?:would|could|should|might|maybe|perhaps|possibly|if|unless|hopes?|wish(?:es)?|considers?|considering|intends?"
    r"|(?:wants?|plans?|planning|used|thinking) (?:to|of|about)|used to)\b",
    re.IGNORECASE,
)


def is_wished(text: str) -> bool:
    """Tell whether *text* speaks of what may be, shall be or was, rather than of what is."""
    return _WISHED.search(text) is not None


def root(word: str) -> str:
    """Return the part of an English word that its forms share, roughly: "lives", "living" and "lived" are "liv"."""
    word = word.removesuffix("'s").removesuffix("'")
    word = _IRREGULAR.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and re.search(r"[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _first_of_each(groups: tuple[str, ...]) -> dict[str, str]:
    return {root(word): root(group.split()[0]) for group in groups for word in group.split()}


_MEANS: Final = _first_of_each(_SYNONYMS)
_KINDS: Final[dict[str, frozenset[int]]] = {}
for _number, _group in enumerate(_OPPOSITES):
    for _word in _group.split():
        _key = _MEANS.get(root(_word), root(_word))
        _KINDS[_key] = _KINDS.get(_key, frozenset()) | {_number}


def meaning_of(word: str) -> str:
    """Return what stands for *word* and all that mean the same."""
    base = root(word)
    return _MEANS.get(base, base)


def opposed(ones: frozenset[str], others: frozenset[str]) -> bool:
    """Tell whether one of *ones* excludes one of *others*; both are meanings that the other sentence lacks."""
    mine = {kind for word in ones for kind in _KINDS.get(word, ())}
    return any(kind in mine for word in others for kind in _KINDS.get(word, ()))
