"""What a state has to say to a question, as text: for prompts that people write themselves.

The titles and their order are fixed, so that a prompt can rely on them.
"""

from typing import Final

from sojourn.context.fence import harmless
from sojourn.context.inputs import Inputs, Mode
from sojourn.model.state import SessionState

_QUERY_CHARS: Final = 50
SHOWN_FACTS: Final = 10
_SHOWN_RESEARCHES: Final = 2


def state_text(inputs: Inputs, *, mode: Mode) -> str:
    """Return the state as text: one line in mode "minimal"; profile, facts, context and research in the others."""
    if mode == "minimal":
        return compact_context(inputs.state)
    state, parts = inputs.state, []
    if state.user_profile.has_information():
        parts.append(f"# User Profile\n{harmless(state.user_profile.to_context_text())}")
    facts = state.knowledge_base.get_relevant_facts(inputs.question, limit=SHOWN_FACTS)
    if facts:
        parts.append("# Relevant Facts from Session\n" + "\n".join(f"- {harmless(fact.content)}" for fact in facts))
    if summary := state.interaction_context.get_summary():
        parts.append(f"# Current Context\n{harmless(summary)}")
    if inputs.research:
        parts.append(harmless(inputs.research))
    if mode == "comprehensive":
        for number, past in enumerate(state.research_history[-_SHOWN_RESEARCHES:], 1):
            lines = [f"# Previous Research Task {number}", f"Query: {harmless(past.query)}"]
            if past.confirmed_facts:
                lines += ["Key findings:", *[f"- {harmless(fact)}" for fact in past.confirmed_facts[:3]]]
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def compact_context(state: SessionState) -> str:
    """Return the state in one line: who the user is, how much is known, what is being researched."""
    parts = []
    if state.user_profile.name:
        parts.append(f"User: {state.user_profile.name}")
    if count := len(state.knowledge_base.with_status()):
        parts.append(f"{count} facts learned")
    if state.active_research is not None:
        query = state.active_research.query
        parts.append(f"Active research: {query[:_QUERY_CHARS]}{'...' if len(query) > _QUERY_CHARS else ''}")
    return " | ".join(parts) if parts else "New session"
