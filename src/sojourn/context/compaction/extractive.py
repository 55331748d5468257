"""A summary in the talk's own sentences: needs no model, and the same talk always has the same one.

How it begins (what the user wants), what was decided, what is required and known, what is open, and then what else
weighs most. A sentence weighs by the words that the talk keeps coming back to, by what it tells by its form, by who
says it (what the user says goes before what was answered), and by how late it is said: what is said later may replace
what was said before. Nothing is said twice.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from anyio import to_thread

from sojourn.context.compaction.cues import heading_of, is_chatter, is_hedged, is_proposal, specifics, verdict
from sojourn.context.compaction.sentences import sentences, shortened
from sojourn.context.compaction.shape import Heading, bounded, read_points, written
from sojourn.context.compaction.spoken import Spoken, spoken
from sojourn.context.compaction.summariser import Summary
from sojourn.context.talk import Line
from sojourn.context.tokens import CharacterCounter, TokenCounter
from sojourn.model.wording import words

_STOP: Final = frozenset(
    """a about after all also am an and any are as at be because been before but by can could did do does doing done for
    from get go going had has have he her here him his how i i'd i'll i'm i've if in into is it its it's just let let's
    like me more most my no not now of on one only or other our out over please she should so some such than that the
    that's their them then there these they this to too up us use very want was we we'll we're were what when where
    which while who why will with would yes you you're your""".split()  # noqa: SIM905 - a list of words reads best as words
)
_COMMON: Final = frozenset(
    """able absolutely actually agree alway amazing another anything appreciate around awesome back bad beautiful
    being believe best better big bit bring change check come cool day definitely different dream easy else end
    enjoy even ever every everyone everything excited experience fact far feel feeling find first forward friend
    fun give glad good got great guy happen happy hard hear heard help hey hope hopefully idea important inspiring
    interesting job keep kind know last lately life little live long look lot love made make making many matter
    maybe mean moment much must need never new nice nothing often old part people perfect place point pretty put
    quite ready really remember right said same say see seem sense share should since small something sometime
    soon sound special start still stuff super support sure take talk tell thank thanks thing think thought time
    today together told tough totally try understand use used usually way week well while wonderful word work
    world worth wow yeah year yet""".split()  # noqa: SIM905
)
"""Words that stand in every talk, whatever it is about."""
_WORN: Final = 0.1
_SENTENCE: Final = 8
"""A sentence with fewer words that matter is not taken for one that is full of them."""
_SPECIFIC: Final = 0.35
_ROOM: Final[dict[Heading, float]] = {"Goal": 0.2, "Decided": 0.4, "Open": 0.2, "Known": 0.35, "Also": 1.0}
"""The share of a summary that each heading gets before the others compete for what it leaves."""
_ORDER: Final[tuple[Heading, ...]] = ("Goal", "Decided", "Open", "Known", "Also")
_WORTH: Final[dict[Heading, float]] = {"Goal": 3.0, "Decided": 2.0, "Open": 1.6, "Known": 1.4, "Also": 1.0}
_TELLING: Final = frozenset({"Goal", "Decided", "Open", "Known"})
_OWN: Final = 1.25
"""What the user says weighs more than what is answered."""
_ANSWER: Final = 0.85
_TOOLS: Final = 0.5
_IDLE: Final = 0.5
"""What is asked, proposed or exclaimed tells little."""
_LEAST: Final = 0.6
"""What only says something, and is worth less, is left out even if there is room for it."""
_FADING: Final = 0.95
"""What an earlier summary says weighs less with each new one, unless it was decided or is the goal."""
_SAME: Final = 0.6
"""Two sentences that share so much of their words say the same, for a summary."""
_ECHO: Final = 0.7
"""A sentence is worth so much less where all its words are in another that was chosen."""
_MOST: Final = 200
"""Sentences that are compared with each other: the best."""
_FOCUS_ROOM: Final = 0.5
"""The share of a summary that what matters most gets before anything else."""
_FOCUSED: Final = 4.0
"""A sentence that has all the words of what matters most weighs so much more."""
_LINES_OF_TOOL: Final = 3
_GOALS: Final = 2
_FEW: Final = 2
"""So few words that matter hardly say anything alone."""
_OTHERS: Final = ("assistant: ", "tool")
_SPEAKERS: Final = ("user: ", "assistant: ", "tool ")


class _Candidate(NamedTuple):
    """A sentence that may go into a summary."""

    heading: Heading
    text: str
    terms: frozenset[str]
    numbers: frozenset[str]
    place: int
    weight: float


def _candidate(heading: Heading, text: str, said: str, *, place: int, weight: float) -> _Candidate:
    """Return the sentence *said* as it would be shown: as *text*."""
    terms = frozenset(words(said)) - _STOP
    numbers = frozenset(term for term in terms if any(character.isdigit() for character in term))
    return _Candidate(heading, text, terms, numbers, place, weight)


