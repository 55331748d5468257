"""How people say what they like, do for pleasure, or cannot stand."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, DETERMINERS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tastes import ACTIVITIES, COLORS, GERUNDS, SEASONS, TASTE_CATEGORIES, VAGUE
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_engaged import watching
from sojourn.memory.extraction.rules.profile_phrase import Phrase, activity, listing, phrase, text_of

TRIGGERS: Final = words(
    "favorite favourite fav fave favorites favourites favs faves favorit hobby hobbies passion pastime passions "
    "interests mine"
)
LIKING: Final = words("like love enjoy adore prefer dig appreciate crave admire")
HATING: Final = words("hate dislike despise loathe detest")
_FAVORITES: Final = words("favorite favourite fav fave favorites favourites favs faves favorit")
_PURSUITS: Final = words("hobby hobbies passion passions pastime pastimes interests obsession addiction specialty joy")
_ABOUT_ANSWERS: Final = words(
    "answer answers response responses explanation explanations reply replies code example examples bullet "
    "bullets summary summaries sentences paragraphs detail details tone format options option approach solution "
    "idea version one wording output"
)
_DEGREES: Final = words(
    "a an big huge avid massive major such great real total true die-hard diehard more of kind self-confessed also like"
)
_POINTING: Final = words("this that these those your his her their its")
_AMBIGUOUS: Final = words(
    "run walk act box race game fence party craft shop stream exercise lift climb dive ride bowl write read "
    "collect cook volunteer draw"
)
"""Activities that are also everyday or technical verbs."""
_OBJECT_VERBS: Final = {
    "play": words("with around role part for against in at a"),
    "watch": words("out over for my kids"),
    "eat": words("out at in with for here my"),
    "drink": words("to from with at out"),
    "collect": words(""),
    "read": words("that about it your the this somewhere a up on into through in"),
    "write": words("to this that code it in about down my the a for"),
    "ride": words("to with the in"),
}


def _interest(line: Line, item: Phrase, family: str, start: int) -> Draft:
    return Draft(
        field="interests",
        value=text_of(line, item),
        family=family,
        start=line.starts[min(start, item[0])],
        end=line.ends[item[1] - 1],
    )


def _is_interest(line: Line, item: Phrase) -> bool:
    """Tell whether the phrase names something that one can be interested in."""
    found = line.words[item[0] : item[1]]
    if all(word in VAGUE or word in DETERMINERS or word in STOPS for word in found) or found[-1] in _ABOUT_ANSWERS:
        return False
    if found[0] in VAGUE and found[0] not in {
        "go",
        "make",
        "take",
        "do",
        "have",
        "get",
        "be",
        "see",
        "help",
        "find",
        "try",
        "life",
        "day",
    }:
        return len(found) > 1 and found[0] in {"work", "people", "time", "all"} and found[1] not in STOPS
    if found[0] in {"be", "have", "know", "think", "hear", "see"} and len(found) < 3:
        return False
    return line.word(item[0] - 1) not in _POINTING and len(found[0]) > 1 and found[0][0].isalnum()


def likes(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what follows "I like"."""
    if predicate.modal or predicate.wanted or predicate.infinitive:
        return
    if predicate.past and not predicate.negated and not predicate.ceased:
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | {"both", "the", "most", "more", "about", "how"} and line.word(place) != "the":
        place += 1
    if line.word(place) in _POINTING or line.word(place - 1) in {"how", "about"}:
        return
    items = _infinitives(line, place + 1) if line.word(place) == "to" else listing(line, place)
    definite = line.word(place) == "the" and line.word(place + 1) not in {
        "color",
        "colour",
        "outdoors",
        "beach",
        "ocean",
        "show",
        "movie",
        "band",
        "sport",
    }
    for item in items:
        if not _is_interest(line, item):
            continue
        if predicate.ceased or predicate.negated:
            yield from _dislikes(line, predicate, item)
        else:
            family = (
                "likes_the"
                if definite and not line.has_capital(item[0])
                else ("likes_to" if line.word(place) == "to" else "likes")
            )
            if predicate.verb in {"prefer", "appreciate", "crave", "admire", "dig"}:
                family = "prefers"
            yield _interest(line, item, family if predicate.subject == "i" else "likes_we", predicate.start)


