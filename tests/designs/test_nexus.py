"""The Nexus design, its state and its agent: its examples in our names, and none of its defects."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn import (
    Agent,
    ContextCompactor,
    Message,
    PermissionGate,
    ReasoningConfig,
    ScriptedProvider,
    Session,
    SessionState,
    SkillRegistry,
    events,
    open_store,
)
from sojourn.agent.command_control import CommandControlAgent
from sojourn.agent.events import SessionCompleted
from sojourn.agent.mcp.link import LinkError, Outlook
from sojourn.agent.mcp.status import Status
from sojourn.agent.permissions.presets import from_environment
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.skill import Skill
from sojourn.context.sections import should_inject_context
from sojourn.errors import McpError, ModelError, NotFoundError
from sojourn.model.profile import UserProfile
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult, ResearchPlan, SubTask
from sojourn.model.state import replay
from sojourn.model.tracker import ResearchProgressTracker
from sojourn.model.usage import Usage
from sojourn.providers.scripted import Reply
from sojourn.store.protocol import Store
from sojourn.testing.clock import FakeClock
from sojourn.testing.factories import make_journal
from sojourn.testing.factories import said as user_said
from tests.agent.agent_kit import calling, listed, registry, said
from tests.agent.approval_kit import Human
from tests.agent.mcp_kit import HEALTH, MadeUpLink, Stage, running
from tests.agent.reasoning_kit import COMPLETE, INCOMPLETE, PLAN, Recorder, analysed, judged

pytestmark = pytest.mark.anyio

QUERY = "Analyze the performance issues in our API"
COMPLEX = ComplexityAnalysis(
    complexity_level="complex",
    recommended_strategy="deep_reasoning",
    rationale="several parts",
    estimated_iterations=3,
    confidence=0.9,
    requires_research=True,
)


def stores(tmp_path: Path) -> list[Store]:
    return [open_store("memory:"), open_store(tmp_path / "nexus.db")]


def through_json(state: SessionState) -> SessionState:
    return SessionState.from_dict(json.loads(json.dumps(state.to_dict())))


def plan(*queries: str) -> ResearchPlan:
    return ResearchPlan(original_query=QUERY, subtasks=tuple(SubTask(query=query) for query in queries))


async def research_done(session: Session, query: str, *findings: str) -> str:
    """Research *query* with success, one step for each of *findings*; return the research's id."""
    research = await session.research.start(query, COMPLEX)
    await research.start_attempt("light_planning")
    await research.set_plan(plan(*(f"Look at part {number}" for number in range(len(findings)))), "light_planning")
    for number, finding in enumerate(findings):
        await research.update_step_status(f"step_{number}", "completed", [finding])
    await research.end_attempt("Quality sufficient", quality_score=0.9)
    await session.research.end("Done.")
    return research.research_id


# --- StateProvider: documents by key


async def test_documents_are_saved_loaded_listed_and_deleted(tmp_path: Path) -> None:
    for made in stores(tmp_path):
        async with made as store:
            document: dict[str, Any] = {"messages": [{"role": "user"}]}
            await store.documents.save("session:abc:conversation", document)
            document["messages"].append("changed after the save")

            assert await store.documents.load("session:abc:conversation") == {"messages": [{"role": "user"}]}
            assert await store.documents.load("session:none") is None
            assert await store.documents.list_keys("session:abc") == ["session:abc:conversation"]
            await store.documents.delete("session:abc:conversation")
            await store.documents.delete("session:abc:conversation")
            assert not await store.documents.exists("session:abc:conversation")


@pytest.mark.parametrize("key", ["session:a__b", "session:a/b", "session:a_b", "session:a:b"])
async def test_a_key_comes_back_as_it_was_given(key: str, tmp_path: Path) -> None:
    for made in stores(tmp_path):
        async with made as store:
            await store.documents.save(key, {"key": key})

            assert await store.documents.list_keys() == [key]
            assert await store.documents.load(key) == {"key": key}


# --- SessionState: the container, and JSON


async def test_a_full_state_is_json_and_comes_back_equal(tmp_path: Path) -> None:
    for made in stores(tmp_path):
        async with made as store:
            session = await Session.create(store, "abc123")
            await session.messages.user("My name is Alice and I'm working on a Python project")
            await session.profile.set(name="Alice", current_project="Python project")
            await research_done(session, "first", "The API rate limit is 1000 requests/hour")
            await research_done(session, "second", "The server runs on port 8080")
            await (await session.research.start(QUERY, COMPLEX)).start_attempt("deep_reasoning")
            again = through_json(session.state)

            assert again == session.state
            assert again.user_profile.name == "Alice"
            assert len(again.research_history) == 2
            assert again.active_research is not None


async def test_the_state_has_every_part_that_the_design_names() -> None:
    async with open_store("memory:") as store:
        state = (await Session.create(store, "abc123")).state

        for part in (
            "session_id", "created_at", "updated_at", "conversation", "user_profile", "knowledge_base",
            "interaction_context", "metadata", "active_research", "research_history",
        ):  # fmt: skip
            assert hasattr(state, part)
        assert state.session_id == "abc123"


