"""What a message says, one assertion at a time: a segment is a sentence or a part of one that has its own verb.

A `Reading` hides inline code, because people quote code that they do not vouch for; in prose about the work it is how a
name or a value is spelled (the port is `8080`), so here it is shown again. Markup is blanked out. Lengths never change:
a segment's text stands at the same offsets as in the message.
"""

import re
from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.rules.reading import Reading, Sentence
from sojourn.memory.extraction.rules.reading_mask import HIDDEN
from sojourn.memory.extraction.statement import Heard
from sojourn.model.events import Span

_HIDDEN_RUN: Final = re.compile(HIDDEN + "+")
_MARKUP: Final = re.compile(r"\*\*|`")
_VERB: Final = (
    r"(?:is|are|was|were|has|have|had|isn't|aren't|runs?|uses?|lives?|listens?|owns?|requires?|needs?|supports?|costs?"
    r"|takes?|expires?|starts?|ends?|leaves?|opens?|points?|goes|go|depends?|defaults?|returns?|allows?|blocks?|stays?"
    r"|rotates?|contains?|stores?|keeps?|sends?|reads?|writes?|works?|will|won't|decided|chose|switched|moved|finished"
    r"|need|want|must|should|can|don't|doesn't|didn't|still|set|changed|got|think|know|use|used|sits?|serves?|leads?)"
)
_HAS_VERB: Final = re.compile(rf"\b(?:{_VERB}|\w{{3,}}ed)\b|\w'(?:s|re|ve|ll|m|d)\b", re.IGNORECASE)
_NEW_CLAUSE: Final = re.compile(
    rf"(?:[\w'’./#@+-]+\s+){{1,7}}?{_VERB}\b|(?:we|i|it|that|there|they|he|she)['’](?:s|re|ve|ll|m|d)\b"
    r"|\w+(?:'s)\s+(?:in|on|at)\b|(?:i|we|they|you)\s+(?:\w+\s+)?\w+(?:ed|t|ve|e)\b"
    r"|(?:switched|chose|decided|replaced|merged|fixed|deployed|finished)\s",
    re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"\s*;\s+|\s+[—–-]{1,2}\s+|,?\s+(?:and|but|while|whereas|yet)\s+|,\s+|:\s+|\s+(?=(?:because|since|although)\s)"
)
MAX_SENTENCE: Final = 800
"""What goes on longer without an end is no sentence, and only its beginning is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """An assertion: *text* at *start* of its message, up to *end*. *follows* is the mark or word that it follows."""

    text: str
    start: int
    end: int
    stated: bool
    """Whether its writer vouches for it: no question, no supposition, nobody else's words."""
    first: bool
    """Whether it begins its sentence."""
    sentence: Sentence
    follows: str = ""

    def span(self, heard: Heard) -> Span:
        """Return where it stands."""
        return Span(seq=heard.seq, start=self.start, end=self.end)


def shown(reading: Reading, *, quotes: bool = False) -> str:
    """Return the prose with inline code in it and without markup, as long as the prose is; with *quotes*, those too."""
    prose = reading.prose
    if HIDDEN in prose:
        prose = _HIDDEN_RUN.sub(lambda run: _restored(run, reading.heard.text, quotes=quotes), prose)
    if "`" in prose or "**" in prose:
        prose = _MARKUP.sub(lambda mark: " " * len(mark.group()), prose)
    return prose


def segments(reading: Reading, text: str) -> list[Segment]:
    """Return the assertions of the message; *text* is what `shown` returned."""
    found: list[Segment] = []
    for sentence in reading.sentences:
        start, end = sentence.start, sentence.end
        while end < len(reading.prose) and reading.prose[end] == HIDDEN:
            end += 1
        end = min(end, start + MAX_SENTENCE)
        asks = "?" in sentence.mark
        follows = ""
        for place, (first, last, joint) in enumerate(_parts(text[start:end])):
            piece = text[start + first : start + last]
            bare = piece.strip()
            if not bare:
                continue
            offset = start + first + len(piece) - len(piece.lstrip())
            found.append(
                Segment(
                    text=bare,
                    start=offset,
                    end=offset + len(bare),
                    stated=not asks and _is_stated(sentence, offset, offset + len(bare)),
                    first=place == 0,
                    sentence=sentence,
                    follows=follows,
                )
            )
            follows = joint
    return found


def _restored(run: "re.Match[str]", original: str, *, quotes: bool) -> str:
    hidden = original[run.start() : run.end()]
    return hidden.replace("`", " ").replace("\n", " ") if quotes or hidden[:1] == "`" else run.group()


def _parts(sentence: str) -> list[tuple[int, int, str]]:
    """Return where each part begins and ends, and what joins it to the next one."""
    parts: list[tuple[int, int, str]] = []
    start = 0
    for cut in _CUT.finditer(sentence):
        subordinate = not cut.group().strip()
        if not (subordinate or cut.group().strip() == ":" or _HAS_VERB.search(sentence, start, cut.start())):
            continue
        if subordinate or _NEW_CLAUSE.match(sentence, cut.end()):
            parts.append((start, cut.start(), cut.group().strip(" ,")))
            start = cut.end()
    parts.append((start, len(sentence), ""))
    return parts


def _is_stated(sentence: Sentence, start: int, end: int) -> bool:
    for clause in sentence.clauses:
        if clause.start >= end:
            break
        if clause.end > start and not clause.is_stated:
            return False
    return True