def _infinitives(line: Line, place: int) -> list[Phrase]:
    """Return what is done, after "like to": "swim and play chess"."""
    found: list[Phrase] = []
    while len(found) < 6:
        item = activity(line, place)
        if item is None:
            break
        found.append(item)
        place = item[1]
        step = place
        while line.word(step) in {",", "and", "or", "&", "also", "to", "/"}:
            step += 1
        if step == place or line.word(step) in STOPS or line.word(step) in {"live", "work", "am"}:
            break
        if not (
            line.word(step) in ACTIVITIES
            or line.word(step - 1) == "to"
            or line.word(step) in {"play", "watch", "eat", "drink", "listen", "go", "make", "spend", "hang", "do"}
        ):
            break
        place = step
    return found


def _dislikes(line: Line, predicate: Predicate, item: Phrase) -> Iterator[Draft]:
    gone = _interest(line, item, "removed", predicate.start)
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
        or line.word(predicate.rest) in _POINTING
    ):
        return
    at = predicate.rest
    items = _infinitives(line, at + 1) if line.word(at) == "to" else listing(line, at)
    for item in items:
        if _is_interest(line, item):
            yield dislike(line, item, predicate.start)


def does(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read pastimes that are verbs: "I play chess", "I go hiking", "I knit", "I listen to jazz"."""
    if predicate.verb in {"watch", "listen"} and (predicate.ongoing or predicate.past):
        yield from watching(line, predicate)
        return
    if (
        predicate.wanted
        and not predicate.negated
        and not predicate.past
        and predicate.verb in ACTIVITIES
        and predicate.verb not in _AMBIGUOUS
    ):
        yield from _intransitive(line, predicate, family="wants")
        return
    if predicate.modal or predicate.wanted or predicate.negated or predicate.past or predicate.ongoing:
        return
    verb, at = predicate.verb, predicate.rest
    if verb == "go":
        if line.word(at) == "out" or line.word(at) == "for":
            at += 1
        if line.word(at) in GERUNDS or (
            line.word(at).endswith("ing") and line.word(at) in {"clubbing", "antiquing", "thrifting"}
        ):
            item = activity(line, at)
            if item:
                yield _interest(line, item, "does_go", predicate.start)
        return
    if verb == "listen":
        if line.word(at) == "to" and line.word(at + 1) not in _POINTING | {"my", "the", "you", "it", "him", "her"}:
            for item in listing(line, at + 1):
                if _is_interest(line, item):
                    yield _interest(line, item, "does_object", predicate.start)
        return
    if verb == "work":
        if line.word(at) == "out":
            yield _interest(line, (predicate.at, at + 1), "does", predicate.start)
        return
    if verb == "spend":
        yield from _spends(line, predicate)
        return
    if verb in _OBJECT_VERBS:
        yield from _with_object(line, predicate)
        return
    if verb in ACTIVITIES:
        yield from _intransitive(line, predicate)


def _with_object(line: Line, predicate: Predicate) -> Iterator[Draft]:
    verb, at = predicate.verb, predicate.rest
    while line.word(at) in ADVERBS | {"lots", "of", "mostly"} or (
        line.word(at) == "a" and line.word(at + 1) in {"lot", "little", "bit", "ton"}
    ):
        at += 2 if line.word(at) == "a" else 1
    word = line.word(at)
    if (
        word in _OBJECT_VERBS[verb]
        or word in _POINTING | {"it", "me", "him", "them", "us"}
        or (word in {"the", "a", "my"} and verb not in {"play", "collect"})
    ):
        return
    if not word or word in MARKS or word in {"and", "all", "every", "when", "to", "at", "in", "but", "because"}:
        if verb in {"read", "write"} and (at > predicate.rest or {"free", "spare", "fun", "hobby"} & set(line.words)):
            yield _interest(line, (predicate.at, predicate.at + 1), "does", predicate.start)
        return
    for number, item in enumerate(listing(line, at)):
        if _is_interest(line, item) and not line.words[item[0]].isdigit():
            whole = (
                (predicate.at, item[1])
                if not number and verb in {"play", "read", "write", "ride"} and item[1] - predicate.at < 7
                else item
            )
            yield _interest(
                line, whole, "does_object" if verb in {"play", "collect"} else "does_consume", predicate.start
            )


def _intransitive(line: Line, predicate: Predicate, *, family: str = "does") -> Iterator[Draft]:
    word = line.word(predicate.rest)
    risky = predicate.verb in _AMBIGUOUS
    if word in _POINTING | {
        "the",
        "it",
        "my",
        "your",
        "out",
        "away",
        "into",
        "through",
        "like",
        "as",
        "up",
        "down",
        "off",
        "over",
        "to",
    }:
        return
    if risky and not (
        not word
        or word
        in MARKS
        | {
            "every",
            "everyday",
            "a",
            "and",
            "often",
            "all",
            "marathons",
            "daily",
            "almost",
            "in",
            "with",
            "on",
            "alot",
            "twice",
            "for",
            "weights",
        }
    ):
        return
    if risky and word == "a" and line.word(predicate.rest + 1) != "lot":
        return
    item = activity(line, predicate.at)
    if item:
        yield _interest(line, item, family, predicate.start)


def _spends(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I spend my free time painting"."""
    for at in range(predicate.rest, min(line.end, predicate.rest + 8)):
        word = line.words[at]
        if word in MARKS or word in {"i", "and", "but", "money"}:
            return
        if word.endswith("ing") and word not in {
            "evening",
            "morning",
            "trying",
            "working",
            "being",
            "waiting",
            "looking",
            "doing",
        }:
            item = activity(line, at)
            if item:
                yield _interest(line, item, "does", predicate.start)
            return


def taste_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am into chess", "a fan of jazz", "a dog lover", "obsessed with trains"."""
    if predicate.modal or predicate.wanted or predicate.past:
        return
    place = predicate.rest
    if line.word(place) == "in" and line.word(place + 1) == "love":
        place += 1
    while line.word(place) in ADVERBS | _DEGREES:
        place += 1
    word, after = line.word(place), line.word(place + 1)
    items: list[Phrase] = []
    if (
        word == "into"
        or (word in {"fond", "fan", "lover"} and after == "of")
        or (word in {"obsessed", "hooked", "keen"} and after in {"with", "on"})
        or (word == "love" and after == "with")
    ):
        items = listing(line, place + (1 if word == "into" else 2))
    elif (word, after) in {
        ("passionate", "about"),
        ("crazy", "about"),
        ("addicted", "to"),
        ("fascinated", "by"),
        ("interested", "in"),
        ("mad", "about"),
        ("nuts", "about"),
        ("crazy", "for"),
        ("involved", "in"),
    }:
        items = listing(line, place + 2)
        if word == "interested":
            items = [
                item for item in items if not line.words[item[0]].endswith("ing") or line.words[item[0]] in GERUNDS
            ]
    else:
        item = phrase(line, place, most=5)
        if (
            item
            and item[1] - item[0] >= 2
            and line.words[item[1] - 1]
            in words("lover fan fanatic enthusiast buff junkie nut addict aficionado geek nerd person")
        ):
            if (
                (line.words[item[0]]
                not in words(
                    "good nice bad happy kind big huge shy morning night people quiet private social computer "
                    "creative simple honest very lazy old young outgoing religious positive spiritual tall short "
                    "busy caring funny"
                )
                and line.words[item[1] - 1] != "person")
                or line.words[item[0]] in {"dog", "cat", "animal", "coffee", "tea", "beach", "outdoor"}
            ):
                items = [(item[0], item[1] - 1)]
    for item in items:
        if not _is_interest(line, item):
            continue
        if predicate.negated:
            yield from _dislikes(line, predicate, item)
        else:
            yield _interest(line, item, "is_into", predicate.start)


def has_taste(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have a passion for jazz", "I can't get enough of it", "I can't stand noise"."""
    at = predicate.rest
    if predicate.verb == "have":
        if line.words[at : at + 3] == ["a", "sweet", "tooth"]:
            yield Draft(
                field="interests",
                value="sweets",
                family="is_into",
                start=line.starts[predicate.start],
                end=line.ends[at + 2],
            )
        for step in range(at, min(at + 5, line.end - 1)):
            if (
                line.words[step] in {"passion", "love", "weakness", "obsession", "thing", "fondness", "interest"}
                and line.words[step + 1] in {"for", "with", "in"}
                and not predicate.negated
                and not predicate.wanted
            ):
                for item in listing(line, step + 2):
                    if _is_interest(line, item):
                        yield _interest(line, item, "is_into", predicate.start)
    elif predicate.verb == "get" and predicate.negated and line.word(at) == "enough" and line.word(at + 1) == "of":
        for item in listing(line, at + 2):
            if _is_interest(line, item):
                yield _interest(line, item, "is_into", predicate.start)
    elif predicate.verb == "stand" and predicate.negated:
        for item in listing(line, at):
            if _is_interest(line, item):
                yield dislike(line, item, predicate.start)


def favorites(line: Line, *, asked: bool) -> Iterator[Draft]:
    """Yield what the line calls a favourite or a hobby. *asked*: a favourite was asked for just before ("mine is blue")."""
    for place, word in enumerate(line.words):
        clause = line.clause(place)
        if word in _FAVORITES or word in _PURSUITS:
            if not (clause.is_question or clause.is_hypothetical or clause.is_reported) and _is_own(line, place):
                yield from _favorite(line, place)
        elif word == "mine" and line.word(place + 1) in {"is", "are"} and not clause.is_question:
            at = place + 2
            while line.word(at) in ADVERBS:
                at += 1
            if asked or line.word(at) in COLORS or line.word(at) in SEASONS:
                for item in listing(line, at):
                    if _is_interest(line, item):
                        yield _interest(line, item, "favorite", place)
        elif word in {"color", "colour"} and line.word(place - 1) == "my" and not clause.is_question:
            at = place + 2 if line.word(place + 1) == "is" else place - 3
            if line.word(at) in COLORS and "is" in line.words:
                yield _interest(line, (at, at + 1), "favorite", min(at, place))


def _is_own(line: Line, place: int) -> bool:
    for back in range(place - 1, max(-1, place - 5), -1):
        word = line.words[back]
        if word in {"my", "mine", "are"}:
            return word == "my" and line.word(back - 1) not in {"not", "least"}
        if word in {"your", "his", "her", "their", "our", "a", "s", "'s", "least", "you"} or word in MARKS:
            return False
    return False


def _favorite(line: Line, place: int) -> Iterator[Draft]:
    at = place + 1
    while (
        line.word(at) in TASTE_CATEGORIES
        and line.word(at + 1) != "of"
        and at < place + 4
        and not (at > place + 1 and line.is_end(at + 1))
    ):
        at += 1
    copula = next((step for step in range(at, min(line.end, at + 3)) if line.words[step] in {"is", "are"}), 0)
    if (
        copula > at
        and line.words[place] in _FAVORITES
        and not {line.words[at], line.words[copula - 1]} & (MARKS | STOPS)
    ):
        at = copula
    while (
        line.word(at)
        in {
            "to",
            "of",
            "all",
            "time",
            "right",
            "now",
            "is",
            "are",
            "include",
            "includes",
            ":",
            "probably",
            "currently",
            "has",
            "be",
            "would",
            "definitely",
            "the",
            "s",
            "ever",
        }
        | ADVERBS
        and at < place + 9
    ):
        if line.word(at) in {"is", "are", ":", "include", "includes", "be"}:
            yield from _favored(line, at + 1, place)
            return
        at += 1
    if (
        at > place + 1
        and line.word(at)
        and line.word(at) not in STOPS
        and line.word(at) not in MARKS
        and line.words[place] in _FAVORITES
    ):
        if line.word(at - 1) in TASTE_CATEGORIES and not line.word(at).endswith(("ing", "ed")):
            yield from _favored(line, at, place, family="favorite_apposed")
            return
    yield from _before(line, place)


def _favored(line: Line, at: int, place: int, family: str = "favorite") -> Iterator[Draft]:
    if line.word(at) in {
        "not",
        "that",
        "when",
        "what",
        "how",
        "because",
        "so",
        "very",
        "pretty",
        "really",
        "too",
        "coming",
        "on",
        "from",
        "here",
        "just",
    }:
        return
    items = _infinitives(line, at + 1) if line.word(at) == "to" else listing(line, at)
    for item in items:
        if _is_interest(line, item):
            yield _interest(line, item, family, max(0, place - 1))


def _before(line: Line, place: int) -> Iterator[Draft]:
    """Read what stands before "is my favourite"."""
    my = place - 1
    while my > 0 and line.words[my] != "my":
        my -= 1
    copula = my - 1
    while line.word(copula) in ADVERBS | {
        "probably",
        "one",
        "of",
        "still",
        "easily",
        "by",
        "far",
        "like",
        "been",
        "always",
        "be",
    }:
        copula -= 1
    if (
        line.word(copula) not in {"is", "are", "has", "have"}
        or copula < 1
        or line.word(copula - 1)
        in {"it", "that", "they", "which", "what", "these", "those", "this", "there", "he", "she"}
    ):
        return
    first = copula
    while (
        first > 0
        and line.words[first - 1] not in MARKS
        and copula - first < 6
        and line.words[first - 1] not in {"i", "but", "because", "that", "so", "yes", "no", "oh", "think", "and"}
    ):
        first -= 1
    while first < copula and (line.words[first] in STOPS or line.words[first] in ADVERBS):
        first += 1
    if first < copula and _is_interest(line, (first, copula)) and not line.clause(first).is_question:
        yield _interest(line, (first, copula), "favorite", first)
