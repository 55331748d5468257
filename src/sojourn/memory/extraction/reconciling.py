"""Making one extraction of two: what rules found at once, and what a model found later in the same exchange.

Rules read little and are seldom wrong about it; a model reads nearly everything. So what both found is surer than
either said, what the user said in plain words is not overruled by a model, what the rules saw denied stays denied, and
what only the model found is kept as far as it is believed. All functions here are pure.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from sojourn.memory.extraction.statement import (
    Extraction,
    FactStatement,
    FileStatement,
    ProfileStatement,
    Statement,
    TaskStatement,
)
from sojourn.model.events import Span
from sojourn.model.interaction import Intent
from sojourn.model.profile import SCALARS
from sojourn.model.wording import normalised, says_the_same, sentence, words

SUREST: Final = 0.99
OTHERS_MOST: Final = 0.75
"""The most that is believed of what only the model found, unless the user's own words say it."""
CANDIDATE_MOST: Final = 0.5
"""What is believed of a finding that disagrees with the user's plain words: it waits for a review."""
ALIKE: Final = 0.7
"""The share of their words that two wordings of one task or decision have in common."""
SHARED: Final = 0.8
"""The share of the shorter one's words that two facts have in common, if they rest on the same words."""
SHARED_SHORT: Final = 0.65
"""The same, of two tasks or decisions."""
DENIED_ALIKE: Final = 0.7
"""The same, for a sentence and what denies it, the denying words aside."""
_DENYING: Final = frozenset(
    {
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "of",
        "to",
        "in",
        "on",
        "at",
        "do",
        "doe",
        "did",
        "user",
    }
    | {"not", "no", "never", "none", "cannot", "without", "nor", "neither", "longer", "any", "more", "anymore"}
    | {"don't", "doesn't", "didn't", "isn't", "aren't", "wasn't", "won't", "can't"}
)
_PAST: Final = frozenset(
    {"no", "not", "never", "former", "formerly", "previously", "longer", "anymore", "quit", "stopped"}
)

Kept = TypeVar("Kept", bound=Statement)


def reconcile(rules: Extraction, model: Extraction) -> Extraction:
    """Return what *rules* and *model* found in one exchange, as one."""
    return Extraction(
        profile=_profile(rules, model),
        facts=_facts(rules, model),
        decisions=_united(rules.decisions, _capped(model.decisions), _same_text),
        tasks=_tasks(rules.tasks, _capped(model.tasks)),
        files=_files(rules.files, _capped(model.files)),
        intent=_intent(rules.intent, model.intent),
        topic=model.topic or rules.topic,
    )


def _profile(rules: Extraction, model: Extraction) -> tuple[ProfileStatement, ...]:
    found = [statement for statement in _capped(model.profile) if not _denied_field(statement, rules.profile)]
    weighed = [
        _candidate(statement) if any(_disagree(ours, statement) for ours in rules.profile) else statement
        for statement in found
    ]
    return _united(rules.profile, weighed, _same_field)


def _same_field(one: ProfileStatement, other: ProfileStatement) -> bool:
    return (one.field, one.removes) == (other.field, other.removes) and _same_value(one.value, other.value)


def _same_value(one: str | int | None, other: str | int | None) -> bool:
    if one is None or other is None:
        return one is other
    return normalised(str(one)) == normalised(str(other))


def _denied_field(statement: ProfileStatement, rules: Sequence[ProfileStatement]) -> bool:
    """Tell whether the rules saw that the field does not hold this value, or not any more."""
    if statement.removes:
        return False
    for seen in rules:
        if seen.field != statement.field:
            continue
        if seen.removes and (seen.value is None or _same_value(seen.value, statement.value)):
            return True
        if seen.former is not None and _same_value(seen.former, statement.value):
            return True
    return False


def _disagree(ours: ProfileStatement, theirs: ProfileStatement) -> bool:
    """Tell whether the user's plain words, as the rules read them, say something else than *theirs*."""
    if ours.field != theirs.field or ours.removes or not ours.accepted:
        return False
    same = _same_value(ours.value, theirs.value)
    if theirs.removes:
        return same or (theirs.value is None)
    return ours.field in SCALARS and not same


def _facts(rules: Extraction, model: Extraction) -> tuple[FactStatement, ...]:
    found = []
    for fact in _capped(model.facts):
        if not fact.removes and (_denied_fact(fact, rules.facts) or _denied_of_user(fact, rules.profile)):
            continue
        found.append(_candidate(fact) if any(_overrules(ours, fact) for ours in rules.facts) else fact)
    return _united(rules.facts, found, _same_fact)


def _same_fact(one: FactStatement, other: FactStatement) -> bool:
    if one.removes != other.removes:
        return False
    if one.slot is not None and one.slot == other.slot:
        return _same_value(one.value, other.value)
    return says_the_same(one.content, other.content) or _same_words(one, other, one.content, other.content, SHARED)


def _overrules(ours: FactStatement, theirs: FactStatement) -> bool:
    """Tell whether the rules have it for sure that the same question has another answer, or that *theirs* is wrong."""
    if not ours.accepted or ours.removes:
        return False
    if ours.slot is not None and ours.slot == theirs.slot:
        return theirs.removes or not _same_value(ours.value, theirs.value)
    denies = theirs.removes or _denies(theirs.content)
    return denies and not _denies(ours.content) and _about_the_same(ours.content, theirs.content)