async def test_every_change_stamps_the_session() -> None:
    clock = FakeClock()
    async with open_store("memory:", clock=clock) as store:
        session = await Session.create(store, "s")
        before = session.state.updated_at
        clock.advance(seconds=5)
        await session.profile.set(name="Alice")

        assert session.state.updated_at - before == timedelta(seconds=5)


# --- UserProfile


async def test_a_name_that_was_said_once_is_a_lookup_fifty_messages_later() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        told = await session.messages.user("My name is Alice")
        await session.profile.update({"name": "Alice"}, source="conversation", causes=[told.seq])
        for number in range(50):
            await session.messages.user(f"message {number}")

        assert session.state.user_profile.name == "Alice"
        assert session.state.user_profile.to_context_text() == "User's name: Alice"
        assert session.state.user_profile.confidence_scores == {"name": 0.8}


async def test_two_updates_merge_lists_in_order_and_replace_scalars() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.profile.update({"current_project": "chat app", "project_tech_stack": ["React"]})
        await session.profile.update({"current_project": "shop", "project_tech_stack": ["Node", "React"], "name": ""})
        profile = session.state.user_profile

        assert (profile.current_project, profile.project_tech_stack) == ("shop", ("React", "Node"))
        assert set(profile.confidence_scores) == {"current_project", "project_tech_stack"}


async def test_saving_after_a_profile_update_works() -> None:
    """A profile's time of change is JSON like everything else."""
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.profile.set(name="Alice")
        profile = UserProfile.from_dict(json.loads(json.dumps(session.state.user_profile.to_dict())))

        assert profile == session.state.user_profile
        assert profile.updated_at is not None


async def test_where_the_user_lives_what_he_knows_and_uses_is_information_and_is_told() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        assert not session.state.user_profile.has_information()
        profile = await session.profile.set(location="Oslo", age=30, frameworks=["React"])

        assert profile.has_information()
        assert profile.to_context_text() == "Age: 30\nLocation: Oslo\nFrameworks: React"


async def test_extracted_data_cannot_overwrite_the_bookkeeping() -> None:
    made_up = events.ProfileUpdated(
        fields={"confidence_scores": {"name": 0.0}, "origins": {}, "updated_at": None, "has_information": True}
    )
    state = replay(make_journal([events.ProfileUpdated(fields={"name": "Alice"}), made_up]))
    assert state is not None

    assert state.user_profile.confidence_scores == {"name": 0.8}
    assert state.user_profile.has_information()


# --- KnowledgeBase


async def test_what_one_question_found_serves_the_next() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.facts.learn("API rate limit: 1000 req/hr")
        await session.facts.learn("The API might be down", confidence=0.4)

        found = session.state.knowledge_base.get_relevant_facts("Write code to call the API")
        assert [fact.content for fact in found] == ["API rate limit: 1000 req/hr"]
        assert (found[0].source, found[0].confidence) == ("conversation", 0.8)


async def test_the_same_fact_in_another_case_is_one_and_the_higher_confidence_wins() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.facts.learn("Server runs on port 8080", confidence=0.9)
        fact = await session.facts.learn("server runs on PORT 8080", confidence=0.5)

        assert len(session.state.knowledge_base.facts) == 1
        assert fact.confidence == 0.9


async def test_a_fact_met_again_keeps_both_sources_and_the_later_research() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.facts.learn("Server runs on port 8080")
        fact = await session.facts.learn("Server runs on port 8080", source="research", research_id="query_1")

        assert (fact.sources, fact.research_id) == (("conversation", "research"), "query_1")


async def test_limits_finds_limit_and_age_does_not_find_language() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.facts.learn("The rate limit is 1000")
        await session.facts.learn("The language is Go")

        assert [fact.content for fact in session.facts.search("what limits apply")] == ["The rate limit is 1000"]
        assert session.facts.search("age") == []
        assert session.facts.search("i") == []


async def test_a_wrong_fact_is_taken_back_and_known_to_have_been_wrong() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        told = await session.messages.user("I feel like thirty today")
        fact = await session.facts.learn("User is 30 years old", about="user", causes=[told.seq])
        await session.profile.set(age=30)
        await session.facts.retire(fact.fact_id, "the user said no")
        await session.profile.remove("age")
        again = await session.facts.learn("User is 30 years old", about="user", causes=[told.seq])

        assert again.status == "retired"
        assert session.facts.search("years old") == []
        assert session.state.user_profile.age is None


async def test_of_150_facts_with_ties_100_stay_the_surest_and_newest() -> None:
    async with open_store("memory:", clock=FakeClock()) as store:
        session = await Session.create(store, "s")
        for number in range(150):
            await session.facts.learn(f"fact number {number}", confidence=0.9 if number % 3 == 0 else 0.6)
        kept = session.state.knowledge_base.facts.values()

        assert len(kept) == 100
        assert sum(fact.confidence == 0.9 for fact in kept) == 50
        assert session.state.knowledge_base == (await Session.open(store, "s")).state.knowledge_base


