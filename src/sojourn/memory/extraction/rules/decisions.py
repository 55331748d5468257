"""What was decided in an exchange: "we decided to ...", "let's go with X", "I'll use X instead of Y".

A decision is something that the speaker has settled: no proposal ("we could use X"), no question, no advice, no doubt
("we still need to decide"), and nobody else's decision. An assistant decides by what it did ("I went with SQLite").
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.lexicon_places import PLACES
from sojourn.memory.extraction.rules.reading import Clause, Reading, Sentence
from sojourn.memory.extraction.rules.segments import MAX_SENTENCE, Segment, segments, shown
from sojourn.memory.extraction.statement import DecisionStatement, Trust
from sojourn.model.events import Span

_HINTS: Final = frozenset({
    "decided", "decision", "chose", "chosen", "picked", "selected", "opted", "settled", "agreed", "voted", "went",
    "adopted", "approved", "let's", "lets", "let", "going", "go", "switching", "switched", "moving", "moved",
    "dropping", "migrating", "migrate", "adopting", "sticking", "standardizing", "standardising", "replacing",
    "replaced", "mind", "won't", "wont", "from", "instead", "use", "i'll", "we'll", "will", "it", "keep", "taking",
    "shipping", "final", "reserve",
})  # fmt: skip
_WHO: Final = r"(?:we|i|the\s+team|our\s+team|my\s+team|everyone|the\s+group|the\s+board)"
_HAVE: Final = r"(?:['’]ve|\s+have|\s+has)?(?:\s+(?:just|finally|all|both|now|also|already|therefore))*"
_PLANNED: Final = (
    r"(?:use|go\s+with|go\s+for|switch(?:\s+over)?\s+to|switch\s+from|move\s+(?:everything\s+)?to|migrate"
    r"|stick\s+(?:with|to)|drop|store|adopt|host|ship"
    r"|support|replace|rewrite|freeze|postpone|skip|deprecate|stop\s+using|start\s+using|standardi[sz]e\s+on|build\s+on"
    r"|not\s+(?:use|support|ship|add|build)|release|launch|split|deploy\s+(?:to|on)|run\s+(?:it|this|everything)\s+on)"
)
_DECIDED: Final = re.compile(
    rf"(?:{_WHO}{_HAVE}\s+(?:decided\s+(?:to|that|on|against|not)|(?:chose(?:n)?|picked|selected)\s+(?!them\b|it\b"
    rf"|this\b|these\b|that\b|up\b|to\s+(?:write|share|talk))|opted\s+(?:for|to)|settled\s+(?:on|for)"
    r"|agreed\s+(?:to|on|that)|voted\s+(?:for|to)|went\s+(?:with|for)|ended\s+up\s+(?:choosing|using|going\s+with"
    r"|picking)|adopted\b|approved\b|made\s+up\s+(?:my"
    r"|our)\s+minds?)"
    r"|(?:final\s+)?(?:decision|decided)\s*:|the\s+(?:final\s+)?decision\s+(?:is|was)\s+(?:to|that|made)\b|(?:my"
    r"|our)\s+mind(?:['’]s|\s+is)\s+made\s+up"
    r"|it(?:['’]s|\s+is|\s+was)\s+(?:been\s+)?decided\s*[:,]|it\s+was\s+decided\s+(?:to|that)|it['’]s\s+settled)",
    re.IGNORECASE,
)
_SETTLED: Final = re.compile(
    rf"(?:let['’]?s\s+(?:just\s+|then\s+|definitely\s+)?(?:go\s+(?:with|for)(?!\s+it\b)|use|stick\s+(?:with|to)"
    rf"|keep\s+(?=(?:the|our|my|using|both|all|this|that|it\s+(?:simple|as|at|in))\b)|drop"
    r"|not\s+(?:use|do|add|support)|switch\s+to|move\s+to|skip|adopt|ship|settle\s+(?:on|for)|standardi[sz]e\s+on"
    r"|avoid|postpone|make\s+(?:the|our|this|that|all|every)\b|do\s+[A-Z]\w+|do\s+.+\s+instead|make\s+it\s+\S)"
    rf"|(?:i|we)(?:['’]ll|\s+will|\s+shall)\s+(?:just\s+|then\s+|definitely\s+)?(?:be\s+(?:using|switching|moving"
    rf"|migrating|dropping)\b|{_PLANNED})"
    rf"|(?:i|we)(?:['’]m|['’]re|\s+am|\s+are)\s+(?:now\s+|definitely\s+)?(?:going\s+to\s+{_PLANNED}|going\s+with"
    rf"|switching\s+(?:from\s+.+\s+)?to|moving\s+(?:everything\s+)?(?:to|off|from\s+.+\s+to)"
    r"|dropping|migrating|adopting|sticking\s+(?:with|to)|standardi[sz]ing\s+on|replacing|taking\s+the\s+(?:job|role"
    r"|offer|deal|position|early|late|\w+\s+(?:plan|option|route))|not\s+going\s+to)"
    r"|(?:we|i)\s+(?:won['’]?t|will\s+not)\s+(?:use|support|ship|add|build|offer|do|migrate)"
    rf"|(?:going|sticking)\s+with\s+\S|instead\s+of\s+.+?,?\s+(?:we|i)(?:['’]ll|\s+will|\s+use)"
    r"|from\s+now\s+on,?\s+(?:we|i)\s|we\s+(?:go|stick|stay)\s+with\s|we(?:['’]ll|\s+will)\s+keep\s+(?:the|our"
    r"|using)\s)",
    re.IGNORECASE,
)
_IT_IS: Final = re.compile(
    r"(?:ok(?:ay)?|alright|all\s+right|fine|good|great|then"
    r"|so)?[,\s]*(?P<what>[\w.#+-]{2,20}(?: [\w.#+-]{2,20}){0,3})\s+it\s+is(?:\s+then)?$",
    re.IGNORECASE,
)
_BY_ASSISTANT: Final = re.compile(
    r"(?:i|we)(?:['’]ve|\s+have)?\s+(?:decided\s+(?:to|on|against|that)|chose\b|went\s+with|opted\s+for|settled\s+on"
    r"|picked\b|switched\s+(?:from\s+.+\s+)?to"
    r"|replaced\s+.+\s+with|used\s+.+\s+(?:instead\s+of|rather\s+than)|implemented\s+.+\s+(?:using|with|as)\b"
    r"|agreed\s+(?:to|on))"
    r"|(?:switched\s+to|replaced\s+.+\s+with|chose)\s",
    re.IGNORECASE,
)
_DOUBT: Final = re.compile(
    r"\b(?:maybe|perhaps|probably|might|could|would|should|whether|if|thinking\s+(?:of|about)|considering"
    r"|not\s+(?:yet\s+)?decided|haven['’]?t\s+decided"
    r"|can['’]?t\s+decide|undecided|need\s+to\s+decide|wonder|unless|recommend|suggest|advise|what\s+if|i['’]d"
    r"|in\s+mind|an\s+eye|tips?|advice|suggestions|try|(?:some\s+of\s+)?(?:those|these)\s+\w+)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"^(?:[-*•>#]+\s+|\d+[.)]\s+)?(?:(?:ok|okay|alright|all right|so|fine|right|well|yes|yeah|yep|no|great|good|then"
    r"|and|but|also|actually|after\s(?:(?!\b(?:i|we)\b)[^,]){3,60}"
    r"|in the end|for (?:now|v\d+)|given\s(?:(?!\b(?:i|we)\b)[^,]){3,60}|done|cleaned up|for\s(?:(?!\b(?:i"
    r"|we)\b)[^,]){3,40}|(?:since|because)\s(?:(?!\b(?:i|we)\b)[^,]){3,60})(?:\s*[,.:!–-]\s*|\s+))*",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(
    r"^(?:[-*•>#]+\s+|\d+[.)]\s+)?(?:(?:ok|okay|alright|all right|so|fine|right|well|yes|yeah|yep|no|great|good|then"
    r"|and"
    r"|but|also|actually|done|cleaned up)(?:\s*[,.:!–-]\s*|\s+))*",
    re.IGNORECASE,
)
"""What a decision begins with that says nothing of it."""
_GIVEN: Final = re.compile(
    r"^(?:given|after|for|since|with|because of)\s+(?:\w+\s+){1,6}?(?=(?:i|we)\s)", re.IGNORECASE
)
_MOVING: Final = re.compile(
    r"(?:i['’]m|i\s+am|we['’]re|we\s+are|i['’]ll\s+be|we['’]ll\s+be)\s+moving\s+(?:back\s+)?(?:from\s+.+\s+)?to\s+(?:the\s+)?"
    r"(?P<place>[\w'’-]+(?:\s+[\w'’-]+)?)",
    re.IGNORECASE,
)
MAX_LENGTH: Final = 240
_NOT_WHAT: Final = frozenset({
    "here", "there", "i", "it", "love", "what", "how", "where", "who", "that", "this", "so", "as", "whatever",
    "which", "when", "why",
})  # fmt: skip


def decisions(reading: Reading, *, trust: Trust) -> list[DecisionStatement]:
    """Return what the message's writer decided, in order."""
    if not reading.words & _HINTS:
        return []
    text = shown(reading, quotes=True)
    found: list[DecisionStatement] = []
    taken: Sentence | None = None
    for segment in segments(reading, text):
        if segment.sentence is taken:
            continue
        rest = text[segment.start : max(segment.end, min(segment.sentence.end, segment.start + MAX_SENTENCE))]
        said = _LEAD.sub("", " ".join((segment.text if trust == "assistant" else rest).split()))
        said = _GIVEN.sub("", said)
        confidence = _confidence(said, segment, trust)
        if not confidence:
            continue
        end = (
            segment.sentence.end
            if len(segment.text) < 24 or ":" in segment.text[-2:] or trust == "user"
            else segment.end
        )
        end = max(end, segment.end)
        whole = _OPENING.sub("", " ".join(text[segment.start : end].split()))[:MAX_LENGTH].rstrip(" ,;:.")
        if len(whole.split()) < 2:
            continue
        taken = segment.sentence if trust == "user" else None
        found.append(
            DecisionStatement(
                text=whole[:1].upper() + whole[1:] + ".",
                confidence=confidence,
                trust=trust,
                evidence=(segment.span(reading.heard),) if end == segment.end else (_wide(segment, reading, end),),
            )
        )
    return found


