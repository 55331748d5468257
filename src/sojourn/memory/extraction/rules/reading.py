"""A message taken apart for the rules: sentences and clauses, each with its place in the original text.

What the writer did not say in own words is hidden first: code, logs, diffs, data, quotations, forwarded mail, a text
handed over to be worked on, and what Sojourn itself injected. Reading never fails and is linear in what it reads,
which is at most `MAX_PROSE` characters of prose: a message of a megabyte is a paste, and says nothing by its end that
it did not say at its beginning. Lower-cased chat with detached punctuation reads as well as proper prose, so nothing
here may rely on capitals, on apostrophes or on a full stop touching its word.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from sojourn.memory.extraction.rules.lexicon import words as word_set
from sojourn.memory.extraction.rules.reading_mask import masked
from sojourn.memory.extraction.statement import Heard

Person = Literal["i", "we", "you", "third", "none"]
Tense = Literal["present", "past", "future"]

_TOKEN: Final = re.compile(r"[^\W_]+(?:['’.@+#/&-]?[^\W_]+)*(?:\+\+|#)?['’]?|[.!?…]+|[^\w\s]|_+|\n", re.UNICODE)
_ENDS: Final = frozenset(".!?…\n")
_CUTS: Final = frozenset({",", ";", ":", "(", ")", "—", "–", "-", "--", "[", "]", "|", "•", "*", "/", "~"})
_ABBREVIATIONS: Final = word_set(
    "mr mrs ms dr prof st sr jr vs etc e.g i.e eg ie inc ltd co corp dept no approx ca fig u.s u.k ph.d a.m p.m"
)

_SUBJECTS: Final[dict[str, Person]] = {
    **dict.fromkeys(("i", "i'm", "im", "i've", "ive", "i'd", "id", "i'll", "i'am", "iam", "me", "myself"), "i"),
    **dict.fromkeys(("my", "mine"), "third"),
    **dict.fromkeys(("we", "we're", "we've", "we'll", "we'd", "us"), "we"),
    **dict.fromkeys(("you", "u", "you're", "youre", "you've", "you'll", "you'd", "your", "ya", "yours"), "you"),
    **dict.fromkeys(("he", "she", "they", "it", "he's", "she's", "it's", "its", "they're", "theyre"), "third"),
    **dict.fromkeys(("this", "that", "that's", "thats", "there", "there's", "these", "those", "his", "her"), "third"),
    **dict.fromkeys(("their", "our", "the", "they've", "they'll", "everyone", "everybody", "someone"), "third"),
}
_STARTERS: Final = word_set(
    "i i'm im i've ive i'd i'll i'am iam we we're we've we'll we'd you u you're youre you've you'll he she they he's "
    "she's they're theyre mine"
)
"""Words that begin a clause wherever they stand, for chat does without commas."""
_LEADERS: Final = word_set(
    "and but so because cause cuz coz as when while though although since if unless until after before where or nor "
    "plus then that which who whom than whether except also well yes no yeah yep nope actually now currently"
)
_JOINS: Final = word_set("and but so or yet plus then because cause cuz although though while")
_DEPENDENT: Final = word_set("and or when while that because if after before since until as who which where though")
"""What a clause begins with that goes on with the one before it, and with its question."""
_INVERTERS: Final = word_set(
    "am are is was were do does did dont doesnt didnt don't doesn't didn't have has had can could can't cant couldn't "
    "should shouldn't would wouldn't will won't wont may might must shall aren't arent isn't isnt ain't haven't "
    "havent"
)
_ASKING: Final = word_set(
    "what what's whats where where's wheres who who's whos whose when how how's hows why which whats wanna"
)
_THINKING: Final = word_set(
    "think thinks thought believe believes know knows knew guess guesses assume assumes say says said tell tells told "
    "hear heard see mean means feel feels swear claim claims claimed suppose imagine pretend wish wishes hope hopes "
    "wonder wonders wondering sure that remember forget argue insists insist"
)
"""A clause after one of these is its object and shares what is doubtful about it."""
_SAYING: Final = word_set(
    "say says said tell tells told claim claims claimed think thinks thought believe believes insist insists swears "
    "asked asks wrote writes writing shouted replied answered mentioned calls according quoted quote reads"
)
_SUPPOSING: Final = word_set("suppose supposing imagine pretend pretending roleplay hypothetically assuming")
_SUPPOSING_PAIRS: Final = frozenset(
    {
        ("let's", "say"),
        ("lets", "say"),
        ("us", "say"),
        ("us", "pretend"),
        ("role", "play"),
        ("act", "as"),
        ("what", "if"),
        ("as", "if"),
    }
    | {("as", "though"), ("roleplaying", "as"), ("dreamed", "that"), ("dreamt", "that"), ("acting", "as")}
)
_MODAL: Final = word_set(
    "would wouldn't wouldnt i'd could might wish wishes we'd you'd may unless if someday perhaps supposedly whether"
)
_NOT_MODAL_AFTER: Final = frozenset({"say", "describe", "consider", "call", "appreciate", "rate", "prefer"})
_NEGATIONS: Final = word_set("not never no neither nor cannot cant dont doesnt didnt wont isnt arent aint wasnt")
_PAST: Final = word_set(
    "was were did had used ago formerly previously once lived worked moved grew went quit left born became studied "
    "taught loved liked enjoyed hated owned played wanted been ended wasn't weren't didn't hadn't"
)
_FUTURE: Final = word_set("will i'll we'll gonna he'll she'll they'll you'll it'll won't tomorrow someday")
_GOING: Final = frozenset({"going", "about", "planning", "plan", "hoping", "intend", "aiming"})


class Token(NamedTuple):
    """A word or a mark in one case, with ’ as ', and its place in the original text."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch of a sentence with one subject. *first* and *last* delimit its tokens: ``sentence.tokens[first:last]``.

    *negated* says that some negation stands in it; which word it denies is for the grammar to tell. *person* is
    inherited by a clause that leaves its subject out ("I'm 30 and live in Oslo").
    """

    start: int
    end: int
    first: int
    last: int
    is_question: bool
    is_hypothetical: bool
    is_reported: bool
    negated: bool
    person: Person
    tense: Tense

    @property
    def is_stated(self) -> bool:
        """Whether the writer says it of own accord: no question, no supposition, nobody else's words."""
        return not (self.is_question or self.is_hypothetical or self.is_reported)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of prose: its tokens without the mark that ends it, which is *mark* ("" at the end of the text)."""

    start: int
    end: int
    tokens: tuple[Token, ...]
    mark: str
    clauses: tuple[Clause, ...]

    def clause_of(self, token: int) -> Clause:
        """Return the clause that token number *token* stands in."""
        for clause in self.clauses:
            if token < clause.last:
                return clause
        return self.clauses[-1]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A message as read: *prose* is as long as the part of the original that was read, with what is hidden blanked out.

    A hidden block is newlines, a hidden stretch within a line is U+FFFC characters, so offsets into *prose* are offsets
    into the original text.
    """

    heard: Heard
    prose: str
    sentences: tuple[Sentence, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All clauses in order."""
        return tuple(clause for sentence in self.sentences for clause in sentence.clauses)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word and mark that occurs, for cheap tests before dear ones."""
        return frozenset(token.word for sentence in self.sentences for token in sentence.tokens)

    def original(self, start: int, end: int) -> str:
        """Return the original words at these offsets."""
        return self.heard.text[start:end]


def read(heard: Heard) -> Reading:
    """Take the message apart. Any text can be read: empty, huge, binary or of mixed languages."""
    prose = masked(heard.text, heard.injected)
    sentences = tuple(_sentence(tokens, mark) for tokens, mark in _cut(prose))
    return Reading(heard=heard, prose=prose, sentences=sentences)


def _cut(prose: str) -> list[tuple[list[Token], str]]:
    """Return the sentences as tokens, each with the mark that ends it."""
    plain = prose.lower().replace("’", "'").replace("‘", "'").replace("`", "'")
    if len(plain) != len(prose):  # some capitals, such as İ, become two characters: then case is kept
        plain = prose.replace("’", "'").replace("‘", "'")
    found: list[tuple[list[Token], str]] = []
    current: list[Token] = []
    for match in _TOKEN.finditer(plain):
        word = match.group()
        if word == "." and current and _is_abbreviated(current[-1], match, plain):
            continue
        if word[0] in _ENDS:
            if current:
                found.append((current, word))
                current = []
            elif found and "?" in word and match.start() - found[-1][0][-1].end < 4:
                found[-1] = (found[-1][0], word)  # "really . ? !": the question mark counts
            continue
        if word != "\ufffc" or not (current and current[-1].word == "\ufffc"):
            current.append(Token(word.rstrip("'") if len(word) > 1 else word, match.start(), match.end()))
    if current:
        found.append((current, ""))
    return found


def _is_abbreviated(last: Token, dot: "re.Match[str]", plain: str) -> bool:
    """Tell whether *dot* belongs to the word before it: it touches it, and no sentence ends with such a word."""
    if dot.start() != last.end or dot.end() >= len(plain):
        return False
    if last.word in _ABBREVIATIONS:
        return last.word not in {"etc", "no", "co", "a.m", "p.m", "u.s", "u.k"} or plain[dot.end() :][:1] == ","
    single = len(last.word) == 1 and last.word.isalpha() and last.word != "i"
    return (single and plain[dot.end() :][1:2] != "") or not plain[dot.end()].isspace()


def _sentence(tokens: list[Token], mark: str) -> Sentence:
    bounds = _bounds(tokens)
    asks = "?" in mark
    supposed = _supposes(tokens)
    clauses: list[Clause] = []
    question_open = False
    previous: Clause | None = None
    for number, (first, last) in enumerate(bounds):
        words = [token.word for token in tokens[first:last]]
        inverted = _is_inverted(words)
        is_object = previous is not None and _is_object(tokens, first)
        joined = words[0] in _JOINS or is_object
        person, explicit = _person(words, previous)
        inherits = previous is not None and (not explicit or is_object)
        goes_on = inherits or words[0] in _DEPENDENT or (asks and tokens[first - 1].word not in _CUTS)
        question_open = inverted or (question_open and goes_on)
        ends_asking = asks and not any(clause.is_question for clause in clauses) and number == len(bounds) - 1
        reported = _is_reported(tokens, first, previous) or (
            previous is not None and previous.is_reported and joined and not is_object and explicit is False
        )
        previous = Clause(
            start=tokens[first].start,
            end=tokens[last - 1].end,
            first=first,
            last=last,
            is_question=question_open or ends_asking,
            is_hypothetical=supposed
            or _is_hypothetical(words)
            or (previous is not None and previous.is_hypothetical and inherits and (joined or not explicit)),
            is_reported=reported,
            negated=any(word in _NEGATIONS or word.endswith("n't") for word in words),
            person=person,
            tense=_tense(words, previous if inherits and not is_object else None),
        )
        clauses.append(previous)
    return Sentence(start=tokens[0].start, end=tokens[-1].end, tokens=tuple(tokens), mark=mark, clauses=tuple(clauses))


def _bounds(tokens: list[Token]) -> list[tuple[int, int]]:
    """Return where each clause begins and ends: at marks, and where a new subject begins."""
    starts = [0]
    for place in range(1, len(tokens)):
        word = tokens[place].word
        before = tokens[place - 1].word
        if before in _CUTS:
            if place - 1 > starts[-1] or starts[-1] == 0:
                starts.append(place)
            continue
        if word not in _STARTERS and not (word == "my" and before in _JOINS):
            if _asks_here(tokens, place):
                starts.append(place)
            continue
        if before in _INVERTERS and word not in {"i'm", "im", "i've"} and not before.endswith("s"):
            continue
        if before in {"of", "to", "with", "for", "from", "about", "than", "like", "as", "at", "by", "on"} and word in {
            "you", "u", "mine", "me",
        }:  # fmt: skip
            continue
        begin = place
        while begin - 1 >= starts[-1] and tokens[begin - 1].word in _LEADERS:
            begin -= 1
        if begin > starts[-1]:
            starts.append(begin)
    return list(zip(starts, [*starts[1:], len(tokens)], strict=True))


def _asks_here(tokens: list[Token], place: int) -> bool:
    """Tell whether a question begins in the middle of a sentence, as it does in chat: "i love tea do you like it ?"."""
    word, before = tokens[place].word, tokens[place - 1].word
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    if word in {"yourself", "hbu", "wbu"}:
        return True
    if word in _INVERTERS:
        return (
            after in {"you", "u", "your"}
            and before not in _ASKING
            and before not in {"if", "that", "as", "than", "i", "we", "they"}
        )
    if before in {"is", "know", "that's", "of", "and", "knows", "tell", "me", "guess", "see"} and before != "and":
        return False
    if word in {"what's", "whats", "where's", "how's"}:
        return True
    return word in {"what", "how", "where", "who"} and after in {"about", "do", "are", "is", "s", "did", "kind", "type"}


def _is_inverted(words: list[str]) -> bool:
    """Tell whether the clause is built as a question: "am I", "where do I", "what about"."""
    rest = words
    while rest and rest[0] in _LEADERS and len(rest) > 1 and rest[0] not in {"when", "where", "who", "which", "that"}:
        rest = rest[1:]
    if not rest:
        return False
    first, second = rest[0], rest[1] if len(rest) > 1 else ""
    if first in _INVERTERS:
        return _SUBJECTS.get(second) in {"i", "we", "you"} or second in {
            "he",
            "she",
            "they",
            "it",
            "that",
            "the",
            "there",
        }
    if first not in _ASKING:
        return False
    if first in {"when", "where", "who", "which", "wanna"}:  # these also begin relative clauses
        third = rest[2] if len(rest) > 2 else ""
        return second in _INVERTERS and third != "" and second not in {"was", "were"}
    return first != "what" or second not in {"a", "an"}


def _is_object(tokens: list[Token], first: int) -> bool:
    """Tell whether the clause at *first* is what somebody thinks or says: "do you think I am", "she told me I am"."""
    before = first - 1
    if before > 0 and tokens[before].word in {"me", "you", "him", "her", "them", "us"}:
        return tokens[before - 1].word in _THINKING
    return tokens[before].word in _THINKING


def _supposes(tokens: list[Token]) -> bool:
    words = [token.word for token in tokens[:12]]
    if any(word in _SUPPOSING for word in words[:3]):
        return not (len(words) > 1 and words[0] == "i" and words[1] == "suppose")
    return any(pair in _SUPPOSING_PAIRS for pair in pairwise(words))


def _is_hypothetical(words: list[str]) -> bool:
    for place, word in enumerate(words):
        if place > 2 and word in {"and", "but", "so"}:
            return False  # what follows is another predicate, with its own auxiliaries
        if word in _MODAL:
            after = words[place + 1 : place + 3]
            if word == "may" and _is_month(words[place - 1] if place else "", after):
                continue
            if not any(following in _NOT_MODAL_AFTER for following in after):
                return True
    return False


def _is_month(before: str, after: list[str]) -> bool:
    """Tell whether "may" is the month: "May 3rd", "in May", "born on the 3rd of May"."""
    return bool(after and after[0][:1].isdigit()) or before in {
        "in",
        "of",
        "on",
        "since",
        "until",
        "last",
        "next",
        "is",
        "by",
    }


def _is_reported(tokens: list[Token], first: int, previous: Clause | None) -> bool:
    """Tell whether somebody else says it: the clause before is "my boss says", or its own begins "according to"."""
    if tokens[first].word == "according":
        return True
    if previous is None or previous.person in {"i", "we"}:
        return False
    end = first - 1 if tokens[first - 1].word not in {",", ":", "that"} else first - 2
    if end < previous.first:
        return False
    words = [token.word for token in tokens[max(previous.first, end - 2) : end + 1]]
    return any(word in _SAYING for word in words) and previous.person != "you"


def _person(words: list[str], previous: Clause | None) -> tuple[Person, bool]:
    """Return whose the clause is, and whether it says so itself rather than go on with the subject before it."""
    for word in words:
        if word in _LEADERS and word not in {"that", "who", "which"}:
            continue
        person = _SUBJECTS.get(word)
        if person is not None:
            return person, True
        break
    for word in words[1:4]:
        if word in _STARTERS:
            return _SUBJECTS[word], True
    return (previous.person if previous is not None else "none"), False


def _tense(words: list[str], inherited: Clause | None) -> Tense:
    for place, word in enumerate(words):
        if word in _FUTURE or (word in _GOING and words[place + 1 : place + 2] == ["to"]):
            return "future"
        if word in _PAST and not (word == "been" or (word == "used" and words[place + 1 : place + 2] != ["to"])):
            return "past"
    return inherited.tense if inherited is not None else "present"
