"""What happens when a server that speaks the Messages API cannot, will not or does not finish."""

import json
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, suppress

import anyio
import anyio.abc
import pytest
from anyio.streams.stapled import MultiListener

from sojourn.errors import InvalidInputError, MissingExtraError, ModelError, ModelUnavailableError
from sojourn.providers.anthropic_messages import AnthropicMessages
from sojourn.providers.protocol import ContentDelta, ModelRequest, StreamComplete
from sojourn.testing.wire import Held, Reply, WireServer
from sojourn.testing.wire_anthropic import AnthropicWire, error_body, event, text, tool_use
from tests.providers.anthropic_talks import KEY, MODEL, WEATHER, Remembered, answered, asked, asking, streamed, words

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> AnthropicWire:
    return AnthropicWire(server)


@pytest.fixture
async def model(wire: AnthropicWire) -> AsyncIterator[AnthropicMessages]:
    async with asking(wire) as opened:
        yield opened


async def failure_of(model: AnthropicMessages, request: ModelRequest, *, at_once: bool) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await (model.complete(request) if at_once else streamed(model, request))
    assert model.name in str(caught.value)
    return caught.value


async def hear(model: AnthropicMessages, heard: list[str]) -> None:
    """Add to *heard* what is said, up to the error."""
    async for piece in model.stream(asked("A story!")):
        heard += words([piece])


def address_of(listener: MultiListener[anyio.abc.SocketStream]) -> str:
    port = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  # nothing of Django
    return f"http://127.0.0.1:{port}"


# --- before an answer begins


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "as the test wants it"),
        (401, "refuses the API key"),
        (403, "the key's rights"),
        (404, "no such model"),
        (413, "too large"),
        (422, "status 422"),
    ],
)
async def test_what_will_not_pass_is_an_error_and_is_tried_once(
    wire: AnthropicWire, model: AnthropicMessages, status: int, said: str, at_once: bool
) -> None:
    wire.fail(status)

    error = await failure_of(model, asked("Hi"), at_once=at_once)

    assert not isinstance(error, ModelUnavailableError)
    assert said in str(error)
    assert len(wire.bodies) == 1


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("status", "said"),
    [
        (408, "took too long"),
        (409, "busy"),
        (429, "too many requests"),
        (500, "status 500: as the test wants it"),
        (503, "status 503"),
        (529, "overloaded"),
    ],
)
async def test_what_may_pass_says_so_after_it_was_tried_again(
    wire: AnthropicWire, model: AnthropicMessages, status: int, said: str, at_once: bool
) -> None:
    for _ in range(3):
        wire.fail(status)

    error = await failure_of(model, asked("Hi"), at_once=at_once)

    assert isinstance(error, ModelUnavailableError)
    assert said in str(error)
    assert len(wire.bodies) == 3


@pytest.mark.parametrize("status", [429, 500, 529])
async def test_an_overload_that_passes_is_never_seen(
    wire: AnthropicWire, model: AnthropicMessages, status: int
) -> None:
    wire.fail(status)
    wire.say("Hello.")
    wire.fail(status)
    wire.say("Hello again.")

    assert (await answered(model, asked("Hi"))).message.text == "Hello."
    assert (await model.complete(asked("Hi"))).message.text == "Hello again."


async def test_without_retries_it_is_tried_once(wire: AnthropicWire) -> None:
    wire.fail(529)

    async with asking(wire, retries=0) as model:
        error = await failure_of(model, asked("Hi"), at_once=False)

    assert isinstance(error, ModelUnavailableError)
    assert len(wire.bodies) == 1


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_server_that_hangs_up_cannot_be_reached(wire: AnthropicWire, at_once: bool) -> None:
    wire.hang_up()

    async with asking(wire, retries=0) as model:
        error = await failure_of(model, asked("Hi"), at_once=at_once)

    assert isinstance(error, ModelUnavailableError)
    assert "cannot be reached" in str(error)


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_server_that_is_not_there_cannot_be_reached(at_once: bool) -> None:
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        address = address_of(listener)

    async with AnthropicMessages(MODEL, base_url=address, retries=0) as model:
        error = await failure_of(model, asked("Hi"), at_once=at_once)

    assert isinstance(error, ModelUnavailableError)
    assert "check the address" in str(error)


@pytest.mark.parametrize("at_once", [True, False])
async def test_an_answer_that_does_not_come_in_time_is_given_up(wire: AnthropicWire, at_once: bool) -> None:
    wire.hold()

    async with asking(wire, timeout=0.05) as model:
        error = await failure_of(model, asked("Hi"), at_once=at_once)

    assert isinstance(error, ModelUnavailableError)


