"""An account of a context, part by part: what each costs, whether it was sent before, why it is there, what it says."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import msgspec

from sojourn.agent.journal_talk import FULL, tokens_of
from sojourn.context.context import Context, Spoken
from sojourn.context.item import Dropped, Item, SectionName
from sojourn.context.tokens import Certainty
from sojourn.desk.wording import count, one_line
from sojourn.model.ids import Seq
from sojourn.providers.protocol import ToolDefinition

Cached = Literal["yes", "part", "no", "–"]

LEFT_OUT: Final = "left out"
_HEAVY: Final = 0.1
"""A piece that takes this share of what may be sent is told with what can be done about it."""
_NAMES: Final[dict[SectionName, str]] = {
    "system": "system prompt",
    "pinned": "pinned",
    "summary": "summary",
    "profile": "profile",
    "facts": "facts",
    "focus": "focus",
    "working_set": "work at hand",
    "interaction": "where it stands",
    "research": "research",
    "research_history": "past research",
    "retrieved": "recalled messages",
    "messages": "messages",
}
_SIGNS: Final[dict[str, str]] = {
    "tools": "▓",
    "system prompt": "█",
    "summary": "▞",
    "messages": "■",
    "recalled messages": "▒",
    "question": "◆",
}
_SIGN: Final = "▪"
_REMEDIES: Final[dict[str, str]] = {
    "tools": "sojourn chat --no-tools talks without them",
    "summary": "u brings the messages back",
    "messages": "c lets a summary stand for the older ones",
    "facts": "ctrl+k retires those that are wrong",
    "profile": "ctrl+k corrects it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing in a part: a message, a fact, a tool."""

    text: str
    tokens: int
    why: str
    seqs: tuple[Seq, ...] = ()
    remedy: str = ""

    @property
    def title(self) -> str:
        """What it says, in one line."""
        return one_line(self.text, most=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Pieces of one kind. *sign* draws it in a bar."""

    name: str
    sign: str
    tokens: int
    why: str
    cached: Cached
    pieces: tuple[Piece, ...]
    remedy: str = ""

    @property
    def title(self) -> str:
        """Its name, and how many pieces it has."""
        return f"{self.name} ({len(self.pieces):,})" if len(self.pieces) != 1 else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a model is sent.

    Attributes:
        model: who gets it.
        question: for what it was made; "" if nothing is asked.
        tokens: what everything costs, tools included.
        certainty: how that is known.
        allowed: what it may cost, tools included.
        window: what the model takes; None if nobody knows.
        compacts_at: beyond how many tokens older messages are summarised.
        parts: what goes in, in the order in which it is sent.
        left_out: what does not.
    """

    model: str
    question: str
    tokens: int
    certainty: Certainty
    allowed: int
    window: int | None
    compacts_at: int
    parts: tuple[Part, ...]
    left_out: Part | None = None


def account_of(
    context: Context,
    *,
    model: str,
    window: int | None = None,
    question: str = "",
    tools: tuple[ToolDefinition, ...] = (),
    had_one: bool = False,
) -> Account:
    """Return the account of *context*, which is sent to *model* with *tools*.

    *window* is what the model takes, if the context does not know it; *had_one*: another one was sent before it.
    """
    beside = tokens_of(tools)
    allowed = context.budget + beside
    parts = [*_tools(tools), *_sections(context), *_question(context)]
    told = sum(part.tokens for part in parts)
    wrapping = context.tokens.count + beside - told
    if wrapping > 0:
        text = "what stands around the parts: titles, fences and the marks where messages begin"
        parts.append(_part("wrapping", [Piece(text=text, tokens=wrapping, why="every part is marked as what it is")]))
    return Account(
        model=model,
        question=question,
        tokens=context.tokens.count + beside,
        certainty=context.tokens.certainty,
        allowed=allowed,
        window=context.window or window,
        compacts_at=int(FULL * context.budget) + beside,
        parts=tuple(_with_cache(_with_remedies(parts, allowed), beside + context.shared_prefix, had_one=had_one)),
        left_out=_left_out(context.dropped),
    )


def account_of_nothing(instructions: str, *, tokens: int, model: str, window: int | None, allowed: int) -> Account:
    """Return what is known before anything was said: the *instructions*, which cost so many *tokens*."""
    first = _part("system prompt", [Piece(text=instructions, tokens=tokens, why="the instructions")])
    return Account(
        model=model,
        question="",
        tokens=tokens,
        certainty="estimated",
        allowed=allowed,
        window=window,
        compacts_at=int(FULL * allowed),
        parts=(first,),
    )


def _tools(tools: Sequence[ToolDefinition]) -> Iterable[Part]:
    if tools:
        pieces = [
            Piece(text=f"{tool.name}: {msgspec.json.format(msgspec.json.encode(tool.to_dict())).decode()}",
                  tokens=tokens_of((tool,)), why="a skill that the model may use")
            for tool in tools
        ]  # fmt: skip
        part = _part("tools", pieces)
        yield replace(part, tokens=tokens_of(tuple(tools)))


def _sections(context: Context) -> Iterable[Part]:
    for section in context.stable:
        yield _part(_NAMES[section.name], map(_piece, section.items))
    said = [_spoken(one) for one in context.spoken if not one.in_turn]
    if said:
        yield _part("messages", said)
    for section in context.chosen:
        yield _part(_NAMES[section.name], map(_piece, section.items))


def _question(context: Context) -> Iterable[Part]:
    asked = [_spoken(one) for one in context.spoken if one.in_turn]
    if asked:
        yield _part("question", asked)


def _piece(item: Item) -> Piece:
    return Piece(text=item.text, tokens=item.tokens, why=item.reason, seqs=item.seqs)


def _spoken(one: Spoken) -> Piece:
    item, message = one.item, one.line.message
    calls = ", ".join(call.name for call in message.tool_calls)
    name = f"{message.role} {message.name}" if message.name else message.role
    text = f"{name}: {message.text}" if message.text or not calls else f"{name}: calls {calls}"
    return Piece(text=text, tokens=item.tokens, why=item.reason, seqs=item.seqs)


def _part(name: str, pieces: Iterable[Piece]) -> Part:
    """Return a part whose reason is that of its pieces, the most frequent first; the biggest pieces stand first."""
    found = sorted(pieces, key=lambda piece: -piece.tokens)
    reasons: dict[str, int] = {}
    for piece in found:
        reasons[piece.why] = reasons.get(piece.why, 0) + 1
    often = sorted(reasons, key=lambda why: -reasons[why])
    why = often[0] + (f" (and {count(len(often) - 1, 'other reason')})" if len(often) > 1 else "")
    tokens = sum(piece.tokens for piece in found)
    return Part(name=name, sign=_SIGNS.get(name, _SIGN), tokens=tokens, why=why, cached="–", pieces=tuple(found))


def _with_remedies(parts: Iterable[Part], allowed: int) -> Iterable[Part]:
    for part in parts:
        remedy = _REMEDIES.get(part.name, "")
        is_heavy = part.tokens > 2 * _HEAVY * allowed
        pieces = tuple(
            replace(piece, remedy=remedy) if piece.tokens > _HEAVY * allowed else piece for piece in part.pieces
        )
        yield replace(part, pieces=pieces, remedy=remedy if is_heavy or part.name == "summary" else "")


def _with_cache(parts: Iterable[Part], same: int, *, had_one: bool) -> Iterable[Part]:
    """Say of each part whether it is sent as it was last time: as far as that goes, a provider's cache helps."""
    passed = 0
    for part in parts:
        start, passed = passed, passed + part.tokens
        if not had_one:
            yield part
        elif passed <= same:
            yield replace(part, cached="yes")
        else:
            yield replace(part, cached="part" if start < same else "no")


def _left_out(dropped: Sequence[Dropped]) -> Part | None:
    if not dropped:
        return None
    pieces = [
        Piece(text=f"{_NAMES[one.section]}: {one.text}", tokens=one.tokens, why=one.why, seqs=one.seqs)
        for one in dropped
    ]
    return _part(LEFT_OUT, pieces)
