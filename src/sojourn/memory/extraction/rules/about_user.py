"""What a message states about the one who wrote it: the fields of the profile, and facts beyond them.

`READERS` is the grammar: which verb of the user's is read by what. A reader yields drafts and decides nothing; here
they are joined, the one that says less dropped for the one that says more, and each given its measured confidence.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from sojourn.memory.extraction.rules import (
    about_user_dates,
    about_user_facts,
    about_user_plans,
    people,
    profile_age,
    profile_answers,
    profile_engaged,
    profile_enjoyed,
    profile_expertise,
    profile_favorites,
    profile_name,
    profile_pastimes,
    profile_place,
    profile_place_hints,
    profile_project,
    profile_style,
    profile_tastes,
    profile_tech,
    profile_work,
    profile_work_hints,
    profile_work_passing,
)
from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_tech import TECHNOLOGY
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate, joined, predicates
from sojourn.memory.extraction.rules.profile_draft import Draft, confidence_of
from sojourn.memory.extraction.rules.profile_tastes import HATING, LIKING
from sojourn.memory.extraction.rules.reading import Reading, read
from sojourn.memory.extraction.statement import FactStatement, Heard, ProfileStatement, Trust
from sojourn.model.events import Span

Reader = Callable[[Line, Predicate], Iterator[Draft]]
_SELF: Final = (
    profile_style.TRIGGERS
    | profile_tech.CONTEXT
    | words(
        "i i'm im i've ive i'd i'll my me mine we our we're we've us name names call here living love enjoy "
        "prefer hate age iam i'am been keep be explain forget delete remove erase please working retired scratch "
        "uses built written runs this use skip get walk thanks thank cheers regards best sincerely not no"
    )
)
"""A message without any of these says nothing about its writer, unless it answers a question."""
_MACHINE: Final = re.compile(
    r"\b(?:i'?m|i am|as) an? (?:\w+ ){0,2}(?:language model|ai\b|(?:ai|digital|virtual) assistant|chatbot)",
    re.IGNORECASE,
)
"""How assistants speak of themselves: such a text is pasted, whoever sends it."""


_CHAT: Final = 6
"""Sentences of a message in which what somebody is doing tells what he likes; a longer text is about something else."""


class About(NamedTuple):
    """What is stated about the user."""

    profile: tuple[ProfileStatement, ...] = ()
    facts: tuple[FactStatement, ...] = ()


def _be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    name = profile_name.name_after_be(line, predicate)
    if name is not None:
        yield name
        yield from profile_age.age_after_name(line, predicate)
        comma = next(
            (at for at in range(predicate.rest, min(line.end, predicate.rest + 4)) if line.words[at] == ","), 0
        )
        yield from profile_place.trailing(line, comma or predicate.rest - 1, predicate.start)
        return
    if line.word(predicate.rest) == "born":
        yield from about_user_dates.born(
            line, Predicate(subject="i", verb="bear", at=predicate.rest, rest=predicate.rest + 1, start=predicate.start)
        )
    yield from profile_age.age_after_be(line, predicate)
    yield from profile_work.work_after_be(line, predicate)
    yield from profile_place.place_after_be(line, predicate)
    yield from profile_tastes.taste_after_be(line, predicate)
    yield from profile_tech.tech_after_be(line, predicate)
    yield from profile_expertise.level_after_be(line, predicate)
    yield from about_user_facts.facts_after_be(line, predicate)
    yield from about_user_plans.studies_being(line, predicate)
    yield from about_user_dates.zones(line, predicate)


def _go(line: Line, predicate: Predicate) -> Iterator[Draft]:
    name = profile_name.name_after_go(line, predicate)
    if name is not None:
        yield name
        return
    yield from profile_pastimes.does(line, predicate)
    yield from profile_enjoyed.visits(line, predicate)
    yield from about_user_plans.studies(line, predicate)


def _run(line: Line, predicate: Predicate) -> Iterator[Draft]:
    business = list(profile_work.runs_business(line, predicate))
    yield from business or profile_pastimes.does(line, predicate)


def _grow(line: Line, predicate: Predicate) -> Iterator[Draft]:
    if line.word(predicate.rest) == "up" and predicate.past:
        yield from profile_place.origins(line, predicate.rest, predicate.start)


def _like(line: Line, predicate: Predicate) -> Iterator[Draft]:
    technology = list(profile_tech.uses(line, predicate))
    yield from technology
    for draft in profile_tastes.likes(line, predicate):
        if not (technology and str(draft.value).lower() in TECHNOLOGY):
            yield draft


READERS: Final[dict[str, tuple[Reader, ...]]] = {
    "be": (_be,),
    "bear": (about_user_dates.born,),
    "go": (_go,),
    "run": (_run,),
    "grow": (_grow,),
    "spend": (profile_pastimes.does, profile_work_hints.serves),
    **dict.fromkeys(("live", "reside", "dwell", "stay", "settle"), (profile_place.lives,)),
    **dict.fromkeys(("move", "relocate"), (profile_place.moves,)),
    "work": (profile_work.works, profile_pastimes.does, profile_tech.uses, profile_project.builds),
    "retire": (profile_work.retires,),
    "own": (profile_work.runs_business, about_user_facts.drives),
    "manage": (profile_work.runs_business,),
    "have": (
        profile_work.runs_business,
        profile_tastes.has_taste,
        profile_expertise.has_experience,
        people.has_people,
        about_user_facts.has_facts,
    ),
    "get": (
        profile_tastes.has_taste,
        people.has_people,
        about_user_facts.has_facts,
        about_user_facts.becomes,
    ),
    "stand": (profile_tastes.has_taste,),
    "wear": (profile_enjoyed.wears,),
    "do": (
        profile_enjoyed.pursues,
        profile_tech.uses,
        profile_work_hints.serves,
        profile_work_passing.by_trade,
        profile_work_passing.serves_in,
    ),
    **dict.fromkeys(("serve", "joined"), (profile_work_passing.serves_in, profile_work_hints.serves)),
    "hang": (profile_enjoyed.hangs_out, profile_work_hints.serves),
    **dict.fromkeys(("snack", "munch"), (profile_enjoyed.snacks, profile_enjoyed.for_pleasure)),
    **dict.fromkeys(("fall", "fell"), (profile_enjoyed.falls,)),
    "drive": (profile_work.practises, profile_work_hints.serves, about_user_facts.drives),
    **dict.fromkeys(
        ("teach", "sell", "bartend", "waitress", "tutor", "nurse", "coach", "farm", "babysit", "volunteer"),
        (profile_work.practises,),
    ),
    **dict.fromkeys(LIKING, (_like,)),
    **dict.fromkeys(HATING, (profile_tastes.hates,)),
    "turn": (profile_age.turns,),
    "use": (profile_tech.uses,),
    "know": (profile_tech.uses, profile_expertise.practised),
    **dict.fromkeys(
        ("code", "program", "develop"), (profile_tech.uses, profile_expertise.practised, profile_project.builds)
    ),
    "write": (profile_pastimes.does, profile_tech.uses, profile_expertise.practised, profile_project.builds),
    **dict.fromkeys(
        ("build", "create", "design", "make"), (profile_project.builds, profile_tech.uses, profile_work_hints.serves)
    ),
    "specialize": (profile_tech.uses,),
    "learn": (profile_expertise.practised, about_user_plans.learns),
    "train": (about_user_plans.learns, profile_work_hints.serves),
    **dict.fromkeys(("start", "started", "begin"), (profile_expertise.practised, profile_work_hints.serves)),
    "speak": (about_user_facts.speaks,),
    **dict.fromkeys(("study", "major", "graduate", "attend"), (about_user_plans.studies,)),
    **dict.fromkeys(("eat", "drink"), (profile_pastimes.does, about_user_facts.eats)),
}
_OTHERWISE: Final[tuple[Reader, ...]] = (
    profile_pastimes.does,
    profile_enjoyed.for_pleasure,
    profile_work_hints.serves,
    profile_work_passing.by_trade,
)


def statements(user: Reading, before: Sequence[Heard] = ()) -> About:
    """Return what the user states about himself. *before* is what was said last, to understand what it answers."""
    asked = profile_answers.question_in(before)
    if not user.sentences or (asked is None and not _SELF & user.words):
        return About()
    if {"model", "ai", "assistant", "chatbot"} & user.words and _MACHINE.search(user.prose):
        return About()
    lines = [Line(user, sentence, first=number == 0) for number, sentence in enumerate(user.sentences)]
    drafts = list(_drafts(user, lines))
    if asked is not None and not any(draft.field == asked for draft in drafts):
        drafts += profile_answers.answers(lines, asked)
    if before and (profile_answers.is_correcting(lines) or profile_answers.takes_back(lines)):
        drafts = _corrected(lines, drafts, before, asked)
    profile_answers.with_former(lines, drafts)
    return _about(user, drafts, trust="user")


def of_assistant(assistant: Reading) -> About:
    """Return what the assistant says of the user ("You're Ana, right?"): a guess, which only the user can confirm."""
    if not {"you", "you're", "your", "youre"} & assistant.words:
        return About()
    turned = read(Heard(role="assistant", text=_turned(assistant.prose)))
    reading = Reading(heard=assistant.heard, prose=turned.prose, sentences=turned.sentences)
    lines = [Line(reading, sentence, first=number == 0) for number, sentence in enumerate(reading.sentences)]
    kept = [
        draft
        for draft in _drafts(reading, lines)
        if draft.field not in {"communication_style", "interests"} and not draft.removes
    ]
    return _about(reading, kept, trust="assistant")


def _turned(prose: str) -> str:
    """Return the text with "you" and "I" exchanged, character for character in place, so that offsets stay."""
    plain = f" {prose.lower().replace('’', chr(39))} " if len(prose.lower()) == len(prose) else f" {prose} "
    for found, written in (
        ("i'm", "#  "),
        ("i've", "#   "),
        ("i'll", "#   "),
        ("i'd", "#  "),
        ("i", "#"),
        ("my", "##"),
        ("me", "##"),
        ("we", "##"),
        ("you're", "i'm   "),
        ("you've", "i've  "),
        ("your", "my  "),
        ("you", "i  "),
    ):
        plain = _replaced(plain, found, written)
    return plain[1:-1]


def _replaced(text: str, found: str, written: str) -> str:
    place = text.find(found)
    pieces = []
    last = 0
    while place >= 0:
        end = place + len(found)
        if not (text[place - 1].isalnum() or text[place - 1] == "'" or text[end].isalnum() or text[end] == "'"):
            pieces += [text[last:place], written]
            last = end
        place = text.find(found, end)
    return "".join([*pieces, text[last:]])


_ASKS: Final = words("favorite favourite fav fave hobby hobbies passion passions love addiction weakness")
"""What "mine is ..." may answer with something liked."""


def _drafts(user: Reading, lines: list[Line]) -> Iterator[Draft]:
    known = user.words
    readers = [reader for triggers, reader in _LINE_READERS if known & triggers]
    asked = bool(known & _ASKS)
    for number, line in enumerate(lines):
        if line.words[0] in {"forget", "ignore", "disregard"} or line.words[:2] == ["please", "forget"]:
            yield from _unsaid(line)
            continue
        for predicate in predicates(line):
            yield from _read_all(line, predicate)
        for reader in readers:
            yield from reader(line)
        if known & profile_favorites.TRIGGERS:
            yield from profile_favorites.favorites(line, asked=asked)
        if len(lines) <= _CHAT:
            if profile_engaged.seen(line):
                yield from profile_engaged.engaged(line)
            yield from profile_enjoyed.enjoyed(line)
        if known & profile_engaged.REFERRING:
            yield from profile_engaged.referred(lines, number)
            yield from profile_enjoyed.meant(lines, number)
    signed = profile_name.signature(lines)
    if signed is not None:
        yield signed


_LINE_READERS: Final[tuple[tuple[frozenset[str], Callable[[Line], Iterator[Draft]]], ...]] = (
    (profile_name.TRIGGERS, profile_name.names),
    (profile_place.TRIGGERS, profile_place_hints.places),
    (profile_work_hints.TRIGGERS, profile_work_hints.works_stated),
    (profile_work_passing.TRIGGERS, profile_work_passing.passing),
    (profile_age.TRIGGERS, profile_age.ages),
    (profile_style.TRIGGERS, profile_style.styles),
    (profile_tech.CONTEXT | {"built", "uses", "written"}, profile_project.projects),
    (frozenset({"my"}), people.people),
    (frozenset({"my", "fired", "laid"}), profile_answers.removals),
    (about_user_dates.TRIGGERS, about_user_dates.stated_facts),
)
"""What is read in a line whatever its verbs, if the message has any of these words."""


def _unsaid(line: Line) -> Iterator[Draft]:
    """Read "forget my name", and "forget that I live in Rome" as what is not to hold any more."""
    yield from profile_answers.removals(line)
    for predicate in predicates(line):
        for draft in _read_all(line, predicate):
            draft.removes, draft.family = True, "forget"
            yield draft


def _read_all(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read a predicate and those that go on with its subject."""
    current: Predicate | None = predicate
    while current is not None:
        if current.wanted:
            yield from about_user_plans.wants(line, current)
        for reader in READERS.get(current.verb, _OTHERWISE):
            yield from reader(line, current)
        following = None
        for place in range(current.rest, line.end - 1):
            if line.words[place] == "i":
                break
            following = joined(line, place, current)
            if following is not None:
                break
        current = following


