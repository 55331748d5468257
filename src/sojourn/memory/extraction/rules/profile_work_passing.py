"""Work that is spoken of as known: "at my hospital", "my job, Walmart", "I got a job guarding a door at a club"."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_work import EMPLOYERS, FIELDS, WORKPLACES
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_phrase import phrase, text_of
from sojourn.memory.extraction.rules.profile_work import occupation, past_words, title

TRIGGERS: Final = words("my job work career mine this internship being tend hired living")
_OWN: Final = words(
    "hospital clinic restaurant bakery warehouse factory salon shop firm agency company startup office bookstore diner "
    "daycare dealership shelter lab pharmacy boutique brewery practice store cafe bistro deli"
)
"""Workplaces that nobody calls his own as a guest."""
_NEEDS_KIND: Final = words("company firm agency shop store office practice startup")
"""Workplaces that say nothing without what they are: "my coffee shop"."""
_NOT_OWN: Final = words(
    "favorite favourite fav local nearest usual old former last first previous next future own dream neighborhood "
    "insurance phone credit cable internet moving power electric gas water doctors doctor dentist dentists vet vets "
    "kids home hotel parent mom dad mother father brother sister wife husband boyfriend girlfriend friend travel "
    "leasing rental preferred online grocery convenience liquor app play new"
)
_MANUAL: Final = words(
    "factory office construction warehouse farm retail clerical janitorial landscaping charity manual"
)
_AT: Final = words("at in for with")


def employer_at(line: Line, at: int) -> int:
    """Return where the name of a well-known employer at *at* ends, 0 if there is none."""
    for length in (4, 3, 2, 1):
        if at + length <= line.end and " ".join(line.words[at : at + length]) in EMPLOYERS:
            return at + length
    return 0


def passing(line: Line) -> Iterator[Draft]:
    """Yield the work that the line takes as known."""
    for place, word in enumerate(line.words):
        if word in _OWN:
            yield from _own_place(line, place)
        elif word in {"job", "work", "career", "mine"}:
            yield from _named(line, place)
            yield from _kind_of_work(line, place)
        elif word == "internship":
            yield from _internship(line, place)
        elif word == "tend" and line.clause(place).is_stated and line.clause(place).person == "i":
            bar = past_words(line, place + 1, words("a the"))
            if line.word(bar) in {"bar", "bars"} or line.word(place - 1) == "bar":
                yield occupation(line, "tends bar", "work_verb", place, max(place, min(bar, line.end - 1)) + 1)
        elif word == "hired" and line.word(place - 1) in {"got", "was", "been", "just"}:
            yield from _hired(line, place)
        elif word == "being":
            yield from _being(line, place)


def _is_told(line: Line, place: int) -> bool:
    clause = line.clause(place)
    return not (clause.is_question or clause.is_hypothetical or clause.is_reported)


def _own_place(line: Line, place: int) -> Iterator[Draft]:
    """Read "at my hospital", "my marketing agency"."""
    first = place
    while first > 0 and place - first < 3 and line.words[first - 1] not in STOPS and line.words[first - 1] not in MARKS:
        first -= 1
    kind = line.words[first:place]
    if line.word(first - 1) != "my" or not _is_told(line, place) or line.word(place + 1) == "job":
        return
    if not kind and line.words[place] in _NEEDS_KIND and line.words[place] != "office":
        return
    if {"up", "open", "start", "opening", "grow", "want"} & set(line.words):
        return
    if _NOT_OWN.intersection(kind) or any(word.endswith(("s", "'")) or "'" in word for word in kind):
        return
    if line.is_end(place + 1) or line.word(place + 1) in STOPS or line.word(place + 1) in ADVERBS:
        yield occupation(line, f"works at a {text_of(line, (first, place + 1))}", "work_known", first - 1, place + 1)


def _named(line: Line, place: int) -> Iterator[Draft]:
    """Read "my job is Walmart", "my job, Walmart", "mine is Walmart" after somebody's job."""
    word = line.words[place]
    if word == "mine":
        if not words("job career work") & line.reading.words or line.word(place + 1) != "is":
            return
    elif "my" not in line.words[max(0, place - 4) : place] and not (
        word == "work" and line.word(place - 1) in {"for", "at"} and line.clause(place).person in {"i", "none"}
    ):
        return
    at = past_words(line, place + 1, words("is a an , at in with for"))
    last = employer_at(line, at)
    if last and at > place + 1 - (word == "work") and _is_told(line, place):
        yield occupation(line, f"works at {text_of(line, (at, last))}", "work_known", place, last)


