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
    if clause.is_question and line.word(place - 1) == "that" and line.word(place + 1) in {"like", "love", "enjoy"}:
        return True  # "is it odd that I like rain?" takes it as known
    if clause.is_question or clause.is_reported:
        return False
    if line.word(place - 2) == "i":
        return True
    return line.word(place - 1) not in words("was were am do did should can could would will have may shall")


def _predicate(line: Line, place: int, subject: Subject, *, start: int) -> Predicate | None:
    """Read auxiliaries from *place* on, down to the verb."""
    predicate = Predicate(subject=subject, verb="", at=place, rest=place, start=start)
    predicate.modal = line.clause(min(place, line.end - 1)).is_hypothetical
    walk = _Auxiliaries(line, predicate)
    while place < line.end and not predicate.verb:
        place = walk.step(place)
    return predicate if predicate.verb else None


class _Auxiliaries:
    """A walk over the words between a subject and its verb, which notes in the predicate what they say of it."""

    def __init__(self, line: Line, predicate: Predicate) -> None:
        self._line = line
        self._predicate = predicate
        self._be = self._have = False

    def step(self, place: int) -> int:
        """Read the word at *place* and return where to go on; when it is the verb, the predicate has it."""
        for read in (self._negation, self._wish, self._helper, self._be_form):
            following = read(place)
            if following:
                return following
        word = self._line.words[place]
        if word in ADVERBS:
            return place + 1
        lemma, kind = FORMS.get(word, (word, "base"))
        self._predicate.past = self._predicate.past or (kind == "past" and not self._have)
        self._predicate.ongoing = kind == "ing"
        return self._found(lemma, place)

    def _found(self, verb: str, place: int) -> int:
        self._predicate.verb, self._predicate.at, self._predicate.rest = verb, place, place + 1
        return place + 1

    def _negation(self, place: int) -> int:
        """Read "not", "no longer", "used to"."""
        word, after = self._line.words[place], self._line.word(place + 1)
        if word in _NEVER:
            self._predicate.negated = True
            return place + 1
        if word == "no" and after in {"longer", "more"}:
            self._predicate.negated = self._predicate.ceased = True
            return place + 2
        if word == "used" and after == "to":
            self._predicate.past = self._predicate.ceased = True
            return place + 2
        return 0

    def _wish(self, place: int) -> int:
        """Read "want to", "would love to", "gonna"."""
        word = self._line.words[place]
        if word in WANTING and self._line.word(place + 1) == "to":
            self._predicate.wanted = True
            return place + 2
        if word not in {"would", "wanna", "gonna"}:
            return 0
        self._predicate.wanted = self._predicate.modal = True
        liking = _after_adverbs(self._line, place + 1)
        loves = self._line.word(liking) in {"love", "like", "prefer", "hate"} and self._line.word(liking + 1) == "to"
        return liking + 2 if loves else place + 1

    def _helper(self, place: int) -> int:
        """Read "do", "did", "can", "have" before another verb."""
        word, after = self._line.words[place], self._line.word(place + 1)
        if word in {"do", "did", "does"}:
            helps = after in _NEVER or kind_of(self._line.word(_after_adverbs(self._line, place + 1))) == "base"
            self._predicate.past = self._predicate.past or (helps and word == "did")
            return place + 1 if helps else 0
        if word in MODALS:
            self._predicate.modal = True
            return place + 1
        following = place + (2 if after == "since" else 1)
        if word in {"have", "had", "has"} and _goes_on(self._line, following):
            self._have = True
            self._predicate.past = self._predicate.past or word == "had"
            return following
        return 0

    def _be_form(self, place: int) -> int:
        """Read "am", "was", "been": the verb itself, or a helper of "living"."""
        word = self._line.words[place]
        if word == "been" and self._have:
            self._be = True
            helps = kind_of(self._line.word(_after_adverbs(self._line, place + 1))) in {"past", "ing"}
            return place + 1 if helps else self._found("be", place)
        if word not in {"am", "are", "was", "were", "be"} or self._be:
            return 0
        self._be = True
        self._predicate.past = self._predicate.past or word in {"was", "were"}
        following = _after_adverbs(self._line, place + 1)
        after = self._line.word(following)
        if after in WANTING and self._line.word(following + 1) == "to":
            self._predicate.wanted = True
            return following + 2
        if after in _NEVER or self._line.words[following : following + 2] in (["no", "longer"], ["no", "more"]):
            last = self._negation(following)
            helps = kind_of(self._line.word(_after_adverbs(self._line, last))) == "ing"
            return last if helps else self._found("be", last - 1)
        return place + 1 if kind_of(after) == "ing" else self._found("be", place)


def _after_adverbs(line: Line, place: int) -> int:
    while place < line.end and line.words[place] in ADVERBS:
        place += 1
    return place


def _goes_on(line: Line, place: int) -> bool:
    """Tell whether a verb, and not an object, follows the auxiliary."""
    place = _after_adverbs(line, place)
    word = line.word(place)
    return word in _NEVER or word == "been" or kind_of(word) == "past"


_NOUNS_TOO: Final = words(
    "run dance walk fish play race box work drink paint cook design travel code game craft stream study use help watch"
)
"""Verbs that are nouns as often, so that they go on with a list rather than a subject far away."""


def joined(line: Line, place: int, predicate: Predicate) -> Predicate | None:
    """Return the predicate that goes on with the same subject at *place*: ", and live in Oslo"."""
    begin = place
    while place < line.end and (line.words[place] in MARKS or line.words[place] in JOINS):
        place += 1
    if place == begin or place >= line.end or line.words[place] == "i":
        return None
    bare = line.words[place - 1] in MARKS
    place = _after_adverbs(line, place)
    word = line.word(place)
    if (word == "like" and bare) or (word in _NOUNS_TOO and (bare or place - predicate.rest > 6)):
        return None  # "accessories, like a lamp", "their music and dance"
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