def _denied_fact(fact: FactStatement, rules: Sequence[FactStatement]) -> bool:
    """Tell whether the rules saw that *fact* does not hold: as something that ended, or as its opposite."""
    if _denies(fact.content):
        return False
    for seen in rules:
        same_slot = seen.removes and seen.slot is not None and seen.slot == fact.slot
        if same_slot and (seen.value is None or _same_value(seen.value, fact.value)):
            return True
        if (seen.removes or _denies(seen.content)) and _about_the_same(seen.content, fact.content):
            return True
    return False


def _denies(content: str) -> bool:
    return sentence(content).apart[1]


def _about_the_same(one: str, other: str) -> bool:
    """Tell whether two sentences share most of their words, those that deny aside."""
    mine, theirs = set(words(one)) - _DENYING, set(words(other)) - _DENYING
    return bool(mine and theirs) and len(mine & theirs) / len(mine | theirs) >= DENIED_ALIKE


def _denied_of_user(fact: FactStatement, rules: Sequence[ProfileStatement]) -> bool:
    """Tell whether the rules saw the user deny what *fact* says of him: "I don't use Java", "The user uses Java"."""
    said = set(words(fact.content))
    if fact.about != "user" or said & _PAST or _denies(fact.content):
        return False
    denied = [set(words(str(seen.value))) for seen in rules if seen.removes and seen.value is not None]
    return any(value and value <= said for value in denied)


def _tasks(rules: Sequence[TaskStatement], model: Sequence[TaskStatement]) -> tuple[TaskStatement, ...]:
    """Unite them; whether a task is done is as the rules say, where both speak of it."""
    agreed = [task for task in model if all(one.done == task.done for one in rules if _same_text(one, task))]
    return _united(rules, agreed, lambda one, other: one.done == other.done and _same_text(one, other))


def _files(rules: Sequence[FileStatement], model: Sequence[FileStatement]) -> tuple[FileStatement, ...]:
    """Unite them by path; what was done to a file is as the rules say, unless they only saw it named."""
    actions = {file.path: file.action for file in model if file.action != "mentioned"}
    ours = [
        replace(file, action=actions.get(file.path, "mentioned")) if file.action == "mentioned" else file
        for file in rules
    ]
    return _united(ours, model, lambda one, other: one.path == other.path)


def _same_text(one: Any, other: Any) -> bool:
    if says_the_same(one.text, other.text, least=ALIKE):
        return True
    return _same_words(one, other, one.text, other.text, SHARED_SHORT)


def _same_words(one: Statement, other: Statement, mine: str, theirs: str, least: float) -> bool:
    """Tell whether two statements rest on the same words and differ only in how much of them they repeat."""
    if not any(_overlap(span, other_span) for span in one.evidence for other_span in other.evidence):
        return False
    said, again = sentence(mine), sentence(theirs)
    shorter = min(len(said.meaning), len(again.meaning))
    return said.apart == again.apart and shorter > 1 and len(said.meaning & again.meaning) >= least * shorter


def _overlap(one: Span, other: Span) -> bool:
    return one.seq == other.seq and one.start < other.end and other.start < one.end


def _intent(rules: Intent | None, model: Intent | None) -> Intent | None:
    if rules is None or model is None:
        return rules or model
    if rules.type == model.type:
        return replace(rules, confidence=_both(rules.confidence, model.confidence))
    return rules if rules.confidence >= model.confidence else model


def _united(rules: Sequence[Kept], model: Sequence[Kept], is_same: Callable[[Kept, Kept], bool]) -> tuple[Kept, ...]:
    """Return all statements: those of the rules first, surer where the model agrees, then what only the model found."""
    ours = list(rules)
    only_theirs = []
    for statement in model:
        place = next((place for place, one in enumerate(ours) if is_same(one, statement)), None)
        if place is None:
            only_theirs.append(statement)
        else:
            ours[place] = _agreed(ours[place], statement)
    return (*ours, *only_theirs)


def _agreed(ours: Kept, theirs: Kept) -> Kept:
    """Return what both found: in the words of the rules, surer, and with the evidence of both."""
    evidence = (*ours.evidence, *(span for span in theirs.evidence if span not in ours.evidence))
    changes: dict[str, Any] = {"confidence": _both(ours.confidence, theirs.confidence), "evidence": evidence}
    if isinstance(ours, ProfileStatement) and isinstance(theirs, ProfileStatement) and ours.former is None:
        changes["former"] = theirs.former
    return replace(ours, **changes)


def _both(one: float, other: float) -> float:
    """Return how sure a finding is that two found, each in its own way; never less than the surer of them."""
    return max(one, other, min(1 - (1 - one) * (1 - other), SUREST))


def _capped(statements: Sequence[Kept]) -> list[Kept]:
    return [
        one if one.trust == "user" else replace(one, confidence=min(one.confidence, OTHERS_MOST)) for one in statements
    ]


def _candidate(statement: Kept) -> Kept:
    return replace(statement, confidence=min(statement.confidence, CANDIDATE_MOST))