def _kind_of_work(line: Line, place: int) -> Iterator[Draft]:
    """Read "this warehouse job", "I do factory work", "I got a job watching the door at a club"."""
    word, before = line.words[place], line.word(place - 1)
    if word == "work" and before in _MANUAL and line.clause(place).person == "i" and line.clause(place).is_stated:
        if words("do perform doing mostly") & set(line.words[max(0, place - 4) : place]):
            yield occupation(line, f"{before} work", "work_known", place - 1, place + 1)
    elif word == "job" and before in WORKPLACES | _MANUAL:
        first = place - 1
        while line.word(first - 1) not in STOPS and first > 0 and place - first < 3:
            first -= 1
        if line.word(first - 1) in {"this", "the"} and line.clause(place).person in {"i", "none"}:
            yield occupation(line, f"{text_of(line, (first, place))} job", "work_known", first, place + 1)
    elif word == "job" and line.word(place + 1).endswith("ing") and _is_told(line, place):
        if not words("got have started landed found") & set(line.words[max(0, place - 5) : place]):
            return
        at = next((at for at in range(place + 2, min(line.end, place + 7)) if line.words[at] in _AT), 0)
        item = phrase(line, at + 1, most=4) if at else None
        if item and set(line.words[item[0] : item[1]]) & WORKPLACES:
            written = text_of(line, (at + 1, item[1]))
            yield occupation(line, f"works {line.words[at]} {written}", "work_known", place, item[1])


def _internship(line: Line, place: int) -> Iterator[Draft]:
    """Read "I'm on an internship at a museum"."""
    clause = line.clause(place)
    if not clause.is_stated or clause.person != "i" or clause.tense != "present":
        return
    before = set(line.words[max(0, place - 5) : place])
    if not before & words("on doing have got started starting as my in") or before & words("want about to looking did"):
        return
    item = phrase(line, place + 2, most=4) if line.word(place + 1) in _AT else None
    value = f"internship {line.words[place + 1]} {text_of(line, (place + 2, item[1]))}" if item else "internship"
    yield occupation(line, value, "work_known", place, item[1] if item else place + 1)


def _hired(line: Line, place: int) -> Iterator[Draft]:
    """Read "I just got hired at Costco"."""
    clause = line.clause(place)
    if clause.person != "i" or clause.is_question or clause.is_hypothetical or clause.negated or "ago" in line.words:
        return
    if line.word(place + 1) not in {"at", "by", "for"}:
        return
    last = employer_at(line, place + 2)
    item = phrase(line, place + 2, most=4)
    if not last and item and set(line.words[item[0] : item[1]]) & WORKPLACES:
        last = item[1]
    if last:
        yield occupation(line, f"works at {text_of(line, (place + 2, last))}", "work_known", place, last)


_TRADES: Final = {
    "deliver": words("pizza pizzas mail packages newspapers food groceries"),
    "wait": words("tables"),
    "stock": words("shelves"),
    "fly": words("planes airplanes helicopters"),
}
"""What is done to what by trade."""


def by_trade(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what is done for a living, and what is done by trade: "I cut hair for a living", "I wait tables"."""
    if predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.infinitive:
        return
    after = line.words[predicate.rest : predicate.rest + 8]
    living = ["for", "a", "living"] in [after[at : at + 3] for at in range(len(after))]
    if predicate.subject != "i" or not (living or line.word(predicate.rest) in _TRADES.get(predicate.verb, ())):
        return
    last = next((at for at in range(predicate.rest, line.end) if line.words[at] == "for"), 0) if living else 0
    last = last or predicate.rest + 1
    if predicate.verb not in {"be", "do", "have"} or last > predicate.rest:
        yield occupation(line, text_of(line, (predicate.at, last)), "work_verb", predicate.start, last)


def serves_in(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I serve in the navy", "I do construction", "I joined the army"."""
    if predicate.negated or predicate.modal or predicate.wanted or (predicate.past and predicate.verb != "joined"):
        return
    at = predicate.rest + (1 if predicate.verb == "serve" and line.word(predicate.rest) == "in" else 0)
    for length in range(min(3, line.end - at), 0, -1):
        field = " ".join(line.words[at : at + length])
        if field in (FIELDS if predicate.verb != "joined" else _FORCES) and field not in {"it", "research", "security"}:
            yield occupation(line, f"in {text_of(line, (at, at + length))}", "work_field", predicate.start, at + length)
            return


_FORCES: Final = frozenset({"the army", "the navy", "the marines", "the air force", "the military", "the coast guard"})


def _being(line: Line, place: int) -> Iterator[Draft]:
    """Read "being a lumberjack is my job"."""
    item = title(line, place + 1) if line.word(place + 1) in {"a", "an"} else None
    if item is None or line.words[item[1] : item[1] + 2] != ["is", "my"] or not _is_told(line, place):
        return
    if line.word(item[1] + 2) in words("job career profession work calling life"):
        yield occupation(line, text_of(line, item), "work_job", place, item[1])
