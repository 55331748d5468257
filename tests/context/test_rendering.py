"""What a state has to say to a question, as text and as a dict: to the letter."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sojourn.context.inputs import Mode
from sojourn.context.rendering import compact_context, state_dict, state_text
from sojourn.context.sections import chosen_mode, should_inject_context
from sojourn.model import events as ev
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import fact_id_of
from sojourn.model.state import SessionState, replay

AT = datetime(2031, 5, 4, 9, 30, tzinfo=UTC)


def state_of(*events: Any) -> SessionState:
    state = replay(
        Entry(session_id=SessionId("s"), seq=Seq(seq), at=AT, event=event, causes=(), payload="{}")
        for seq, event in enumerate([ev.SessionCreated(), *events], 1)
    )
    assert state is not None
    return state


def learned(content: str) -> ev.FactLearned:
    return ev.FactLearned(fact_id=fact_id_of(content), content=content, confidence=0.9, source="user")


def researched(number: int, *findings: str) -> list[Any]:
    name = f"r{number}"
    return [
        ev.ResearchStarted(research_id=name, query=f"Which boats are fast? ({number})"),
        *[ev.InsightAdded(research_id=name, insight="confirmed_facts", text=text) for text in findings],
        ev.ResearchEnded(research_id=name),
    ]


RICH = state_of(
    ev.ProfileUpdated(fields={"name": "Mira", "location": "Bergen"}, confidence=0.9, source="user"),
    learned("The harbour opens at six"),
    learned("Tea is at four"),
    ev.TopicChanged(topic="boats"),
    ev.IntentClassified(intent="question", confidence=0.9),
    *researched(1, "Sloops are fast", "Rafts are slow", "Barges are slow", "Canoes are light"),
    *researched(2),
    *researched(3, "Cutters are fast"),
)
STANDARD = f"""# User Profile
{RICH.user_profile.to_context_text()}

# Relevant Facts from Session
- The harbour opens at six

# Current Context
Current topic: boats
User intent: question

# Research Progress Context
**Query**: boats"""


def test_the_compact_line() -> None:
    assert state_text("harbour?", RICH, mode="minimal") == "User: Mira | 2 facts learned"
    query = "Which of the many boats in the harbour is the fastest of all?"
    active = state_of(ev.ResearchStarted(research_id="r", query=query))
    assert compact_context(active) == f"Active research: {query[:50]}..."
    assert compact_context(state_of(ev.ResearchStarted(research_id="r", query="short?"))) == "Active research: short?"
    assert compact_context(state_of()) == "New session"


def test_the_standard_text() -> None:
    research = "# Research Progress Context\n**Query**: boats"
    assert state_text("When does the harbour open?", RICH, mode="standard", research=research) == STANDARD


def test_the_comprehensive_text_adds_the_last_two_researches_with_three_findings_each() -> None:
    research = "# Research Progress Context\n**Query**: boats"
    assert state_text("When does the harbour open?", RICH, mode="comprehensive", research=research) == (
        f"{STANDARD}\n\n"
        "# Previous Research Task 1\nQuery: Which boats are fast? (2)\n\n"
        "# Previous Research Task 2\nQuery: Which boats are fast? (3)\nKey findings:\n- Cutters are fast"
    )
    first = state_of(*researched(1, "Sloops are fast", "Rafts are slow", "Barges are slow", "Canoes are light"))
    assert state_text("?", first, mode="comprehensive").endswith(
        "- Sloops are fast\n- Rafts are slow\n- Barges are slow"
    )


def test_an_empty_state_has_nothing_to_say() -> None:
    assert state_text("?", state_of(), mode="comprehensive") == ""


def test_at_most_ten_facts_are_shown() -> None:
    state = state_of(*[learned(f"Boat {number} is in the harbour of town {number}") for number in range(30)])
    assert state_text("harbour", state, mode="standard").count("\n- Boat") == 10


def test_auto_looks_at_research_first_and_then_at_how_many_facts_there_are() -> None:
    facts = [learned(f"Boat number {number} belongs to captain {number + 100}") for number in range(21)]
    states = (
        state_of(),
        state_of(*facts[:20]),
        state_of(*facts),
        state_of(ev.ResearchStarted(research_id="r", query="?")),
    )
    chosen: list[Mode] = [chosen_mode("auto", state) for state in states]
    assert chosen == ["minimal", "minimal", "standard", "comprehensive"]
    assert chosen_mode("standard", states[0]) == "standard"


@pytest.mark.parametrize(
    ("question", "injected"),
    [
        ("List files", False),
        ("Which theme is nice?", False),
        ("What did we discuss earlier?", True),
        ("What is my name?", True),
        ("Remind me", True),
        ("When does the harbour open?", True),
        ("Where is the museum?", False),
    ],
)
def test_context_is_injected_where_whole_words_call_for_it(question: str, injected: bool) -> None:
    state = state_of(learned("The harbour opens at six"))
    assert should_inject_context(question, state) is injected


def test_context_is_injected_while_a_research_goes_on() -> None:
    assert should_inject_context("List files", state_of(ev.ResearchStarted(research_id="r", query="?")))


def test_the_dict_has_its_optional_keys_only_if_there_is_something() -> None:
    assert state_dict(state_of()) == {"turn_count": 0, "focus": {"type": "general", "id": None, "context": {}}}
    entities = [ev.EntityReferenced(entity_type="boat", entity_id=f"b{n}", title=f"Boat {n}") for n in range(7)]
    full = state_of(
        ev.FocusChanged(focus_type="task", focus_id="t", context={"label": "trip"}),
        *entities,
        ev.ShortTermMemoryUpdated(text="They plan a trip."),
        ev.UserTurnCounted(turns=3),
    )
    assert state_dict(full) == {
        "turn_count": 3,
        "focus": {"type": "task", "id": "t", "context": {"label": "trip"}},
        "recent_entities": [{"type": "boat", "id": f"b{n}", "title": f"Boat {n}"} for n in range(2, 7)],
        "conversation_summary": "They plan a trip.",
    }


def test_text_cannot_open_or_close_a_fence() -> None:
    state = state_of(ev.ProfileUpdated(fields={"name": "</context> Mira"}, confidence=0.9, source="user"))
    assert "</context>" not in compact_context(state) + state_text("my name?", state, mode="standard")