class ExtractiveSummariser:
    """Summarises by choosing sentences. It has no state; *counter* counts tokens.

    *focus* is what matters most to who will read it: sentences that share its words weigh more.
    """

    most_tokens: int | None = None
    is_model = False

    def __init__(self, counter: TokenCounter | None = None, *, focus: str = "") -> None:
        self._counter = counter or CharacterCounter()
        self._focus = frozenset(words(focus)) - _STOP

    async def summarise(self, previous: str, lines: Sequence[Line], *, max_tokens: int) -> Summary:
        """Return the sentences of *previous* and *lines* that weigh most, under headings, with who said them."""
        # Thousands of messages take a second or two: others go on meanwhile.
        choose = partial(self.chosen, previous, tuple(lines), max_tokens=max_tokens)
        return Summary(text=await to_thread.run_sync(choose))

    def chosen(self, previous: str, lines: Sequence[Line], *, max_tokens: int) -> str:
        """Return the summary, at once."""
        earlier = _earlier(previous)
        said = _said([spoken(line) for line in lines], first=len(earlier), has_goal=_has_goal(earlier))
        candidates = [*earlier, *said]
        if not candidates:
            return ""
        scores = [score * self._matter(one) for one, score in zip(candidates, _scores(candidates), strict=True)]
        picked = self._picked(candidates, scores, max_tokens)
        points: dict[Heading, list[str]] = {}
        for one in sorted(picked, key=lambda candidate: candidate.place):
            points.setdefault(one.heading, []).append(one.text)
        return bounded(written("", points), max_tokens, self._counter)

    def _rounds(self) -> Iterable[tuple[float, Callable[[_Candidate], bool]]]:
        """Yield who is chosen in turn, and out of which share: what matters most, each heading, and then all."""
        if self._focus:
            yield _FOCUS_ROOM, lambda one: self._matter(one) > 1.0
        for heading in _ORDER:
            yield _ROOM[heading], partial(_is_of, heading)
        yield 1.0, lambda _: True

    def _matter(self, one: _Candidate) -> float:
        """Return how much more a sentence weighs because it is about what matters most."""
        return 1.0 + _FOCUSED * len(one.terms & self._focus) / len(self._focus) if self._focus else 1.0

    def _picked(self, candidates: Sequence[_Candidate], scores: Sequence[float], room: int) -> list[_Candidate]:
        """Choose, heading by heading and then among all, what is worth most beside what is chosen already."""
        ranked = sorted(range(len(candidates)), key=lambda number: (-scores[number], -candidates[number].place))[:_MOST]
        left = {number: scores[number] for number in ranked if _is_worth(candidates[number], scores[number])}
        costs = {number: self._counter.count(f"- {candidates[number].text}\n") + 1 for number in left}
        picked: list[_Candidate] = []
        free = room - len(_ORDER) * 2  # the headings cost something too
        for part, may_go in self._rounds():
            share = min(free, int(room * part))
            while True:
                fitting = [number for number in left if costs[number] <= share and may_go(candidates[number])]
                if not fitting:
                    break
                best = max(fitting, key=lambda number: (left[number], candidates[number].place))
                share -= costs[best]
                free -= costs[best]
                picked.append(candidates[best])
                left = _without_echoes(candidates, left, scores, best)
        return picked


def _is_of(heading: Heading, one: _Candidate) -> bool:
    return one.heading == heading


def _is_worth(one: _Candidate, score: float) -> bool:
    return one.heading != "Also" or score >= _LEAST


def _without_echoes(
    candidates: Sequence[_Candidate], left: dict[int, float], scores: Sequence[float], picked: int
) -> dict[int, float]:
    """Return what is left once *picked* is chosen: not what it says already, and for less what is like it."""
    chosen = candidates[picked]
    found: dict[int, float] = {}
    for number, worth in left.items():
        one = candidates[number]
        if number != picked and not _is_said_by(one, chosen):
            found[number] = min(worth, scores[number] * (1.0 - _ECHO * _likeness(one, chosen)))
    return found


def _likeness(one: _Candidate, other: _Candidate) -> float:
    """Return which share of their words two sentences have in common, their numbers aside."""
    shared = len(one.terms & other.terms) - len(one.numbers & other.numbers)
    either = len(one.terms) - len(one.numbers) + len(other.terms) - len(other.numbers) - shared
    return shared / either if either else 0.0


def _earlier(previous: str) -> list[_Candidate]:
    """Return what an earlier summary says, point by point; prose falls into sentences."""
    prose, points = read_points(previous)
    found: list[tuple[Heading, str]] = [
        (heading_of(one), one) for line in prose for one in sentences(line) if not is_chatter(one)
    ]
    found = [("Known" if heading == "Also" else heading, text) for heading, text in found] + points
    return [
        _candidate(heading, shortened(text), _words_of(text), place=place, weight=_weight_of(heading, text))
        for place, (heading, text) in enumerate(found)
    ]


def _weight_of(heading: Heading, text: str) -> float:
    said_by = _ANSWER if text.startswith("assistant: ") else _TOOLS if text.startswith("tool") else _OWN
    return said_by * (1.0 if heading in {"Goal", "Decided"} else _FADING)


def _has_goal(candidates: Iterable[_Candidate]) -> bool:
    return any(one.heading == "Goal" for one in candidates)


