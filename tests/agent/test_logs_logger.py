"""The logger: the documented interface, what is restored, what is counted, and what is never written."""

import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.logger import RawLogCallbackAdapter, SessionLogger
from sojourn.agent.skills.skill import ToolResult
from sojourn.context.manager import ContextConfig, ContextLog, ContextManager
from sojourn.context.tokens import CharacterCounter, count_message
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.message import Message, ToolCall
from sojourn.providers.protocol import ModelRequest, RawLog
from sojourn.providers.scripted import ScriptedProvider
from sojourn.testing.clock import FakeClock

KEY = "sk-ant-api03-" + "Zx9" * 12
PASSWORD = "hunter2-7Q"


def make(folder: Path, streams: LogStream = LogStream.CONTEXT) -> SessionLogger:
    return SessionLogger(LogConfig(base_dir=folder, streams=streams, clock=FakeClock()))


@pytest.fixture
def logger(tmp_path: Path) -> Iterator[SessionLogger]:
    with make(tmp_path, LogStream.ALL) as made:
        yield made


def raw_lines(logger: SessionLogger) -> list[dict[str, object]]:
    return [msgspec.json.decode(line) for line in (logger.session_dir / "raw.jsonl").read_bytes().splitlines()]


# --- what is said


def test_every_message_gets_the_next_number(logger: SessionLogger) -> None:
    call = ToolCall(id="c1", name="read", arguments={"path": "a"})
    assert [
        logger.log_system("Be kind"),
        logger.log_user("Hello"),
        logger.log_assistant("", [call], thinking="hm", tokens=9),
        logger.log_tool_result("c1", "read", ToolResult(output="text")),
        logger.log_assistant("Done"),
    ] == [1, 2, 3, 4, 5]


def test_a_talk_with_tools_is_the_same_after_the_log_is_opened_again(tmp_path: Path) -> None:
    talk = [
        Message(role="system", content="Be kind"),
        Message(role="user", content="Read a and b"),
        Message(
            role="assistant",
            content="I look.",
            tool_calls=(
                ToolCall(id="c1", name="read", arguments={"path": "a", "deep": [1, None, {"x": 2.5}]}),
                ToolCall(id="c2", name="read", arguments_text="{not json"),
                ToolCall(id="c3", name="now"),
            ),
        ),
        Message(role="tool", content="text of a", tool_call_id="c1", name="read"),
        Message(role="tool", content="bad arguments", tool_call_id="c2", name="read", error=True),
        Message(role="tool", content="noon", tool_call_id="c3", name="now"),
        Message(role="assistant", content="Done: ```x```"),
    ]
    with make(tmp_path) as logger:
        logger.log_system("Be kind")
        logger.log_user("Read a and b")
        logger.log_assistant("I look.", talk[2].tool_calls)
        logger.log_tool_result("c1", "read", ToolResult(output="text of a"))
        logger.log_tool_result("c2", "read", ToolResult(error="bad arguments"))
        logger.log_tool_result("c3", "now", "noon")
        logger.log_assistant("Done: ```x```")
        assert logger.get_context_messages() == talk
        text = (logger.session_dir / "context.md").read_bytes()
    with SessionLogger.reopen(logger.session_dir) as again:
        assert again.session_id == logger.session_id
        assert again.info == logger.info
        assert again.get_context_messages() == talk
        assert again.log_user("And now?") == 8
        assert (again.session_dir / "context.md").read_bytes().startswith(text)


def test_a_context_manager_writes_into_a_log_that_is_its_second_argument(logger: SessionLogger) -> None:
    context = ContextManager(ContextConfig(), logger)
    context.set_system_prompt("Be kind")
    context.add_user_message("Hello")
    context.add_assistant_message("", [ToolCall(id="c1", name="read", arguments={"path": "a"})])
    context.add_tool_result("c1", "read", ToolResult(error="no such file"))
    context.add_assistant_message("It is not there")

    log: ContextLog = logger
    assert log is logger
    assert logger.get_context_messages() == [Message(role="system", content="Be kind"), *context.messages]