def _confidence(said: str, segment: Segment, trust: Trust) -> float:
    """Return how sure it is that *said* is a decision; 0 if it is none."""
    clause = _clause(segment)
    if "?" in segment.sentence.mark or clause.is_question or clause.is_reported or _DOUBT.search(said):
        return 0.0
    if trust == "assistant":
        return 0.85 if _BY_ASSISTANT.match(said) else 0.0
    if clause.is_hypothetical or _goes_to_live(said):
        return 0.0
    if _DECIDED.match(said):
        return 0.93
    if _SETTLED.match(said):
        return 0.9
    match = _IT_IS.fullmatch(said)
    return 0.8 if match and match["what"].split()[0].lower() not in _NOT_WHAT else 0.0


def _clause(segment: Segment) -> Clause:
    """Return the clause that the segment's main verb most likely stands in: the first that reaches into it."""
    for clause in segment.sentence.clauses:
        if clause.end > segment.start:
            return clause
    return segment.sentence.clauses[-1]


def _wide(segment: Segment, reading: Reading, end: int) -> Span:
    return Span(seq=reading.heard.seq, start=segment.start, end=end)


def _goes_to_live(said: str) -> bool:
    """Tell whether somebody moves to a place, which is about himself and decides nothing about the work."""
    match = _MOVING.match(said)
    if match is None:
        return False
    place = match["place"].casefold()
    return place in PLACES or place.split()[0] in PLACES
