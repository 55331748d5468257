"""How people say what they like, do for pleasure, or cannot stand."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, DETERMINERS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tastes import ACTIVITIES, GERUNDS, VAGUE
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_phrase import Phrase, activity, listing, phrase, text_of

LIKING: Final = words("like love enjoy adore prefer dig appreciate crave admire")
HATING: Final = words("hate dislike despise loathe detest")
_ABOUT_ANSWERS: Final = words(
    "answer answers response responses explanation explanations reply replies code example examples bullet "
    "bullets summary summaries sentences paragraphs detail details tone format options option approach solution "
    "idea version one wording output"
)
_DEGREES: Final = words(
    "a an big huge avid massive major such great real total true die-hard diehard more of kind self-confessed also like"
)
_OPENING: Final = words("work people time all tell")
_EMPTY: Final = words(
    "doing getting working being having watching going believe hopefully hobbies reside getting living making "
    "taking trying passing finding flavor listening looking"
)
"""Words that say nothing alone."""
POINTING: Final = words("this that these those your his her their its")


def interest(line: Line, item: Phrase, family: str, start: int) -> Draft:
    return Draft(
        field="interests",
        value=text_of(line, item),
        family=family,
        start=line.starts[min(start, item[0])],
        end=line.ends[item[1] - 1],
    )


def is_interest(line: Line, item: Phrase) -> bool:
    """Tell whether the phrase names something that one can be interested in."""
    found = line.words[item[0] : item[1]]
    if (len(found) == 1 and (found[0] in _EMPTY or found[0].endswith("ly"))) or "favorite" in found:
        return False
    if all(word in VAGUE or word in DETERMINERS or word in STOPS for word in found) or found[-1] in _ABOUT_ANSWERS:
        return False
    if found[0] in VAGUE and found[0] not in words("go make take do have get be see help find try life day"):
        return len(found) > 1 and (
            found[:2] == ["work", "out"] or (found[0] in _OPENING and (found[1] not in STOPS or len(found) > 2))
        )
    if found[0] in words("be have know think hear see") and len(found) < 3:
        return False
    return line.word(item[0] - 1) not in POINTING and len(found[0]) > 1 and found[0][0].isalnum()


def likes(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what follows "I like"."""
    if predicate.modal or predicate.wanted or predicate.infinitive:
        return
    if predicate.past and not predicate.negated and not predicate.ceased:
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | words("both most more about how"):
        place += 1
    if line.word(place) in POINTING or line.word(place - 1) in {"how", "about"}:
        return
    items = infinitives(line, place + 1) if line.word(place) == "to" else listing(line, place)
    examples = _examples(line, items)
    items += examples
    if _is_kin(line, place, items) and predicate.verb in {"love", "enjoy", "adore"} and not predicate.negated:
        yield interest(line, items[0], "likes_new", predicate.start)
        return
    if not items or not (is_interest(line, items[0]) or examples):
        return
    family = _liking(line, predicate, place)
    for item in items:
        if not is_interest(line, item):
            continue
        if predicate.ceased or predicate.negated:
            yield from _dislikes(line, predicate, item)
        else:
            yield interest(line, item, family, predicate.start)


def _is_kin(line: Line, place: int, items: list[Phrase]) -> bool:
    """Tell whether it is the family that is loved, and not one of it, nor what it does."""
    if not items or line.words[items[0][0] : items[0][1]] not in (["family"], ["kids"], ["children"], ["friends"]):
        return False
    last = items[0][1]
    return items[0][0] - place <= 1 and (line.is_end(last) or line.word(last) in STOPS)


_KINDS_OF: Final = words(
    "things stuff bands band music shows movies films books games foods food animals sports singers artists activities "
    "hobbies drinks artist authors anything"
)


def _examples(line: Line, items: list[Phrase]) -> list[Phrase]:
    """Return what is named after a kind: "bands like Muse", "things such as chess"."""
    if not items or line.words[items[-1][1] - 1] not in _KINDS_OF:
        return []
    at = items[-1][1]
    if line.word(at) == "like":
        return listing(line, at + 1)
    return listing(line, at + 2) if line.words[at : at + 2] == ["such", "as"] else []


def _liking(line: Line, predicate: Predicate, place: int) -> str:
    """Return the kind of liking: what is liked in general is told apart from the one that was just spoken of."""
    if predicate.verb in words("prefer appreciate crave admire dig"):
        return "prefers"
    if predicate.subject == "we":
        return "likes_we"
    if line.word(place) == "to":
        return "likes_to"
    if line.word(place) == "the" and line.word(place + 1) not in _GENERAL and not line.has_capital(place + 1):
        return "likes_the"
    return "likes_new" if line.word(place) == "my" or predicate.ongoing else "likes"


_GENERAL: Final = words(
    "color colour outdoors beach ocean show movie band sport city country snow sun cold heat summer winter fall "
    "mountains rain sea woods forest water night nature desert"
)
"""What "the" stands before when everything of the kind is meant."""


def infinitives(line: Line, place: int) -> list[Phrase]:
    """Return what is done, after "like to": "swim and play chess"."""
    found: list[Phrase] = []
    while len(found) < 6:
        item = activity(line, place)
        if item is None:
            break
        found.append(item)
        place = item[1]
        step = place
        while line.word(step) in words(", and or & also to /"):
            step += 1
        if step == place or line.word(step) in STOPS or line.word(step) in {"live", "am"}:
            break
        if not (
            line.word(step) in ACTIVITIES
            or line.word(step - 1) == "to"
            or line.word(step) in words("play watch eat drink listen go make spend hang do work")
        ):
            break
        place = step
    return found


