"""A turn: what is told, what is stored, and in which order."""

import math
from pathlib import Path
from typing import Any

import anyio
import pytest

import sojourn
from sojourn import ContextConfig, ContextManager
from sojourn.agent import events as told
from sojourn.agent.agent import Agent
from sojourn.agent.callbacks import Callbacks
from sojourn.agent.loop import AT_LIMIT, NO_ANSWER
from sojourn.agent.settings import AgentSettings
from sojourn.agent.skills.skill import SkillTraits, ToolResult
from sojourn.agent.talk import HALTED
from sojourn.context.budget import Limits
from sojourn.context.models import ModelInfo
from sojourn.context.tool_results import SHOWN
from sojourn.context.validity import CANCELLED, problems
from sojourn.engine.app import Sojourn
from sojourn.engine.settings import Settings
from sojourn.errors import BudgetExceededError, InvalidInputError, LockedError, ModelError
from sojourn.model.message import Message, TextPart, ThinkingPart, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import Waits, calling, kinds, listed, registry, said

pytestmark = pytest.mark.anyio


def echo(text: str) -> str:
    """Say it again."""
    return f"{text} {text}"


def fail() -> str:
    """Fail."""
    raise ValueError("no such thing")


def names(events: list[Any]) -> list[str]:
    return [type(event).__name__ for event in events]


async def test_a_turn_without_tools_is_the_question_the_answer_and_what_it_took() -> None:
    async with sojourn.open("memory:", settings=Settings(learning="off")) as app:
        session = await app.sessions.create()
        usage = Usage(model="scripted", input_tokens=10, output_tokens=5)
        agent = Agent(ScriptedProvider(["Hello, Mara!"], usage=usage), session=session)

        events = await listed(agent.run_turn("Hi, I am Mara."))

        assert names(events) == ["ContentChunk", "ModelAnswered", "IterationCompleted", "SessionCompleted"]
        assert [message.text for message in await said(session)] == ["Hi, I am Mara.", "Hello, Mara!"]
        assert await kinds(session) == [
            "SessionCreated", "TurnStarted", "MessageAdded", "MessageAdded", "UsageRecorded", "TurnEnded",
        ]  # fmt: skip
        assert session.state.metadata.input_tokens == 10


async def test_what_the_user_says_is_stored_before_the_model_is_asked() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        seen = []

        def look(request: Any) -> str:
            seen.append(session.state.conversation.user_messages)
            return "yes"

        await Agent(ScriptedProvider([look]), session=session).ask("Is it stored?")

        assert seen == [1]


async def test_events_of_a_batch_come_in_the_documented_order() -> None:
    calls = calling(("echo", {"text": "a"}), ("fail", {}), ("echo", {"text": "b"}))
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(ScriptedProvider([calls, "done"]), session=session, skills=registry(echo=echo, fail=fail))

        events = await listed(agent.run_turn("go"))

        assert names(events) == [
            "ToolDetected", "ToolDetected", "ToolDetected", "ModelAnswered", "ToolBatchStarted",
            "ToolStarted", "ToolCompleted", "ToolStarted", "ToolCompleted", "ToolBatchHalted", "ToolBatchCompleted",
            "IterationCompleted", "ContentChunk", "ModelAnswered", "IterationCompleted", "SessionCompleted",
        ]  # fmt: skip
        assert [message.text for message in await said(session) if message.role == "tool"] == [
            "a a",
            "Skill execution error: no such thing",
            HALTED,
        ]


async def test_a_started_tool_is_in_the_journal_before_it_runs_and_its_end_with_its_result() -> None:
    async with sojourn.open("memory:", settings=Settings(learning="off")) as app:
        session = await app.sessions.create()
        before: list[list[str]] = []

        async def look() -> str:
            """Look."""
            before.append(await kinds(session))
            return "seen"

        agent = Agent(ScriptedProvider([calling(("look", {})), "done"]), session=session, skills=registry(look=look))
        await agent.ask("go")

        assert before[0][-1] == "ToolStarted"
        after = await kinds(session)
        assert after[len(before[0]) : len(before[0]) + 2] == ["ToolRan", "MessageAdded"]