# --- InteractionContext


async def test_the_last_five_exchanges_the_intents_and_the_topic_are_summarised() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        assert session.state.interaction_context.get_summary() == ""
        for number in range(7):
            await session.messages.user(f"question {number}")
            await session.messages.assistant(f"answer {number}")
        for intent in ("question", "question", "command", "research", "chat"):
            await session.append(events.IntentClassified(intent=intent, confidence=0.7))
        await session.append(events.TopicChanged(topic="the API"))
        context = session.state.interaction_context

        assert [(one.user, one.assistant) for one in context.recent_exchanges] == [
            (f"question {number}", f"answer {number}") for number in range(2, 7)
        ]
        assert (context.question_count, context.command_count, context.research_count) == (2, 1, 1)
        assert context.get_summary() == "Current topic: the API\nUser intent: chat\nRecent exchanges: 5"


async def test_the_window_of_exchanges_is_the_same_after_a_reload() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        for number in range(7):
            await session.messages.user(f"question {number}")
        again = through_json(session.state)
        for entry in make_journal([user_said("one more"), user_said("and one more")])[1:]:
            again = again.apply(entry)

        assert len(again.interaction_context.recent_exchanges) == 5


# --- statistics


async def test_usage_is_summed_by_purpose_and_the_cache_is_rated() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.used(input_tokens=10, output_tokens=5, cache_read_tokens=30, cost_micros=123_456)
        await session.messages.used(purpose="reasoning", output_tokens=1, cost_micros=1_000_000)
        await session.messages.used(purpose="reasoning", cost_micros=1)
        metadata = session.state.metadata

        assert metadata.cache_efficiency == 0.75
        assert metadata.cost_breakdown == {"conversation": 0.123456, "reasoning": 1.000001}
        assert metadata.get_summary() == {
            "message_count": 0,
            "tool_calls": 0,
            "research_tasks": 0,
            "total_tokens": 16,
            "total_cost_usd": 1.1235,
            "avg_response_time_sec": 0.0,
            "cache_efficiency": 0.75,
        }


async def test_a_tool_that_failed_once_in_three_succeeds_two_thirds_of_the_time() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        for number, success in enumerate((True, False, True)):
            await session.messages.tool_ran(f"c{number}", "search", success=success)
        metadata = session.state.metadata

        assert metadata.tool_success_rate == {"search": pytest.approx(2 / 3)}
        assert (metadata.tool_usage, metadata.tool_call_count) == ({"search": 3}, 3)


async def test_an_exchange_is_two_messages_whatever_it_cost() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("hello")
        await session.messages.assistant("hi")
        await session.messages.used(input_tokens=3, output_tokens=2)

        assert session.state.metadata.message_count == 2


async def test_the_average_response_time_remembers_its_history_after_a_reload() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.append(events.TurnEnded(turn_id="t1", seconds=2.0))
        again = through_json(session.state)
        for entry in make_journal([events.TurnEnded(turn_id="t2", seconds=4.0)])[1:]:
            again = again.apply(entry)

        assert again.metadata.average_response_time == 3.0
        assert again.metadata.get_summary()["avg_response_time_sec"] == 3.0


async def test_a_cost_without_a_price_or_of_a_new_purpose_breaks_no_sum() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.used(purpose="extraction", cost_micros=None)
        await session.messages.used(purpose="summarisation", cost_micros=7)

        assert session.state.metadata.cost_micros == {"summarisation": 7}
        assert session.state.metadata.unpriced_calls == 1


# --- research


async def test_a_research_begins_ends_and_leaves_what_it_learned() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        research_id = await research_done(session, QUERY, "The API rate limit is 1000 requests/hour")
        facts = session.state.knowledge_base.search("What did we learn about the API?")

        assert [(fact.source, fact.confidence, fact.research_id) for fact in facts] == [("research", 0.9, research_id)]
        assert [header.query for header in session.state.research_history] == [QUERY]
        assert session.state.active_research is None
        assert await session.research.end("again") is None
        assert session.state.metadata.get_summary()["research_tasks"] == 1


async def test_findings_of_completed_steps_become_confirmed_facts_once_the_attempt_is_good_enough() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        research = await session.research.start(QUERY, COMPLEX)
        await research.start_attempt("light_planning")
        await research.set_plan(plan("Measure", "Compare"), "light_planning")
        await research.update_step_status("step_0", "completed", ["It takes 2 s"])
        await research.update_step_status("step_1", "failed", ["It takes 9 s"])
        before = research.tracker.insights.confirmed_facts
        await research.end_attempt("Quality sufficient", quality_score=0.9)

        assert (before, research.tracker.insights.confirmed_facts) == ((), ("It takes 2 s",))