def _corrected(lines: list[Line], drafts: list[Draft], before: Sequence[Heard], asked: str | None) -> list[Draft]:
    """Return the drafts with what a correction adds, looked up in what was said before."""
    known: list[profile_answers.Known] = []
    for heard in before[-4:]:
        if heard.role == "user":
            known += profile_answers.known_from(statements(read(heard)).profile, own=True)
        elif heard.role == "assistant":
            known += profile_answers.known_from(of_assistant(read(heard)).profile, own=False)
            known += profile_answers.addressed(heard.text)
    if profile_answers.takes_back(lines):
        own = [item for item in known if item[2]]
        line = lines[0]
        return [
            Draft(field=field, value=value, removes=True, family="removed", start=line.starts[0], end=line.ends[-1])
            for field, value, _ in own
        ]
    for draft in drafts:
        if draft.field and draft.former is None and not draft.removes:
            old = [
                value
                for field, value, _ in known
                if field == draft.field and str(value).casefold() != str(draft.value).casefold()
            ]
            draft.former = old[-1] if old and draft.field not in profile_answers.MANY else None
    if not any(draft.field for draft in drafts):
        drafts = drafts + list(profile_answers.corrections(lines, known, asked))
    return drafts


def _about(user: Reading, drafts: list[Draft], *, trust: Trust) -> About:
    profile: dict[tuple[str, str, bool], ProfileStatement] = {}
    facts: dict[str, FactStatement] = {}
    for draft in _telling(drafts):
        if draft.field:
            key = (draft.field, str(draft.value).casefold(), draft.removes)
            if key not in profile:
                profile[key] = _profile_statement(user, draft, trust)
        elif draft.content not in facts:
            facts[draft.content] = _fact_statement(user, draft, trust)
    return About(tuple(profile.values()), tuple(facts.values()))


