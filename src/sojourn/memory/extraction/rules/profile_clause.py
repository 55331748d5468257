"""Sentences in a normal form for the grammar of self-description: contractions opened, predicates found.

"I've been living in Oslo", "im livin in oslo" and "I live in Oslo" differ in how they are put and not in what they say.
A `Line` is a sentence with contractions opened ("i'm" is "i am", "don t" is "do not"), a `Predicate` is a verb with its
subject, and what its auxiliaries say of it: denied, wished for, past.
"""

from dataclasses import dataclass
from typing import Final, Literal

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import (
    ADVERBS,
    CONTRACTIONS,
    DETACHED,
    FORMS,
    JOINS,
    MARKS,
    MODALS,
    WANTING,
    kind_of,
)
from sojourn.memory.extraction.rules.reading import Clause, Reading, Sentence

Subject = Literal["i", "we"]


class Line:
    """A sentence with contractions opened; `words`, `starts` and `ends` run in parallel."""

    __slots__ = ("end", "ends", "first", "reading", "sentence", "starts", "tokens", "words")

    def __init__(self, reading: Reading, sentence: Sentence, *, first: bool) -> None:
        self.reading = reading
        self.sentence = sentence
        self.first = first
        """Whether it is the first sentence of the message."""
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.tokens: list[int] = []
        before = ""
        for number, token in enumerate(sentence.tokens):
            word = token.word
            opened = CONTRACTIONS.get(word)
            if opened is None and len(word) <= 2 and before:
                detached = DETACHED.get(word)
                if detached is not None and before in detached[0]:
                    if word == "t":
                        self.words[-1] = before.removesuffix("n") if before != "can" else before
                    opened = (detached[1],)
            for part in opened or (word,):
                self.words.append(part)
                self.starts.append(token.start)
                self.ends.append(token.end)
                self.tokens.append(number)
            before = word
        self.end = len(self.words)

    def word(self, place: int) -> str:
        """Return the word at *place*, "" beyond the ends."""
        return self.words[place] if 0 <= place < self.end else ""

    def clause(self, place: int) -> Clause:
        """Return the clause of the word at *place*."""
        return self.sentence.clause_of(self.tokens[min(place, self.end - 1)])

    def original(self, first: int, last: int) -> str:
        """Return the original text of words *first* to *last*, the last not included."""
        return self.reading.heard.text[self.starts[first] : self.ends[last - 1]]

    def is_end(self, place: int) -> bool:
        """Tell whether nothing but a mark follows."""
        return place >= self.end or self.words[place] in MARKS

    def has_capital(self, place: int) -> bool:
        """Tell whether there is a word at *place* that begins with a capital in the original."""
        return place < self.end and self.reading.heard.text[self.starts[place]].isupper()


@dataclass(slots=True)
class Predicate:
    """A verb of the user's: `line.words[rest:]` is what follows it; *verb* is its plain form."""

    subject: Subject
    verb: str
    at: int
    rest: int
    start: int
    """Where the words that state it begin, as an index into the line."""
    negated: bool = False
    wanted: bool = False
    modal: bool = False
    past: bool = False
    ongoing: bool = False
    ceased: bool = False
    """Whether it held once and is said not to hold any more: "used to", "no longer"."""
    infinitive: bool = False
    """Whether it depends on a verb of liking: "I like to swim"."""


_NEVER: Final = words("not never neither nor hardly rarely seldom barely")
_MAX_CHAT: Final = 5
"""Sentences of a message that may leave "I" out; in a longer text such a verb is advice."""
_DROPPED: Final = words("love enjoy adore hate prefer living working studying live work been grew lived moved retired")
"""Verbs that chat begins with when it leaves "I" out, and that are no commands."""


def predicates(line: Line) -> list[Predicate]:
    """Return the user's verbs in the line, in order, with those that share a subject ("I'm 30 and live in Oslo")."""
    found: list[Predicate] = []
    for place, word in enumerate(line.words):
        if word in {"i", "we"} and _is_subject(line, place):
            subject: Subject = "i" if word == "i" else "we"
            predicate = _predicate(line, place + 1, subject, start=place)
            if predicate is not None:
                found.append(predicate)
    if (
        line.words
        and (line.words[0] in _DROPPED or line.words[0] in ADVERBS)
        and len(line.reading.sentences) <= _MAX_CHAT
        and line.word(1) not in {"your", "the", "exploring"}
        and not any(clause.person == "you" for clause in line.sentence.clauses[:1])
    ):
        dropped = _predicate(line, 0, "i", start=0)
        if dropped is not None and line.word(dropped.at) in _DROPPED and line.clause(0).is_stated:
            found.insert(0, dropped)
    return found


def _is_subject(line: Line, place: int) -> bool:
    """Tell whether "I" at *place* begins a statement of the user's own."""
    clause = line.clause(place)
    if clause.is_question or clause.is_reported:
        return False
    if line.word(place - 2) == "i":
        return True
    return line.word(place - 1) not in words("was were am do did should can could would will have may shall")


