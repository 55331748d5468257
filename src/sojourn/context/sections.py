"""The pieces that a state offers for a context: what each is worth for a question, and why.

Each function makes the pieces of one section. A piece is one line, or a few that belong together; its text is stored
text, and so made harmless.
"""

from collections.abc import Iterable
from typing import Final

from sojourn.context.fence import harmless
from sojourn.context.inputs import Inputs, Mode, Retrieved, ShowProfile
from sojourn.context.item import Item, SectionName
from sojourn.context.tokens import TokenCounter
from sojourn.model.ids import Seq
from sojourn.model.knowledge import Fact
from sojourn.model.wording import coverage, terms, words

MANY_FACTS: Final = 20
"""With more facts than this, a context is worth more than one line about the state."""
SHOWN_ENTITIES: Final = 5
SHOWN_RESEARCHES: Final = 2
_ABOUT_USER: Final = frozenset({"my", "me", "i", "mine", "myself", "i'm", "i've", "i'd", "i'll", "user"})
_BACK: Final = frozenset({"earlier", "before", "previous", "previously", "discussed", "again", "last"})
_SCOPE_NAMES: Final = {
    "session": "this session",
    "project": "the project",
    "user": "the user",
    "global": "all sessions",
}


def refers_to_user(question: str) -> bool:
    """Tell whether a question speaks of the user, by whole words."""
    return not _ABOUT_USER.isdisjoint(words(question))


def refers_back(question: str) -> bool:
    """Tell whether a question speaks of what was said before, by whole words."""
    return not _BACK.isdisjoint(words(question))


def should_inject_context(inputs: Inputs) -> bool:
    """Tell whether the state has something to say to the question: it refers back, or to the user, or to a fact."""
    question, state = inputs.question, inputs.state
    return (
        refers_back(question)
        or refers_to_user(question)
        or bool(state.knowledge_base.get_relevant_facts(question))
        or state.active_research is not None
    )


def chosen_mode(mode: Mode, inputs: Inputs) -> Mode:
    """Return the mode that "auto" means for this state; any other is itself."""
    if mode != "auto":
        return mode
    if inputs.state.active_research is not None:
        return "comprehensive"
    return "standard" if len(inputs.state.knowledge_base.facts) > MANY_FACTS else "minimal"