def test_tokens_are_counted_when_nobody_reports_them(logger: SessionLogger) -> None:
    call = ToolCall(id="c1", name="read", arguments={"path": "a" * 400})
    logger.log_user("word " * 100)
    assert logger.get_token_count() == count_message(CharacterCounter(), Message(role="user", content="word " * 100))
    before = logger.get_token_count()
    logger.log_assistant("", [call])
    assert logger.get_token_count() - before > 100
    before = logger.get_token_count()
    logger.log_assistant("reported", tokens=7)
    assert logger.get_token_count() == before + 7


def test_a_summary_of_three_messages_is_all_that_stays_in_context(logger: SessionLogger) -> None:
    said = [logger.log_user("one"), logger.log_assistant("two"), logger.log_user("three")]
    summary = logger.log_user("[CONTEXT SUMMARY] they counted")
    logger.mark_compacted(said, summary)

    assert [message.text for message in logger.get_context_messages()] == ["[CONTEXT SUMMARY] they counted"]
    assert logger.get_token_count() == logger.folder.storage.get_message(summary).tokens
    assert len(logger.folder.storage.get_messages(in_context_only=False)) == 4


def test_a_summary_stands_where_the_messages_stood_that_it_replaces(logger: SessionLogger) -> None:
    logger.log_system("Be kind")
    old = [logger.log_user("one"), logger.log_assistant("two")]
    logger.log_user("three")
    first = logger.log_user("summary")
    logger.mark_compacted(old, first)
    assert [message.text for message in logger.get_context_messages()] == ["Be kind", "summary", "three"]

    logger.log_assistant("four")
    second = logger.log_user("another summary")
    logger.mark_compacted([first, 4], second)
    assert [message.text for message in logger.get_context_messages()] == ["Be kind", "another summary", "four"]


def test_only_the_last_instructions_are_in_context_and_come_first(logger: SessionLogger) -> None:
    logger.log_system("Be kind")
    logger.log_user("one")
    logger.log_system("Be brief")
    assert [message.text for message in logger.get_context_messages()] == ["Be brief", "one"]
    assert (logger.session_dir / "context.md").read_text("utf-8").count("## System") == 2


def test_what_is_dropped_without_a_summary_leaves_the_context(logger: SessionLogger) -> None:
    logger.mark_dropped([logger.log_user("one")])
    logger.log_user("two")
    assert [message.text for message in logger.get_context_messages()] == ["two"]


def test_a_summary_that_is_not_there_changes_nothing(logger: SessionLogger) -> None:
    logger.log_user("one")
    with pytest.raises(NotFoundError):
        logger.mark_compacted([1], 5)
    with pytest.raises(InvalidInputError):
        logger.mark_compacted([1], 1)
    assert [message.text for message in logger.get_context_messages()] == ["one"]