def _dislikes(line: Line, predicate: Predicate, item: Phrase) -> Iterator[Draft]:
    gone = interest(line, item, "removed", predicate.start)
    gone.removes = True
    yield gone
    if not predicate.past:
        yield dislike(line, item, predicate.start)


def dislike(line: Line, item: Phrase, start: int) -> Draft:
    """Return the fact that the user dislikes what *item* names."""
    value = text_of(line, item)
    return Draft(
        family="dislike", slot="user/dislikes", value=value, content=f"The user dislikes {value}",
        start=line.starts[start], end=line.ends[item[1] - 1], tags=("dislike",),
    )  # fmt: skip


def hates(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what follows "I hate"."""
    if (
        predicate.modal
        or predicate.wanted
        or predicate.negated
        or predicate.past
        or line.word(predicate.rest) in POINTING
    ):
        return
    at = predicate.rest
    items = infinitives(line, at + 1) if line.word(at) == "to" else listing(line, at)
    for item in items:
        if is_interest(line, item):
            yield dislike(line, item, predicate.start)


def taste_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am into chess", "a fan of jazz", "a dog lover", "obsessed with trains"."""
    if predicate.modal or predicate.wanted or predicate.past:
        return
    place = predicate.rest
    if line.word(place) == "in" and line.word(place + 1) == "love":
        place += 1
    while line.word(place) in ADVERBS | _DEGREES:
        place += 1
    pair = (line.word(place), line.word(place + 1))
    items: list[Phrase] = []
    family = "is_into"
    if pair[0] == "into":
        items = listing(line, place + 1)
    elif pair == ("interested", "in"):
        family = "interested"
        items = [item for item in listing(line, place + 2) if _is_general(line, item)]
    elif pair in _FOND:
        items = listing(line, place + 2)
    else:
        items = _lover(line, place) or _who_loves(line, place)
    for item in items:
        if not is_interest(line, item):
            continue
        if predicate.negated:
            yield from _dislikes(line, predicate, item)
        else:
            yield interest(line, item, family, predicate.start)


_FOND: Final = frozenset(
    (word, preposition)
    for words_, preposition in (
        ("fond fan lover", "of"),
        ("obsessed obsess love infatuated", "with"),
        ("obsessing obsessed", "over"),
        ("hooked keen", "on"),
        ("passionate crazy mad nuts", "about"),
        ("addicted", "to"),
        ("fascinated", "by"),
        ("crazy", "for"),
        ("involved", "in"),
    )
    for word in words_.split()
)


def _is_general(line: Line, item: Phrase) -> bool:
    """Tell whether somebody can be interested in it for long: not "in the workshop", nor "in buying a house"."""
    word = line.words[item[0]]
    return line.word(item[0] - 1) not in {"the", "my", "a", "an"} and (not word.endswith("ing") or word in GERUNDS)


def _who_loves(line: Line, place: int) -> list[Phrase]:
    """Read "a mother who loves chess"."""
    for at in range(place, min(line.end - 1, place + 8)):
        if line.words[at] in MARKS or line.words[at] == "i":
            return []
        if line.words[at] in {"who", "that"}:
            verb = at + 1
            while line.word(verb) in ADVERBS:
                verb += 1
            if line.word(verb) not in words("loves likes enjoys adores love like enjoy"):
                return []
            return infinitives(line, verb + 2) if line.word(verb + 1) == "to" else listing(line, verb + 1)
    return []


def _lover(line: Line, place: int) -> list[Phrase]:
    """Read "a dog lover", "a tea person"."""
    item = phrase(line, place, most=5)
    if item is None or item[1] - item[0] < 2:
        return []
    first, last = line.words[item[0]], line.words[item[1] - 1]
    if last == "person":
        loved = first in words("dog cat animal coffee tea beach outdoor")
    else:
        loved = last in _LOVERS and first not in words("good nice bad happy kind big huge shy computer old young")
    return [(item[0], item[1] - 1)] if loved else []


_LOVERS: Final = words("lover fan fanatic enthusiast buff junkie nut addict aficionado geek nerd")


def has_taste(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have a passion for jazz", "I can't get enough of it", "I can't stand noise"."""
    at = predicate.rest
    if predicate.verb == "have" and not predicate.negated and not predicate.wanted:
        if line.words[at : at + 3] == ["a", "sweet", "tooth"]:
            sweets = interest(line, (at, at + 3), "is_into", predicate.start)
            sweets.value = "sweets"
            yield sweets
        for step in range(at, min(at + 5, line.end - 1)):
            passion = line.words[step] in words("passion love weakness obsession thing fondness interest")
            if passion and line.words[step + 1] in {"for", "with", "in"}:
                yield from _interests(line, step + 2, predicate.start)
    elif predicate.verb == "get" and predicate.negated and line.words[at : at + 2] == ["enough", "of"]:
        yield from _interests(line, at + 2, predicate.start)
    elif predicate.verb == "stand" and predicate.negated:
        for item in listing(line, at):
            if is_interest(line, item):
                yield dislike(line, item, predicate.start)


def _interests(line: Line, at: int, start: int) -> Iterator[Draft]:
    for item in listing(line, at):
        if is_interest(line, item):
            yield interest(line, item, "is_into", start)