async def test_an_unknown_skill_and_arguments_that_are_no_json_are_told_to_the_model() -> None:
    broken = Message(
        role="assistant", tool_calls=(ToolCall(id="call_broken", name="echo", arguments_text='{"text": "a'),)
    )
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("fly", {})), broken, "I cannot."])
        await Agent(provider, session=session, skills=registry(echo=echo)).ask("fly")

        results = [message for message in await said(session) if message.role == "tool"]
        assert results[0].text == "Unknown skill: fly"
        assert results[1].text == 'Skill execution error: the arguments are not a JSON object: {"text": "a'
        assert all(message.error for message in results)
        assert "ToolStarted" not in await kinds(session)


async def test_arguments_that_begin_with_an_underscore_are_not_for_the_skill() -> None:
    given: list[dict[str, Any]] = []

    class Notes:
        name, description = "note", "Note."
        parameters: dict[str, Any] = {"type": "object"}

        async def execute(self, **arguments: Any) -> ToolResult:
            given.append(arguments)
            return ToolResult(output="noted")

    skills = registry()
    skills.register(Notes())
    provider = ScriptedProvider([calling(("note", {"x": 1, "_parallel": True, "_why": "?"})), "ok"])
    await Agent(provider, skills=skills).ask("note it")

    assert given == [{"x": 1}]


async def test_parallel_tools_run_together_and_their_results_stand_in_the_order_of_the_calls() -> None:
    first, second = Waits(), Waits()

    async def slow() -> str:
        """Wait for the other one."""
        first.let_go.set()
        await second.let_go.wait()
        return "slow"

    async def quick() -> str:
        """Wait for the slow one to run, and then let it go."""
        await first.let_go.wait()
        second.let_go.set()
        return "quick"

    context = ContextManager()
    calls = calling(("slow", {"_parallel": True}), ("quick", {}))
    provider = ScriptedProvider([calls, "done"])
    agent = Agent(provider, context=context, skills=registry(slow=slow, quick=quick))
    with anyio.fail_after(5):
        events = await listed(agent.run_turn("go"))

    batch = next(event for event in events if isinstance(event, told.ToolBatchStarted))
    assert batch.parallel
    assert [m.text for m in provider.requests[1].messages if m.role == "tool"] == ["slow", "quick"]


async def test_a_parallel_tool_that_fails_stops_nobody() -> None:
    context = ContextManager()
    calls = calling(("fail", {"_parallel": True}), ("echo", {"text": "a"}))
    await Agent(ScriptedProvider([calls, "done"]), context=context, skills=registry(echo=echo, fail=fail)).ask("go")

    results = {message.name: message.text for message in context.messages if message.role == "tool"}
    assert results == {"fail": "Execution error: no such thing", "echo": "a a"}