async def test_a_session_with_a_tracker_can_be_saved() -> None:
    """A tracker is JSON to the last enumeration in it."""
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        research = await session.research.start(QUERY, COMPLEX)
        await research.start_attempt("deep_reasoning")
        await research.set_plan(plan("Measure"), "deep_reasoning")
        verdict = EvaluationResult(is_complete=False, confidence=0.4, reasoning="Too thin", missing_aspects=("cost",))
        await research.end_attempt("Escalated due to low quality", evaluation=verdict, quality_score=0.4)
        saved = json.dumps(research.tracker.to_dict())

        assert ResearchProgressTracker.from_dict(json.loads(saved)) == research.tracker
        assert json.loads(saved)["complexity"]["complexity_level"] == "complex"


async def test_a_resumed_research_knows_its_strategy_and_attempt(tmp_path: Path) -> None:
    async with open_store(tmp_path / "nexus.db") as store:
        session = await Session.create(store, "s")
        research = await session.research.start(QUERY, COMPLEX)
        await research.start_attempt("light_planning")
        await research.log_tool_execution("search", {"q": "api"}, success=True, result="found")
        before = research.tracker
    async with open_store(tmp_path / "nexus.db") as store:
        resumed = await (await Session.open(store, "s")).research.active()
        assert resumed is not None

        assert resumed.tracker == before
        assert resumed.tracker.current_strategy == "light_planning"
        assert resumed.tracker.current_attempt is not None
        assert "**Current Execution Level**: light_planning" in resumed.tracker.to_context_text()
        assert resumed.should_execute_tool("search", {"q": "api"}) == (False, "found")


async def test_a_light_attempt_at_065_is_not_completed() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        research = await session.research.start(QUERY, COMPLEX)
        await research.start_attempt("light_planning")
        attempt = await research.end_attempt("Escalated due to low quality", quality_score=0.65)

        assert attempt is not None
        assert attempt.status == "escalated"


async def test_a_call_made_in_light_is_not_repeated_in_deep_but_the_time_is_asked_again() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        research = await session.research.start(QUERY, COMPLEX)
        executed: list[str] = []

        async def call(name: str, arguments: dict[str, Any]) -> str:
            needed, cached = research.should_execute_tool(name, arguments)
            if not needed and cached is not None:
                return cached
            executed.append(name)
            result = f"result {len(executed)}"
            await research.log_tool_execution(name, arguments, success=True, result=result)
            return result

        results = []
        for strategy in ("light_planning", "deep_reasoning"):
            await research.start_attempt(strategy)
            results.append([await call("web_search", {"q": "api"}), await call("get_current_time", {})])
            await research.end_attempt("judged", quality_score=0.4)

        assert executed == ["web_search", "get_current_time", "get_current_time"]
        assert [first for first, _ in results] == ["result 1", "result 1"]


async def test_the_same_question_researched_twice_overwrites_nothing() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        first = await research_done(session, QUERY, "It takes 2 s")
        second = await research_done(session, QUERY, "It takes 1 s")

        assert first != second
        assert (await session.research.get(first)).findings() == ["It takes 2 s"]
        assert (await session.research.get(second)).findings() == ["It takes 1 s"]


# --- resume


async def test_a_session_resumes_in_a_new_process_with_all_that_it_was(tmp_path: Path) -> None:
    path = tmp_path / "nexus.db"
    async with open_store(path) as store:
        session = await Session.create(store, "monday")
        await session.messages.user("I'm building a chat app with React and Node")
        await session.messages.assistant("Nice.")
        await session.messages.used(input_tokens=10, output_tokens=5, cost_micros=1_500)
        await session.profile.set(current_project="chat app", project_tech_stack=["React", "Node"])
        await session.facts.learn("The app uses WebSockets")
        await (await session.research.start(QUERY, COMPLEX)).start_attempt("direct")
        before = session.state
        await session.close()
    async with open_store(path) as store:
        state = (await Session.open(store, "monday")).state

        assert state == before
        assert state.created_at == before.created_at
        assert state.metadata.message_count == 2
        assert len(state.knowledge_base.facts) == 1
        assert state.metadata.total_cost_usd == 0.0015
        assert state.interaction_context.get_summary() == "Recent exchanges: 1"
        assert state.user_profile.to_context_text() == "Current project: chat app\nProject stack: React, Node"
        assert state.active_research is not None
        assert state.active_research.current_strategy == "direct"


# --- adaptive reasoning, with a real agent


def thinking(
    session: Session,
    *replies: Reply,
    recorder: Recorder | None = None,
    config: ReasoningConfig | None = None,
    **skills: Any,
) -> Agent:
    """Return an agent that thinks; its model gives *replies* to whatever part of the thinking asks next."""
    callbacks = None if recorder is None else replace(recorder.callbacks, is_reasoning_enabled=lambda: True)
    return Agent(
        ScriptedProvider(replies),
        session=session,
        skills=registry(**skills),
        reasoning=config or ReasoningConfig(),
        reasoning_callbacks=callbacks,
    )