def test_many_threads_may_log_at_once(logger: SessionLogger) -> None:
    def talk(name: str) -> None:
        for turn in range(25):
            logger.log_user(f"{name}{turn}")
            logger.log_raw_chunk({"by": name, "turn": turn})

    threads = [threading.Thread(target=talk, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    said = [message.text for message in logger.get_context_messages()]
    assert sorted(said) == sorted(f"{name}{turn}" for name in "abcd" for turn in range(25))
    assert [text for text in said if text.startswith("a")] == [f"a{turn}" for turn in range(25)]
    assert len(raw_lines(logger)) == 100
    text = (logger.session_dir / "context.md").read_text("utf-8")
    assert [line for line in text.splitlines() if line in set(said)] == said


# --- the streams


def test_thinking_timings_and_tokens_go_to_the_verbose_stream(logger: SessionLogger) -> None:
    number = logger.log_assistant("Hi", thinking="say hi")
    logger.log_thinking("more", number)
    logger.log_thinking("of a message that is not there", 99)
    logger.log_timing("tool", 12.34, {"name": "read", "ok": True})
    logger.log_token_count(10, 5, 15)

    events = logger.folder.storage.get_events()
    assert [(event.event_type, event.message_id) for event in events] == [
        ("thinking", number),
        ("thinking", number),
        ("thinking", None),
        ("timing", None),
        ("token_usage", None),
    ]
    text = (logger.session_dir / "verbose.md").read_text("utf-8")
    assert "**tool** [00:00:00]: 12.3ms (name=read, ok=true)\n" in text
    assert "**Tokens** [00:00:00]: prompt=10, completion=5, total=15\n" in text
    assert "### Thinking [00:00:00]\n\n```\nsay hi\n```\n" in text
    assert "say hi" not in (logger.session_dir / "context.md").read_text("utf-8")


def test_the_verbose_and_the_raw_stream_do_nothing_when_they_are_off(tmp_path: Path) -> None:
    with make(tmp_path) as logger:
        logger.log_assistant("Hi", thinking="secret thought")
        logger.log_thinking("secret thought")
        logger.log_timing("tool", 1.0)
        logger.log_token_count(1, 2, 3)
        logger.log_raw_request("/v1", {})
        logger.log_raw_response(200, {})
        logger.log_raw_chunk({})
        assert logger.folder.storage.get_events() == []
        assert logger.get_raw_log_callback() is None
    assert b"secret thought" not in (logger.session_dir / "session.db").read_bytes()


def test_the_raw_stream_has_a_line_for_each_thing_that_goes_over_the_wire(logger: SessionLogger) -> None:
    adapter = logger.get_raw_log_callback()
    assert isinstance(adapter, RawLogCallbackAdapter)
    callback: RawLog = adapter
    callback.on_request("/v1/messages", {"model": "m", "messages": [{"role": "user", "content": "Straße\n"}]})
    callback.on_response(200, {"ok": True})
    callback.on_chunk({"delta": "x"})

    at = FakeClock().now().timestamp()
    assert raw_lines(logger) == [
        {
            "type": "request",
            "timestamp": at,
            "endpoint": "/v1/messages",
            "payload": {"model": "m", "messages": [{"role": "user", "content": "Straße\n"}]},
        },
        {"type": "response", "timestamp": at, "status": 200, "body": {"ok": True}},
        {"type": "stream_chunk", "timestamp": at, "chunk": {"delta": "x"}},
    ]


@pytest.mark.anyio
async def test_two_agents_that_share_a_provider_have_raw_logs_of_their_own(tmp_path: Path) -> None:
    provider = ScriptedProvider(["Hi Ann", "Hi Bob", "Bye Ann"])
    with make(tmp_path, LogStream.ALL) as ann, make(tmp_path, LogStream.ALL) as bob:
        for logger, text in ((ann, "I am Ann"), (bob, "I am Bob"), (ann, "Bye")):
            request = ModelRequest(messages=(Message(role="user", content=text),))
            await provider.complete(request, raw_log=logger.get_raw_log_callback())

        of_ann, of_bob = ((logger.session_dir / "raw.jsonl").read_text("utf-8") for logger in (ann, bob))
    assert [text in of_ann for text in ("I am Ann", "Hi Ann", "Bye Ann", "Bob")] == [True, True, True, False]
    assert [text in of_bob for text in ("I am Bob", "Hi Bob", "Ann")] == [True, True, False]


def test_a_large_request_keeps_its_place_and_what_it_was_when_it_was_logged(tmp_path: Path) -> None:
    with make(tmp_path, LogStream.RAW) as logger:
        payload: dict[str, object] = {"messages": ["x" * 5_000 for _ in range(40)], "key": KEY}
        for number in range(5):
            payload["number"] = number
            logger.log_raw_request("/v1", payload)
            logger.log_raw_chunk({"after": number})
        payload.clear()
    lines = raw_lines(logger)
    assert [line["type"] for line in lines] == ["request", "stream_chunk"] * 5
    found = [msgspec.convert(line["payload"], dict[str, object]) for line in lines[::2]]
    assert [one["number"] for one in found] == list(range(5))
    assert all(one["key"] == "[redacted:api_key]" and len(str(one["messages"])) > 200_000 for one in found)
    logger.log_raw_chunk({"too": "late"})
    assert len(raw_lines(logger)) == 10


def test_a_program_may_change_its_folder_while_it_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SessionLogger(LogConfig(base_dir=Path("logs"), streams=LogStream.ALL)) as logger:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert logger.log_user("hello") == 1
        logger.log_raw_chunk({"a": 1})
        assert "hello" in (logger.session_dir / "context.md").read_text("utf-8")
        assert len(raw_lines(logger)) == 1


def test_a_line_that_a_crash_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    with make(tmp_path, LogStream.ALL) as logger:
        logger.log_raw_chunk({"n": 1})
    with (logger.session_dir / "raw.jsonl").open("ab") as file:
        file.write(b'{"type":"stream_ch')
    with SessionLogger.reopen(logger.session_dir, LogConfig(streams=LogStream.ALL)) as again:
        again.log_raw_chunk({"n": 2})
    lines = (logger.session_dir / "raw.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line)["chunk"]["n"] for line in (lines[0], lines[2])] == [1, 2]


# --- what is never written


def test_no_secret_is_written_into_any_file(logger: SessionLogger) -> None:
    logger.log_system(f"Use {KEY}")
    logger.log_user(f"my password={PASSWORD} and {KEY[:9]}\x00{KEY[9:]}")
    logger.log_assistant(
        KEY, [ToolCall(id="c", name="login", arguments={"password": PASSWORD, "x": [KEY]})], thinking=KEY
    )
    logger.log_assistant("", [ToolCall(id="d", name="login", arguments_text=f"password={PASSWORD} {KEY}")])
    logger.log_tool_result("c", "login", ToolResult(error=f"{'x' * 1_990} {KEY}"))
    logger.log_timing(KEY, 1.0, {KEY: KEY})
    logger.log_raw_request(
        f"https://u:{PASSWORD}@host/v1", {"headers": {"Authorization": f"Bearer {PASSWORD}", "x-api-key": [PASSWORD]}}
    )
    logger.log_raw_response(401, {"echo": KEY, KEY: 1, "set-cookie": PASSWORD, "password": PASSWORD})
    logger.log_raw_chunk({"text": KEY})
    logger.close()

    for path in logger.session_dir.iterdir():
        data = path.read_bytes()
        assert KEY.encode() not in data, path
        assert PASSWORD.encode() not in data, path
    assert b"[redacted:api_key]" in (logger.session_dir / "context.md").read_bytes()


def test_texts_that_no_file_takes_are_written_all_the_same(logger: SessionLogger) -> None:
    logger.log_user("half \ud83d a pair")
    logger.log_assistant("", [ToolCall(id="\udc00", name="\udc00", arguments={"\udc00": "\udc00"})])
    logger.log_raw_chunk({"\udc00": ["\udc00", b"bytes", float("nan"), 2**100, object]})
    logger.log_timing("\udc00", 1.0, {"\udc00": {1, 2}})

    assert logger.get_context_messages()[0].text == "half \ufffd a pair"
    assert len(raw_lines(logger)) == 1


@pytest.mark.parametrize("depth", [100, 500, 900, 100_000])
def test_what_is_nested_beyond_all_measure_is_named_and_stops_nobody(logger: SessionLogger, depth: int) -> None:
    deep: dict[str, object] = {}
    for _ in range(depth):
        deep = {"x": deep}
    logger.log_assistant("", [ToolCall(id="c", name="dig", arguments=deep)])
    logger.log_timing("dig", 1.0, {"how": deep})
    logger.log_raw_request("/v1", deep)
    logger.log_raw_chunk({"after": 1})

    [call] = logger.get_context_messages()[0].tool_calls
    assert call.arguments == deep or call.arguments_text == "[nested too deeply]"
    assert [line["type"] for line in raw_lines(logger)] == ["request", "stream_chunk"]
    assert "dig" in (logger.session_dir / "context.md").read_text("utf-8")
