"""What people do for a living, said in passing: "my job at the bank", "as a nurse, I", "the shop I work in"."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_work import WORKPLACES
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_phrase import phrase, text_of
from sojourn.memory.extraction.rules.profile_work import employed, is_workplace, occupation, past_words, title
from sojourn.memory.extraction.rules.profile_work_passing import employer_at

TRIGGERS: Final = words(
    "job work working works career profession occupation living trade as retired unemployed employed own run "
    "teach sell gig shift position"
)
_COMPARING: Final = words(
    "see treat think thought dress dressed know known describe same such used act acting pose you him her them it "
    "want need hire wish started start child kid such think respond reply speak write answer"
)


_SERVING: Final = words(
    "clean help intern earn tend deliver stock perform cook serve make create produce edit manage spend repair fix "
    "handle start coach train record design build develop freelance wait guard sell do take drive run operate test "
    "bake hold hang"
)


def serves(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read other verbs that are done at a workplace: "I clean at a shelter", "I make videos for a channel"."""
    if predicate.modal or predicate.wanted or predicate.negated or predicate.past or predicate.infinitive:
        return
    if predicate.verb not in _SERVING:
        return
    for at in range(predicate.rest, min(line.end, predicate.rest + 7)):
        word = line.words[at]
        if word in MARKS or word in words("i you and but to when"):
            return
        last = employer_at(line, at + 1) if word in {"at", "for"} else 0
        if last:
            written = text_of(line, (at + 1, last))
            yield occupation(line, f"works {word} {written}", "work_serve", predicate.start, last)
            return
        if word in {"at", "for", "in"} and line.word(at + 1) in {"a", "an", "the"}:
            item = phrase(line, at + 1, most=5)
            if item and line.words[item[1] - 1] in WORKPLACES - words(
                "school church gym mall market bar club library garage kitchen business lab"
            ):
                yield occupation(
                    line, f"works {word} {text_of(line, (at + 1, item[1]))}", "work_serve", predicate.start, item[1]
                )
            return


_AFTER_WORKING: Final = words(
    "at for in as on online full part 40 30 20 50 60 long nights days overtime full-time part-time"
)


def works_stated(line: Line) -> Iterator[Draft]:
    """Yield occupations stated without "I work": "my job is", "as a nurse, I", "working at a bank"."""
    for place, word in enumerate(line.words):
        if word in words("job occupation profession career gig work position shift") and _is_mine(line, place):
            yield from _my_job(line, place)
        elif word == "as" and line.word(place + 1) in {"a", "an"} and _appositive(line, place):
            item = title(line, place + 1)
            if item and line.words[item[0]] not in {"aspiring", "future", "former"}:
                yield occupation(line, text_of(line, item), "work_as", place, item[1])
        elif (
            word == "where"
            and line.word(place + 1) == "i"
            and line.word(place + 2) in {"work", "teach"}
            and not line.clause(place).is_question
        ):
            before = place - 2 if line.word(place - 1) in {",", "is"} else place - 1
            first = before
            while (
                first > 0
                and line.words[first - 1] not in STOPS
                and line.words[first - 1] not in MARKS
                and before - first < 3
            ):
                first -= 1
            if before >= 0 and line.words[before] in WORKPLACES:
                yield occupation(line, f"works at a {text_of(line, (first, before + 1))}", "work_at", first, place + 3)
        elif (
            word == "i"
            and line.word(place + 1) in {"work", "intern", "volunteer"}
            and line.word(place - 1) in WORKPLACES | {"home", "company"}
        ):
            yield from _relative(line, place)
        elif (
            word in {"retired", "unemployed"}
            and line.word(place - 1) == "being"
            and line.clause(place).person in {"i", "none"}
        ):
            yield occupation(line, word, "work_status", place, place + 1)
        elif (
            word == "working"
            and line.word(place - 1) not in words("am been i are is was not be he she they you")
            and line.clause(place).is_stated
        ) and (
            line.clause(place).person in {"i", "none"}
            and line.word(place + 1) in _AFTER_WORKING
            and line.word(place - 1) not in {"keep", "stop", "like", "to"}
        ):
            yield from employed(
                line, Predicate(subject="i", verb="work", at=place, rest=place + 1, start=place), place + 1
            )


