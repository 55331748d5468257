"""NEXUS3: a session that coordinates model, context and skills, and logs for people; its examples and its traps."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest

import sojourn
from sojourn import (
    Agent,
    AgentPool,
    Callbacks,
    CancellationToken,
    ContextConfig,
    ContextManager,
    LogConfig,
    LogStream,
    PoolSettings,
    ScriptedProvider,
    SessionLogger,
    SkillRegistry,
    ToolResult,
)
from sojourn.agent import events as told
from sojourn.agent.talk import HALTED
from sojourn.context.tokens import CharacterCounter
from sojourn.context.validity import CANCELLED, problems
from sojourn.model.message import Message, TextPart, ThinkingPart
from sojourn.providers.protocol import ModelRequest
from tests.agent.agent_kit import Waits, calling, listed, registry, said

pytestmark = pytest.mark.anyio


def echo(request: ModelRequest) -> str:
    return f"You said: {request.messages[-1].text}"


def read_file(path: str) -> str:
    """Read a file."""
    return f"the contents of {path}"


def write_file(path: str) -> str:
    """Write a file."""
    raise PermissionError(f"{path} cannot be written")


# --- the examples


async def test_basic_session_single_turn(tmp_path: Path) -> None:
    logger = SessionLogger(LogConfig(base_dir=tmp_path))
    agent = Agent(ScriptedProvider(otherwise=echo), logger=logger)

    assert "".join([chunk async for chunk in agent.send("Hello!")]) == "You said: Hello!"
    assert [message.text for message in logger.get_context_messages()] == ["Hello!", "You said: Hello!"]
    logger.close()


async def test_multi_turn_with_context(tmp_path: Path) -> None:
    logger = SessionLogger(LogConfig(base_dir=tmp_path))
    context = ContextManager(ContextConfig(), logger)
    provider = ScriptedProvider(otherwise=echo)
    agent = Agent(provider, context=context)
    await agent.ask("What is Python?")
    await agent.ask("Give me an example")

    assert [message.text for message in provider.requests[1].messages] == [
        "What is Python?",
        "You said: What is Python?",
        "Give me an example",
    ]
    assert len(logger.get_context_messages()) == 4
    logger.close()


async def test_multi_turn_with_tool_execution_and_callbacks(tmp_path: Path) -> None:
    printed: list[str] = []
    logger = SessionLogger(LogConfig(base_dir=tmp_path))
    context = ContextManager(ContextConfig(), logger)
    skills = SkillRegistry()
    skills.register(read_file)
    skills.register(write_file)
    calls = calling(("read_file", {"path": "README.md"}), ("write_file", {"path": "/etc/passwd"}))
    thinking = Message(role="assistant", content=(ThinkingPart(text="Hm."), TextPart(text="Done.")))
    agent = Agent(
        ScriptedProvider([calls, thinking]),
        context=context,
        skills=skills,
        callbacks=Callbacks(
            on_batch_start=lambda batch: printed.append(f"[Executing {len(batch)} tools]"),
            on_tool_active=lambda name, _: printed.append(f"Running: {name}"),
            on_batch_progress=lambda name, _, ok, error: printed.append(f"{name}: {'done' if ok else error}"),
            on_reasoning=lambda on: printed.append("[Thinking...]") if on else None,
        ),
    )
    await agent.ask("Read the contents of README.md")

    assert printed == [
        "[Executing 2 tools]",
        "Running: read_file",
        "read_file: done",
        "Running: write_file",
        "write_file: Skill execution error: /etc/passwd cannot be written",
        "[Thinking...]",
    ]
    logger.close()


@pytest.mark.parametrize(
    ("streams", "files"),
    [
        (LogStream.CONTEXT, {"session.db", "context.md"}),
        (LogStream.CONTEXT | LogStream.VERBOSE, {"session.db", "context.md", "verbose.md"}),
        (
            LogStream.CONTEXT | LogStream.VERBOSE | LogStream.RAW,
            {"session.db", "context.md", "verbose.md", "raw.jsonl"},
        ),
    ],
)
async def test_enabling_verbose_and_raw_logging(tmp_path: Path, streams: LogStream, files: set[str]) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path, streams=streams, mode="repl")) as logger:
        await Agent(ScriptedProvider(["Hello."]), logger=logger).ask("Hi")
        logger.log_thinking("Somebody said hi.")
        logger.log_timing("answer", 12.3)
        folder = logger.session_dir

    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d{6}_repl_[0-9a-f]{6}", folder.name)
    assert {path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))} == files


async def test_verbose_and_raw_are_opt_in(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path)) as logger:
        logger.log_thinking("quietly")

        assert logger.get_raw_log_callback() is None
        assert not (logger.session_dir / "verbose.md").exists()


async def test_creating_a_subagent_logger_and_the_raw_callback(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path, streams=LogStream.ALL)) as parent:
        child = parent.create_child_logger()
        callback = child.get_raw_log_callback()
        assert callback is not None
        callback.on_request("/v1/messages", {"model": "m"})
        callback.on_chunk({"delta": "x"})
        callback.on_response(200, {"ok": True})
        child.close()

        assert child.session_dir.parent == parent.session_dir
        assert re.fullmatch("subagent_[0-9a-f]{6}", child.session_dir.name)
        lines = [json.loads(line) for line in (child.session_dir / "raw.jsonl").read_text().splitlines()]
        assert [line["type"] for line in lines] == ["request", "stream_chunk", "response"]


async def test_handling_cancelled_tools() -> None:
    context = ContextManager()
    context.add_user_message("Read and write")
    calls = calling(("read_file", {}), ("write_file", {}))
    context.add_assistant_message("", calls.tool_calls)
    provider = ScriptedProvider(["Nothing happened."])
    agent = Agent(provider, context=context)
    agent.add_cancelled_tools([(call.id, call.name) for call in calls.tool_calls])
    await agent.ask("What happened?")

    shown = provider.requests[0].messages
    assert [message.text for message in shown if message.role == "tool"] == [CANCELLED, CANCELLED]
    assert CANCELLED == "Cancelled by user: tool execution was interrupted"
    assert problems(shown) == []


async def test_using_a_cancellation_token() -> None:
    token = CancellationToken()
    agent = Agent(ScriptedProvider(["Once upon a time, in a land far away, there was an essay."]))
    heard = []
    async for chunk in agent.send("Write a long essay", cancel_token=token):
        heard.append(chunk)
        token.cancel()

    assert heard == ["Once upon a "]


async def test_the_documented_tables_are_there_with_version_and_indexes(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path)) as logger:
        logger.log_user("hello")
        folder = logger.session_dir
    database = sqlite3.connect(folder / "session.db")
    names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    columns = [row[1] for row in database.execute("PRAGMA table_info(messages)")]
    version = database.execute("SELECT version FROM schema_version").fetchone()[0]
    database.close()

    assert {"messages", "metadata", "events", "schema_version"} <= names
    assert {"idx_messages_in_context", "idx_messages_role", "idx_events_type", "idx_events_message"} <= names
    assert columns[:10] == [
        "id", "role", "content", "name", "tool_call_id", "tool_calls", "tokens", "timestamp", "in_context",
        "summary_of",
    ]  # fmt: skip
    assert version >= 1


async def test_a_durable_session_is_logged_with_its_calls_and_compaction(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        logger = SessionLogger(LogConfig(base_dir=tmp_path, streams=LogStream.ALL))
        provider = ScriptedProvider([calling(("read_file", {"path": "a"})), "Read."])
        skills = registry(read_file=read_file)
        agent = Agent(provider, session=session, app=app, skills=skills, logger=logger, instructions="Be careful.")
        await agent.ask("Read a")
        await app.background.drain()

        shown = logger.get_context_messages()
        assert [message.role for message in shown] == ["system", "user", "assistant", "tool", "assistant"]
        assert shown[2].tool_calls[0].name == "read_file"
        assert logger.get_token_count() > 0
        assert "## User" in (logger.session_dir / "context.md").read_text()
        await agent.close()


async def test_agents_of_a_pool_have_their_own_logs_and_contexts(tmp_path: Path) -> None:
    async with sojourn.open("memory:") as app:
        pool = AgentPool(app, ScriptedProvider(otherwise=echo), PoolSettings(log_dir=tmp_path))
        one, two = await pool.create("one"), await pool.create("two")
        await listed(one.send("to one"))
        await listed(two.send("to two"))
        await pool.close()

        assert one.logger is not None
        assert one.logger.session_dir.parent == tmp_path / "one"
        assert [m.text for m in await said(one.session)] == ["to one", "You said: to one"]


async def test_the_typed_events_of_a_turn_come_in_order() -> None:
    provider = ScriptedProvider([calling(("read_file", {"path": "a"}), text="Let me look."), "Done."])
    events = await listed(Agent(provider, skills=registry(read_file=read_file)).run_turn("Read a"))

    kinds = [type(event).__name__ for event in events if not isinstance(event, told.ModelAnswered)]
    assert kinds == [
        "ContentChunk", "ToolDetected", "ToolBatchStarted", "ToolStarted", "ToolCompleted", "ToolBatchCompleted",
        "IterationCompleted", "ContentChunk", "IterationCompleted", "SessionCompleted",
    ]  # fmt: skip
    assert [event.will_continue for event in events if isinstance(event, told.IterationCompleted)] == [True, False]


async def test_the_literal_texts_are_those_of_the_design() -> None:
    context = ContextManager()
    calls = calling(("nothing", {}), ("read_file", {"path": "a"}))
    await Agent(ScriptedProvider([calls, "ok"]), context=context, skills=registry(read_file=read_file)).ask("go")

    assert [m.text for m in context.messages if m.role == "tool"] == ["Unknown skill: nothing", HALTED]
    assert HALTED == "Did not execute: halted due to error in previous tool"


# --- the traps


async def test_trap_1_cancelled_between_two_tools_both_have_a_result() -> None:
    context, token = ContextManager(), CancellationToken()
    provider = ScriptedProvider([calling(("read_file", {"path": "a"}), ("read_file", {"path": "b"}))])
    agent = Agent(provider, context=context, skills=registry(read_file=read_file))
    async for event in agent.run_turn("go", cancel_token=token):
        if isinstance(event, told.ToolCompleted):
            token.cancel()

    results = [message for message in context.messages if message.role == "tool"]
    assert len(results) == 2
    assert results[1].error
    provider.add("fine")
    await agent.ask("and now?")
    assert problems(provider.requests[-1].messages) == []


async def test_trap_2_cancelled_mid_stream_the_partial_answer_is_kept() -> None:
    context, token = ContextManager(), CancellationToken()
    agent = Agent(ScriptedProvider(["The first half, and the second half."]), context=context)
    async for _ in agent.send("go", cancel_token=token):
        token.cancel()

    assert [(m.role, m.text, m.partial) for m in context.messages] == [
        ("user", "go", False),
        ("assistant", "The first ha", True),
    ]


async def test_trap_3_truncation_never_begins_with_a_result_whose_call_was_cut_off() -> None:
    context = ContextManager(ContextConfig(max_tokens=160, reserve_tokens=60))
    provider = ScriptedProvider(otherwise=lambda _: "An answer of some length, so that the window is soon full.")
    agent = Agent(provider, context=context, skills=registry(read_file=read_file))
    for number in range(6):
        provider.add(calling(("read_file", {"path": f"file-{number}"})), "Read, and here is what it says to me.")
        await agent.ask(f"Read file {number}")

    assert all(problems(request.messages) == [] for request in provider.requests)
    assert len(provider.requests[-1].messages) < len(context.messages)


async def test_trap_4_the_token_count_is_real(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path, token_counter=CharacterCounter())) as logger:
        logger.log_user("x" * 400)

        assert 100 <= logger.get_token_count() <= 110


async def test_trap_5_both_examples_of_the_design_work(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path)) as logger:
        ContextManager(ContextConfig(), logger).add_user_message("logged")
        assert [message.text for message in logger.get_context_messages()] == ["logged"]

    class Read:
        name, description = "read", "Read."
        parameters: dict[str, Any] = {"type": "object", "properties": {}}

        async def execute(self, **_: Any) -> ToolResult:
            return ToolResult(output="text")

    skills = SkillRegistry()
    skills.register(Read())
    skills.register("other", lambda _services: Read())
    assert {tool["function"]["name"] for tool in skills.get_definitions()} == {"read", "other"}


async def test_trap_6_a_child_logger_has_its_name_and_says_that_it_is_an_agents(tmp_path: Path) -> None:
    with (
        SessionLogger(LogConfig(base_dir=tmp_path, mode="repl")) as parent,
        parent.create_child_logger("finder") as child,
    ):
        assert child.session_dir.name == "subagent_finder"
        assert "_agent_" in child.session_id or child.session_id.startswith("subagent_")
        assert "repl" not in child.session_id


async def test_trap_7_the_notice_of_the_limit_is_stored_and_the_talk_does_not_end_on_a_tool() -> None:
    context = ContextManager(ContextConfig(max_tokens=100_000))
    provider = ScriptedProvider(otherwise=lambda _: calling(("read_file", {"path": "a"})))
    chunks = [
        chunk async for chunk in Agent(provider, context=context, skills=registry(read_file=read_file)).send("go")
    ]

    assert chunks == ["[Max tool iterations reached]"]
    assert context.messages[-1].text == "[Max tool iterations reached]"


async def test_trap_8_raw_logs_of_two_agents_with_one_provider_stay_apart(tmp_path: Path) -> None:
    provider = ScriptedProvider(otherwise=echo)
    loggers = [SessionLogger(LogConfig(base_dir=tmp_path / name, streams=LogStream.ALL)) for name in ("a", "b")]
    agents = [Agent(provider, logger=logger) for logger in loggers]
    async with anyio.create_task_group() as tasks:
        for name, agent in zip(("alpha", "beta"), agents, strict=True):
            tasks.start_soon(agent.ask, name)
    raw = [(logger.session_dir / "raw.jsonl").read_text() for logger in loggers]
    for logger in loggers:
        logger.close()

    assert ["alpha" in text for text in raw] == [True, False]
    assert ["beta" in text for text in raw] == [False, True]


async def test_trap_9_a_cancel_reaches_a_running_tool_and_an_error_in_parallel_stays_its_own() -> None:
    waits, token, context = Waits(), CancellationToken(), ContextManager()
    provider = ScriptedProvider([calling(("wait", {"_parallel": True}), ("write_file", {"path": "x"}))])
    agent = Agent(provider, context=context, skills=registry(wait=waits.__call__, write_file=write_file))
    with anyio.fail_after(5):
        async for event in agent.run_turn("go", cancel_token=token):
            if isinstance(event, told.ToolCompleted):
                token.cancel()

    results = {message.name: message.text for message in context.messages if message.role == "tool"}
    assert waits.cancelled
    assert results == {"wait": CANCELLED, "write_file": "Execution error: x cannot be written"}


async def test_trap_9_a_log_knows_what_is_in_context_and_what_a_summary_stands_for(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path)) as logger:
        old = [logger.log_user("ä first question"), logger.log_assistant("an answer")]
        summary = logger.log_user("Summary: they talked.")
        logger.mark_compacted(old, summary)

        assert [message.text for message in logger.get_context_messages()] == ["Summary: they talked."]
        assert "ä first question" in (logger.session_dir / "context.md").read_text(encoding="utf-8")


async def test_trap_9_a_log_knows_what_fell_out_of_the_context(tmp_path: Path) -> None:
    with SessionLogger(LogConfig(base_dir=tmp_path)) as logger:
        context = ContextManager(ContextConfig(max_tokens=160, reserve_tokens=60), logger)
        agent = Agent(
            ScriptedProvider(otherwise=lambda _: "An answer of some length, so that it is soon full."), context=context
        )
        for number in range(6):
            await agent.ask(f"Question {number}, which has some words, too?")
        logged = [message.text for message in logger.get_context_messages()]

        assert len(logged) < 12
        assert logged[-1] == context.messages[-1].text
        assert "Question 0, which has some words, too?" not in logged


async def test_trap_10_two_sends_at_once_do_not_mix() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(ScriptedProvider(otherwise=echo), session=session)
        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(agent.ask, f"message {number}")

        messages = await said(session)
        pairs = list(zip(messages[::2], messages[1::2], strict=True))
        assert len(pairs) == 5
        assert all(answer.text == f"You said: {asked.text}" for asked, answer in pairs)
