"""What the user wants: an answer (question), something done (command), something found out (research), or that he was
understood (clarification). Whatever asks for nothing is chat: a greeting, thanks, something told.

A clarification sets right or asks about what was just said; research needs many sources or depth; a request in the form
of a question ("can you refactor this?") is a command.
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.reading import Reading, Sentence
from sojourn.memory.extraction.rules.technical_words import IMPERATIVES
from sojourn.model.interaction import Intent

_SHORT: Final = 5
_READ: Final = 1_500
_CLARIFICATION: Final = re.compile(
    r"^(?:no|nope|sorry|wait|hm+|uh|well|actually|ah|oh|ok|but|and)?[,.:!\s]*(?:"
    r"(?:what|who|which(?:\s+\w+)?)\s+(?:exactly\s+)?(?:do|did)\s+you\s+mean|what(?:\s+\w+)?\s+do\s+you\s+mean"
    r"|what\s+(?:does|did|do)\s+(?:that|this|it|you)\s+mean|what\s+was\s+that"
    r"|i\s+(?:meant|mean|was\s+(?:asking|referring|talking)|wasn['’]?t\s+(?:clear|asking)|am\s+(?:asking|referring"
    r"|talking)\s+(?:about|to)|didn['’]?t\s+(?:mean|ask|get\s+that|understand))"
    r"|i['’]m\s+(?:confused|lost|not\s+sure\s+(?:i|what\s+you)|referring|talking\s+about|asking\s+about)"
    r"|i\s+(?:don['’]?t|do\s+not|didn['’]?t)\s+(?:follow|understand|get\s+(?:it|that|what))"
    r"|(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:clarify|elaborate|explain\s+(?:that|this|it|what\s+you"
    r"|again|the\s+(?:last|first|second|third))|be\s+more\s+(?:specific|precise)|repeat|rephrase|say\s+(?:that|it))"
    r"|(?:that['’]?s|it['’]?s|this\s+is)\s+(?:not\s+what\s+i|unclear|confusing|not\s+clear)|to\s+(?:clarify"
    r"|be\s+(?:clear|precise|more\s+specific))|let\s+me\s+(?:rephrase|clarify)"
    r"|you\s+(?:misunderstood|got\s+(?:me|it|that)\s+wrong|mean\b)|in\s+other\s+words|just\s+to\s+(?:be\s+(?:sure"
    r"|clear)|confirm|clarify)|do\s+you\s+mean|so\s+you\s+mean|are\s+you\s+(?:saying|talking)"
    r"|which\s+(?:one|file|\w+)\s+(?:are\s+you|do\s+you|did\s+you)|correction\b"
    r"|(?:huh|what|which\s+one|pardon|come\s+again|sorry|excuse\s+me)\s*\?*$"
    r"|(?:not|the\s+other)\s+(?:that|this|the|those|one|\w+)(?:\s+\w+){0,2}(?:,\s+(?:the|that)\b.*)?[.!]*$)",
    re.IGNORECASE,
)
_CLARIFIES_LATER: Final = re.compile(
    r"\b(?:i\s+meant\b|not\s+what\s+i\s+(?:asked|meant|said)|what\s+(?:exactly\s+)?(?:do|did)\s+you\s+mean"
    r"|what\s+you\s+mean(?:t)?\b|(?:don['’]?t|didn['’]?t)\s+(?:understand|get|follow)\s+(?:the\s+(?:last|first"
    r"|second)|that|what\s+you)"
    r"|you\s+(?:just\s+)?mentioned\b|are\s+you\s+talking\s+about|i\s+wasn['’]?t\s+clear|is\s+unclear\s+to\s+me)",
    re.IGNORECASE,
)
_RESEARCH: Final = re.compile(
    r"\b(?:research\b|investigat\w+|deep[ -]dive|in[ -]depth|look(?:ing)?\s+(?:into|up)\b|dig(?:ging)?\s+(?:into|up"
    r"|through)|find\s+out\s+(?:what|which|who|how|whether|if|about|more)"
    r"|literature(?:\s+review)?\b|state[ -]of[ -]the[ -]art|(?:gather|collect|compile)\s+(?:\w+\s+){0,2}(?:sources?"
    r"|information|data|evidence|studies|statistics|references)"
    r"|(?:comprehensive|thorough|detailed|extensive|complete)\s+(?:\w+\s+)?(?:overview|analysis|comparison|report"
    r"|review|survey|study|investigation)|market\s+(?:analysis|research|study|overview)"
    r"|(?:recent|latest|current|new)\s+(?:papers?|stud(?:y|ies)|findings|evidence|publications|literature)|(?:find"
    r"|search(?:\s+for)?|look\s+for|browse)\s+(?:\w+\s+){0,2}(?:stud(?:y|ies)|papers?|articles?|sources?|statistics)"
    r"|(?:search|browse|scan|scour)\s+(?:the\s+)?(?:web|internet|net|news|online)|cite\s+(?:your\s+)?sources"
    r"|with\s+(?:sources|references|citations)|what(?:['’]s|\s+is)\s+the\s+evidence|studies\s+(?:say|show|on|about)"
    r"|explore\s+(?:the\s+|our\s+|different\s+|various\s+|all\s+|possible\s+)*(?:options|approaches|alternatives"
    r"|possibilities|ways|solutions)|alternatives\s+to\b.*\bcompare|(?:analy[sz]e|evaluate|weigh"
    r"|assess)\s+(?:the\s+)?(?:pros\s+and\s+cons|options|whether|trade-?offs|alternatives)"
    r"|survey\s+(?:the|of|all)|stud(?:y|ying)\s+the\s+(?:effects?|impact|history|causes?|role|influence)"
    r"|compare\s+.{3,80}\s(?:in\s+(?:depth|detail)|thoroughly|top\s+\w+)|compare\s+the\s+(?:top|best|leading)"
    r"|consider\s+.+\s+in\s+detail)",
    re.IGNORECASE,
)
_OWN_RESEARCH: Final = re.compile(
    r"\b(?:my|our|his|her|their|i|we)\s+(?:\w+\s+)?(?:research|literature|investigat\w+)\b|research(?:er|ers)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|well|now|and|also|then|alright|great|good|thanks|thank you|cool|yes|yeah|no"
    r"|please|right|first|next|hmm?|quick question|but|sure|perfect|just|go ahead and)\b[\s,:.!–-]*)+",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+|also\s+|maybe\s+)*(?:not\s+)?(?P<verb>\w+)"
    r"|(?:i\s+(?:want|need)|i['’]d\s+(?:like|love)|i\s+would\s+like)\s+you\s+to|would\s+you\s+mind|please\s+\w+"
    r"|let['’]?s\s+(?P<lets>\w+)|help\s+me\b|remind\s+me\s+to|i\s+need\s+(?:a|an|some)\s+(?:\w+\s+){0,3}(?:for|that"
    r"|to|which)\b|(?:do|don['’]?t)\s+(?:it|that|this|the|not)\b|never\s+\w+\s+(?:me|the)|go\s+(?:ahead|on)\b)",
    re.IGNORECASE,
)
_ABLE: Final = frozenset({
    "be", "know", "have", "think", "see", "believe", "read", "understand", "speak", "hear", "remember", "feel",
    "handle",
})  # fmt: skip
_TALK: Final = frozenset({
    "see", "talk", "say", "assume", "not", "go", "hope", "face", "chat", "wait",
})  # fmt: skip
_ASKING: Final = re.compile(
    r"(?:what|what['’]?s|whats|why|how|how['’]?s|when|where|where['’]?s|who|who['’]?s|whose|which|is|isn['’]?t|are"
    r"|aren['’]?t|am|was|were|do|does|doesn['’]?t|did|don['’]?t\s+you|can|could|can['’]?t|should|shouldn['’]?t"
    r"|would|will|won['’]?t|has|have\s+(?:you|we|i|they)|had|may|any\s+(?:idea|ideas|tips|thoughts|chance"
    r"|suggestions|way)|anyone|is\s+there|in\s+which|for\s+which|at\s+what|to\s+what|by\s+how|how\s+come"
    r"|wonder(?:ing)?"
    r"|(?:i['’]m|i\s+am)\s+looking\s+for\s+(?:\w+\s+){0,3}(?:advice|recommendations?|tips|help|information|info"
    r"|ideas|suggestions)"
    r"|(?:i['’]d|i\s+would)\s+like\s+to\s+know|i\s+wonder|i['’]m\s+wondering|do\s+you\s+know)\b",
    re.IGNORECASE,
)
_STATED_WH: Final = re.compile(
    r"(?:what|how)\s+(?:a|an)\s+\w+(?:\s+\w+){0,3}[!.]?$|when\s+(?:i|we|he|she|they|the)\s.+,", re.IGNORECASE
)
_GREETING: Final = re.compile(
    r"(?:hey|hi|hello|good\s+(?:morning|evening|night|afternoon)|thanks?|thank\s+you|thx|lol|haha\w*|ok(?:ay)?|cool"
    r"|nice|great|awesome|perfect|bye|see\s+you|sure|yes|no|yep|nope|got\s+it|sounds\s+good|no\s+(?:worries|thanks"
    r"|problem)"
    r"|happy\s+\w+|congrat\w*|wow|you['’]re\s+(?:welcome|the\s+best)|how\s+are\s+you|makes\s+sense"
    r"|that\s+makes\s+sense)\b[^?]{0,40}$",
    re.IGNORECASE,
)
_NOUN_AFTER: Final = re.compile(
    r"\w+\s+(?:is|are|was|were|has|have|keeps?|fails?|works?|went|looks?|seems?|isn['’]?t|doesn['’]?t|can|will)\b",
    re.IGNORECASE,
)


def intent_of(reading: Reading) -> Intent:
    """Return what the user wants, with how sure that is."""
    text = reading.heard.text[:_READ].strip()
    plain = " ".join(text.split())
    if _CLARIFICATION.match(plain[:200]) and len(plain) < 300:
        return Intent(type="clarification", confidence=0.88)
    if len(plain) < _SHORT and "?" not in plain:
        return Intent(type="chat", confidence=0.7 if plain else 0.5)
    prose = " ".join(reading.prose[:_READ].replace("\ufffc", " ").split()) or plain
    bare = _LEAD.sub("", prose)
    if _GREETING.match(prose) and len(prose) < 60 and not _RESEARCH.search(prose):
        rest = _LEAD.sub("", bare)
        if not _is_command(rest):
            return Intent(type="chat", confidence=0.92)
    if _CLARIFIES_LATER.search(prose) and len(prose) < 200:
        return Intent(type="clarification", confidence=0.8)
    if _RESEARCH.search(prose) and not _OWN_RESEARCH.search(prose) and _wants(prose, reading):
        return Intent(type="research", confidence=0.88)
    return _by_sentences(reading, prose)


def _wants(prose: str, reading: Reading) -> bool:
    """Tell whether anything is asked for at all: "I love research" asks for nothing."""
    bare = _LEAD.sub("", prose)
    first = re.match(r"[A-Za-z'’]+", bare)
    if first and first.group().lower() in IMPERATIVES | {"dig", "survey", "study", "gather", "deep"}:
        return True
    if _ASKING.match(bare) or _REQUEST.search(bare) or "?" in prose or "please" in prose.lower():
        return True
    if re.search(r"\b(?:i['’]d\s+like|i\s+want|i\s+need|looking\s+for)\b", bare, re.IGNORECASE):
        return True
    return any(_is_command(_words(sentence, reading)) for sentence in reading.sentences[1:4])


def _by_sentences(reading: Reading, prose: str) -> Intent:
    """Judge sentence by sentence: one that asks for something outweighs all that tell."""
    question = command = False
    told = 0
    for sentence in reading.sentences[:12]:
        text = _LEAD.sub("", _words(sentence, reading))
        if not text:
            continue
        if _is_command(text):
            command = True
        elif "?" in sentence.mark or (_ASKING.match(text) and not _STATED_WH.match(text)):
            question = True
        else:
            told += 1
    if not reading.sentences and prose:
        return Intent(type="question" if "?" in prose else "chat", confidence=0.6)
    if command:
        return Intent(type="command", confidence=0.85 if not question else 0.75)
    if question:
        return Intent(type="question", confidence=0.92 if "?" in prose else 0.86)
    return Intent(type="chat", confidence=0.85 if told else 0.6)


def _is_command(text: str) -> bool:
    """Tell whether *text* asks for something to be done."""
    if request := _REQUEST.match(text):
        verb = (request["verb"] or "").lower()
        lets = (request["lets"] or "").lower()
        return verb not in _ABLE and lets not in _TALK
    first = re.match(r"[A-Za-z]+", text)
    if re.match(r"do\s+(?:you|i|we|they|the|people|any)\b", text, re.IGNORECASE):
        return False
    return bool(first and first.group().lower() in IMPERATIVES and not _NOUN_AFTER.match(text))


def _words(sentence: Sentence, reading: Reading) -> str:
    return " ".join(reading.prose[sentence.start : sentence.end].split())