async def test_no_more_than_ten_tools_run_at_once() -> None:
    running, most, gate = 0, 0, anyio.Event()

    async def work() -> str:
        """Work."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 10:
            gate.set()
        await gate.wait()
        running -= 1
        return "done"

    calls = calling(*[("work", {"_parallel": True})] * 15)
    with anyio.fail_after(5):
        await Agent(ScriptedProvider([calls, "ok"]), skills=registry(work=work)).ask("go")

    assert most == 10


async def test_ten_rounds_without_an_answer_end_the_turn_and_the_notice_is_stored() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(otherwise=lambda _: calling(("echo", {"text": "x"})))
        agent = Agent(provider, session=session, skills=registry(echo=echo))

        events = await listed(agent.run_turn("go on for ever"))

        assert len(provider.requests) == 10
        assert events[-1] == told.SessionCompleted(halted_at_limit=True)
        assert [event.text for event in events if isinstance(event, told.ContentChunk)] == [AT_LIMIT]
        last = (await said(session))[-1]
        assert (last.role, last.text) == ("assistant", AT_LIMIT)


async def test_one_empty_reply_is_asked_again_and_two_end_the_turn() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        usage = Usage(model="scripted", input_tokens=10, output_tokens=5)
        provider = ScriptedProvider(["", "Here I am.", "", " "], usage=usage)
        agent = Agent(provider, session=session)

        assert await agent.ask("Anybody?") == "Here I am."
        assert await agent.ask("And now?") == f" {NO_ANSWER}"
        assert len(provider.requests) == 4
        assert [m.text for m in await said(session) if m.role == "assistant"] == ["Here I am.", NO_ANSWER]
        assert session.state.metadata.input_tokens == 40


async def test_a_skill_that_takes_too_long_is_stopped() -> None:
    waits = Waits()
    skills = registry()
    skills.skill(name="wait", traits=SkillTraits(timeout=0.01))(waits.__call__)
    context = ContextManager()
    await Agent(ScriptedProvider([calling(("wait", {})), "ok"]), context=context, skills=skills).ask("go")

    assert waits.cancelled
    result = next(message for message in context.messages if message.role == "tool")
    assert result.text == "Skill execution error: it took longer than 0.01 seconds and was stopped"


async def test_thinking_is_told_once_when_it_begins_and_once_when_it_ends() -> None:
    thought = Message(
        role="assistant", content=(ThinkingPart(text="Let me think about it.", signature="s"), TextPart(text="42"))
    )
    heard: list[bool] = []
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(ScriptedProvider([thought]), session=session, callbacks=Callbacks(on_reasoning=heard.append))
        await agent.ask("What is it?")

        assert heard == [True, False]
        assert (await said(session))[-1].content == thought.content


async def test_callbacks_are_called_with_the_documented_arguments_in_the_documented_order() -> None:
    log: list[tuple[Any, ...]] = []
    callbacks = Callbacks(
        on_tool_call=lambda name, _: log.append(("call", name)),
        on_tool_complete=lambda name, _, ok: log.append(("complete", name, ok)),
        on_batch_start=lambda calls: log.append(("start", len(calls))),
        on_tool_active=lambda name, _: log.append(("active", name)),
        on_batch_progress=lambda name, _, ok, error: log.append(("progress", name, ok, error)),
        on_batch_halt=lambda: log.append(("halt",)),
        on_batch_complete=lambda: log.append(("done",)),
    )
    calls = calling(("echo", {"text": "a"}), ("fail", {}), ("echo", {"text": "b"}))
    provider = ScriptedProvider([calls, "ok"])
    await Agent(provider, skills=registry(echo=echo, fail=fail), callbacks=callbacks).ask("go")

    error = "Skill execution error: no such thing"
    assert log == [
        ("call", "echo"), ("call", "fail"), ("call", "echo"),
        ("start", 3),
        ("active", "echo"), ("progress", "echo", True, ""), ("complete", "echo", True),
        ("active", "fail"), ("progress", "fail", False, error), ("complete", "fail", False),
        ("halt",), ("done",),
    ]  # fmt: skip


async def test_a_callback_that_fails_does_not_end_the_turn() -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the display is broken")

    callbacks = Callbacks(on_batch_start=broken)
    provider = ScriptedProvider([calling(("echo", {"text": "a"})), "fine"])

    assert await Agent(provider, skills=registry(echo=echo), callbacks=callbacks).ask("go") == "fine"


# --- the three modes


async def test_without_a_session_or_a_context_each_turn_stands_alone() -> None:
    provider = ScriptedProvider(["one", "two"])
    agent = Agent(provider, instructions="Be brief.")

    assert [await agent.ask("first"), await agent.ask("second")] == ["one", "two"]
    assert [[m.text for m in request.messages] for request in provider.requests] == [["first"], ["second"]]
    assert provider.requests[0].system == "Be brief."


async def test_with_a_context_the_messages_are_kept_in_memory() -> None:
    context = ContextManager(ContextConfig())
    context.set_system_prompt("Be kind.")
    provider = ScriptedProvider(["one", "two"])
    agent = Agent(provider, context=context)
    await agent.ask("first")
    await agent.ask("second")

    assert [m.text for m in provider.requests[1].messages] == ["first", "one", "second"]
    assert provider.requests[1].system == "Be kind."


async def test_a_model_that_takes_no_tools_is_offered_none() -> None:
    provider = ScriptedProvider(["fine"], takes_tools=False)
    await Agent(provider, skills=registry(echo=echo)).ask("hi")

    assert provider.requests[0].tools == ()


async def test_an_agent_in_a_session_and_a_context_is_refused() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        with pytest.raises(InvalidInputError, match="not in both"):
            Agent(ScriptedProvider(), session=session, context=ContextManager())


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_saying_nothing_is_refused_and_changes_nothing(text: str) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        with pytest.raises(InvalidInputError, match="say something"):
            await Agent(ScriptedProvider(["x"]), session=session).ask(text)

        assert session.head == 1


# --- one turn at a time


async def test_a_second_turn_waits_for_the_first() -> None:
    waits = Waits()
    provider = ScriptedProvider([calling(("wait", {})), "first", "second"])
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(provider, session=session, skills=registry(wait=waits.__call__))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.ask, "one")
            await waits.runs.wait()
            tasks.start_soon(agent.ask, "two")
            waits.let_go.set()

        spoken = [(m.role, m.text) for m in await said(session) if m.role in ("user", "assistant") and m.text]
        assert spoken == [("user", "one"), ("assistant", "first"), ("user", "two"), ("assistant", "second")]


async def test_a_second_turn_is_refused_if_that_is_wanted_also_by_another_agent(tmp_path: Path) -> None:
    waits = Waits()
    async with sojourn.open(tmp_path / "s.db") as app, sojourn.open(tmp_path / "s.db") as other:
        session = await app.sessions.create()
        elsewhere = await other.sessions.open(session.id)
        agent = Agent(
            ScriptedProvider([calling(("wait", {})), "first"]), session=session, skills=registry(wait=waits.__call__)
        )
        second = Agent(ScriptedProvider(["second"]), session=elsewhere, settings=AgentSettings(when_busy="refuse"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.ask, "one")
            await waits.runs.wait()
            with pytest.raises(LockedError):
                await listed(agent.run_turn("two", when_busy="refuse"))
            with pytest.raises(LockedError):
                await second.ask("three")
            waits.let_go.set()

        assert await second.ask("four") == "second"
        assert [m.text for m in await said(elsewhere) if m.role == "user"] == ["one", "four"]


# --- errors and limits


async def test_a_model_that_fails_ends_the_turn_and_keeps_what_was_said() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(ScriptedProvider([ModelError("out of order"), "Back again."]), session=session)
        with pytest.raises(ModelError, match="out of order"):
            await agent.ask("Are you there?")

        turn = session.state.conversation.turn
        assert turn is not None
        assert turn.outcome == "failed"
        assert await agent.ask("And now?") == "Back again."


async def test_a_turn_over_the_budget_is_refused_and_a_higher_limit_lets_it_go_on() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["hi"], usage=Usage(model="m", input_tokens=900, output_tokens=95))
        agent = Agent(provider, session=session, limits=Limits(session_tokens=1_000))
        await agent.ask("hello")
        with pytest.raises(BudgetExceededError, match="995/1,000 tokens used"):
            await agent.ask("hello again, this is a longer message than five tokens")

        provider.add("welcome back")
        assert await Agent(provider, session=session, limits=Limits(session_tokens=2_000)).ask("now?") == "welcome back"
        assert len(provider.requests) == 2


async def test_what_a_call_cost_is_in_the_journal() -> None:
    settings = Settings(models={"scripted": ModelInfo(window=8_000, input_price=3.0, output_price=15.0)})
    async with Sojourn(sojourn.open_store("memory:"), settings=settings) as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["hi"], usage=Usage(model="scripted", input_tokens=1_000, output_tokens=100))
        events = await listed(Agent(provider, session=session).run_turn("hello"))

        answered = next(event for event in events if isinstance(event, told.ModelAnswered))
        assert answered.usage.cost_micros == 4_500
        assert session.state.metadata.cost_micros == {"conversation": 4_500}


# --- results and variables


async def test_a_long_result_is_stored_whole_and_shown_cut() -> None:
    whole = "".join(f"line {number}\n" for number in range(20_000))

    async def read() -> str:
        """Read much."""
        return whole

    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([calling(("read", {})), "That is long."])
        settings = AgentSettings(context_tokens=60_000)
        await Agent(provider, session=session, skills=registry(read=read), settings=settings).ask("read it")

        stored = next(message for message in await said(session) if message.role == "tool")
        assert stored.text == whole
        seen = next(message for message in provider.requests[1].messages if message.role == "tool")
        assert seen.text.startswith(whole[:SHOWN])
        assert f'read_more with call_id="{stored.tool_call_id}" and offset={SHOWN}' in seen.text


async def test_half_a_character_does_not_break_the_journal() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        await Agent(ScriptedProvider(["broken \ud83d smile"]), session=session).ask("hi")

        assert (await said(session))[-1].text == "broken ? smile"


async def test_a_named_output_is_a_variable_for_the_next_turn() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(
            [
                calling(("echo", {"text": "a", "_output": "x"})),
                "kept",
                calling(("echo", {"text": "$x!"})),
                "used",
            ]
        )
        agent = Agent(provider, session=session, skills=registry(echo=echo))
        await agent.ask("keep it")
        await agent.ask("use it")

        assert session.variables.to_dict() == {"x": "a a"}
        assert [m.text for m in await said(session) if m.role == "tool"] == ["a a", "a a! a a!"]


async def test_the_same_id_from_a_server_that_counts_from_zero_is_made_another() -> None:
    same = Message(role="assistant", tool_calls=(ToolCall(id="call_0", name="echo", arguments={"text": "a"}),))
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([same, same, "done"])
        await Agent(provider, session=session, skills=registry(echo=echo)).ask("go")

        ids = [call.id for message in await said(session) for call in message.tool_calls]
        assert len(set(ids)) == 2
        assert problems(provider.requests[2].messages) == []
        assert len([m for m in provider.requests[2].messages if m.role == "tool"]) == 2


async def test_no_call_has_the_id_of_one_that_the_model_is_not_shown_any_more() -> None:
    turns = 40
    same = Message(role="assistant", tool_calls=(ToolCall(id="call_0", name="echo", arguments={"text": "a" * 300}),))
    provider = ScriptedProvider([reply for _ in range(turns) for reply in (same, "done")])
    settings = AgentSettings(context_tokens=1_000, compact=False, retrieve=False)
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(provider, session=session, skills=registry(echo=echo), settings=settings)
        for _ in range(turns):
            await agent.ask("again")

        assert agent.last_context is not None
        assert len(agent.last_context.messages) < 2 * turns
        ids = [call.id for message in await said(session) for call in message.tool_calls]
        assert len(ids) == len(set(ids)) == turns


# --- what fills the context is summarised


async def test_a_full_context_is_compacted_and_the_turn_goes_on() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(otherwise=lambda _: "The harbour office opens at nine, as I said. " * 12)
        agent = Agent(provider, session=session, app=app, settings=AgentSettings(context_tokens=3_000))
        events: list[Any] = []
        for number in range(24):
            events += await listed(agent.run_turn(f"Question {number} about the harbour office, please?"))

        notices = [event.notice for event in events if isinstance(event, told.ContextCompacted)]
        assert notices
        assert notices[0].startswith("[Context compacted: ")
        assert session.state.conversation.compactions == len(notices)
        assert session.state.conversation.message_count == 48
        assert all(problems(request.messages) == [] for request in provider.requests)


async def test_cancelled_tools_get_their_result_before_the_next_question_and_once_only() -> None:
    context = ContextManager()
    context.add_user_message("read two files")
    calls = calling(("read", {}), ("read", {}))
    context.add_assistant_message("", calls.tool_calls)
    provider = ScriptedProvider(["as you like", "again"])
    agent = Agent(provider, context=context)
    agent.add_cancelled_tools([(call.id, call.name) for call in calls.tool_calls])
    await agent.ask("What happened?")
    await agent.ask("And now?")

    roles = [message.role for message in context.messages]
    assert roles[:5] == ["user", "assistant", "tool", "tool", "user"]
    assert [message.text for message in context.messages if message.role == "tool"] == [CANCELLED, CANCELLED]


async def test_cancelled_tools_are_flushed_in_a_session_too() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        calls = calling(("read", {}), ("read", {}))
        await session.messages.user("read two files")
        await session.messages.add(calls)
        agent = Agent(ScriptedProvider(["as you like"]), session=session)
        agent.add_cancelled_tools(
            [(calls.tool_calls[0].id, "read"), (calls.tool_calls[1].id, "read"), ("gone", "read")]
        )
        await agent.ask("What happened?")

        messages = await said(session)
        assert [message.role for message in messages] == ["user", "assistant", "tool", "tool", "user", "assistant"]
        assert [message.text for message in messages[2:4]] == [CANCELLED, CANCELLED]


async def test_the_settings_of_a_request_reach_the_model() -> None:
    provider = ScriptedProvider(["x"])
    settings = AgentSettings(max_tokens=77, temperature=0.5, thinking=2_048, partial_seconds=math.inf)
    await Agent(provider, settings=settings).ask("hi")

    request = provider.requests[0]
    assert (request.max_tokens, request.temperature, request.thinking) == (77, 0.5, 2_048)


async def test_functions_are_skills_enough() -> None:
    provider = ScriptedProvider([calling(("echo", {"text": "a"}), text="Let me see."), "done"])

    assert await Agent(provider, skills=[echo]).ask("go") == "done"
    assert [tool.name for tool in provider.requests[0].tools] == ["echo"]


async def test_instructions_hold_for_a_context_too() -> None:
    context, provider = ContextManager(), ScriptedProvider(["hi"])
    await Agent(provider, context=context, instructions="Be brief.").ask("hello")

    assert provider.requests[0].system == "Be brief."


async def test_limits_without_a_session_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="counted in a session"):
        Agent(ScriptedProvider(), limits=Limits(session_tokens=1))


@pytest.mark.parametrize("wrong", [{"max_iterations": 0}, {"max_tokens": -1}, {"max_parallel": True}])
def test_settings_with_which_no_turn_could_end_well_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="is a number"):
        AgentSettings(**wrong)


async def test_nothing_is_learned_from_what_the_session_tells_itself() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        skills = registry()

        async def remember(fact: str) -> str:
            """Remember a fact."""
            return f"Remembered: my name is {fact}."

        skills.skill(name="remember", traits=SkillTraits(inward=True))(remember)
        provider = ScriptedProvider([calling(("remember", {"fact": "Ada"})), "Noted."])
        await Agent(provider, session=session, skills=skills).ask("Keep it")

        result = next(message for message in await said(session) if message.role == "tool")
        assert result.metadata["injected"] == [[0, len(result.text)]]


async def test_a_preview_is_what_the_model_is_shown_next_and_leaves_no_trace() -> None:
    async with sojourn.open("memory:", settings=Settings(learning="off")) as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["It is fine.", "Still fine."])
        agent = Agent(provider, session=session, skills=[echo], instructions="Be brief.", app=app)
        await agent.ask("How is the weather?")
        head = session.head
        preview = await agent.preview("And now?")
        small = await agent.preview("And now?", window=5_000)
        assert (session.head, agent.last_context is preview) == (head, False)
        await agent.ask("And now?")
        assert preview.messages == agent.last_context.messages if agent.last_context is not None else False
        assert preview.budget > small.budget
        assert [tool.name for tool in agent.tools] == ["echo"]


async def test_an_agent_without_a_session_has_no_preview() -> None:
    with pytest.raises(InvalidInputError, match="session"):
        await Agent(ScriptedProvider(["hi"])).preview("hi")
