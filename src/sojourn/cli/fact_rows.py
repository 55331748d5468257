"""Facts as lines of a list and as data for programs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from sojourn.cli.fact_names import short_id
from sojourn.cli.output import Dim, Strong
from sojourn.cli.tables import Column, table
from sojourn.desk.references import short
from sojourn.desk.wording import ago, count, one_line
from sojourn.model.events import FactStatus
from sojourn.model.ids import SessionId
from sojourn.model.knowledge import Fact

_MARKS: Final[dict[FactStatus, str]] = {"active": "•", "candidate": "?", "retired": "✗"}
MAX_TEXT: Final = 10_000
"""Characters of a fact: no fact has more."""
_COLUMNS: Final = (
    Column("no", number=True),
    Column("id"),
    Column(""),
    Column("sure", number=True, may_go=True),
    Column("scope", may_go=True),
    Column("from", may_go=True),
    Column("learned", may_go=True),
    Column("fact"),
)


def fact_data(fact: Fact, *, number: int | None = None, sessions: Sequence[SessionId] = ()) -> dict[str, Any]:
    """Return a fact for programs, with its number in the list and the sessions that hold it, where that is told."""
    data: dict[str, Any] = msgspec.to_builtins(fact)
    if number is not None:
        data["number"] = number
    if sessions:
        data["sessions"] = list(sessions)
    return data


def fact_rows(
    facts: Sequence[Fact],
    now: datetime,
    *,
    numbers: Mapping[str, int],
    sessions: Mapping[str, Sequence[SessionId]] | None = None,
) -> list[str]:
    """Return a line of titles and one for each fact; its text comes last, and is cut where there is no room."""
    held = sessions or {}
    lines = table(
        _COLUMNS,
        [
            [
                str(numbers.get(fact.fact_id, "")),
                short_id(fact.fact_id),
                _MARKS[fact.status],
                f"{fact.confidence:.2f}",
                fact.scope if not held else "",
                ", ".join(map(short, held[fact.fact_id][:2])) if fact.fact_id in held else one_line(fact.source, 16),
                ago(fact.learned_at, now),
                f"{one_line(fact.content, 500)}{_after(fact)}",
            ]
            for fact in facts
        ],
    )
    return [Strong(lines[0]), *lines[1:]] if lines else []


def fact_lines(fact: Fact, now: datetime) -> list[str]:
    """Return one fact for people, with all that is known of it."""
    told = [
        fact.fact_id,
        fact.status,
        f"sure {fact.confidence:.2f}",
        f"scope {fact.scope}",
        f"from {', '.join(map(one_line, fact.sources))}",
        f"learned {ago(fact.learned_at, now)}",
    ]
    told += [f"used {count(fact.uses, 'time')}"] if fact.uses else []
    told += [f"#{tag}" for tag in fact.tags]
    lines: list[str] = [
        Strong(f"{_MARKS[fact.status]} {one_line(fact.content, MAX_TEXT)}"),
        Dim(f"  {' · '.join(map(one_line, told))}"),
    ]
    if fact.verified:
        lines.append(Dim(f"  checked: {one_line(fact.verified)}"))
    if fact.status == "retired":
        lines.append(Dim(f"  retired{_reason(fact)}; it is kept, so that it is not learned again"))
    return lines


def _after(fact: Fact) -> str:
    return f" (retired{_reason(fact)})" if fact.status == "retired" else ""


def _reason(fact: Fact) -> str:
    if fact.superseded_by is not None:
        return f": {short_id(fact.superseded_by)} holds instead"
    return f": {one_line(fact.retired_reason)}" if fact.retired_reason else ""