async def test_a_long_wait_that_the_server_asks_for_is_cut_short(wire: AnthropicWire) -> None:
    wire.add(Reply(status=429, headers={"Retry-After": "3600"}))

    async with asking(wire, timeout=0.2) as model:
        error = await failure_of(model, asked("Hi"), at_once=False)

    assert isinstance(error, ModelUnavailableError)
    assert "longer than 0.2 seconds" in str(error)


async def test_an_address_where_something_else_lives_is_named_as_that(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.garble()
    wire.garble()

    over_stream = await failure_of(model, asked("Hi"), at_once=False)
    whole = await failure_of(model, asked("Hi"), at_once=True)

    assert "whether the address is that of a Messages API" in str(over_stream)
    assert "something that the Messages API does not have" in str(whole)
    assert not isinstance(over_stream, ModelUnavailableError)


async def test_json_that_is_damaged_may_be_better_the_next_time(wire: AnthropicWire, model: AnthropicMessages) -> None:
    wire.garble(b'{"content": [', kind="application/json")

    error = await failure_of(model, asked("Hi"), at_once=True)

    assert isinstance(error, ModelUnavailableError)
    assert "damaged" in str(error)


async def test_an_answer_that_is_cut_in_half_is_no_answer(wire: AnthropicWire) -> None:
    wire.say("A long answer.", cut=True)

    async with asking(wire, retries=0) as model:
        error = await failure_of(model, asked("Hi"), at_once=True)

    assert isinstance(error, ModelUnavailableError)


# --- within a stream


@pytest.mark.parametrize(
    ("kind", "unavailable", "said"),
    [
        ("overloaded_error", True, "overloaded"),
        ("api_error", True, "broke off"),
        ("rate_limit_error", True, "too many requests"),
        ("timeout_error", True, "broke off"),
        ("an_error_of_tomorrow", True, "broke off"),
        ("invalid_request_error", False, "broke off"),
        ("authentication_error", False, "refuses the API key"),
    ],
)
async def test_an_error_within_the_stream_ends_it(
    wire: AnthropicWire, model: AnthropicMessages, kind: str, unavailable: bool, said: str
) -> None:
    wire.say("Once upon", error=kind)
    heard: list[str] = []

    with pytest.raises(ModelError, match=said) as caught:
        await hear(model, heard)

    assert heard == ["Once upon"]
    assert isinstance(caught.value, ModelUnavailableError) is unavailable
    assert len(wire.bodies) == 1  # half an answer is never asked for twice


async def test_an_error_within_the_stream_is_written_down_as_a_piece_of_it(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say("Once upon", error="overloaded_error")
    log = Remembered()

    with pytest.raises(ModelUnavailableError):
        await streamed(model, asked("A story!"), log)

    assert log.responses == []
    assert log.chunks[-1]["error"]["type"] == "overloaded_error"


@pytest.mark.parametrize("cut", [True, False])
async def test_a_stream_that_ends_before_its_message_does_is_no_answer(
    wire: AnthropicWire, model: AnthropicMessages, cut: bool
) -> None:
    wire.say("Once upon", cut=cut, unfinished=not cut)
    heard: list[str] = []

    with pytest.raises(ModelUnavailableError, match="in the middle of its answer"):
        await hear(model, heard)

    assert heard == ["Once upon"]


async def test_a_stream_that_falls_silent_is_given_up(wire: AnthropicWire) -> None:
    wire.say(text("Once upon", Held(), " a time"))
    heard: list[str] = []

    async with asking(wire, timeout=1.5) as model:
        with pytest.raises(ModelUnavailableError, match="stopped in the middle"):
            await hear(model, heard)

    assert heard == ["Once upon"]


@pytest.mark.parametrize(
    "piece",
    [
        b"event: content_block_delta\ndata: {not json\n\n",
        b"event: content_block_delta\ndata: \xff\xfe\n\n",
        event("content_block_delta", index=7, delta={"type": "text_delta", "text": "?"}),
        event("content_block_start", index=0, content_block={"text": "without a type"}),
        event("content_block_start", index="first"),
    ],
)
async def test_a_stream_that_is_not_the_protocol_is_an_error(
    wire: AnthropicWire, model: AnthropicMessages, piece: bytes
) -> None:
    wire.add(Reply(pieces=(event("message_start", message={}), piece), headers={"Content-Type": "text/event-stream"}))

    error = await failure_of(model, asked("Hi"), at_once=False)

    assert "damaged" in str(error) or "it " in str(error)


async def test_events_that_nobody_knows_are_passed_over(wire: AnthropicWire, model: AnthropicMessages) -> None:
    pieces = (
        event("message_start", message={"usage": {"input_tokens": 3}}),
        event("weather_report", temperature=21),
        event("content_block_start", index=0, content_block={"type": "text", "text": "At once."}),
        event("content_block_delta", index=0, delta={"type": "citations_delta", "citation": {}}),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"input_tokens": 4, "output_tokens": 2}),
        event("message_stop"),
    )
    wire.add(Reply(pieces=pieces, headers={"Content-Type": "text/event-stream; charset=utf-8"}))

    complete = await answered(model, asked("Hi"))

    assert complete.message.content == "At once."
    assert (complete.usage.input_tokens, complete.usage.output_tokens) == (4, 2)