def asked(agent: Agent) -> list[str]:
    """Return the last thing that each call of the agent's model was about."""
    provider = agent.provider
    assert isinstance(provider, ScriptedProvider)
    return [request.messages[-1].text for request in provider.requests]


async def texts(session: Session) -> list[str]:
    return [message.text for message in await said(session)]


JUDGING = ("on_response_for_judgment", "on_quality_check_start", "on_quality_check_complete")
STEP = ("on_iteration", "on_step_progress", "on_step_progress")
THREE_ATTEMPTS: list[Reply] = [
    analysed("direct", iterations=1),
    "The disk.", judged(0.5),
    "1. Measure the API", "It is the disk, measured.", judged(0.65),
    PLAN, "Logged.", INCOMPLETE, "It is the disk; 100 dollars.", judged(0.4),
]  # fmt: skip


async def test_judged_05_065_04_an_answer_goes_from_direct_over_light_to_deep_and_is_given() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        recorder = Recorder()
        answer = await thinking(session, *THREE_ATTEMPTS, recorder=recorder).ask(QUERY)
        tracker = await session.research.get(session.research.history[-1].research_id)

        assert answer == "It is the disk; 100 dollars."
        assert await texts(session) == [QUERY, answer]
        assert [(one.strategy, one.status, one.quality_score) for one in tracker.attempts] == [
            ("direct", "escalated", 0.5), ("light_planning", "escalated", 0.65), ("deep_reasoning", "escalated", 0.4),
        ]  # fmt: skip
        assert recorder.names() == [
            "on_analysis_start", "on_analysis_complete",
            "on_strategy_selected", "on_direct_execution", *JUDGING, "on_auto_escalation",
            "on_strategy_selected", "on_light_planning", "on_planning", "on_planning_complete", *STEP, *JUDGING,
            "on_auto_escalation",
            "on_strategy_selected", "on_deep_reasoning", "on_planning", "on_planning_complete",
            *STEP, "on_evaluation", "on_synthesis", *JUDGING,
            "on_stream_chunk", "on_stream_chunk", "on_stream_complete", "on_final_response", "on_tracker_complete",
        ]  # fmt: skip
        assert recorder.of("on_final_response") == [("deep_reasoning", 3, 0.4, True)]
        assert "".join(text for (text,) in recorder.of("on_stream_chunk")) == answer


@pytest.mark.parametrize(
    ("strategy", "gate", "replies", "callback"),
    [
        ("direct", 0.6, ["The disk."], "on_direct_execution"),
        ("light_planning", 0.7, ["1. Look", "The disk."], "on_light_planning"),
        ("deep_reasoning", 0.5, ["1. Look", "The disk.", COMPLETE], "on_deep_reasoning"),
    ],
)
async def test_each_strategy_gives_its_answer_when_it_reaches_its_own_gate(
    strategy: Any, gate: float, replies: list[Reply], callback: str
) -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        recorder = Recorder()
        config = ReasoningConfig(force_strategy=strategy)
        agent = thinking(session, *replies, judged(gate), recorder=recorder, config=config)

        assert await agent.ask(QUERY) == "The disk."
        assert callback in recorder.names()
        assert "on_analysis_start" not in recorder.names()
        assert recorder.of("on_final_response") == [(strategy, 1, gate, False)]


async def test_with_the_reasoning_box_unticked_a_question_is_answered_directly() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        agent = Agent(
            ScriptedProvider(["The disk.", judged(0.9)]),
            session=session,
            reasoning=ReasoningConfig(),
            reasoning_callbacks=ReasoningCallbacks(is_reasoning_enabled=lambda: False),
        )

        assert await agent.ask(QUERY) == "The disk."
        assert [header.attempts for header in session.research.history] == [1]


async def test_what_a_tool_gave_is_used_again_when_the_agent_tries_harder_but_the_time_is_asked_again() -> None:
    ran: list[str] = []

    def web_search(q: str) -> str:
        """Search."""
        ran.append("web_search")
        return f"3 pages about {q}"

    def get_current_time() -> str:
        """Tell the time."""
        ran.append("get_current_time")
        return "noon"

    def look() -> Message:
        return calling(("web_search", {"q": "api"}), ("get_current_time", {}))

    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        agent = thinking(
            session,
            "1. Search", look(), "Three pages.", judged(0.3),
            "1. Search again", look(), "Three pages at noon.", COMPLETE, "All of it.", judged(0.9),
            config=ReasoningConfig(force_strategy="light_planning"),
            web_search=web_search, get_current_time=get_current_time,
        )  # fmt: skip

        assert await agent.ask(QUERY) == "All of it."
        assert ran == ["web_search", "get_current_time", "get_current_time"]
        assert asked(agent).count("noon") == 2


