"""Building a context: what is offered, planned into a budget, and laid out so that a provider's cache helps.

First stands what stays from turn to turn: the instructions, what is pinned, the summary. Then the recent messages,
whose beginning moves in steps. Last, with the question, what was chosen for it alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from msgspec.structs import replace

from sojourn.context.context import Context
from sojourn.context.fence import fenced, harmless
from sojourn.context.inputs import Inputs, Mode, ShowProfile, Strategy
from sojourn.context.item import Item, Section, SectionName
from sojourn.context.planner import Plan, make_plan
from sojourn.context.rendering import state_text
from sojourn.context.sections import Offer, chosen_mode
from sojourn.context.talk import Line
from sojourn.context.tokens import CharacterCounter, TokenCounter, Tokens, count_message
from sojourn.context.validity import made_valid
from sojourn.context.window import recent_window
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import Message

RESERVE: Final = 2_000
"""Tokens of a window that are left for the answer."""
LARGEST: Final = 32_000
"""A context is no larger than this unless somebody asks for it."""
UNKNOWN_WINDOW: Final = 8_000
"""The budget for a model of which nobody knows how much it can take."""
_STABLE: Final[tuple[SectionName, ...]] = ("pinned", "summary")
_TITLES: Final[dict[SectionName, str]] = {
    "pinned": "Always keep in mind",
    "summary": "Summary of the conversation so far",
    "profile": "User Profile",
    "facts": "Relevant Facts",
    "focus": "Focus",
    "working_set": "Work at Hand",
    "interaction": "Current Context",
    "research": "Research",
    "research_history": "Previous Research",
    "retrieved": "Earlier Messages",
}
_WINDOW_SHARE: Final = 0.25
"""The recent messages get at least this much of what is left after what is required, if there are that many."""
_KNOWLEDGE_MOST: Final = 4_000
"""Tokens that what is chosen for one question may cost in a large budget: the rest belongs to the conversation."""


def default_budget(window: int | None) -> int:
    """Return how many tokens a context may have, for a model with this *window*; None if that is not known."""
    return UNKNOWN_WINDOW if window is None else max(0, min(window - RESERVE, LARGEST))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBuilder:
    """How contexts are built. It holds no session and may serve any number of them.

    Attributes:
        counter: counts tokens.
        budget: tokens that a context may have; None takes what fits *window*.
        window: how many tokens the model can take; None if nobody knows.
        mode: how much of the state is offered.
        strategy: which messages go when not all fit.
        profile: when what is known about the user is shown.
    """

    counter: TokenCounter = CharacterCounter()  # noqa: RUF009 - it has no state
    budget: int | None = None
    window: int | None = None
    mode: Mode = "auto"
    strategy: Strategy = "oldest_first"
    profile: ShowProfile = "when_asked"

    def build(self, inputs: Inputs, *, previous: Context | None = None) -> Context:
        """Return the context for a question; *previous* is the one before it, to tell what is the same.

        Raises:
            InvalidInputError: the budget is too small for what every context holds, or a setting is unknown.
        """
        budget = self._checked_budget()
        mode = chosen_mode(self.mode, inputs)
        question = Line(message=Message(role="user", content=inputs.question)) if inputs.question.strip() else None
        asked = count_message(self.counter, question.message) if question is not None else 0
        room = budget - asked
        items = Offer(inputs, self.counter, mode=mode, profile=self.profile).items()
        required = sum(item.tokens for item in items if item.required)
        if room < required:
            raise InvalidInputError(
                f"the instructions, what is pinned and the question cost {required + asked:,} tokens, and the budget is"
                f" {budget:,}; raise it or shorten them"
            )
        plan, talk = self._plan(items, inputs, room)
        return self._laid_out(inputs, plan, talk, question, mode=mode, budget=budget, previous=previous)

    def _checked_budget(self) -> int:
        for value, kind, name in ((self.mode, Mode, "mode"), (self.strategy, Strategy, "strategy")):
            if value not in get_args(kind):
                raise InvalidInputError(f"{name} {value!r:.50}: use one of {', '.join(get_args(kind))}")
        budget = default_budget(self.window) if self.budget is None else self.budget
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise InvalidInputError(f"a budget is a number of tokens from 1, got {budget!r:.50}")
        return budget

    def _plan(self, items: Sequence[Item], inputs: Inputs, room: int) -> tuple[Plan, list[Line]]:
        """Choose the pieces, then give the recent messages all the room that is left."""
        required = sum(item.tokens for item in items if item.required)
        free = room - required - _overhead(items, self.counter)
        kept_for_talk = min(int(free * _WINDOW_SHARE), _cost(inputs.recent, self.counter)) if free > 0 else 0
        knowledge = min(max(free - kept_for_talk, 0), max(_KNOWLEDGE_MOST, free // 4))
        plan = make_plan(items, required + knowledge, floors={"facts": knowledge // 4})
        left = room - plan.tokens - _overhead([one for found in plan.chosen.values() for one in found], self.counter)
        talk = recent_window(
            inputs.recent,
            left,
            self.counter,
            strategy=self.strategy,
            total=inputs.state.conversation.message_count,
        )
        return plan, talk

    def _laid_out(
        self,
        inputs: Inputs,
        plan: Plan,
        talk: list[Line],
        question: Line | None,
        *,
        mode: Mode,
        budget: int,
        previous: Context | None,
    ) -> Context:
        stable = [_titled(name, plan.chosen[name]) for name in _STABLE if name in plan.chosen]
        system = "\n\n".join(part for part in (inputs.system, *stable) if part)
        shown = {line.seq for line in talk}
        volatile = _volatile(plan, shown)
        asked = _asked(inputs.question, volatile) if question is not None or volatile else None
        lines = made_valid([*talk, *([Line(message=asked)] if asked is not None else [])])
        sections = _sections(plan, talk, self.counter)
        total = self.counter.count(system) + sum(count_message(self.counter, line.message) for line in lines)
        context = Context(
            system=system,
            lines=tuple(lines),
            text=state_text(inputs, mode=mode),
            sections=sections,
            dropped=plan.dropped,
            tokens=Tokens(count=total, certainty=self.counter.certainty),
            budget=budget,
            mode=mode,
            window=self.window,
        )
        return context if previous is None else _compared(context, previous, self.counter)


def _volatile(plan: Plan, shown: set[Seq | None]) -> str:
    """Return what was chosen for this question alone, under titles; messages that the talk shows are not repeated."""
    parts = []
    for name, title in _TITLES.items():
        items = plan.chosen.get(name, ())
        if name in _STABLE or not items:
            continue
        if name == "retrieved":
            items = tuple(item for item in items if not set(item.seqs) & shown)
            items = tuple(sorted(items, key=lambda item: (item.source, item.seqs)))
        if items:
            parts.append(f"## {title}\n" + "\n".join(item.text for item in items))
    return "\n\n".join(parts)


def _asked(question: str, volatile: str) -> Message:
    if not volatile:
        return Message(role="user", content=question)
    known = f"<context>\n# Session Knowledge\n\n{volatile}\n</context>"
    if not question.strip():
        return Message(role="user", content=known)
    return Message(role="user", content=f"{known}\n\n{fenced('query', question)}")


def _titled(name: SectionName, items: Sequence[Item]) -> str:
    return f"# {_TITLES[name]}\n" + "\n".join(item.text for item in items)


def _overhead(items: Sequence[Item], counter: TokenCounter) -> int:
    """Return what titles and fences cost around these items."""
    names = {item.section for item in items} & set(_TITLES)
    return sum(counter.count(f"## {_TITLES[name]}\n\n") for name in names) + (24 if names - set(_STABLE) else 0)


def _cost(lines: Sequence[Line], counter: TokenCounter) -> int:
    return sum(count_message(counter, line.message) for line in lines)


def _sections(plan: Plan, talk: Sequence[Line], counter: TokenCounter) -> tuple[Section, ...]:
    spoken = tuple(
        Item(
            section="messages",
            text=f"{line.message.role}: {harmless(line.message.text)}",
            tokens=count_message(counter, line.message),
            score=1.0,
            reason="said lately",
            seqs=(line.seq,) if line.seq is not None else (),
        )
        for line in talk
    )
    found: dict[SectionName, tuple[Item, ...]] = dict(plan.chosen)
    if spoken:
        found["messages"] = spoken
    order = get_args(SectionName)
    return tuple(Section(name=name, items=found[name]) for name in order if name in found)


def _compared(context: Context, previous: Context, counter: TokenCounter) -> Context:
    """Return *context* with how much of it is, to the letter, the beginning of *previous*."""
    shared = 0
    if context.system == previous.system:
        shared = counter.count(context.system)
        for ours, theirs in zip(context.messages, previous.messages, strict=False):
            if ours != theirs:
                break
            shared += count_message(counter, ours)
    return replace(context, shared_prefix=shared)
