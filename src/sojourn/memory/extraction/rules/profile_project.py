"""How people say what they are building, and with what."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tech import TECHNOLOGY
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_tech import tech_drafts, tech_list

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
        yield from tech_drafts(line, items, predicate.start, stack=True)


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
    """Yield what is stated of a project without "I": "my project is called Atlas", "our stack is Django"."""
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
            yield from tech_drafts(line, items, place, stack=False)
        elif (
            word == "my" and line.word(place - 1) == "is" and "language" in line.words[place : place + 4] and place >= 2
        ):
            items, _ = tech_list(line, place - 2, sure=True)
            yield from tech_drafts(line, items, place - 2, stack=False)
        elif word == "stack" and line.word(place + 1) in words("is : includes consists will"):
            at = place + 2
            while line.word(at) in words("of currently mostly basically just be"):
                at += 1
            items, _ = tech_list(line, at, sure=True)
            yield from tech_drafts(line, items, place, stack=line.word(place + 1) != "will")
        elif word in words("uses runs written built powered implemented based build") and _is_about_project(
            line, place
        ):
            at = place + 1
            while line.word(at) in words("in on with by using of around entirely top") | ADVERBS:
                at += 1
            items, _ = tech_list(line, at, sure=True)
            yield from tech_drafts(line, items, place, stack=True)
        elif (
            word in words("backend frontend back-end front-end database db")
            and line.word(place + 1) == "is"
            and line.word(place - 1) in words("the our my its and")
        ):
            items, _ = tech_list(line, place + 2, sure=True)
            yield from tech_drafts(line, items, place, stack=True)


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
