"""The fold: replay, live state and snapshots agree for any history, and the state stays small."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn.model import (
    conversation,
    interaction,
    interrupts,
    knowledge,
    profile,
    research,
    statistics,
    variables,
    working_memory,
    working_set,
)
from sojourn.model import events as ev
from sojourn.model.entry import Entry
from sojourn.model.events import KINDS, Event
from sojourn.model.message import Message, ToolCall
from sojourn.model.state import SNAPSHOT_VERSION, SessionState, decode_snapshot, encode_snapshot, replay
from sojourn.testing.factories import NEWER_TOPIC, UNKNOWN, make_journal, one_of_each, said
from sojourn.testing.strategies import histories


def fold(events: list[Event]) -> SessionState:
    state = replay(make_journal(events))
    assert state is not None
    return state


@settings(max_examples=150)
@given(histories(min_size=5, max_size=40))
def test_replay_equals_applying_one_by_one(history: list[Entry]) -> None:
    live = replay(history[:1])
    assert live is not None
    for entry in history[1:]:
        live = live.apply(entry)

    assert replay(history) == live


@settings(max_examples=150)
@given(histories(min_size=5, max_size=40), st.data())
def test_replay_from_a_snapshot_at_any_point_equals_replay_from_the_beginning(
    history: list[Entry], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(history)))
    before = replay(history[:at])
    assert before is not None

    restored = decode_snapshot(encode_snapshot(before))

    assert restored == before
    assert replay(history[at:], state=restored) == replay(history)


@settings(max_examples=100)
@given(histories(min_size=5, max_size=40))
def test_a_state_is_a_value_that_applying_does_not_change(history: list[Entry]) -> None:
    state = replay(history[:-1])
    assert state is not None
    before = encode_snapshot(state)

    state.apply(history[-1])

    assert encode_snapshot(state) == before


@settings(max_examples=100)
@given(histories(min_size=5, max_size=40))
def test_a_state_survives_its_own_dictionary(history: list[Entry]) -> None:
    state = replay(history)
    assert state is not None

    assert SessionState.from_dict(state.to_dict()) == state


@pytest.mark.parametrize("event", [*one_of_each(), UNKNOWN, NEWER_TOPIC], ids=lambda event: type(event).__name__)
def test_every_event_moves_the_head(event: Event) -> None:
    assert fold([said(), event]).head == 3


def test_an_unknown_event_changes_nothing_but_the_head_and_the_time() -> None:
    before, after = fold([said()]), fold([said(), UNKNOWN])
    header = msgspec.structs.replace(after.header, head=before.head, updated_at=before.updated_at)

    assert msgspec.structs.replace(after, header=header) == before


def test_every_kind_is_either_housekeeping_or_concerns_a_component() -> None:
    """A kind that nobody applies is a fact that nobody knows: whoever adds one decides here."""
    without_effect = {
        cls.__name__
        for cls in KINDS.values()
        if not any(
            fold([*one_of_each()[:position], event]) != fold([*one_of_each()[:position], UNKNOWN])
            for position, event in enumerate(one_of_each())
            if type(event) is cls
        )
    }

    written_down_only = {"ToolRefused", "RequestBlocked"}
    assert without_effect == {"SessionCreated", "SessionForked", "Forgotten", "BranchMerged"} | written_down_only


def test_no_entries_are_no_state() -> None:
    assert replay([]) is None


def test_a_snapshot_of_another_version_is_ignored() -> None:
    data = msgspec.json.decode(encode_snapshot(fold([said()])))

    assert decode_snapshot(msgspec.json.encode({**data, "version": SNAPSHOT_VERSION + 1})) is None
    assert decode_snapshot(b'{"version":999,"state":{"of":"another shape"}}') is None


# --- bounds


LONG = 1_200


def long_history() -> list[Event]:
    """Return more of everything than the state may hold, each with an id of its own."""
    events: list[Event] = []
    for n in range(LONG):
        call = ToolCall(id=f"call {n}", name=f"tool {n}")
        step = ev.PlanStep(id=f"s{n}", description="look", findings=("f",) * 5)
        events += [
            said(f"question {n} " * 100),
            ev.MessageAdded(message=Message(role="assistant", content="answer " * 100, tool_calls=(call,))),
            ev.ToolStarted(call_id=f"other {n}", name="tool"),
            ev.ToolRan(call_id=f"call {n}", name=f"tool {n}", seconds=1.0),
            ev.UsageRecorded(input_tokens=1, cost_micros=1),
            ev.ProfileUpdated(fields={"interests": [f"i{n}"], "frameworks": [f"f{n}"], f"made up {n}": "x"}),
            ev.FactLearned(fact_id=f"f{n}", content=f"fact {n}", tags=("t",) * 50, references=("r",) * 50),
            ev.FactReinforced(fact_id="f1", source=f"source {n}", confidence=1.0, references=(f"r{n}",)),
            ev.EntityReferenced(entity_type="e", entity_id=str(n)),
            ev.DecisionMade(text=f"d{n}"),
            ev.TaskOpened(task_id=f"t{n}", text="do"),
            ev.FileTouched(path=f"p{n}"),
            ev.FactPinned(text=f"pin {n}"),
            ev.VariableSet(name=f"v{n}", value=n),
            ev.InterruptRaised(interrupt_id=f"i{n}", interrupt="clarification"),
            ev.ResearchStarted(research_id=f"r{n // 100}", query="q"),
            *(ev.AttemptStarted(research_id=f"r{n // 100}", strategy="direct") for _ in range(15)),
            ev.PlanRevised(research_id=f"r{n // 100}", steps=(step,) * 60),
            ev.StepUpdated(research_id=f"r{n // 100}", step_id=f"s{n}", status="completed", findings=("x",) * 60),
            ev.ResearchToolRan(research_id=f"r{n // 100}", tool_name="t", result="x" * 1_000),
            ev.InsightAdded(research_id=f"r{n // 100}", insight="confirmed_facts", text=f"insight {n}"),
            *([ev.ResearchEnded(research_id=f"r{n // 100}", response="y" * 1_000)] if n % 100 == 99 else []),
        ]
    return events


@pytest.fixture(scope="module")
def long_state() -> SessionState:
    return fold(long_history())


def test_every_list_of_the_state_is_bounded(long_state: SessionState) -> None:
    state = long_state

    assert len(state.conversation.open_calls) == conversation.MAX_OPEN_CALLS
    assert len(state.interaction_context.recent_exchanges) == interaction.MAX_EXCHANGES
    assert len(state.knowledge_base.facts) == knowledge.MAX_FACTS
    assert len(state.user_profile.interests) == len(state.user_profile.frameworks) == profile.MAX_ITEMS
    assert len(state.metadata.tools) == statistics.MAX_TOOLS + 1
    assert len(state.referenced_entities) == working_memory.MAX_ENTITIES
    assert len(state.variables.values) == variables.MAX_VARIABLES
    assert len(state.interrupts.open) == interrupts.MAX_OPEN
    assert len(state.research_history) == research.MAX_HISTORY
    for name in ("decisions", "open_tasks", "files_touched", "pinned_facts"):
        assert len(getattr(state.working_set, name)) == working_set.MAX_ITEMS


def test_the_newest_are_kept(long_state: SessionState) -> None:
    state = long_state

    assert state.working_set.decisions[-1].text == f"d{LONG - 1}"
    assert state.referenced_entities[0].id == str(LONG - 20)
    assert list(state.variables.values)[-1] == f"v{LONG - 1}"
    assert state.metadata.tools[statistics.OTHER_TOOLS].calls == LONG - statistics.MAX_TOOLS
    assert state.metadata.tool_call_count == LONG
    assert state.knowledge_base.learned_count == LONG


def test_a_snapshot_stays_small_however_long_the_history() -> None:
    events = long_history()
    sizes = [len(encode_snapshot(fold(events[: len(events) * part // 4]))) for part in (1, 2, 4)]

    assert max(sizes) < 300_000
    assert max(sizes) < 1.1 * min(sizes)


@settings(max_examples=20)
@given(histories(min_size=40, max_size=120))
def test_random_histories_do_not_outgrow_the_bounds(history: list[Entry]) -> None:
    state = replay(history)
    assert state is not None

    assert len(state.knowledge_base.facts) <= knowledge.MAX_FACTS
    assert len(state.working_set.pinned_facts) <= working_set.MAX_ITEMS
    assert len(state.variables.values) <= variables.MAX_VARIABLES
    assert len(encode_snapshot(state)) < 200_000