def _relative(line: Line, place: int) -> Iterator[Draft]:
    """Read "the warehouse I work in"."""
    step = place + 2
    while line.word(step) in {"part", "time", "currently", "now"}:
        step += 1
    if line.word(step) not in {"at", "in", "for"}:
        return
    first = place - 1
    while first > 0 and line.words[first - 1] not in STOPS and line.words[first - 1] not in MARKS and place - first < 4:
        first -= 1
    yield occupation(line, f"works {line.words[step]} the {text_of(line, (first, place))}", "work_at", first, step + 1)


def _is_mine(line: Line, place: int) -> bool:
    clause = line.clause(place)
    if clause.is_question or clause.is_hypothetical or clause.is_reported:
        return False
    for back in range(place - 1, max(-1, place - 5), -1):
        if line.words[back] == "my":
            return line.word(back - 1) not in {"lost", "quit", "left"}
        if line.words[back] in words("dream ideal first last old previous former next future has had is"):
            return False
        if line.words[back] in MARKS or line.words[back] in {"i", "you"}:
            break
    before = line.words[max(0, place - 6) : place]
    if words("to want trying looking need hope wish could") & set(before):
        return False
    if line.words[place] == "work":
        return line.word(place - 1) in {"off", "from", "at"} and clause.person in {"i", "none"}
    return (
        any(word in {"a", "an"} for word in before[-4:])
        and any(word in words("have got get start started landed found with") for word in before)
        and clause.person in {"i", "none"}
        and clause.tense != "future"
    )


def _my_job(line: Line, place: int) -> Iterator[Draft]:
    after = line.word(place + 1)
    start = max(0, place - 1)
    if after == "is" and line.word(place + 2) != "not":
        at = past_words(line, place + 2, ADVERBS)
        item = title(line, at)
        if item:
            yield occupation(line, text_of(line, item), "work_job", start, item[1])
        elif line.word(at) in {"in", "at", "with"}:
            item = phrase(line, at + 1, most=5)
            if item and is_workplace(line, line.word(at), item):
                yield occupation(
                    line, f"works {line.word(at)} {text_of(line, (at + 1, item[1]))}", "work_job", start, item[1]
                )
    elif after == "as":
        item = title(line, place + 2) or phrase(line, place + 2, most=3)
        if item:
            yield occupation(line, text_of(line, item), "work_job", start, item[1])
        return
    yield from _kind_of_job(line, place)
    if after in words("at in with for from") and (line.words[place] != "career" or after in {"at", "with"}):
        item = phrase(line, place + 2, most=5)
        if item and is_workplace(line, after, item):
            prep = "at" if after == "from" else after
            yield occupation(line, f"works {prep} {text_of(line, (place + 2, item[1]))}", "work_job", start, item[1])


def _kind_of_job(line: Line, place: int) -> Iterator[Draft]:
    """Read "my factory job"."""
    if line.words[place] not in {"job", "gig"}:
        return
    first = place
    while first > 0 and line.words[first - 1] != "my" and place - first < 4:
        first -= 1
    kind = line.words[first:place]
    vague = words(
        "day new night full time part part-time full-time current boring real own good main second other great "
        "old actual regular office weekend favorite last"
    )
    if (
        kind
        and not any("'" in word for word in kind)
        and line.words[first - 1] == "my"
        and not set(kind) & vague
        and not set(kind) & STOPS
    ):
        yield occupation(line, f"{text_of(line, (first, place))} job", "work_job", first - 1, place + 1)


def _appositive(line: Line, place: int) -> bool:
    """Tell whether "as a ..." speaks of the user: it opens a clause whose subject is "I", or follows "I"."""
    clause = line.clause(place)
    if clause.is_question or clause.is_hypothetical or clause.is_reported:
        return False
    if clause.person == "i" and clause.tense == "present" and not clause.negated and "i" in line.words[:place]:
        return not _COMPARING.intersection(line.words[max(0, place - 6) : place])
    if (
        place
        and line.words[place - 1] not in MARKS
        and line.words[place - 1] not in words("and but so well yes no yeah living career")
    ):
        return False
    following = [word for word in line.words[place + 2 : place + 12] if word in words("i you my he she we")]
    return bool(following) and following[0] in {"i", "my"}
