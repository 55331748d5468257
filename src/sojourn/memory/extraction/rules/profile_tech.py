"""How people say what they program in, what they build, with what, and how well they know it."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tech import COMMON_WORDS, FRAMEWORKS, LANGUAGES, TECHNOLOGY
from sojourn.memory.extraction.rules.profile_age import number_at
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
_PROJECTS: Final = words("""
app apps application website site webapp tool library package game bot api service platform plugin cli dashboard
model pipeline compiler system engine startup prototype script extension thesis dissertation novel book paper blog
project framework chatbot agent store shop portfolio database backend frontend server client module simulator
simulation parser editor crawler scraper tracker manager marketplace wiki newsletter podcast course tutorial
integration sdk interpreter language kernel driver firmware robot drone visualizer visualization calculator
generator recommender classifier network report screenplay album documentary film product saas crm erp cms
microservice microservices migration mvp demo widget theme addon mod assistant playground debugger linter formatter
scheduler planner organizer proxy gateway converter translator detector analyzer analyser monitor viewer browser
launcher clone story
""")
_NO_PROJECT: Final = words(
    "it this that bug issue problem error homework car house garden fitness myself body question something stuff "
    "things them task exercise you lot same one what"
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


def _drafts(
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
            field=field, value=TECHNOLOGY[key], family="removed" if removes else family, start=line.starts[min(start, first)],
            end=line.ends[last - 1], removes=removes,
        )  # fmt: skip


def _sure(line: Line) -> bool:
    return bool(CONTEXT.intersection(line.reading.words))


def uses(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I use Python", "I code in Rust", "we use Postgres", "I know Java", "I write Go"."""
    if predicate.modal or predicate.wanted or (predicate.past and not predicate.ceased):
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
    items, end = tech_list(line, place, sure=_sure(line) or verb in {"code", "program", "specialize", "develop"})
    if not items and verb in {"use", "know", "write", "prefer"}:
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
    yield from _drafts(
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
        yield from _drafts(line, items, predicate.start, stack=word == "writing", removes=predicate.negated)
        return
    if word in {"using", "on", "running"} and predicate.subject == "we":
        items, _ = tech_list(line, place + 1, sure=_sure(line))
        yield from _drafts(line, items, predicate.start, stack=True, removes=predicate.negated)
        return
    items, end = tech_list(line, place, sure=True)
    if items and line.word(end) in words(
        "developer developers programmer engineer dev devs guy person coder expert specialist consultant user shop"
    ):
        yield from _drafts(line, items, predicate.start, stack=line.word(end) == "shop", removes=predicate.negated)


def has_experience(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have ten years of experience with Java", and how much that is."""
    if predicate.wanted or predicate.modal:
        return
    text = line.words[predicate.rest : predicate.rest + 14]
    if "experience" not in text and "background" not in text:
        return
    at = predicate.rest + (text.index("experience") if "experience" in text else text.index("background"))
    none = predicate.negated or text[0] in {"no", "zero", "little"} or text[:2] == ["almost", "no"]
    technical = _sure(line) or "technical" in text or "it" in text[-2:] or any(word in TECHNOLOGY for word in text)
    if none and technical:
        yield _level("beginner", line, predicate.start, at + 1)
        return
    if line.word(at + 1) in words("in with writing using coding programming") and not none:
        place = at + 2
        while line.word(place) in words("in with writing programming coding"):
            place += 1
        items, _ = tech_list(line, place, sure=True)
        yield from _drafts(line, items, predicate.start, stack=False)
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
            or _sure(line)
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
    """Read "I've been coding for ten years", "I just started learning Python", "I don't know how to code", "I've never coded"."""
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


_BUILDING: Final = words("build develop write create make design work code program")
_ARTICLES: Final = words("a an the my our this some new")


def builds(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I'm building a budgeting app in Rust", "we're working on Atlas, a search engine"."""
    if predicate.modal or predicate.wanted or predicate.infinitive or (predicate.negated and not predicate.ceased):
        return
    now = predicate.ongoing or predicate.ceased
    if not now or (predicate.past and not predicate.ceased):
        return
    place = predicate.rest
    while line.word(place) in ADVERBS:
        place += 1
    if predicate.verb == "work":
        if line.word(place) != "on":
            return
        place += 1
    item = _project(line, place, named=predicate.verb == "work")
    if item is None:
        return
    first, last, cut = item
    draft = Draft(
        field="current_project",
        value=" ".join(line.original(first, last).split()),
        family="project",
        start=line.starts[predicate.start],
        end=line.ends[last - 1],
    )
    if predicate.ceased:
        draft.removes, draft.family = True, "removed"
        yield draft
        return
    yield draft
    if line.word(cut) in {"in", "with", "using", "on", "on top of"}:
        items, _ = tech_list(line, cut + 1, sure=True)
        yield from _drafts(line, items, predicate.start, stack=True)


def _project(line: Line, place: int, *, named: bool) -> tuple[int, int, int] | None:
    """Return a project's description at *place* (first, last) and where the words after it begin."""
    article = line.word(place) in _ARTICLES
    first = place
    while line.word(first) in _ARTICLES | ADVERBS:
        first += 1
    if first >= line.end or line.words[first] in _NO_PROJECT | STOPS or line.words[first] in MARKS:
        return None
    last = first
    head = False
    while last < line.end and last - first < 14:
        word = line.words[last]
        if word in MARKS and word not in {"-", "/", '"', "'"}:
            break
        if (
            word
            in words("and but so because i we right now at currently which lately these today since please can could")
            and last > first
        ):
            break
        if word in {"in", "with", "using", "on"} and last > first and tech_list(line, last + 1, sure=True)[0]:
            break
        head = head or word in _PROJECTS
        last += 1
    if last == first:
        return None
    if not head and not (named and line.has_capital(first) and line.words[first] not in TECHNOLOGY):
        return None
    if line.words[first] in _NO_PROJECT or (
        not article and not line.has_capital(first) and not line.words[last - 1].endswith("s") and not named
    ):
        return None
    while last > first and line.words[last - 1] in STOPS:
        last -= 1
    return first, last, last


def projects(line: Line) -> Iterator[Draft]:
    """Yield what is stated of a project without "I": "my project is called Atlas", "our stack is Django and Postgres"."""
    for place, word in enumerate(line.words):
        clause = line.clause(place)
        if clause.is_question or clause.is_hypothetical or clause.is_reported:
            continue
        if word == "project" and _is_ours(line, place) and line.word(place + 1) in {"is", ":", ","}:
            yield from _called(line, place)
        elif (
            word in {"language", "languages"}
            and "my" in line.words[max(0, place - 4) : place]
            and line.word(place + 1) in {"is", "are", ":"}
            and not {"native", "first", "second", "mother"} & set(line.words[max(0, place - 2) : place])
        ):
            items, _ = tech_list(line, place + 2, sure=True)
            yield from _drafts(line, items, place, stack=False)
        elif (
            word == "my" and line.word(place - 1) == "is" and "language" in line.words[place : place + 4] and place >= 2
        ):
            items, _ = tech_list(line, place - 2, sure=True)
            yield from _drafts(line, items, place - 2, stack=False)
        elif word == "stack" and line.word(place + 1) in words("is : includes consists will"):
            at = place + 2
            while line.word(at) in words("of currently mostly basically just be"):
                at += 1
            items, _ = tech_list(line, at, sure=True)
            yield from _drafts(line, items, place, stack=line.word(place + 1) != "will")
        elif word in words("uses runs written built powered implemented based build") and _is_about_project(
            line, place
        ):
            at = place + 1
            while line.word(at) in words("in on with by using of around entirely top") | ADVERBS:
                at += 1
            items, _ = tech_list(line, at, sure=True)
            yield from _drafts(line, items, place, stack=True)
        elif (
            word in words("backend frontend back-end front-end database db")
            and line.word(place + 1) == "is"
            and line.word(place - 1) in words("the our my its and")
        ):
            items, _ = tech_list(line, place + 2, sure=True)
            yield from _drafts(line, items, place, stack=True)


def _is_ours(line: Line, place: int) -> bool:
    before = line.words[max(0, place - 4) : place]
    return bool({"my", "our"} & set(before)) and not words("last previous old first next former your") & set(before)


def _called(line: Line, place: int) -> Iterator[Draft]:
    at = place + 2
    while line.word(at) in words("called named is currently about basically to build") | ADVERBS:
        at += 1
    if (
        line.word(at) in words("not due done going late finished over complete almost broken")
        or line.word(at) in STOPS - _ARTICLES
    ):
        return
    named = line.word(at - 1) in {"called", "named"} or line.has_capital(min(at, line.end - 1))
    while line.word(at) in _ARTICLES:
        at += 1
    if at >= line.end:
        return
    an = line.word(at - 1) in {"a", "an"}
    item = _project(line, at, named=True) if not named else None
    if item is None:
        last = at
        while last < line.end and last - at < 5 and line.words[last] not in MARKS and line.words[last] not in STOPS:
            last += 1
        if not (named or an) or last == at:
            return
        item = (at, last, last)
    yield Draft(
        field="current_project",
        value=" ".join(line.original(item[0], item[1]).split()),
        family="project",
        start=line.starts[max(0, place - 1)],
        end=line.ends[item[1] - 1],
    )


def _is_about_project(line: Line, place: int) -> bool:
    """Tell whether the subject before the verb is something that the user builds."""
    before = line.words[max(0, place - 6) : place]
    nouns = (_PROJECTS | words("stack codebase thing it everything frontend infrastructure repo")) & set(before)
    owned = words("my our the it everything this whole") & set(before)
    if line.words[place] in words("built build written based powered implemented") and not {
        "is",
        "are",
        "it's",
        "was",
    } & set(before):
        return {"i", "we"} & set(before) == {"we"} and line.words[place] == "built"
    return bool(nouns and owned)
