"""What the user wants: an answer (question), something done (command), something found out (research), or that he was
understood (clarification). Whatever asks for nothing is chat: a greeting, thanks, something told.

A clarification sets right or asks about what was just said; research needs many sources or depth; a request in the form
of a question ("can you refactor this?") is a command.
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.intent_asking import LEAD, is_command, is_question
from sojourn.memory.extraction.rules.intent_clarifying import clarifies_at_once, clarifies_later
from sojourn.memory.extraction.rules.intent_research import asks_for_research, wishes_research
from sojourn.memory.extraction.rules.reading import Reading, Sentence
from sojourn.model.interaction import Intent

_SHORT: Final = 5
_READ: Final = 1_500
_SENTENCES: Final = 12
_GREETING: Final = re.compile(
    r"(?:hey|hi|hello|good\s+(?:morning|evening|night|afternoon)|thanks?|thank\s+you|thx|lol|haha\w*|ok(?:ay)?|cool"
    r"|nice|great|awesome|perfect|bye|see\s+you|sure|yes|no|yep|nope|got\s+it|sounds\s+good|no\s+(?:worries|thanks"
    r"|problem)"
    r"|happy\s+\w+|congrat\w*|wow|you['’]re\s+(?:welcome|the\s+best)|how\s+are\s+you|makes\s+sense"
    r"|that\s+makes\s+sense)\b[^?]{0,40}$",
    re.IGNORECASE,
)
_HOW_ARE_YOU: Final = re.compile(r"how(?:['’]?s|\s+are|\s+is)\s+(?:you|it|everything|things|life)\b", re.IGNORECASE)


def intent_of(reading: Reading) -> Intent:
    """Return what the user wants, with how sure that is."""
    text = reading.heard.text[:_READ].strip()
    plain = " ".join(text.split())
    if clarifies_at_once(plain):
        return Intent(type="clarification", confidence=0.88)
    if len(plain) < _SHORT and "?" not in plain:
        return Intent(type="chat", confidence=0.7 if plain else 0.5)
    prose = " ".join(reading.prose[:_READ].replace("\ufffc", " ").split()) or plain
    if _GREETING.match(prose) and len(prose) < 60 and not asks_for_research(prose):
        rest = LEAD.sub("", prose)
        if not is_command(rest) and (not is_question(rest) or _HOW_ARE_YOU.match(rest)):
            return Intent(type="chat", confidence=0.92)
    if clarifies_later(prose):
        return Intent(type="clarification", confidence=0.8)
    return _by_sentences(reading, prose)


def _by_sentences(reading: Reading, prose: str) -> Intent:
    """Judge sentence by sentence: one that asks for something outweighs all that tell."""
    question = command = research = told = False
    for sentence in reading.sentences[:_SENTENCES]:
        text = LEAD.sub("", _words(sentence, reading))
        if not text:
            continue
        orders = is_command(text)
        asks = not orders and ("?" in sentence.mark or is_question(text))
        research = research or (asks_for_research(text) and (orders or asks or wishes_research(text)))
        command, question = command or orders, question or asks
        told = told or not (orders or asks)
    if not reading.sentences and prose:
        return Intent(type="question" if "?" in prose else "chat", confidence=0.6)
    if research:
        return Intent(type="research", confidence=0.88)
    if command:
        return Intent(type="command", confidence=0.85 if not question else 0.75)
    if question:
        return Intent(type="question", confidence=0.92 if "?" in prose else 0.86)
    return Intent(type="chat", confidence=0.85 if told else 0.6)


def _words(sentence: Sentence, reading: Reading) -> str:
    return " ".join(reading.prose[sentence.start : sentence.end].split())