@pytest.mark.parametrize("end", [Held(), None])
async def test_a_whole_message_is_an_answer_whatever_becomes_of_the_connection(
    wire: AnthropicWire, model: AnthropicMessages, end: Held | None
) -> None:
    pieces = (
        event("message_start", message={}),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 2}),
        event("message_stop"),
    )
    held = () if end is None else (end,)
    wire.add(Reply(pieces=(*pieces, *held), cut=True, headers={"Content-Type": "text/event-stream"}))

    assert (await answered(model, asked("Hi"))).stop == "end"
    if end is not None:
        end.release()


async def test_a_call_that_is_cut_off_keeps_what_was_written_of_it(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(tool_use("weather", '{"city": "Ro'), stop_reason="max_tokens")

    complete = await answered(model, asked("Weather?", tools=(WEATHER,)))

    assert complete.stop == "length"
    assert complete.message.tool_calls[0].arguments_text == '{"city": "Ro'


# --- leaving early


async def test_leaving_a_stream_closes_its_connection() -> None:
    closed = anyio.Event()
    async with one_sided_server(closed) as address, AnthropicMessages(MODEL, base_url=address) as model:
        async with aclosing(model.stream(asked("A story!"))) as events:
            async for piece in events:
                if isinstance(piece, ContentDelta):
                    break

        with anyio.fail_after(20):
            await closed.wait()

    assert closed.is_set()


async def test_cancelling_a_stream_closes_its_connection() -> None:
    closed = anyio.Event()
    async with one_sided_server(closed) as address, AnthropicMessages(MODEL, base_url=address) as model:
        async with anyio.create_task_group() as group:

            async def listen() -> None:
                async for piece in model.stream(asked("A story!")):
                    if isinstance(piece, ContentDelta):
                        group.cancel_scope.cancel()

            group.start_soon(listen)

        with anyio.fail_after(20):
            await closed.wait()

    assert closed.is_set()


@asynccontextmanager
async def one_sided_server(closed: anyio.Event) -> AsyncIterator[str]:
    """Serve at the address that is yielded: begin an answer and then only listen, until the other side is gone."""

    async def answer(connection: anyio.abc.ByteStream) -> None:
        async with connection:
            await connection.receive()
            await connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            await connection.send(event("message_start", message={}))
            await connection.send(event("content_block_start", index=0, content_block={"type": "text", "text": "Once"}))
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                while await connection.receive():
                    pass
            closed.set()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, answer)
        yield address_of(listener)
        group.cancel_scope.cancel()


# --- keys


@pytest.mark.parametrize("base_url", [None, "https://api.anthropic.com/v1"])
async def test_anthropic_itself_wants_a_key_that_is_named(base_url: str | None) -> None:
    with pytest.raises(InvalidInputError, match="ANTHROPIC_API_KEY"):
        AnthropicMessages(MODEL, base_url=base_url)


@pytest.mark.parametrize(("timeout", "retries"), [(0, 2), (-1, 2), (float("nan"), 2), (60, -1)])
async def test_time_and_tries_have_their_bounds(timeout: float, retries: int) -> None:  # noqa: ASYNC109  # not its own
    with pytest.raises(InvalidInputError, match="timeout and retries"):
        AnthropicMessages(MODEL, api_key=KEY, timeout=timeout, retries=retries)


@pytest.mark.parametrize(
    ("name", "base_url"), [("", "http://localhost"), (MODEL, "localhost:8080"), (MODEL, "ftp://x")]
)
async def test_a_model_and_an_address_are_needed(name: str, base_url: str) -> None:
    with pytest.raises(InvalidInputError):
        AnthropicMessages(name, base_url=base_url, api_key=KEY)


