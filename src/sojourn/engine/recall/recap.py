"""Where a session stands, in a few lines: for a person or an agent that comes back to it."""

from typing import Final

from sojourn.model.interrupts import Interrupt
from sojourn.model.state import SessionState

_SHOWN: Final = 5
_CHARS: Final = 200


def recap(state: SessionState) -> str:
    """Return what the session is about, what was decided, what remains, and what was said last."""
    if not state.conversation.message_count and not state.knowledge_base.facts:
        return "New session"
    lines: list[str] = []
    if state.title:
        lines.append(f"Session: {state.title}")
    if state.interaction_context.current_topic:
        lines.append(f"Topic: {state.interaction_context.current_topic}")
    if state.working_set.summary:
        lines.append(f"Summary: {state.working_set.summary}")
    if state.active_research is not None:
        lines.append(f"Active research: {_short(state.active_research.query)}")
    lines += _listed("Decided", [decision.text for decision in state.working_set.decisions])
    lines += _listed("Open", [task.text for task in state.working_set.open_tasks])
    lines += _listed("Waiting for an answer", [text for one in state.interrupts.open.values() if (text := _asked(one))])
    lines += _listed("Learned", [fact.content for fact in reversed(state.knowledge_base.get_recent_facts(_SHOWN))])
    lines += _listed("Files", [file.path for file in state.working_set.files_touched])
    for exchange in state.interaction_context.recent_exchanges[-1:]:
        lines.append(f"Last question: {_short(exchange.user)}")
        if exchange.assistant:
            lines.append(f"Last answer: {_short(exchange.assistant)}")
    return "\n".join(lines)


def _asked(one: Interrupt) -> str | None:
    """Return what a human is asked; `interrupts.confirm` says it as a message."""
    return one.question or (one.message if one.kind == "confirmation" else None)


def _listed(title: str, items: list[str]) -> list[str]:
    """Return the last few items under a title, and how many more there are."""
    if not items:
        return []
    more = len(items) - _SHOWN
    head = f"{title} (the last {_SHOWN} of {len(items)}):" if more > 0 else f"{title}:"
    return [head, *[f"- {_short(item)}" for item in items[-_SHOWN:]]]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARS else f"{line[: _CHARS - 1]}…"
