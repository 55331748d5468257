"""A context as people and programs read it: its parts, what each costs, why it is there, and what to do about it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from sojourn.cli.output import Dim, Strong
from sojourn.cli.tables import Column, table
from sojourn.desk.columns import fit, terminal_columns
from sojourn.desk.figures import amount, gauge, percent
from sojourn.desk.wording import count, one_line
from sojourn.model.events import UsageRecorded

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.context.context import Context
    from sojourn.context.item import Dropped, Item, Section

_NAMES: Final[dict[str, str]] = {
    "system": "instructions",
    "pinned": "pinned",
    "summary": "summary",
    "messages": "messages",
    "profile": "profile",
    "facts": "facts",
    "focus": "focus",
    "working_set": "work at hand",
    "interaction": "current context",
    "research": "research",
    "research_history": "earlier research",
    "retrieved": "earlier messages",
}
_SIGNS: Final = "█▓▒░"
_BAR: Final = 50
_HEAVY: Final = 0.15
"""A piece that takes so much of the whole is named on its own."""
_LEAST_HEAVY: Final = 400
"""Tokens below which nothing is heavy."""
_SHOWN_OUT: Final = 10
_PREVIEW: Final = 60
_COMPACT: Final = "sojourn compact"
_COLUMNS: Final = (
    Column("part"),
    Column("tokens", number=True),
    Column("share", number=True, may_go=True),
    Column("why it is here"),
)


class Beside(NamedTuple):
    """What is sent beside a context: the definitions of tools."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A context, for which model it is, what is sent beside it, and what the last call of a model took."""

    session_id: str
    context: "Context"
    model: str | None
    beside: Beside | None
    last: UsageRecorded | None

    @property
    def tokens(self) -> int:
        """What is sent in all."""
        return self.context.tokens.count + (self.beside.tokens if self.beside is not None else 0)

    @property
    def reported(self) -> int | None:
        """What the provider said that the last call sent; None if there was none."""
        if self.last is None:
            return None
        return self.last.input_tokens + self.last.cache_creation_tokens + self.last.cache_read_tokens


def account(seen: Seen) -> dict[str, Any]:
    """Return a context for programs, with the text of each piece."""
    made = seen.context
    return {
        "session_id": seen.session_id,
        "model": seen.model,
        "window": made.window,
        "budget": made.budget,
        "mode": made.mode,
        "tokens": {"count": made.tokens.count, "certainty": made.tokens.certainty},
        "beside": seen.beside._asdict() if seen.beside is not None else None,
        "reported": {"model": seen.last.model, "count": seen.reported} if seen.last is not None else None,
        "parts": [
            {"name": section.name, "tokens": section.tokens, "items": [part_data(item) for item in section.items]}
            for section in made.sections
        ],
        "dropped": [msgspec.to_builtins(one) for one in made.dropped],
        "remedies": list(_remedies(seen)),
    }


def part_data(item: "Item") -> dict[str, Any]:
    """Return a piece of a context for programs."""
    data: dict[str, Any] = msgspec.to_builtins(item)
    return data


def breakdown_lines(seen: Seen) -> Iterator[str]:
    """Yield a context for people: how full it is, its parts, what was left out, and what may be done about it."""
    yield Strong(_head(seen))
    if seen.reported is not None and seen.last is not None:
        yield Dim(
            f"the last call sent {seen.reported:,} tokens, as {one_line(seen.last.model or 'its model')} reported"
        )
    yield _bar(seen)
    parts = table(_COLUMNS, list(_rows(seen)))
    yield from (Dim(line) for line in parts[:1])
    yield from parts[1:]
    yield from _left_out(seen.context.dropped)
    remedies = list(_remedies(seen))
    if remedies:
        yield ""
        yield from remedies


def item_lines(items: "Sequence[Item]", dropped: "Sequence[Dropped]") -> Iterator[str]:
    """Yield pieces of a context for people, whole, each with why it is in it or not."""
    for item in items:
        yield Strong(f"{_NAMES[item.section]}: {item.reason}{_places(item.seqs)}")
        yield Dim(f"  {item.tokens:,} tokens, worth {item.score:.2f}{', in every context' if item.required else ''}")
        yield from (f"  {line}" for line in item.text.splitlines())
    for one in dropped:
        yield Strong(f"left out of {_NAMES[one.section]}: {one.why}{_places(one.seqs)}")
        yield Dim(f"  {one.tokens:,} tokens")
        yield from (f"  {line}" for line in one.text.splitlines())


def _head(seen: Seen) -> str:
    made, about = seen.context, "~" if seen.context.tokens.certainty == "estimated" else ""
    told = [f"{about}{seen.tokens:,} tokens"]
    if made.window is not None:
        told[0] += f" of {made.window:,} ({_share(seen.tokens, made.window)})"
    told.append(f"budget {made.budget + (seen.beside.tokens if seen.beside is not None else 0):,}")
    told.append(one_line(seen.model or "no model is known, nor how much it takes"))
    return " · ".join(told)


