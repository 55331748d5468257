"""Reads an exchange by rules alone: no model, no network, the same answer each time, within a millisecond.

Puts the two halves together: what the user says about himself, and what is said about the work. A stretch of text that
states something about the user is not also a fact about the work.
"""

from collections.abc import Iterable
from typing import Final

from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.rules.about_user import About, statements
from sojourn.memory.extraction.rules.decisions import decisions
from sojourn.memory.extraction.rules.files import files
from sojourn.memory.extraction.rules.intent import intent_of
from sojourn.memory.extraction.rules.others import facts_of_others
from sojourn.memory.extraction.rules.profile import assistant_statements
from sojourn.memory.extraction.rules.reading import Reading, read
from sojourn.memory.extraction.rules.tasks import tasks
from sojourn.memory.extraction.rules.technical import Source, correction, is_report, technical_facts
from sojourn.memory.extraction.rules.technical_tools import tool_facts
from sojourn.memory.extraction.rules.topic import topic_of
from sojourn.memory.extraction.statement import (
    KINDS,
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    Kind,
    TaskStatement,
    Trust,
)
from sojourn.model.events import Span
from sojourn.model.wording import normalised

_NOTHING: Final = About((), ())
_OF_THE_WORK: Final = frozenset({"project_tech_stack", "frameworks", "programming_languages", "current_project"})
"""Fields of the profile that tell of the work; what they are taken from is a fact about the work as well."""
_KNOWN: Final = 4_000
"""So much of a tool's result is kept in mind, to see whether the answer tells what it returned."""


class RulesExtractor(StateExtractor):
    """Finds what an exchange states by grammar and word lists. It has no state and does no I/O.

    *kinds* are those it looks for; the others stay empty.
    """

    def __init__(self, *, kinds: frozenset[Kind] = KINDS) -> None:
        unknown = kinds - KINDS
        if unknown:
            raise ValueError(f"unknown kinds: {', '.join(sorted(unknown))}; choose among {', '.join(sorted(KINDS))}")
        self._kinds = kinds

    async def extract(self, exchange: Exchange) -> Extraction:
        """Return what *exchange* states."""
        return self.read(exchange)

    def read(self, exchange: Exchange) -> Extraction:
        """Return what *exchange* states, at once."""
        user = read(exchange.user) if exchange.user is not None else None
        assistant = read(exchange.assistant) if exchange.assistant is not None else None
        said: list[tuple[Reading, Trust]] = []
        if user is not None:
            said.append((user, "user"))
        if assistant is not None:
            said.append((assistant, "assistant"))
        kinds = self._kinds
        about = _about_user(exchange, user, assistant) if kinds & {"profile", "facts"} else _NOTHING
        return Extraction(
            profile=about.profile if "profile" in kinds else (),
            facts=_facts(exchange, user, assistant, about) if "facts" in kinds else (),
            decisions=_decisions(said) if "decisions" in kinds else (),
            tasks=_tasks(said) if "tasks" in kinds else (),
            files=_files(said) if "files" in kinds else (),
            intent=intent_of(user) if user is not None and "intent" in kinds else None,
            topic=topic_of(user) if user is not None and "topic" in kinds else None,
        )


def _about_user(exchange: Exchange, user: Reading | None, assistant: Reading | None) -> About:
    """Return what both say about the user, his own words first."""
    own = statements(user, exchange.before) if user is not None else _NOTHING
    others = assistant_statements(assistant) if assistant is not None else _NOTHING
    return About((*own.profile, *others.profile), (*own.facts, *others.facts))


def _facts(
    exchange: Exchange, user: Reading | None, assistant: Reading | None, about: About
) -> tuple[FactStatement, ...]:
    found: list[FactStatement] = []
    if user is not None:
        found += technical_facts(Source(reading=user, trust="user")) or facts_of_others(user, trust="user")
        if not found and (corrected := _corrected(user, exchange)):
            found.append(corrected)
    for tool in exchange.tools:
        found += tool_facts(tool)
    if assistant is not None:
        known = "\n".join(tool.text[:_KNOWN] for tool in exchange.tools)
        report = is_report(assistant.heard.text, has_tools=bool(exchange.tools))
        found += technical_facts(Source(reading=assistant, trust="assistant", is_report=report, known=known))
    personal = [statement for statement in about.profile if statement.field not in _OF_THE_WORK]
    taken = [(statement.trust, span) for statement in (*personal, *about.facts) for span in statement.evidence]
    work = [statement for statement in found if not any(_overlaps(statement, *place) for place in taken)]
    return _distinct((*about.facts, *work))


def _overlaps(statement: FactStatement, trust: Trust, span: Span) -> bool:
    """Tell whether the fact says nothing but what *span* says of the user: that is at least half of its words."""
    if statement.trust != trust:
        return False
    return any(
        2 * (min(span.end, own.end) - max(span.start, own.start)) > own.end - own.start for own in statement.evidence
    )


def _corrected(user: Reading, exchange: Exchange) -> FactStatement | None:
    """Return what "no, 9090" sets right in the messages before."""
    if len(user.heard.text) > 80 or not exchange.before:
        return None
    before: list[FactStatement] = []
    for heard in exchange.before[-4:]:
        if heard.role in {"user", "assistant"}:
            trust: Trust = "user" if heard.role == "user" else "assistant"
            before += technical_facts(Source(reading=read(heard), trust=trust, is_report=True))
    return correction(user, before)


def _distinct(found: Iterable[FactStatement]) -> tuple[FactStatement, ...]:
    """Return each fact once: what the user said before what was said of it again."""
    kept: dict[tuple[str, bool], FactStatement] = {}
    for statement in found:
        kept.setdefault((normalised(statement.content), statement.removes), statement)
    return tuple(kept.values())


def _decisions(said: list[tuple[Reading, Trust]]) -> tuple[DecisionStatement, ...]:
    return tuple(statement for reading, trust in said for statement in decisions(reading, trust=trust))


def _tasks(said: list[tuple[Reading, Trust]]) -> tuple[TaskStatement, ...]:
    return tuple(statement for reading, trust in said for statement in tasks(reading, trust=trust))


def _files(said: list[tuple[Reading, Trust]]) -> tuple[FileStatement, ...]:
    return tuple(statement for reading, trust in said for statement in files(reading.heard, trust=trust))