async def test_what_thinking_costs_is_counted_apart_from_the_conversation() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        provider = ScriptedProvider(
            [analysed("direct"), "The disk.", judged(0.9)],
            usage=Usage(model="claude-sonnet-4-5", input_tokens=1_000, output_tokens=100, cost_micros=4_500),
        )
        await Agent(provider, session=session, reasoning=ReasoningConfig()).ask(QUERY)
        metadata = session.state.metadata

        assert metadata.tokens_by_purpose == {"conversation": 1_100, "reasoning": 2_200}
        assert metadata.cost_breakdown == {"conversation": 0.0045, "reasoning": 0.009}
        assert metadata.get_summary()["total_cost_usd"] == 0.0135


@pytest.mark.parametrize(
    ("model", "tokens_in", "tokens_out", "dollars"),
    [
        ("claude-opus-4-1", 100_000, 10_000, 2.25),
        ("claude-sonnet-4-5", 100_000, 10_000, 0.45),
        ("claude-sonnet-4-5", 300_000, 10_000, 2.025),
        ("claude-haiku-4-5", 100_000, 10_000, 0.15),
    ],
)
async def test_a_call_costs_what_the_table_of_prices_says(
    model: str, tokens_in: int, tokens_out: int, dollars: float
) -> None:
    pytest.importorskip("genai_prices")
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        usage = Usage(model=model, input_tokens=tokens_in, output_tokens=tokens_out)
        await Agent(ScriptedProvider(["Yes."], usage=usage), session=session).ask("Is it so?")

        assert session.state.metadata.total_cost_usd == pytest.approx(dollars)


# --- tools


class Server:
    """A provider of tools, as the registry knows it; without tools, it is broken."""

    def __init__(self, name: str, *tools: Skill) -> None:
        self.name = name
        self._tools = tools

    def skills(self) -> tuple[Skill, ...]:
        if not self._tools:
            raise ConnectionError("gone")
        return self._tools


def tool(name: str, says: str) -> Skill:
    return skill_of(lambda: says, name=name)


async def test_tools_of_several_providers_are_one_list_and_a_broken_one_stops_nobody() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        skills = SkillRegistry()
        for server in (Server("gone"), Server("one", tool("search", "first")), Server("two", tool("search", "second"))):
            skills.add_source(server)

        @skills.skill
        def add(left: int, right: int = 1) -> int:
            """Add two numbers.

            Args:
                left: the first.
                right: the second.
            """
            return left + right

        skills.register(tool("dangerous", "boom"))
        skills.disable("dangerous")
        calls = calling(
            ("search", {"_parallel": True}),
            ("two__search", {}),
            ("add", {"left": 1}),
            ("dangerous", {}),
            ("nothing", {}),
        )
        provider = ScriptedProvider([calls, "Done."])
        await Agent(provider, session=session, skills=skills).ask("Use them all")

        offered = {one.name: one for one in provider.requests[0].tools}
        assert list(offered) == ["add", "search", "two__search"]
        assert offered["add"].parameters["required"] == ["left"]
        assert offered["add"].parameters["properties"]["left"]["description"] == "the first."
        assert [message.text for message in provider.requests[1].messages if message.role == "tool"] == [
            "first", "second", "2", "Unknown skill: dangerous", "Unknown skill: nothing",
        ]  # fmt: skip


async def test_a_tool_that_was_approved_for_the_session_is_not_asked_about_again() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        human = Human(Approval.SESSION, Approval.NO)
        gate = PermissionGate(session, from_environment({"APPROVAL_REQUIRE_TOOLS": "yes"}), approver=human)
        provider = ScriptedProvider()
        agent = Agent(provider, session=session, skills=registry(run=lambda: "ran", go=lambda: "went"), gate=gate)
        for name in ("run", "run", "go"):
            provider.add(calling((name, {})), "Done.")
            await agent.ask(f"{name}!")

        assert [question.data["tool"] for question in human.asked] == ["run", "go"]
        assert [message.text for message in await said(session) if message.role == "tool"] == [
            "ran", "ran", "Rejected by human approval gate.",
        ]  # fmt: skip


@pytest.mark.parametrize(
    "environment",
    [{"APPROVAL_ENABLED": "false"}, {"APPROVAL_REQUIRE_TOOLS": "true", "APPROVAL_TOOL_WHITELIST": "run, go"}],
)
async def test_without_approvals_or_on_the_whitelist_a_tool_runs_unasked(environment: dict[str, str]) -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        human = Human()
        gate = PermissionGate(session, from_environment(environment), approver=human)
        provider = ScriptedProvider([calling(("run", {})), "Done."])
        await Agent(provider, session=session, skills=registry(run=lambda: "ran"), gate=gate).ask("run!")

        assert human.asked == []
        assert "ran" in await texts(session)


# --- the front


class Library:
    """Hooks that know one prompt and one resource."""

    async def expand(self, text: str) -> str:
        if text.startswith("/"):
            if not text.startswith("/review "):
                raise NotFoundError(f"no prompt is called {text}")
            return f"Please review {text.removeprefix('/review ')}."
        return text.replace("@readme", '<resource id="docs:readme">\nHello\n</resource>')