class Offer:
    """Makes the pieces of all sections for one question. Lives for one context."""

    def __init__(self, inputs: Inputs, counter: TokenCounter, *, mode: Mode, profile: ShowProfile) -> None:
        self._inputs = inputs
        self._state = inputs.state
        self._counter = counter
        self._mode = mode
        self._profile = profile
        self._asked = terms(inputs.question)

    def items(self) -> list[Item]:
        """Return every piece that may go in, section by section, except the recent messages."""
        return [
            *self._system(),
            *self._pinned(),
            *self._profile_lines(),
            *self._summary(),
            *self._facts(),
            *self._focus(),
            *self._working_set(),
            *self._interaction(),
            *self._research(),
            *self._retrieved(),
        ]

    def _item(
        self, section: SectionName, text: str, score: float, reason: str, *, seqs: Iterable[Seq] = (),
        required: bool = False, source: str = "",
    ) -> Item:  # fmt: skip
        return Item(
            section=section,
            text=text,
            tokens=self._counter.count(text) + 1,
            score=score,
            reason=reason,
            seqs=tuple(seqs),
            source=source,
            required=required,
        )

    def _system(self) -> Iterable[Item]:
        if self._inputs.system:
            yield self._item("system", self._inputs.system, 1.0, "the instructions", required=True)

    def _pinned(self) -> Iterable[Item]:
        for text in self._state.working_set.pinned_facts:
            yield self._item("pinned", f"- {harmless(text)}", 1.0, "pinned", required=True)

    def _profile_lines(self) -> Iterable[Item]:
        asked = self._profile == "always" or (self._profile == "when_asked" and refers_to_user(self._inputs.question))
        if not asked:
            return
        reason = "always shown" if self._profile == "always" else "the question is about the user"
        origins = {name: origin.seq for name, origin in self._state.user_profile.origins.items()}
        for line in self._state.user_profile.to_context_text().splitlines():
            yield self._item("profile", harmless(line), 0.8, reason, seqs=sorted(set(origins.values()))[:5])

    def _summary(self) -> Iterable[Item]:
        summary = self._state.working_set.summary
        if summary:
            seqs = [self._state.working_set.summary_seq] if self._state.working_set.summary_seq else []
            yield self._item("summary", harmless(summary), 0.9, "what the messages before say", seqs=seqs)

    def _facts(self) -> Iterable[Item]:
        own = [(fact, 1.0) for fact in self._state.knowledge_base.with_status()]
        known = {fact.fact_id for fact, _ in own}
        shared = [(fact, 0.9) for fact in self._inputs.shared if fact.fact_id not in known]
        for fact, weight in (*own, *shared):
            held = coverage(self._asked, fact.content)
            if held == 0.0 and self._mode != "comprehensive":
                continue
            yield self._fact(fact, held, weight)

    def _fact(self, fact: Fact, held: float, weight: float) -> Item:
        score = weight * fact.confidence * (0.1 + 0.8 * held)
        reason = f"a fact of {_SCOPE_NAMES[fact.scope]}, {held:.0%} of the question's words"
        return self._item(
            "facts", f"- {harmless(fact.content)}", score, reason, seqs=fact.evidence, source=fact.fact_id
        )

    def _focus(self) -> Iterable[Item]:
        state = self._state
        if state.focus_id is not None or state.focus_type != "general":
            label = state.focus_context.get("label") or state.focus_context.get("title") or state.focus_id or ""
            yield self._item("focus", harmless(f"Focus: {state.focus_type} {label}".rstrip()), 0.5, "in focus")
        for entity in state.referenced_entities[-SHOWN_ENTITIES:]:
            line = f"Mentioned: {entity.type} {entity.title or entity.id}"
            yield self._item("focus", harmless(line), 0.2, "mentioned lately")

    def _working_set(self) -> Iterable[Item]:
        working = self._state.working_set
        parts: list[tuple[str, str, float, Seq]] = [
            *[("Decided", one.text, 0.3, one.seq) for one in working.decisions],
            *[("Open", one.text, 0.35, one.seq) for one in working.open_tasks],
            *[("File", f"{one.path} ({one.action})", 0.15, one.seq) for one in working.files_touched],
        ]
        newest = {"Decided": 0, "Open": 0, "File": 0}
        for kind, text, worth, seq in reversed(parts):
            newest[kind] += 1
            held = coverage(self._asked, text)
            if held == 0.0 and (self._mode == "minimal" or newest[kind] > 10):
                continue
            line = harmless(f"{kind}: {text}")
            yield self._item("working_set", line, worth + 0.5 * held, "of the work at hand", seqs=[seq])

    def _interaction(self) -> Iterable[Item]:
        summary = self._state.interaction_context.get_summary() if self._mode != "minimal" else ""
        for line in summary.splitlines():
            yield self._item("interaction", harmless(line), 0.15, "where the talk stands")

    def _research(self) -> Iterable[Item]:
        active = self._state.active_research
        if active is not None and self._inputs.research:
            text = harmless(self._inputs.research)
            yield self._item("research", text, 0.9, "the research at hand", seqs=[active.seq])
        if self._mode != "comprehensive":
            return
        for past in self._state.research_history[-SHOWN_RESEARCHES:]:
            findings = "".join(f"\n- {one}" for one in past.confirmed_facts[:3])
            text = harmless(f"Query: {past.query}" + (f"\nKey findings:{findings}" if findings else ""))
            yield self._item("research_history", text, 0.3, "researched before", seqs=[past.seq])

    def _retrieved(self) -> Iterable[Item]:
        for one in self._inputs.retrieved:
            yield self._item("retrieved", _shown(one), one.score, one.reason, seqs=[one.seq], source=one.session_id)


def _shown(one: Retrieved) -> str:
    return harmless(f"- {one.at:%d %b %Y} {one.speaker}: {one.text}")
