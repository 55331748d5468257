"""The pieces that a state offers for a context: what each is worth for a question, and why.

A piece is one line, or a few that belong together; its text is stored text, and so made harmless.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from sojourn.context.fence import harmless
from sojourn.context.inputs import Inputs, Mode, ShowProfile
from sojourn.context.item import Dropped, Item, SectionName
from sojourn.context.rendering import SHOWN_ENTITIES, SHOWN_RESEARCHES, past_research
from sojourn.context.tokens import TokenCounter
from sojourn.model.ids import Seq
from sojourn.model.knowledge import Fact, trust_of_fact
from sojourn.model.state import SessionState
from sojourn.model.wording import coverage, sentence, terms, words

RESEARCH_SHARE: Final = 0.2
"""The active research is told in the most detail that costs at most this much of the budget."""
MANY_FACTS: Final = 20
"""With more facts than this, a context is worth more than one line about the state."""
SHOWN_FACTS: Final = (20, 20, 50)
"""How many facts are offered at most, in each mode: the best."""
_NEAR_THE_BEST: Final = 0.25
_SHOWN_WORK: Final = 10
"""Of decisions, tasks and files that share no word with the question, so many of the newest are offered."""
_ABOUT_USER: Final = frozenset({"my", "me", "i", "mine", "myself", "i'm", "i've", "i'd", "i'll", "user"})
_BACK: Final = frozenset({"earlier", "before", "previous", "previously", "discussed", "again", "last"})
_MODES: Final[tuple[Mode, ...]] = ("minimal", "standard", "comprehensive")
_FROM: Final = {"session": "", "project": "(of the project) ", "user": "(of the user) ", "global": "(in all sessions) "}


def refers_to_user(question: str) -> bool:
    """Tell whether a question speaks of the user, by whole words."""
    return not _ABOUT_USER.isdisjoint(words(question))


def refers_back(question: str) -> bool:
    """Tell whether a question speaks of what was said before, by whole words."""
    return not _BACK.isdisjoint(words(question))


def should_inject_context(question: str, state: SessionState) -> bool:
    """Tell whether the state has something to say to the question: it refers back, or to the user, or to a fact."""
    return (
        refers_back(question)
        or refers_to_user(question)
        or bool(state.knowledge_base.get_relevant_facts(question))
        or state.active_research is not None
    )


def chosen_mode(mode: Mode, state: SessionState) -> Mode:
    """Return the mode that "auto" means for this state; any other is itself."""
    if mode != "auto":
        return mode
    if state.active_research is not None:
        return "comprehensive"
    return "standard" if len(state.knowledge_base.with_status()) > MANY_FACTS else "minimal"


class Offer:
    """Makes the pieces of all sections for one question. Lives for one context.

    *left_out* is what the mode does not show; it is known once `items` was asked.
    """

    def __init__(self, inputs: Inputs, counter: TokenCounter, *, mode: Mode, profile: ShowProfile, budget: int) -> None:
        self.left_out: list[Dropped] = []
        self._budget = budget
        self._inputs = inputs
        self._state = inputs.state
        self._counter = counter
        self._level = _MODES.index(mode)
        self._profile = profile

    @cached_property
    def _asked(self) -> frozenset[str]:
        """What the question asks for; a session that knows nothing yet need not be asked."""
        return terms(self._inputs.question)

    def items(self) -> list[Item]:
        """Return every piece that may go in for this question, section by section, except messages."""
        return [
            *self._profile_lines(),
            *self._facts(),
            *self._focus(),
            *self._working_set(),
            *self._interaction(),
            *self._research(),
            *self._retrieved(),
        ]

    def _item(
        self, section: SectionName, text: str, score: float, reason: str, *, seqs: Iterable[Seq] = (), source: str = ""
    ) -> Item:
        shown = harmless(text)
        return Item(
            section=section,
            text=shown,
            tokens=self._counter.count(shown) + 1,
            score=score,
            reason=reason,
            seqs=tuple(seqs),
            source=source,
        )

    def _only_in(self, mode: Mode, items: Iterable[Item]) -> Iterable[Item]:
        """Pass on *items* if the mode is at least this one; otherwise note that they are left out."""
        if self._level >= _MODES.index(mode):
            return items
        self.left_out += [
            Dropped(section=one.section, text=one.text, tokens=one.tokens, why="left out by the mode", seqs=one.seqs)
            for one in items
        ]
        return ()

    def _profile_lines(self) -> Iterable[Item]:
        profile = self._state.user_profile
        lines = profile.to_context_text().splitlines()
        if not lines or not self._shows_profile():
            return
        reason = "always shown" if self._profile == "always" else "the question is about the user"
        seqs = sorted({origin.seq for origin in profile.origins.values()})[-5:]
        for line in lines:
            yield self._item("profile", line, 0.8, reason, seqs=seqs)

    def _shows_profile(self) -> bool:
        return self._profile == "always" or (self._profile == "when_asked" and refers_to_user(self._inputs.question))

    def _facts(self) -> Iterable[Item]:
        knowledge = self._state.knowledge_base
        found = {one.fact_id: one for one in self._inputs.retrieved if one.fact_id is not None}
        own = {fact.fact_id: fact for fact in knowledge.with_status()}
        shared = {fact.fact_id: fact for fact in self._inputs.shared if fact.fact_id not in own}
        facts = [*own.values(), *shared.values()]
        shares = _shares(self._asked, [sentence(fact.content).meaning for fact in facts]) if facts else []
        items = [
            self._fact(fact, max(share, found[fact.fact_id].score if fact.fact_id in found else 0.0))
            for fact, share in zip(facts, shares, strict=True)
        ]
        for one in found.values():
            if one.fact_id not in own and one.fact_id not in shared and one.fact_id not in knowledge.facts:
                text, source = f"- {one.text}", one.fact_id or ""
                items.append(self._item("facts", text, 0.8 * one.score, one.reason, seqs=[one.seq], source=source))
        best = sorted(items, key=lambda item: -item.score)
        # Beside a fact that answers the question, those that merely touch it distract.
        least = best[0].score * _NEAR_THE_BEST if best and self._level < len(_MODES) - 1 else 0.0
        shown = sum(item.score >= least for item in best[: SHOWN_FACTS[self._level]])
        return [*best[:shown], *[replace(item, score=0.0) for item in best[shown:]]]

    def _fact(self, fact: Fact, relevance: float) -> Item:
        # What shares nothing with the question is worth something only where everything is.
        least = 0.03 if self._level == len(_MODES) - 1 else 0.0
        inside = fact.fact_id in self._state.knowledge_base.facts
        score = (1.0 if inside else 0.9) * fact.confidence * max(least, 0.9 * relevance)
        reason = f"a known fact, fits by {relevance:.0%}" if relevance else "a known fact"
        origin = f"(as told by: {fact.source}) " if trust_of_fact(fact) == 0 else _FROM[fact.scope]
        # Seqs of another session's journal would point at the wrong entries here.
        seqs = fact.evidence if inside else ()
        return self._item("facts", f"- {origin}{fact.content}", score, reason, seqs=seqs, source=fact.fact_id)

    def _focus(self) -> Iterable[Item]:
        state = self._state
        if state.focus_id is not None or state.focus_type != "general":
            label = state.focus_context.get("label") or state.focus_context.get("title") or state.focus_id or ""
            yield self._item("focus", f"Focus: {state.focus_type} {label}".rstrip(), 0.5, "in focus")
        for entity in state.referenced_entities[-SHOWN_ENTITIES:]:
            yield self._item("focus", f"Mentioned: {entity.type} {entity.title or entity.id}", 0.2, "mentioned lately")
        if state.short_term_memory and state.short_term_memory != state.working_set.summary:
            yield self._item("focus", f"So far: {state.short_term_memory}", 0.4, "the short-term memory")

    def _working_set(self) -> Iterable[Item]:
        working = self._state.working_set
        kinds: tuple[tuple[float, list[tuple[str, Seq]]], ...] = (
            (0.3, [(f"Decided: {one.text}", one.seq) for one in working.decisions]),
            (0.35, [(f"Open: {one.text}", one.seq) for one in working.open_tasks]),
            (0.15, [(f"File: {one.path} ({one.action})", one.seq) for one in working.files_touched]),
        )
        for worth, lines in kinds:
            for place, (line, seq) in enumerate(reversed(lines)):
                held = coverage(self._asked, line)
                lately = self._level > 0 and place < _SHOWN_WORK
                score = worth + 0.5 * held if held or lately else 0.0
                yield self._item("working_set", line, score, "of the work at hand", seqs=[seq])

    def _interaction(self) -> Iterable[Item]:
        lines = self._state.interaction_context.get_summary().splitlines()
        items = [self._item("interaction", line, 0.15, "where the talk stands") for line in lines]
        return self._only_in("standard", items)

    def _research(self) -> Iterable[Item]:
        active = self._state.active_research
        if active is not None and self._inputs.research:
            texts, most = self._inputs.research, int(self._budget * RESEARCH_SHARE)
            text = next((one for one in texts if self._counter.count(one) <= most), texts[-1])
            yield self._item("research", text, 0.9, "the research at hand", seqs=[active.seq])
        past = [
            self._item("research_history", past_research(one), 0.3, "researched before", seqs=[one.seq])
            for one in self._state.research_history[-SHOWN_RESEARCHES:]
        ]
        yield from self._only_in("comprehensive", past)

    def _retrieved(self) -> Iterable[Item]:
        for one in sorted(self._inputs.retrieved, key=lambda one: (one.at, one.session_id, one.seq)):
            if one.fact_id is None:
                text = f"- {one.at:%Y-%m-%d} {one.speaker}: {one.text}"
                yield self._item("retrieved", text, one.score, one.reason, seqs=[one.seq], source=one.session_id)


def _shares(asked: frozenset[str], texts: Sequence[frozenset[str]]) -> list[float]:
    """Return which share of what is asked each text holds; a word that many texts have tells little."""
    held = [asked & text for text in texts]
    having = Counter(word for words_held in held for word in words_held)
    weights = {word: max(math.log((len(texts) + 1) / (having[word] + 0.5)), 0.1) for word in asked}
    total = sum(weights.values())
    return [sum(weights[word] for word in words_held) / total if total else 0.0 for words_held in held]