def _bar(seen: Seen) -> str:
    """Return how full it is: of the model's window, or of the budget if nobody knows that."""
    whole = seen.context.window or max(seen.context.budget, seen.tokens)
    parts = [(_SIGNS[0], sum(section.tokens for section in seen.context.stable))]
    parts.append((_SIGNS[1], seen.beside.tokens if seen.beside is not None else 0))
    messages = sum(one.tokens for one in seen.context.spoken)
    parts.append((_SIGNS[2], messages))
    parts.append((_SIGNS[3], sum(section.tokens for section in seen.context.chosen)))
    return gauge(parts, whole, min(_BAR, terminal_columns() or _BAR))


def _share(tokens: int, whole: int) -> str:
    """Return how much of a model's window something takes, with a decimal: most of it takes little."""
    return f"{100 * tokens / whole:.1f}%" if whole else ""


def _rows(seen: Seen) -> Iterator[list[str]]:
    whole = seen.context.window or 0
    sections = list(seen.context.sections)
    place = 1 if sections and sections[0].name == "system" else 0
    for number, section in enumerate(sections):
        if number == place and seen.beside is not None:
            yield _beside_row(seen.beside, whole)
        many = f" ({len(section.items):,})" if len(section.items) > 1 else ""
        yield [
            f"{_NAMES[section.name]}{many}",
            amount(section.tokens),
            _share(section.tokens, whole),
            _reasons(section),
        ]
        for item in _heavy(section.items, seen.tokens):
            where = f"[{item.seqs[0]}] " if item.seqs else ""
            yield [f"  {where}{_kind(item)}", amount(item.tokens), _share(item.tokens, whole), _preview(item)]
    if seen.beside is not None and place >= len(sections):
        yield _beside_row(seen.beside, whole)


def _beside_row(beside: Beside, whole: int) -> list[str]:
    return [beside.name, amount(beside.tokens), _share(beside.tokens, whole), "what the model may do"]


def _heavy(items: "Sequence[Item]", whole: int) -> "list[Item]":
    return [item for item in items if len(items) > 1 and item.tokens >= max(_LEAST_HEAVY, _HEAVY * whole)]


def _reasons(section: "Section") -> str:
    reasons = Counter(item.reason for item in section.items)
    return one_line("; ".join(reason for reason, _ in reasons.most_common(3)), 200)


def _kind(item: "Item") -> str:
    if item.section != "messages":
        return _NAMES[item.section]
    role = item.text.partition(":")[0]
    return "tool result" if role == "tool" else role


def _preview(item: "Item") -> str:
    text = item.text.partition(": ")[2] if item.section == "messages" else item.text
    return one_line(text, _PREVIEW)


def _left_out(dropped: "Sequence[Dropped]") -> Iterator[str]:
    if not dropped:
        return
    columns = terminal_columns()
    yield ""
    yield f"left out: {count(len(dropped), 'piece')}"
    for one in sorted(dropped, key=lambda one: -one.tokens)[:_SHOWN_OUT]:
        line = f"  {amount(one.tokens):>6}  {_NAMES[one.section]}: {one.why}: {one_line(one.text, _PREVIEW)}"
        yield Dim(line if columns is None else fit(line, columns))
    if len(dropped) > _SHOWN_OUT:
        yield Dim(f"  and {len(dropped) - _SHOWN_OUT:,} more")


def _remedies(seen: Seen) -> Iterator[str]:
    """Yield what may be done about a context that is too large, or not what it should be."""
    made = seen.context
    heavy = [one for one in made.spoken if one.tokens >= max(_LEAST_HEAVY, _HEAVY * seen.tokens)]
    for one in heavy:
        if one.line.message.role == "tool" and one.line.seq is not None:
            part = percent(one.tokens, seen.tokens)
            yield f"the tool result [{one.line.seq}] is {part} of it: {_COMPACT} --keep 1 lets a summary stand for it"
    older = [one for one in made.dropped if one.section == "messages"]
    if older:
        yield f"older messages do not fit: {_COMPACT} lets a summary stand for them"
    if seen.beside is not None and seen.beside.tokens > _HEAVY * 2 * seen.tokens and seen.tokens > made.budget // 2:
        part = percent(seen.beside.tokens, seen.tokens)
        yield f"{seen.beside.name} are {part} of it: sojourn chat --no-tools leaves them out"
    if made.window is None:
        yield "how much the model takes is not known: --model names one that is"


def _places(seqs: "Sequence[int]") -> str:
    return f"  [{', '.join(map(str, seqs[:5]))}]" if seqs else ""
