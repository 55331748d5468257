"""What a state has to say to a question, as text or as a dict: for prompts that people write themselves.

The titles, the keys and their order are fixed, so that a prompt can rely on them.
"""

import copy
from typing import Any, Final

from sojourn.context.fence import harmless
from sojourn.context.inputs import Mode
from sojourn.model.research import ResearchHeader
from sojourn.model.state import SessionState

_QUERY_CHARS: Final = 50
SHOWN_FACTS: Final = 10
SHOWN_ENTITIES: Final = 5
SHOWN_RESEARCHES: Final = 2
SHOWN_FINDINGS: Final = 3


def state_text(question: str, state: SessionState, *, mode: Mode, research: str = "") -> str:
    """Return the state as text: one line in mode "minimal"; profile, facts, context and research in the others.

    *research* is the active research as text.
    """
    if mode == "minimal":
        return compact_context(state)
    parts = []
    if state.user_profile.has_information():
        parts.append(f"# User Profile\n{harmless(state.user_profile.to_context_text())}")
    facts = state.knowledge_base.get_relevant_facts(question, limit=SHOWN_FACTS)
    if facts:
        parts.append("# Relevant Facts from Session\n" + "\n".join(f"- {harmless(fact.content)}" for fact in facts))
    if summary := state.interaction_context.get_summary():
        parts.append(f"# Current Context\n{harmless(summary)}")
    if research:
        parts.append(harmless(research))
    if mode == "comprehensive":
        for number, past in enumerate(state.research_history[-SHOWN_RESEARCHES:], 1):
            parts.append(f"# Previous Research Task {number}\n{past_research(past)}")
    return "\n\n".join(parts)


def past_research(past: ResearchHeader) -> str:
    """Return a research that ended: what was asked, and the first of what was found."""
    lines = [f"Query: {past.query}"]
    if past.confirmed_facts:
        lines += ["Key findings:", *[f"- {fact}" for fact in past.confirmed_facts[:SHOWN_FINDINGS]]]
    return harmless("\n".join(lines))


def compact_context(state: SessionState) -> str:
    """Return the state in one line: who the user is, how much is known, what is being researched."""
    parts = []
    if state.user_profile.name:
        parts.append(f"User: {harmless(state.user_profile.name)}")
    if count := len(state.knowledge_base.with_status()):
        parts.append(f"{count} facts learned")
    if state.active_research is not None:
        query = state.active_research.query
        parts.append(f"Active research: {harmless(query[:_QUERY_CHARS])}{'...' if len(query) > _QUERY_CHARS else ''}")
    return " | ".join(parts) if parts else "New session"


def state_dict(state: SessionState) -> dict[str, Any]:
    """Return what a prompt should know of the working memory, as plain JSON types.

    `turn_count` and `focus` (type, id, context) are always there; `recent_entities` (type, id and title of the last 5)
    and `conversation_summary` only if there are any.
    """
    focus = {"type": state.focus_type, "id": state.focus_id, "context": copy.deepcopy(state.focus_context)}
    shown: dict[str, Any] = {"turn_count": state.turn_count, "focus": focus}
    if state.referenced_entities:
        shown["recent_entities"] = [
            {"type": one.type, "id": one.id, "title": one.title} for one in state.referenced_entities[-SHOWN_ENTITIES:]
        ]
    if state.short_term_memory:
        shown["conversation_summary"] = state.short_term_memory
    return shown
