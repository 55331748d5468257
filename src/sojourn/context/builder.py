"""Building a context: what is offered, planned into a budget, and laid out so that a provider's cache helps.

First stands what stays from turn to turn: the instructions, what is pinned, the summary. Then the recent messages,
whose beginning stays as long as it can. Last, with the question, what was chosen for it alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from sojourn.context.context import Context, Counted, shared_prefix
from sojourn.context.cutting import cut_lines, cut_middle
from sojourn.context.inputs import Inputs, Mode, ShowProfile, Strategy
from sojourn.context.item import Dropped, Item, Section, SectionName
from sojourn.context.known_talk import KnownTalk
from sojourn.context.layout import TITLES, asked_message, knowledge_text, overhead, stable_text
from sojourn.context.planner import Plan, make_plan
from sojourn.context.rendering import state_dict, state_text
from sojourn.context.sections import Offer, chosen_mode
from sojourn.context.talk import Line
from sojourn.context.tokens import CharacterCounter, TokenCounter, Tokens
from sojourn.context.validity import made_valid
from sojourn.context.window import Window, recent_window
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import Message

RESERVE: Final = 2_000
"""Tokens of a window that are left for the answer."""
LARGEST: Final = 32_000
"""A context is no larger than this unless somebody asks for it."""
UNKNOWN_WINDOW: Final = 8_000
"""The budget for a model of which nobody knows how much it can take."""
TALK_SHARE: Final = 0.2
"""The recent messages get at least this much of what is free, if there are that many."""
KNOWLEDGE_MOST: Final = 3_000
"""Tokens that what is chosen for one question may cost, if there is a talk to fill the rest: it is new every time."""
FILL: Final = 0.75
"""When not all messages fit, they first fill this much of their room, so that the next ones need not push them out."""
SUMMARY_SHARE: Final = 0.25
"""The summary gets at most this much of the budget."""
FLOORS: Final[dict[SectionName, float]] = {"facts": 0.2, "retrieved": 0.4}
"""Facts and old messages get this much of what is chosen for the question before others compete for it."""
_TRIES: Final = 4


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
        beside: tokens of what is sent beside the context (the definitions of tools), which count as part of it.
        mode: how much of the state is offered.
        strategy: which messages go when not all fit.
        profile: when what is known about the user is shown.
    """

    counter: TokenCounter = CharacterCounter()  # noqa: RUF009 - it has no state
    budget: int | None = None
    window: int | None = None
    beside: int = 0
    mode: Mode = "auto"
    strategy: Strategy = "oldest_first"
    profile: ShowProfile = "when_asked"

    def build(self, inputs: Inputs, *, previous: Context | None = None, known: KnownTalk | None = None) -> Context:
        """Return the context for a question; *previous* is the one before it, whose beginning is kept if that can be.

        *known* is what was found out already, with the same counter.

        Raises:
            InvalidInputError: the budget is too small for what every context holds, or a setting is unknown.
        """
        talk = known if known is not None else KnownTalk(self.counter)
        return _Building(self, inputs, self.tokens_allowed(), previous, talk).context()

    def tokens_allowed(self) -> int:
        """Return how many tokens a context may have, without what is sent beside it.

        Raises:
            InvalidInputError: a setting is unknown, or no context can be so small.
        """
        allowed = self._allowed_in_all() - self.beside
        if allowed < 1:
            raise InvalidInputError(
                f"the tools' definitions cost {self.beside:,} tokens, and the budget is {allowed + self.beside:,}"
            )
        return allowed

    def _allowed_in_all(self) -> int:
        """Return how many tokens a context may have.

        Raises:
            InvalidInputError: a setting is unknown, or no context can be so small.
        """
        settings = (
            (self.mode, Mode, "mode"),
            (self.strategy, Strategy, "strategy"),
            (self.profile, ShowProfile, "profile"),
        )
        for value, kind, name in settings:
            if value not in get_args(kind):
                raise InvalidInputError(f"{name} {value!r:.50}: use one of {', '.join(get_args(kind))}")
        if self.budget is None:
            budget = default_budget(self.window)
            if budget < 1:
                raise InvalidInputError(
                    f"a window of {self.window} tokens leaves no room beside the answer's {RESERVE:,}"
                )
            return budget
        if isinstance(self.budget, bool) or not isinstance(self.budget, int) or self.budget < 1:
            raise InvalidInputError(f"a budget is a number of tokens from 1, got {self.budget!r:.50}")
        if self.window is not None and self.budget > self.window:
            raise InvalidInputError(f"a budget of {self.budget:,} tokens is more than the model's {self.window:,}")
        return self.budget