async def test_a_prompt_a_resource_and_a_question_go_where_they_belong() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.facts.learn("The API rate limit is 1000 requests/hour")
        provider = ScriptedProvider(["Reviewed.", "It says hello.", "1000 requests an hour."])
        front = CommandControlAgent(Agent(provider, session=session), hooks=Library())
        for text in ("/review the parser", "What does @readme say?", "How often may I call the API?"):
            await front.ask(text)
        prompted, resourced, questioned = provider.requests

        assert prompted.messages[-1].text == "Please review the parser."
        assert '<resource id="docs:readme">\nHello\n</resource>' in resourced.messages[-1].text
        assert questioned.messages[-1].text.startswith("<context>\n# Session Knowledge\n")
        assert "- The API rate limit is 1000 requests/hour\n</context>" in questioned.messages[-1].text
        assert questioned.messages[-1].text.endswith("<query>\nHow often may I call the API?\n</query>")

        head = session.head
        with pytest.raises(NotFoundError, match="no prompt"):
            await front.ask("/nonsense")
        assert session.head == head


async def test_what_the_session_knows_is_told_without_a_model() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.profile.set(name="Alice")
        provider = ScriptedProvider()

        assert (
            await CommandControlAgent(Agent(provider, session=session)).ask("What's my name?") == "Your name is Alice."
        )
        assert provider.requests == []


# --- what went wrong in the original, one by one


async def test_trap_3_a_research_that_broke_off_is_resumed_with_its_strategy(tmp_path: Path) -> None:
    path = tmp_path / "nexus.db"
    light = ReasoningConfig(force_strategy="light_planning")
    async with open_store(path) as store:
        session = await Session.create(store, "s")
        with pytest.raises(ModelError):
            await thinking(session, PLAN, "p99 is 2 s", ModelError("gone"), config=light).ask(QUERY)
    async with open_store(path) as store:
        session = await Session.open(store, "s")
        context = await session.context(QUERY, mode="comprehensive")
        agent = thinking(session, PLAN, "The logs are full.", "Slow, and full.", judged(0.8))
        events = await listed(agent.resume())

        assert "light_planning" in context.text
        assert isinstance(events[-1], SessionCompleted)
        assert await texts(session) == [QUERY, "Slow, and full."]
        assert [header.attempts for header in session.research.history] == [2]


async def test_trap_4_incomplete_is_not_complete() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        recorder = Recorder()
        agent = thinking(
            session, PLAN, "p99 is 2 s", INCOMPLETE, "The disk is full", COMPLETE, "Both.", judged(0.9),
            recorder=recorder, config=ReasoningConfig(force_strategy="deep_reasoning"),
        )  # fmt: skip

        assert await agent.ask(QUERY) == "Both."
        assert [text for _, _, text in recorder.of("on_iteration")] == ["Measure the API", "Read the logs"]


async def test_trap_5_an_answer_of_065_after_light_planning_is_tried_harder_and_recorded_so() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        agent = thinking(
            session, "1. Look", "Half.", judged(0.65), "1. Look closer", "Whole.", COMPLETE, "All.", judged(0.8),
            config=ReasoningConfig(force_strategy="light_planning"),
        )  # fmt: skip
        await agent.ask(QUERY)
        tracker = await session.research.get(session.research.history[-1].research_id)

        assert [(one.strategy, one.status) for one in tracker.attempts] == [
            ("light_planning", "escalated"), ("deep_reasoning", "completed"),
        ]  # fmt: skip


async def test_trap_6_what_a_research_found_reaches_the_knowledge_base() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        light = ReasoningConfig(force_strategy="light_planning")
        await thinking(session, "1. Look", "The disk is full", judged(0.9), config=light).ask(QUERY)
        [fact] = session.state.knowledge_base.facts.values()

        assert (fact.content, fact.source, fact.confidence) == ("The disk is full", "research", 0.9)
        assert fact.research_id == session.research.history[-1].research_id


async def test_trap_7_the_statistics_know_which_tools_ran_and_how_they_did() -> None:
    def flaky(works: bool) -> str:
        """Work, or not."""
        if not works:
            raise OSError("it does not")
        return "it does"

    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        calls = [calling(("flaky", {"works": works})) for works in (True, False)]
        await Agent(ScriptedProvider([*calls, "Done."]), session=session, skills=registry(flaky=flaky)).ask("Try")

        assert session.state.metadata.tool_usage == {"flaky": 2}
        assert session.state.metadata.tool_success_rate == {"flaky": 0.5}


async def test_trap_8_a_session_that_knows_a_lot_still_thinks() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.profile.set(name="Alice")
        await session.facts.learn("The API allows 100 calls a minute")
        front = CommandControlAgent(thinking(session, analysed("direct"), "The limit.", judged(0.9)))

        assert await front.ask("Why is the API slow for me?") == "The limit."
        assert len(session.research.history) == 1


