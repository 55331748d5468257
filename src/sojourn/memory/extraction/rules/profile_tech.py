"""How people say what they program in, and with which frameworks."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS
from sojourn.memory.extraction.rules.lexicon_tech import COMMON_WORDS, FRAMEWORKS, LANGUAGES, TECHNOLOGY
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft

CONTEXT: Final = words(
    "code coding program programming programmer developer dev development engineer language languages framework "
    "frameworks stack backend frontend library libraries app apps software script scripts project projects api "
    "apis web database server codebase repo compiler service services microservices tech"
)
_SKIPPED: Final = ADVERBS | words(
    "the a an some plain vanilla pure modern core like and or , & / + with plus in both either mix of mostly "
    "mainly things as well then even for"
)


def tech_list(line: Line, place: int, *, sure: bool) -> tuple[list[tuple[str, int, int]], int]:
    """Return the technologies named from *place* on, each as (key, first, last), and where they end.

    A name that is also a word counts if *sure*, or beside one that can be nothing else.
    """
    found: list[tuple[str, int, int]] = []
    end = place
    while place < line.end:
        key, last = _technology(line, place)
        if key:
            found.append((key, place, last))
            place = end = last
            if place < line.end and _technology(line, place)[0]:
                continue
            if line.word(place) in words("and or , & / +") or line.words[place : place + 2] == ["as", "well"]:
                continue
            if line.word(place) not in _SKIPPED:
                break
            continue
        if line.words[place] not in _SKIPPED or place - end > 3:
            break
        place += 1
    certain = sure or any(key not in COMMON_WORDS for key, _, _ in found)
    return [item for item in found if certain or (item[0] not in COMMON_WORDS)], end


def _technology(line: Line, place: int) -> tuple[str, int]:
    for length in (3, 2, 1):
        if place + length <= line.end:
            key = " ".join(line.words[place : place + length])
            if key in TECHNOLOGY:
                return key, place + length
    word = line.words[place]
    if word == "." and line.word(place + 1) == "net":
        return ".net", place + 2
    return "", place


def tech_drafts(
    line: Line, items: list[tuple[str, int, int]], start: int, *, stack: bool, removes: bool = False
) -> Iterator[Draft]:
    for key, first, last in items:
        if stack:
            field, family = "project_tech_stack", "stack"
        elif key in LANGUAGES:
            field, family = "programming_languages", "language"
        elif key in FRAMEWORKS:
            field, family = "frameworks", "framework"
        else:
            continue
        yield Draft(
            field=field,
            value=TECHNOLOGY[key],
            family="removed" if removes else family,
            start=line.starts[min(start, first)],
            end=line.ends[last - 1],
            removes=removes,
        )


def is_technical_talk(line: Line) -> bool:
    return bool(CONTEXT.intersection(line.reading.words))


def _for_years(line: Line, predicate: Predicate) -> bool:
    """Tell whether it was done for so long that it is still known: "I did Java for ten years"."""
    following = line.words[predicate.rest : predicate.rest + 8]
    return predicate.subject == "i" and "for" in following and bool({"years", "decade", "decades"} & set(following))


def uses(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I use Python", "I code in Rust", "we use Postgres", "I know Java", "I write Go"."""
    if (
        predicate.modal
        or predicate.wanted
        or (predicate.past and not predicate.ceased and not _for_years(line, predicate))
    ):
        return
    place = predicate.rest
    verb = predicate.verb
    if verb in words("code program develop work write specialize build"):
        step = place
        while line.word(step) in ADVERBS | words(
            "code software apps web with using in most of my stuff things professionally backend frontend on a lot"
        ):
            step += 1
        if line.word(step - 1) not in {"in", "with", "using"} and verb != "write":
            return
        place = step
    elif verb in {"like", "love", "prefer", "enjoy"} and line.word(place) in words(
        "coding programming to writing working"
    ):
        while line.word(place) in words("coding programming writing to code program write working with in use"):
            place += 1
    items, end = tech_list(
        line, place, sure=is_technical_talk(line) or verb in {"code", "program", "specialize", "develop"}
    )
    if not items and verb in {"use", "know", "write", "prefer", "do"}:
        alone, end = tech_list(line, place, sure=True)
        items = [
            item
            for item in alone
            if line.has_capital(item[1])
            and (line.is_end(end) or line.word(end) in words("for at every and but mostly on daily very"))
        ]
    if not items or (
        end < line.end
        and line.words[end] in words("script scripts error file files function version docs")
        and verb in {"write", "use"}
    ):
        return
    if (
        line.word(end) == "to"
        and verb == "use"
        and predicate.subject == "i"
        and not ADVERBS & set(line.words[predicate.start : predicate.at])
    ):
        return  # "I use Python to ..." may be a habit or a step
    yield from tech_drafts(
        line,
        items,
        predicate.start,
        stack=predicate.subject == "we"
        or verb == "build"
        or (
            verb == "write"
            and predicate.ongoing
            and line.word(place - 1) in {"in", "with", "using"}
            and "been" not in line.words
        ),
        removes=predicate.negated or predicate.ceased,
    )


def tech_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am a Python developer", "I'm fluent in Rust", "we are on Postgres"."""
    if predicate.modal or predicate.wanted or predicate.past:
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | words(
        "a an the senior junior full-stack lead freelance self-taught backend frontend mid-level experienced "
        "professional mainly more of"
    ):
        place += 1
    if line.word(place - 1) == "experienced" and line.word(place) in {"in", "with"}:
        place -= 1
    word = line.word(place)
    if word in words(
        "fluent proficient experienced comfortable skilled versed competent familiar good expert coding "
        "programming writing strong well-versed"
    ):
        if line.word(place + 1) not in {"in", "with", "at"}:
            return
        items, _ = tech_list(line, place + 2, sure=True)
        yield from tech_drafts(line, items, predicate.start, stack=word == "writing", removes=predicate.negated)
        return
    if word in {"using", "on", "running"} and predicate.subject == "we":
        items, _ = tech_list(line, place + 1, sure=is_technical_talk(line))
        yield from tech_drafts(line, items, predicate.start, stack=True, removes=predicate.negated)
        return
    items, end = tech_list(line, place, sure=True)
    if items and line.word(end) in words(
        "developer developers programmer engineer dev devs guy person coder expert specialist consultant user shop"
    ):
        yield from tech_drafts(line, items, predicate.start, stack=line.word(end) == "shop", removes=predicate.negated)