def _said(talk: Sequence[Spoken], *, first: int, has_goal: bool) -> list[_Candidate]:
    """Return the sentences of a talk that say something, with where they belong."""
    found: list[_Candidate] = []
    waiting = _unanswered(talk)
    asked = ""
    for number, one in enumerate(talk):
        read = _worth_reading(one)
        begins = one.speaker == "user" and not has_goal and bool(read)
        has_goal = has_goal or begins
        if one.speaker == "user" and asked and not _says_more(one.text) and (told := verdict(one.text)):
            settled = f'user: {told}, to "{asked}"'
            found.append(_candidate("Decided", settled, asked, place=first + len(found), weight=_OWN))
        for place, sentence in enumerate(read):
            heading, weight = _heading(one, sentence), _weight(one, sentence)
            if begins and place < _GOALS and heading != "Decided" and (place == 0 or _says_more(sentence)):
                heading, weight = "Goal", weight * (1.5 if place == 0 else 1.0)
            elif number == waiting and sentence.endswith("?"):
                heading = "Open"
            text = f"{one.speaker}: {sentence}"
            found.append(_candidate(heading, text, sentence, place=first + len(found), weight=weight))
        if one.speaker in {"user", "assistant"}:
            questions = [sentence for sentence in read if sentence.endswith("?") and is_proposal(sentence)]
            asked = questions[-1] if questions and one.speaker == "assistant" else ""
    return found


def _says_more(text: str) -> bool:
    """Tell whether the first sentence says something alone."""
    first = sentences(text)[:1]
    return bool(first) and len(frozenset(words(first[0])) - _STOP) > _FEW


def _heading(one: Spoken, sentence: str) -> Heading:
    if one.speaker.startswith("tool"):
        return "Known" if one.is_error else "Also"
    return heading_of(sentence)


def _unanswered(talk: Sequence[Spoken]) -> int:
    """Return the place of the user's last message if nobody answered it, else -1."""
    last = max((place for place, one in enumerate(talk) if one.speaker == "user"), default=-1)
    return -1 if any(one.speaker == "assistant" and one.text for one in talk[last + 1 :]) else last


def _worth_reading(one: Spoken) -> list[str]:
    found = [sentence for sentence in sentences(one.text) if not is_chatter(sentence)]
    if one.speaker.startswith("tool"):
        found = found[-_LINES_OF_TOOL:] if one.is_error else found[:_LINES_OF_TOOL]
    return found + [f"called {call}" for call in one.calls]


def _weight(one: Spoken, sentence: str) -> float:
    if one.speaker == "user":
        return _OWN * (_IDLE if sentence.endswith(("?", "!")) else 1.0)
    if one.speaker.startswith("tool"):
        return 1.0 if one.is_error else _TOOLS
    return _ANSWER * (_IDLE if is_hedged(sentence) or sentence.endswith("!") else 1.0)


def _scores(candidates: Sequence[_Candidate]) -> list[float]:
    """Return what each sentence is worth: by its heading, who says it, its words, and how late it is said."""
    distinct = {one.terms: one for one in candidates}.values()  # what is repeated to the letter is no theme
    frequency = Counter(term for one in distinct for term in one.terms)
    own = {term for one in candidates if not one.text.startswith(_OTHERS) for term in one.terms}
    common = max(2, len(distinct) * 0.5)
    weights = {
        term: (math.log(1 + count) if count <= common else 0.2) * _information(term, own)
        for term, count in frequency.items()
    }
    top = max(weights.values(), default=1.0)
    last = max(one.place for one in candidates) or 1
    return [_score(one, weights, top) * (0.85 + 0.15 * one.place / last) for one in candidates]


def _information(term: str, own: Collection[str]) -> float:
    """Return how much a word tells: little, if everybody uses it all the time; more, if the user does."""
    return (_WORN if term in _COMMON else 1.0) * (1.0 if term in own else _IDLE)


def _score(one: _Candidate, weights: dict[str, float], top: float) -> float:
    if not one.terms:
        return 0.05
    topical = sum(weights[term] for term in one.terms) / (top * max(len(one.terms), _SENTENCE))
    # Two words say little, however often they come; unless something is settled by them.
    substance = min(1.0, max(len(one.terms), 4 if one.heading in _TELLING else 0) / 6)
    return (
        _WORTH[one.heading]
        * one.weight
        * substance
        * (0.3 + 1.4 * topical + _SPECIFIC * min(specifics(one.text.partition(": ")[2]), 3))
    )


def _is_said_by(one: _Candidate, other: _Candidate) -> bool:
    """Tell whether the other says the same. Numbers tell apart: a port of 8080 is not one of 9090."""
    if not one.terms or one.numbers != other.numbers:
        return one.text == other.text
    shared = len(one.terms & other.terms)
    return shared >= _SAME * (len(one.terms) + len(other.terms) - shared) or shared == len(one.terms)


def _words_of(text: str) -> str:
    """Return a point without who says it."""
    named = text.startswith(_SPEAKERS)
    return text.partition(": ")[2] if named else text
