"""What is said of people with a name: where they work, where they live. Never about the user.

Only sentences that begin with a given name and answer one question are read; whatever else people say of each other is
left alone.
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.lexicon_names import AMBIGUOUS, GIVEN_NAMES
from sojourn.memory.extraction.rules.reading import Reading
from sojourn.memory.extraction.statement import FactStatement, Trust
from sojourn.memory.facts.slots import slot_of
from sojourn.model.events import Span

CONFIDENCE: Final = 0.85
_SAID: Final = re.compile(
    r"(?P<name>[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+)? (?:now |currently |has |has just |just |recently )?"
    r"(?:works|lives|moved|joined|is based|is from|studies)\b"
)


def facts_of_others(reading: Reading, *, trust: Trust) -> list[FactStatement]:
    """Return what the message says of people that it names, in order."""
    found: list[FactStatement] = []
    for sentence in reading.sentences:
        text = reading.prose[sentence.start : sentence.end].strip()
        match = _SAID.match(text)
        if match is None or "?" in sentence.mark or not all(clause.is_stated for clause in sentence.clauses):
            continue
        name = match["name"].casefold()
        if name not in GIVEN_NAMES or name in AMBIGUOUS:
            continue
        slot = slot_of(text)
        if slot is None or not slot.subject.startswith(name):
            continue
        found.append(
            FactStatement(
                content=f"{' '.join(text.split()).rstrip(' .!')}.",
                slot=slot.name,
                value=slot.value,
                tags=("people",),
                confidence=CONFIDENCE,
                trust=trust,
                evidence=(Span(seq=reading.heard.seq, start=sentence.start, end=sentence.end),),
            )
        )
    return found