def turn_at_hand(recent: Sequence[Line], question: str) -> int:
    """Return where in *recent* the question stands that is being worked on, or the end if it is not there yet.

    It is there if the user said just this last, and since then tools were called but nothing was answered.
    """
    for place in range(len(recent) - 1, -1, -1):
        message = recent[place].message
        if message.role == "user":
            return place if message.text == question else len(recent)
        if message.role == "assistant" and not message.tool_calls:
            break
    return len(recent)


class _Building:
    """One context on its way."""

    def __init__(
        self, builder: ContextBuilder, inputs: Inputs, budget: int, previous: Context | None, known: KnownTalk
    ) -> None:
        self._builder = builder
        self._counter = builder.counter
        self._inputs = inputs
        self._budget = budget
        self._previous = previous
        self._mode = chosen_mode(builder.mode, inputs.state)
        self._known = known
        self._costs = known.costs
        place = turn_at_hand(inputs.recent, inputs.question)
        self._before = [*inputs.recent[:place]]
        self._talk = known.groups(self._before)
        self._stable = self._stable_sections()
        self._system = stable_text(self._stable)
        self._fixed = self._counter.count(self._system)
        self._turn = self._fitting_turn(inputs.recent[place:])
        offer = Offer(inputs, self._counter, mode=self._mode, profile=builder.profile, budget=budget)
        self._items = offer.items()
        self._left_out = offer.left_out

    # --- what is in every context

    def _stable_sections(self) -> list[Section]:
        working = self._inputs.state.working_set
        items: list[tuple[SectionName, str, str, tuple[Seq, ...]]] = []
        if self._inputs.system:
            items.append(("system", self._inputs.system, "the instructions", ()))
        items += [("pinned", f"- {text}", "pinned", ()) for text in working.pinned_facts]
        if working.summary:
            # Cut by the budget alone, so that it is the same from turn to turn.
            summary = cut_middle(working.summary, max(1, int(self._budget * SUMMARY_SHARE)), self._counter)
            source = () if working.summary_seq is None else (working.summary_seq,)
            items.append(("summary", summary, "what was said before the recent messages", source))
        found: dict[SectionName, list[Item]] = {}
        for name, text, reason, seqs in items:
            tokens = self._counter.count(text)
            piece = Item(section=name, text=text, tokens=tokens, score=1.0, reason=reason, seqs=seqs, required=True)
            found.setdefault(name, []).append(piece)
        return [Section(name=name, items=tuple(pieces)) for name, pieces in found.items()]

    def _fitting_turn(self, turn: Sequence[Line]) -> list[Line]:
        """Return the question and what it led to, cut where it is too long."""
        if not turn and self._inputs.question.strip():
            turn = [Line(message=Message(role="user", content=self._inputs.question))]
        turn = made_valid(turn)
        room = self._budget - self._fixed
        cut = cut_lines(turn, room, self._counter) if room >= 0 else None
        if cut is None:
            asked = self._costs.of(turn)
            raise InvalidInputError(
                f"the instructions and what is pinned cost {self._fixed:,} tokens, the question {asked:,}, and the"
                f" budget is {self._budget:,}; raise it or shorten them"
            )
        return cut

    # --- what is chosen

    def context(self) -> Context:
        """Return the context; in the rare case that joining pieces made it too long, with a little less in it."""
        free = self._budget - self._fixed - self._costs.of(self._turn)
        for _ in range(_TRIES):
            plan, window, dropped = self._choose(free)
            lines = self._lines(plan, window)
            total = self._fixed + self._costs.of(lines)
            if total <= self._budget:
                return self._context(plan, window, lines, total, dropped)
            free -= total - self._budget
        plan, window, dropped = self._choose(0)
        lines = self._lines(plan, window)
        return self._context(plan, window, lines, self._fixed + self._costs.of(lines), dropped)

    def _choose(self, free: int) -> tuple[Plan, Window, list[Dropped]]:
        """Choose the pieces for the question, and the messages around them.

        The talk first gets its share; the pieces what it leaves, up to a limit; then the talk all that is left.
        """
        previous = self._previous
        begins = previous.begins if previous is not None and previous.budget == self._budget else None
        if not self._items:
            return make_plan((), 0), self._window(free, begins), []
        most = max(KNOWLEDGE_MOST, free // 8)
        window = self._window(free - min(int(free * (1 - TALK_SHARE)), most), begins)
        items, known = self._new_items(self._items, window)
        knowledge = max(min(free - self._costs.of(window.lines), most) - overhead(self._counter), 0)
        floors = {name: int(knowledge * share) for name, share in FLOORS.items()}
        plan = make_plan(items, knowledge, floors=floors)
        if self._not_in(window):
            spent = plan.tokens + (overhead(self._counter) if plan.tokens else 0)
            window = self._window(free - spent, begins)
            chosen = [item for found in plan.chosen.values() for item in found]
            kept, more = self._new_items(chosen, window)
            plan, known = _only(plan, kept), known + more
        return plan, window, known

    def _window(self, capacity: int, begins: Seq | None) -> Window:
        return recent_window(
            self._talk,
            capacity,
            self._known,
            strategy=self._builder.strategy,
            begins=begins,
            fill=FILL,
        )

    def _not_in(self, window: Window) -> list[Line]:
        """Return the lines that *window* does not hold; one that was made up for another is no line of the talk."""
        if window.lines == self._before:
            return []
        shown = {line.seq for line in window.lines}
        return [line for line in self._before if line.seq not in shown]

    def _new_items(self, items: Sequence[Item], window: Window) -> tuple[list[Item], list[Dropped]]:
        """Return the items that the talk does not show already, and the others as dropped."""
        if all(item.section != "retrieved" for item in items):
            return [*items], []
        shown = {line.seq for line in (*window.lines, *self._turn)}
        new, known = [], []
        for item in items:
            if item.section == "retrieved" and not shown.isdisjoint(item.seqs):
                known.append(_dropped(item))
            else:
                new.append(item)
        return new, known

    # --- how it is laid out

    def _lines(self, plan: Plan, window: Window) -> list[Line]:
        knowledge = knowledge_text(plan)
        turn = self._turn
        if knowledge:
            asked = turn[0] if turn else None
            message = asked_message(asked.message if asked is not None else None, knowledge)
            turn = [Line(message=message, seq=asked.seq if asked is not None else None), *turn[1:]]
        return self._known.made_valid([*window.lines, *turn])

    def _context(
        self, plan: Plan, window: Window, lines: list[Line], total: int, dropped: Sequence[Dropped]
    ) -> Context:
        inputs = self._inputs
        research = inputs.research[0] if inputs.research else ""
        text = state_text(inputs.question, inputs.state, mode=self._mode, research=research)
        context = Context(
            system=self._system,
            lines=tuple(lines),
            text=cut_middle(text, self._budget, self._counter),
            digest=state_dict(inputs.state),
            stable=tuple(self._stable),
            said=self._counted(window.lines),
            at_hand=self._counted(self._turn),
            chosen=tuple(Section(name=name, items=plan.chosen[name]) for name in TITLES if name in plan.chosen),
            dropped=(*plan.dropped, *dropped, *self._left_out, *self._older(window)),
            tokens=Tokens(count=total, certainty=self._counter.certainty),
            budget=self._budget,
            mode=self._mode,
            window=self._builder.window,
            begins=window.begins,
        )
        return shared_prefix(context, self._previous, self._counter, cost=self._costs.of)

    def _counted(self, lines: Sequence[Line]) -> Counted:
        return Counted(tuple(lines), tuple(self._costs.each(lines)))

    def _older(self, window: Window) -> list[Dropped]:
        """Return the messages that were read and did not fit, as one."""
        older = self._not_in(window)
        if not older:
            return []
        seqs = tuple(line.seq for line in (older[0], older[-1]) if line.seq is not None)
        text = f"{len(older):,} older messages"
        return [Dropped(section="messages", text=text, tokens=self._costs.of(older), why="does not fit", seqs=seqs)]


def _only(plan: Plan, items: Sequence[Item]) -> Plan:
    """Return *plan* with these of its items."""
    chosen: dict[SectionName, list[Item]] = {}
    for item in items:
        chosen.setdefault(item.section, []).append(item)
    return Plan(
        chosen={name: tuple(found) for name, found in chosen.items()},
        dropped=plan.dropped,
        tokens=sum(item.tokens for item in items),
    )


def _dropped(item: Item) -> Dropped:
    return Dropped(
        section=item.section, text=item.text, tokens=item.tokens, why="already in the context", seqs=item.seqs
    )
