"""How people say how well they know their way around computers."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, STOPS
from sojourn.memory.extraction.rules.lexicon_tech import TECHNOLOGY
from sojourn.memory.extraction.rules.profile_age import number_at
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_tech import CONTEXT, is_technical_talk, tech_drafts, tech_list


def has_experience(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have ten years of experience with Java", and how much that is."""
    if predicate.wanted or predicate.modal:
        return
    text = line.words[predicate.rest : predicate.rest + 14]
    if "experience" not in text and "background" not in text:
        return
    at = predicate.rest + (text.index("experience") if "experience" in text else text.index("background"))
    none = predicate.negated or text[0] in {"no", "zero", "little"} or text[:2] == ["almost", "no"]
    technical = (
        is_technical_talk(line) or "technical" in text or "it" in text[-2:] or any(word in TECHNOLOGY for word in text)
    )
    if none and technical:
        yield _level("beginner", line, predicate.start, at + 1)
        return
    if line.word(at + 1) in words("in with writing using coding programming") and not none:
        place = at + 2
        while line.word(place) in words("in with writing programming coding"):
            place += 1
        items, _ = tech_list(line, place, sure=True)
        yield from tech_drafts(line, items, predicate.start, stack=False)
    years = _years(line, predicate.rest, at)
    if years is not None and technical and not none:
        yield _level(_by_years(years), line, predicate.start, at + 1)


def _years(line: Line, first: int, last: int) -> float | None:
    for place in range(first, min(last, line.end)):
        found = number_at(line, place)
        word = line.words[place].rstrip("+")
        value = found[0] if found else int(word) if word.isdigit() and len(word) < 3 else None
        after = found[1] if found else place + 1
        while line.word(after) in words("+ or more plus odd"):
            after += 1
        if value is not None and line.word(after) in words("years year yrs decades decade"):
            return value * (10 if "decade" in line.word(after) else 1)
        if value is not None and line.word(after) in words("months weeks month week days"):
            return 0.5
    if {"decades", "decade"} & set(line.words[first:last]):
        return 20
    if line.words[first:last][-2:] in (["few", "months"], ["few", "weeks"]) or {"months", "weeks"} & set(
        line.words[first:last]
    ):
        return 0.5
    return 3 if line.words[first:last][-2:] == ["few", "years"] else None


def _by_years(years: float) -> str:
    return "beginner" if years <= 1 else "intermediate" if years < 6 else "expert"


def _level(value: str, line: Line, first: int, last: int) -> Draft:
    return Draft(
        field="expertise_level",
        value=value,
        family="expertise",
        start=line.starts[first],
        end=line.ends[min(last, line.end) - 1],
    )


_NEW: Final = words("beginner newbie noob novice newcomer rookie n00b beginners")
_SKILLED: Final = words("expert guru veteran pro master wizard")
_TECHNICAL: Final = CONTEXT | words(
    "this it computers computer technical terminal git linux sql data machine learning ml ai cloud devops html "
    "css here web command security"
)


def level_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I'm a beginner", "I'm new to programming", "I'm an expert in Rust", "I'm a senior engineer"."""
    if predicate.modal or predicate.wanted or predicate.past or predicate.subject != "i":
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | words(
        "a an the complete total absolute bit relatively fairly of true seasoned very kind sort pretty brand"
    ):
        if line.words[place] == "seasoned":
            break
        place += 1
    word, after = line.word(place), line.word(place + 1)
    if word in _NEW or (word == "new" and after in {"to", "at"}) or (word == "absolute" and after == "beginner"):
        if _is_technical(line, place + 1) and not predicate.negated:
            yield _level("beginner", line, predicate.start, place + 1)
    elif word in _SKILLED or (
        word in words("seasoned advanced experienced senior expert expert-level veteran principal staff")
        and _is_trade(line, place + 1)
    ):
        if predicate.negated:
            return
        if _is_technical(line, place + 1) and (
            word not in words("master pro veteran wizard guru expert")
            or is_technical_talk(line)
            or any(key in TECHNOLOGY for key in line.words[place:])
            or after in {"", "level"}
            or line.is_end(place + 1)
        ):
            yield _level("expert", line, predicate.start, place + 1)
    elif word in {"intermediate", "intermediate-level", "mid-level"} or (
        word == "somewhere" and "intermediate" in line.words
    ):
        yield _level("intermediate", line, predicate.start, place + 1)
    elif (
        predicate.negated
        and (
            word in words("technical programmer developer coder techie tech-savvy engineer")
            or (word in {"tech", "very"} and after in {"person", "savvy", "technical"})
        )
    ) or word in {"non-technical", "nontechnical"}:
        yield _level("beginner", line, predicate.start, place + 1)


def _is_technical(line: Line, place: int) -> bool:
    """Tell whether what the skill is in, if that is said, has to do with computers."""
    if line.word(place) not in words("in at to with on when level"):
        return line.is_end(place) or line.word(place) in STOPS or _is_trade(line, place)
    following = line.words[place + 1 : place + 6]
    return any(word in _TECHNICAL or word in TECHNOLOGY for word in following) or line.word(place) in {"level", "when"}


def _is_trade(line: Line, place: int) -> bool:
    return bool(
        words("developer engineer programmer dev coder user sysadmin architect") & set(line.words[place : place + 4])
    )


def practised(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I've been coding for ten years", "I just started learning Python", "I don't know how to code"."""
    verb = predicate.verb
    rest = line.words[predicate.rest : predicate.rest + 12]
    if verb in {"code", "program", "develop", "write"}:
        if (
            predicate.negated
            and (predicate.past or "never" in line.words[predicate.start : predicate.at])
            and not predicate.modal
            and verb != "write"
        ):
            yield _level("beginner", line, predicate.start, predicate.at + 1)
        elif (
            "for" in rest
            and not predicate.wanted
            and (verb in {"code", "program"} or "code" in rest or "software" in rest)
        ):
            place = predicate.rest + rest.index("for")
            years = _years(line, place, min(line.end, place + 6))
            if years is not None:
                yield _level(_by_years(years), line, predicate.start, min(line.end, place + 4))
    elif verb == "know" and predicate.negated and rest[:3] in (["how", "to", "code"], ["how", "to", "program"]):
        yield _level("beginner", line, predicate.start, predicate.rest + 3)
    elif verb == "know" and predicate.negated and "programming" in rest[:4]:
        yield _level("beginner", line, predicate.start, predicate.rest + 2)
    elif (verb == "learn" or rest[:2] in (["learning", "to"], ["to", "learn"])) and verb in {
        "learn",
        "start",
        "started",
        "begin",
    }:
        fresh = {"just", "recently", "started", "start"} & set(line.words[predicate.start : predicate.at + 1])
        if fresh and (_TECHNICAL & set(rest) or any(word in TECHNOLOGY for word in rest)) and not predicate.negated:
            yield _level("beginner", line, predicate.start, predicate.at + 1)
    elif (
        verb in {"start", "started"}
        and rest[:1] in (["learning"], ["coding"], ["programming"])
        and (_TECHNICAL & set(rest) or any(word in TECHNOLOGY for word in rest))
    ) and {"just", "recently", "only"} & set(line.words[predicate.start : predicate.at]):
        yield _level("beginner", line, predicate.start, predicate.rest + 1)