def _predicate(line: Line, place: int, subject: Subject, *, start: int) -> Predicate | None:
    """Read auxiliaries from *place* on, down to the verb."""
    predicate = Predicate(subject=subject, verb="", at=place, rest=place, start=start)
    clause = line.clause(min(place, line.end - 1))
    predicate.modal = clause.is_hypothetical
    be = have = False
    while place < line.end:
        word = line.words[place]
        after = line.word(place + 1)
        if word in _NEVER:
            predicate.negated = True
        elif word == "no" and after in {"longer", "more"}:
            predicate.negated = predicate.ceased = True
            place += 1
        elif word == "used" and after == "to":
            predicate.past = predicate.ceased = True
            place += 1
        elif word in {"do", "did", "does"} and (
            after in _NEVER or kind_of(line.word(_after_adverbs(line, place + 1))) == "base"
        ):
            predicate.past = predicate.past or word == "did"
        elif word in MODALS and word != "would" and (word != "can" or after not in ADVERBS | {"of"}):
            predicate.modal = True
        elif word in {"have", "had", "has"} and _goes_on(line, place + 1):
            have = True
            predicate.past = predicate.past or word == "had"
        elif word == "been" and have:
            be = True
            if kind_of(line.word(_after_adverbs(line, place + 1))) not in {"past", "ing"}:
                return _verb(predicate, "be", place, place + 1)
        elif word in WANTING and after == "to":
            predicate.wanted = True
            place += 1
        elif word in {"would", "wanna", "gonna"}:
            predicate.wanted = predicate.modal = True
            if word == "would" and _after_adverbs(line, place + 1) < line.end - 1:
                liking = _after_adverbs(line, place + 1)
                if line.words[liking] in {"love", "like", "prefer", "hate"} and line.word(liking + 1) == "to":
                    place = liking + 1
        elif word in words("am are was were be") and not be:
            be = True
            predicate.past = predicate.past or word in {"was", "were"}
            following = _after_adverbs(line, place + 1)
            if following < line.end and line.words[following] in WANTING and line.word(following + 1) == "to":
                predicate.wanted = True
                place = following + 1
            elif line.words[following : following + 2] in (["no", "longer"], ["no", "more"]):
                predicate.negated = predicate.ceased = True
                return _verb(predicate, "be", following + 1, following + 2)
            elif following < line.end and line.words[following] in _NEVER:
                predicate.negated = True
                place = following
                if kind_of(line.word(_after_adverbs(line, place + 1))) != "ing":
                    return _verb(predicate, "be", place, place + 1)
            elif kind_of(line.word(following)) != "ing":
                return _verb(predicate, "be", place, place + 1)
        elif word in ADVERBS:
            pass
        else:
            form = FORMS.get(word)
            if form is None:
                return _verb(predicate, word, place, place + 1)
            lemma, kind = form
            predicate.past = predicate.past or (kind == "past" and not have)
            predicate.ongoing = kind == "ing"
            return _verb(predicate, lemma, place, place + 1)
        place += 1
    return None


def _verb(predicate: Predicate, verb: str, at: int, rest: int) -> Predicate:
    predicate.verb, predicate.at, predicate.rest = verb, at, rest
    return predicate


def _after_adverbs(line: Line, place: int) -> int:
    while place < line.end and line.words[place] in ADVERBS:
        place += 1
    return place


def _goes_on(line: Line, place: int) -> bool:
    """Tell whether a verb, and not an object, follows the auxiliary."""
    place = _after_adverbs(line, place)
    word = line.word(place)
    return word in _NEVER or word == "been" or kind_of(word) == "past"


def joined(line: Line, place: int, predicate: Predicate) -> Predicate | None:
    """Return the predicate that goes on with the same subject at *place*: ", and live in Oslo"."""
    begin = place
    while place < line.end and (line.words[place] in MARKS or line.words[place] in JOINS):
        place += 1
    if place == begin or place >= line.end or line.words[place] == "i":
        return None
    place = _after_adverbs(line, place)
    word = line.word(place)
    form = FORMS.get(word)
    is_verb = word in words("am have do used never") or (form is not None and form[1] in {"base", "past"})
    if form is not None and form[1] == "ing" and (predicate.verb == "be" or predicate.ongoing):
        is_verb = predicate.verb == "be" or line.words[place] in words(
            "working living building studying developing writing"
        )
    if not is_verb or (form is not None and form[1] == "base" and line.word(place + 1) in {"is", "are", "was"}):
        return None
    following = _predicate(line, place, predicate.subject, start=place)
    if following is not None and not following.past:
        following.modal = following.modal or predicate.modal
        following.wanted = following.wanted or predicate.wanted
        following.infinitive = predicate.infinitive
    return following
