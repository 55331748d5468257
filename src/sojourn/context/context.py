"""A context: what a model sees for one question, and an account of it."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from sojourn.context.inputs import Mode
from sojourn.context.item import Dropped, Item, Section
from sojourn.context.talk import Line
from sojourn.context.tokens import TokenCounter, Tokens
from sojourn.context.validity import problems
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import Message
from sojourn.model.value import Value
from sojourn.providers.payloads import Form, payload

_PREVIEW: Final = 70


class Spoken(NamedTuple):
    """A message as it went in: what it costs, and whether it belongs to the turn at hand."""

    line: Line
    tokens: int
    in_turn: bool = False

    @property
    def item(self) -> Item:
        """The message as a piece of a context."""
        reason = "the turn at hand" if self.in_turn else "said lately"
        if self.line.seq is None and not self.in_turn:
            reason = "made up so that the provider accepts the talk"
        return Item(
            section="messages",
            text=f"{self.line.message.role}: {self.line.message.text}",
            tokens=self.tokens,
            score=1.0,
            reason=reason,
            seqs=(self.line.seq,) if self.line.seq is not None else (),
        )


class Counted(NamedTuple):
    """Messages, and what each of them costs."""

    lines: tuple[Line, ...]
    tokens: tuple[int, ...]


class Context(Value, frozen=True, kw_only=True):
    """What a model sees. It is a value: the same inputs made the same one.

    Attributes:
        system: the instructions, and what is stable about the session.
        lines: the talk, with what was found for the question before it.
        text: what the state has to say to the question, for those who write prompts of their own.
        digest: the working memory as a dict, for the same.
        stable: what stands in the instructions.
        said: what was said lately.
        at_hand: the question, and what it led to so far.
        chosen: what was chosen for the question.
        dropped: what did not, and why.
        tokens: what it costs, and how that is known.
        budget: what it may cost.
        window: what the model can take; None if that is not known.
        begins: the first entry of the recent messages.
        shared_prefix: how many of its tokens are, to the letter, the beginning of the context before it.
    """

    system: str
    lines: tuple[Line, ...]
    text: str
    digest: dict[str, Any]
    stable: tuple[Section, ...]
    said: Counted
    at_hand: Counted
    chosen: tuple[Section, ...]
    dropped: tuple[Dropped, ...]
    tokens: Tokens
    budget: int
    mode: Mode
    window: int | None = None
    begins: Seq | None = None
    shared_prefix: int = 0

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        """The messages that went in: what was said lately, then the turn at hand."""
        return (
            *[Spoken(line, tokens) for line, tokens in zip(*self.said, strict=True)],
            *[Spoken(line, tokens, in_turn=True) for line, tokens in zip(*self.at_hand, strict=True)],
        )

    @property
    def sections(self) -> tuple[Section, ...]:
        """What went in, and why."""
        said = (Section(name="messages", items=tuple(one.item for one in spoken)),) if (spoken := self.spoken) else ()
        return (*self.stable, *said, *self.chosen)

    @property
    def messages(self) -> list[Message]:
        """The talk, ready for a provider; always valid."""
        return [line.message for line in self.lines]

    def payload(self, form: Form) -> dict[str, Any]:
        """Return what a provider's API takes.

        Raises:
            InvalidInputError: there is no such form, or the talk would be refused.
        """
        if not self.lines:
            raise InvalidInputError("this context has no messages: nothing was said or asked yet")
        if found := problems(self.messages):
            raise InvalidInputError(f"this context would be refused: {found[0]}")
        return payload(form, self.system, self.messages)

    def explain(self) -> str:
        """Return for people what is in the context, what it costs, why it is there, and what was left out."""
        share = f" of a window of {self.window:,} ({self.tokens.count / self.window:.0%})" if self.window else ""
        lines = [f"{self.tokens} of {self.budget:,} tokens{share}, mode {self.mode}"]
        if self.shared_prefix:
            lines.append(f"{self.shared_prefix:,} tokens are the same as in the context before")
        for section in self.sections:
            lines.append(f"\n{section.name}: {section.tokens:,} tokens in {len(section.items)}")
            lines += [
                f"  {item.tokens:>6,}  {item.score:.2f}  {_short(item.text)}  [{item.reason}{_places(item.seqs)}]"
                for item in section.items
            ]
        if self.dropped:
            lines.append(f"\nleft out: {len(self.dropped)}")
            lines += [
                f"  {one.tokens:>6,}  {one.section}: {_short(one.text)}  [{one.why}{_places(one.seqs)}]"
                for one in self.dropped
            ]
        return "\n".join(lines)


def shared_prefix(
    context: Context, previous: Context | None, counter: TokenCounter, *, cost: Callable[[Sequence[Line]], int]
) -> Context:
    """Return *context* with how much of it is, to the letter, the beginning of *previous*; *cost* is that of lines."""
    if previous is None:
        return context
    if context.system != previous.system:
        pairs = zip(context.system, previous.system, strict=False)
        shorter = min(len(context.system), len(previous.system))
        same = next((place for place, (ours, theirs) in enumerate(pairs) if ours != theirs), shorter)
        return replace(context, shared_prefix=counter.count(context.system[:same]))
    same = 0
    for ours, theirs in zip(context.lines, previous.lines, strict=False):
        if ours.message is not theirs.message and ours.message != theirs.message:
            break
        same += 1
    return replace(context, shared_prefix=context.tokens.count - cost(context.lines[same:]))


def _places(seqs: tuple[int, ...]) -> str:
    return f"; from {', '.join(map(str, seqs[:5]))}" if seqs else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}…"
