"""Chat completions that are slow, left early, refused or broken off, over real HTTP."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

import anyio
import anyio.to_thread
import pytest

from sojourn.errors import ModelError, ModelUnavailableError
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.protocol import (
    ContentDelta,
    StreamEvent,
)
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_openai import OpenAiWire
from sojourn.testing.wire_openai_forms import event
from tests.providers.openai_talks import HELLO, Log, answered, delta, end, told, told_until

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)


@pytest.fixture
async def model(wire: OpenAiWire) -> AsyncGenerator[OpenAiChat, None]:
    async with OpenAiChat("little-model", base_url=wire.base_url) as opened:
        yield opened


# --- slowly, and at once


async def test_each_piece_arrives_when_it_is_sent_and_not_at_the_end(wire: OpenAiWire, model: OpenAiChat) -> None:
    first, second = Held(), Held()
    wire.say(["one", first, "two", second, "three"])
    came: list[str] = []

    async for said in model.stream(HELLO):
        if isinstance(said, ContentDelta):
            came.append(said.text)
            held = {"one": first, "two": second}.get(said.text)
            if held is not None:
                await anyio.to_thread.run_sync(held.wait_for_request)
                held.release()

    assert came == ["one", "two", "three"]


async def test_leaving_a_stream_closes_its_connection() -> None:
    held = Held()
    with WireServer() as server:
        wire = OpenAiWire(server)
        wire.say(["one", held, "two " * 1_000_000, "three"])

        async with OpenAiChat("little-model", base_url=wire.base_url) as model:
            async with aclosing(model.stream(HELLO)) as events:
                assert await anext(events) == ContentDelta(text="one")
            held.release()

    assert len(server.given_up) == 1


async def test_cancelling_a_stream_closes_its_connection() -> None:
    held = Held()
    came: list[StreamEvent] = []
    begun = anyio.Event()

    async def listen(model: OpenAiChat) -> None:
        async for said in model.stream(HELLO):
            came.append(said)
            begun.set()

    with WireServer() as server:
        wire = OpenAiWire(server)
        wire.say(["one", held, "two " * 1_000_000, "three"])
        wire.say("again")
        async with OpenAiChat("little-model", base_url=wire.base_url) as model:
            async with anyio.create_task_group() as group:
                group.start_soon(listen, model)
                await begun.wait()
                group.cancel_scope.cancel()
            held.release()
            again = await answered(model)

    assert came == [ContentDelta(text="one")]
    assert len(server.given_up) == 1
    assert again.message.text == "again"


async def test_several_streams_go_on_at_once_and_are_not_mixed_up(wire: OpenAiWire, model: OpenAiChat) -> None:
    held = [Held() for _ in range(5)]
    for number, pause in enumerate(held):
        wire.say([f"begin {number}", pause, f" end {number}"])
    answers: list[str] = []

    async def ask() -> None:
        answers.append((await answered(model)).message.text)

    async with anyio.create_task_group() as group:
        for _ in held:
            group.start_soon(ask)
        for pause in held:
            await anyio.to_thread.run_sync(pause.wait_for_request)
        for pause in reversed(held):
            pause.release()

    assert sorted(answers) == [f"begin {number} end {number}" for number in range(5)]


# --- what goes wrong


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_failure_that_may_pass_says_so(wire: OpenAiWire, status: int) -> None:
    wire.fail(status)
    wire.fail(status)

    async with OpenAiChat("little-model", base_url=wire.base_url, retries=0) as model:
        with pytest.raises(ModelUnavailableError, match="little-model@"):
            await told(model)
        with pytest.raises(ModelUnavailableError):
            await model.complete(HELLO)


@pytest.mark.parametrize(
    ("status", "words"), [(400, "as the test wants"), (401, "check the key"), (403, "check the key"), (404, "no such")]
)
async def test_a_failure_that_stays_says_what_to_do(wire: OpenAiWire, status: int, words: str) -> None:
    wire.fail(status)

    async with OpenAiChat("little-model", base_url=wire.base_url, api_key="sk-test") as model:
        with pytest.raises(ModelError, match=words) as caught:
            await told(model)

    assert not isinstance(caught.value, ModelUnavailableError)


async def test_an_overload_is_overcome_before_the_stream_begins(
    server: WireServer, wire: OpenAiWire, model: OpenAiChat
) -> None:
    wire.fail(503)
    wire.hang_up()
    wire.say("Hello")

    assert (await answered(model)).message.text == "Hello"
    assert len(server.requests) == 3


async def test_the_key_is_in_no_error_even_if_the_server_says_it(wire: OpenAiWire) -> None:
    wire.fail(400, "the key sk-test is odd")
    wire.say("Hel", ending="error", error={"message": "the key sk-test is odd"})
    log = Log()

    async with OpenAiChat("little-model", base_url=wire.base_url, api_key="sk-test") as model:
        for _ in range(2):
            with pytest.raises(ModelError, match=r"the key \[the key\] is odd") as caught:
                await told(model, raw_log=log)
            assert caught.value.__cause__ is None

    assert "sk-test" not in str(log.__dict__)


@pytest.mark.parametrize("ending", ["cut", "short"])
async def test_a_stream_that_breaks_off_is_an_error_after_what_was_said(
    wire: OpenAiWire, model: OpenAiChat, ending: str
) -> None:
    wire.say("Hello", ending=ending)

    came, error = await told_until(model, ModelUnavailableError)

    assert came == [ContentDelta(text="Hello")]
    assert "broke off" in str(error)


async def test_what_breaks_behind_the_end_takes_nothing_from_the_answer(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.stream(delta(content="Hello"), end(), cut=True)

    assert (await answered(model)).message.text == "Hello"


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        ({"message": "overloaded", "code": 502}, True),
        ({"message": "too fast", "code": "rate_limit_exceeded"}, True),
        ({"message": "hm", "type": "server_error"}, True),
        ({"message": "hm"}, True),
        ({"message": "no", "code": 400}, False),
        ({"message": "too long", "code": "context_length_exceeded"}, False),
        ({"message": "no", "type": "invalid_request_error"}, False),
    ],
)
async def test_an_error_within_the_stream_is_told_in_the_servers_words(
    wire: OpenAiWire, model: OpenAiChat, error: dict[str, Any], passes: bool
) -> None:
    wire.say("Hel", ending="error", error=error)
    log = Log()

    with pytest.raises(ModelError, match=error["message"]) as caught:
        await told(model, raw_log=log)

    assert isinstance(caught.value, ModelUnavailableError) == passes
    assert log.chunks[-1] == {"error": error}


async def test_an_error_with_status_200_is_one(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.garble(b'{"error": {"message": "upstream is down", "code": 502}}')

    with pytest.raises(ModelUnavailableError, match="upstream is down"):
        await model.complete(HELLO)


async def test_a_stream_that_falls_silent_is_left(wire: OpenAiWire) -> None:
    wire.say(["one", Held(), "two"])

    async with OpenAiChat("little-model", base_url=wire.base_url, timeout=0.5) as model:
        with pytest.raises(ModelUnavailableError, match=r"longer than 0\.5 seconds"):
            await told(model)


async def test_a_server_that_never_begins_is_left(wire: OpenAiWire) -> None:
    wire.hold()

    async with OpenAiChat("little-model", base_url=wire.base_url, timeout=0.05) as model:
        with pytest.raises(ModelUnavailableError, match=r"longer than 0\.05 seconds|did not answer in time"):
            await told(model)


async def test_a_page_instead_of_a_stream_says_to_check_the_address(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.garble()

    with pytest.raises(ModelError, match="no stream; check the address") as caught:
        await told(model)

    assert not isinstance(caught.value, ModelUnavailableError)


@pytest.mark.parametrize(
    "sent", [b"data: {not json\n\n", b"data: [1]\n\n", b"data: \xff\n\n", b"data: " + b"[" * 100_000 + b"\n\n"]
)
async def test_an_event_that_is_none_is_a_broken_stream(wire: OpenAiWire, model: OpenAiChat, sent: bytes) -> None:
    wire.stream(delta(content="Hel"), sent)

    with pytest.raises(ModelUnavailableError, match="it sent an event that is not"):
        await told(model)


@pytest.mark.parametrize(
    "chunk",
    [
        {},
        {"choices": None},
        {"choices": [3]},
        {"choices": [{"delta": 3}]},
        {"usage": 3, "model": 4},
        {
            "choices": [
                {"delta": {"reasoning_details": [{"type": [], "index": {}}, 3], "tool_calls": [3, {"index": []}]}}
            ]
        },
    ],
)
async def test_chunks_of_odd_shapes_say_nothing(wire: OpenAiWire, model: OpenAiChat, chunk: dict[str, Any]) -> None:
    wire.stream(event(chunk), delta(content="Hello"), b": a comment\n\n", end())

    assert (await answered(model)).message.text == "Hello"


async def test_a_model_that_is_closed_while_it_is_asked_says_so(wire: OpenAiWire, model: OpenAiChat) -> None:
    held = wire.hold()
    said: list[str] = []

    async def ask() -> None:
        with pytest.raises(ModelError) as caught:
            await model.complete(HELLO)
        said.append(str(caught.value))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.to_thread.run_sync(held.wait_for_request)
        await model.close()

    assert "is closed" in said[0] or "cannot be reached" in said[0]


async def test_a_stream_of_a_model_that_is_closed_breaks_off(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.say(["one", Held(), "two"])

    events = model.stream(HELLO)
    assert await anext(events) == ContentDelta(text="one")
    await model.close()

    with pytest.raises(ModelUnavailableError, match="broke off"):
        await anext(events)


async def test_a_closed_model_says_so(wire: OpenAiWire, model: OpenAiChat) -> None:
    await model.close()
    await model.close()

    with pytest.raises(ModelError, match="is closed"):
        await told(model)


async def test_nothing_of_the_environment_is_sent_to_another_server(
    server: WireServer, wire: OpenAiWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, f"mine-{name}")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: mine-too")
    wire.say("Hello")

    async with OpenAiChat("little-model", base_url=wire.base_url) as model:
        await told(model)

    assert "mine" not in str(server.requests[0].headers)