async def test_no_key_of_the_environment_is_sent_to_another_server(
    server: WireServer, wire: AnthropicWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Gateway-Key: {KEY}")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/somewhere-else")
    wire.say("Hello.")

    async with AnthropicMessages(MODEL, base_url=wire.base_url) as model:
        await model.complete(asked("Hi"))

    headers = server.requests[0].headers
    assert KEY not in json.dumps(dict(headers))
    assert "authorization" not in headers


async def test_a_key_that_is_given_is_sent_where_servers_look_for_it(server: WireServer, wire: AnthropicWire) -> None:
    wire.say("Hello.")

    async with asking(wire) as model:
        await model.complete(asked("Hi"))

    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["x-api-key"] == KEY


async def test_a_redirect_takes_neither_key_nor_talk_to_another_server(wire: AnthropicWire) -> None:
    with WireServer() as elsewhere:
        other = AnthropicWire(elsewhere)
        other.say("Hello.")
        wire.add(Reply(status=307, headers={"Location": f"{other.base_url}/v1/messages"}))

        async with asking(wire) as model:
            with pytest.raises(ModelError, match="another address"):
                await model.complete(asked("Hi"))

        assert elsewhere.requests == []


async def test_the_address_may_end_with_the_version(wire: AnthropicWire) -> None:
    wire.say("Hello.")

    async with AnthropicMessages(MODEL, base_url=f"{wire.base_url}/v1/") as model:
        complete = await model.complete(asked("Hi"))

    assert complete.message.text == "Hello."


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_key_that_the_server_repeats_is_shown_to_nobody(wire: AnthropicWire, at_once: bool) -> None:
    body = error_body("invalid_request_error", f"your key {KEY} is odd")
    wire.add(Reply(status=400, body=json.dumps({**body, KEY: [KEY]}).encode()))
    log = Remembered()

    async with asking(wire) as model:
        with pytest.raises(ModelError) as caught:
            await (model.complete(asked("Hi"), raw_log=log) if at_once else streamed(model, asked("Hi"), log))

    assert "your key [key] is odd" in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    ((status, logged),) = log.responses
    assert status == 400
    assert KEY not in json.dumps(logged)


async def test_a_key_may_come_with_the_line_it_stood_on(server: WireServer, wire: AnthropicWire) -> None:
    wire.say("Hello.")

    async with AnthropicMessages(MODEL, base_url=wire.base_url, api_key=f" {KEY}\n") as model:
        await model.complete(asked("Hi"))

    assert server.requests[0].headers["x-api-key"] == KEY


@pytest.mark.parametrize("key", [f"{KEY} and more", f"{KEY}\nX-Other: 1", f"{KEY}é", "\x00"])
async def test_what_cannot_be_a_key_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(InvalidInputError, match="copy it anew") as caught:
        AnthropicMessages(MODEL, api_key=key)

    assert KEY not in str(caught.value)


async def test_half_a_character_cannot_be_sent(wire: AnthropicWire, model: AnthropicMessages) -> None:
    error = await failure_of(model, asked("half an emoji: \ud83d"), at_once=False)

    assert not isinstance(error, ModelUnavailableError)
    assert "half a character" in str(error)
    assert wire.bodies == []


async def test_a_password_in_the_address_is_in_no_name() -> None:
    model = AnthropicMessages(MODEL, base_url="http://user:secret@localhost:99/llm/v1")

    assert "secret" not in f"{model.name} {model!r}"


# --- before and after


async def test_a_model_that_is_closed_answers_nothing_and_can_be_closed_again(wire: AnthropicWire) -> None:
    model = asking(wire)
    await model.close()
    await model.close()

    with pytest.raises(ModelError, match="closed"):
        await model.complete(asked("Hi"))
    with pytest.raises(ModelError, match="closed"):
        await streamed(model, asked("Hi"))


async def test_the_sdk_is_asked_for_when_it_is_needed(wire: AnthropicWire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    model = asking(wire)

    with pytest.raises(MissingExtraError, match=r"pip install 'sojourn\[anthropic\]'"):
        await model.complete(asked("Hi"))


async def test_a_request_is_not_changed_by_being_sent(wire: AnthropicWire) -> None:
    wire.say("Hello.")
    request = asked("Hi", system="Be kind.", tools=(WEATHER,), stable=1)
    before = request.to_dict()

    async with asking(wire) as model:
        complete = await model.complete(request)

    assert isinstance(complete, StreamComplete)
    assert request.to_dict() == before
