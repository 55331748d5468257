"""What was learned lately, what waits to be accepted, and what the user seems to want."""

from typing import Final

from sojourn.context.item import Section
from sojourn.desk.wording import count
from sojourn.model.interaction import InteractionContext
from sojourn.model.knowledge import Fact
from sojourn.tui.panels.actions import review_fact, show_screen
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_SHOWN: Final = 10
_SHOWN_CANDIDATES: Final = 3
_SURE: Final = 0.8
_COLOURS: Final = {
    "user": "accent",
    "conversation": "primary",
    "research": "success",
    "tool": "secondary",
    "file": "secondary",
    "web": "warning",
    "page": "warning",
    "external": "warning",
}
"""The colour of each source."""


class KnowledgePanel(Panel):
    """The last facts, newest first: ● for what is sure, ○ for what is not, ? for what waits to be accepted."""

    NAME = "KNOWLEDGE"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        state = glance.state
        if state is None:
            return (None, None, None)
        talk = state.interaction_context
        return state.knowledge_base, talk.current_intent, glance.filling

    def head(self, glance: Glance) -> str:
        if glance.state is None:
            return ""
        knowledge = glance.state.knowledge_base
        waiting = len(knowledge.with_status("candidate"))
        used = sum(len(section.items) for section in _sections(glance) if section.name == "facts")
        told = [str(len(knowledge.with_status()))]
        told += [f"{waiting} ?"] if waiting else []
        told += [f"{used} in use"] if used else []
        return " · ".join(told)

    def rows(self, glance: Glance) -> list[Row]:
        if glance.state is None:
            return []
        knowledge = glance.state.knowledge_base
        waiting = knowledge.get_recent_facts(_SHOWN_CANDIDATES, status="candidate")
        more = len(knowledge.with_status("candidate")) - len(waiting)
        rows = [_row(fact, glance) for fact in waiting]
        if more > 0:
            rows.append(Row(mark="?", text=f"{more:,} more to look at", style="dim", act=show_screen("review")))
        rows += [_row(fact, glance) for fact in knowledge.get_recent_facts(_SHOWN)]
        return [*rows, *_wanted(glance.state.interaction_context)]


def _row(fact: Fact, glance: Glance) -> Row:
    mark = "?" if fact.status == "candidate" else "●" if fact.confidence > _SURE else "○"
    colour = glance.colours.get(_COLOURS.get(fact.source, ""), "")
    return Row(
        mark=mark,
        mark_style=colour or "dim",
        text=written(fact.content),
        style="italic" if fact.status == "candidate" else "",
        act=review_fact(fact.fact_id),
    )


def _wanted(talk: InteractionContext) -> list[Row]:
    """Return what the user seems to want, and how often each kind of thing was wanted."""
    intent = talk.current_intent
    if intent is None:
        return []
    counts = [
        count(number, noun)
        for number, noun in ((talk.question_count, "question"), (talk.command_count, "command"))
        if number
    ]
    counts += [f"{talk.research_count:,} research"] if talk.research_count else []
    told = f"intent: {written(intent.type, most=30)} {intent.confidence:.0%}"
    return [Row(mark="›", text=told, style="dim"), *([Row(text=" · ".join(counts), style="dim")] if counts else [])]


def _sections(glance: Glance) -> tuple[Section, ...]:
    filling = glance.filling
    return filling.context.chosen if filling is not None and not filling.is_guess else ()