def _profile_statement(user: Reading, draft: Draft, trust: Trust) -> ProfileStatement:
    return ProfileStatement(
        field=draft.field,
        value=draft.value,
        removes=draft.removes,
        former=draft.former,
        confidence=confidence_of(draft.family, trust),
        trust=trust,
        evidence=(Span(seq=user.heard.seq, start=draft.start, end=draft.end),),
    )


def _fact_statement(user: Reading, draft: Draft, trust: Trust) -> FactStatement:
    return FactStatement(
        content=draft.content,
        slot=draft.slot,
        value=None if draft.value is None else str(draft.value),
        scope="user",
        about="user",
        tags=draft.tags,
        removes=draft.removes,
        confidence=confidence_of(draft.family, trust),
        trust=trust,
        evidence=(Span(seq=user.heard.seq, start=draft.start, end=draft.end),),
    )


def _telling(drafts: list[Draft]) -> list[Draft]:
    """Return the drafts without those that another says better: one home, one job, and no interest within another."""
    kept = drafts
    for field, order in _BETTER.items():
        found = [draft for draft in kept if draft.field == field and not draft.removes]
        if field == "name" and {draft.family for draft in found} & _CALLED:
            continue  # "my name is William but I go by Bill" states both, and the last one is to be used
        if len(found) > 1:
            best = min(
                found,
                key=lambda draft: (order.index(draft.family) if draft.family in order else len(order), -draft.start),
            )
            kept = [draft for draft in kept if draft.field != field or draft.removes or draft is best]
    interests = [
        (draft, frozenset(str(draft.value).lower().split()))
        for draft in kept
        if draft.field == "interests" and not draft.removes
    ]
    if len(interests) > 1:
        inner: set[int] = set()
        for one, less in interests:
            for other, more in interests:
                if one is not other and less < more and one.start < other.end and other.start < one.end:
                    inner.add(id(one))
                    if other.family == "mentions":
                        other.family = one.family  # what is told outright of a part of the name is told of it
        kept = [draft for draft in kept if id(draft) not in inner]
    return kept


_CALLED: Final = frozenset({"name_call", "name_called"})
_BETTER: Final[dict[str, tuple[str, ...]]] = {
    "name": ("corrected", "name_call", "name_called", "name_is", "answer", "name_am", "name_here", "name_signed"),
    "location": (
        "corrected", "answer", "location_moved", "location_live", "location_where", "location_in", "location_here",
        "location_trailing", "location_from", "location_mention", "location_kind",
    ),
    "occupation": (
        "corrected", "work_am", "work_as", "work_job", "answer", "work_own", "work_field", "work_at", "work_status",
        "work_verb", "work_serve", "work_known",
    ),
    "age": ("corrected", "age_old", "age_am", "answer"),
    "expertise_level": ("answer", "expertise"),
    "communication_style": ("style", "style_once"),
    "current_project": ("project", "answer"),
}  # fmt: skip
"""Of several drafts of a field that has one value, the kind of pattern that is believed first; then the later one."""