async def test_trap_9_attempts_that_were_not_good_enough_stay_out_of_the_conversation() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        agent = thinking(session, analysed("direct"), "A wild guess.", judged(0.1), "1. Look", "The disk.", judged(0.9))
        chunks = [piece async for piece in agent.send(QUERY)]
        agent.provider.add(analysed("direct"), "Yes.", judged(0.9))  # type: ignore[attr-defined]
        await agent.ask("Are you sure?")

        assert "".join(chunks) == "The disk."
        assert await texts(session) == [QUERY, "The disk.", "Are you sure?", "Yes."]
        assert not any("wild guess" in text for text in asked(agent)[-2:])


async def test_trap_10_switching_sessions_and_leaving_at_once_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "nexus.db"
    async with sojourn.open(path) as app:
        for name in ("one", "two"):
            await app.sessions.create(name)
            session = await app.sessions.switch(name)
            await Agent(ScriptedProvider([f"This is {name}."]), session=session, app=app).ask("Where am I?")
    async with sojourn.open(path) as app:
        last = await app.sessions.last()
        assert last is not None

        assert last.id == "two"
        for name in ("one", "two"):
            assert await texts(await app.sessions.open(name)) == ["Where am I?", f"This is {name}."]


async def test_trap_14_words_are_compared_whole() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.profile.set(age=30, name="Alice")
        provider = ScriptedProvider(["In Python."])
        front = CommandControlAgent(Agent(provider, session=session))

        assert not should_inject_context("List files", session.state)
        assert await front.ask("What language is this written in?") == "In Python."
        assert await front.ask("How old am I?") == "You are 30 years old."
        assert len(provider.requests) == 1


async def test_trap_17_light_planning_goes_on_with_a_step_that_is_done() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        light = ReasoningConfig(force_strategy="light_planning")
        agent = thinking(session, PLAN, "p99 is 2 s", ModelError("gone"), config=light)
        with pytest.raises(ModelError):
            await agent.ask(QUERY)
        again = thinking(session, PLAN, "The disk is full", "Both.", judged(0.9))
        await listed(again.resume())

        assert await texts(session) == [QUERY, "Both."]
        assert "<query>\nMeasure the API\n" in asked(agent)[1]
        assert not any("<query>\nMeasure the API\n" in text for text in asked(again))
        assert "<query>\nRead the logs\n" in asked(again)[1]
        assert "p99 is 2 s" in asked(again)[1]


async def test_trap_17_deny_all_ends_the_asking() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        human = Human(Approval.DENY_ALL)
        gate = PermissionGate(session, from_environment({"APPROVAL_REQUIRE_TOOLS": "1"}), approver=human)
        calls = calling(*(("run", {"number": number}) for number in range(5)))
        provider = ScriptedProvider([calls, calling(("run", {"number": 5})), "Then not."])
        ran: list[int] = []

        def run(number: int) -> None:
            """Run."""
            ran.append(number)

        await Agent(provider, session=session, skills=registry(run=run), gate=gate).ask("Run them all")

        assert len(human.asked) == 1
        assert ran == []


async def test_trap_17_a_short_talk_is_not_marked_as_summarised() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await Agent(ScriptedProvider(["Hi."]), session=session).ask("Hello")
        done = await ContextCompactor(session).compact()

        assert not done.compacted
        assert (session.state.working_set.summary, session.state.conversation.window_messages) == ("", 2)


async def test_trap_17_a_servers_error_is_kept_and_can_be_tried_again() -> None:
    stage = Stage(LinkError("no such program", Outlook.UNFIT), MadeUpLink())
    async with running(stage):
        assert (stage.connection.status, stage.connection.reason) == (Status.ERROR, "no such program")
    assert (stage.connection.status, stage.connection.reason) == (Status.ERROR, "no such program")

    async with running(stage):
        stage.connection.retry()
        await stage.heard.until_status(Status.CONNECTED)
        assert stage.connection.reason == ""


async def test_trap_17_an_unhealthy_server_is_really_connected_anew() -> None:
    no_answer = McpError("no answer")
    stage = Stage(MadeUpLink(pings=[no_answer, no_answer]), MadeUpLink())
    async with running(stage):
        await stage.hourglass.turn(HEALTH)
        await stage.hourglass.turn(HEALTH)
        await stage.hourglass.turn(2.0)
        await stage.heard.until_status(Status.CONNECTED, 2)

    assert stage.opener.opened == 2


def test_trap_17_importing_prices_and_agents_calls_nobody() -> None:
    program = (
        "import sys\n"
        "def refuse(event, _):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo'):\n"
        "        raise OSError(event)\n"
        "sys.addaudithook(refuse)\n"
        "import sojourn, sojourn.context.models, sojourn.agent.agent, sojourn.agent.team, sojourn.agent.mcp.servers\n"
        "print('quiet')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)

    assert (done.stdout, done.stderr) == ("quiet\n", "")
