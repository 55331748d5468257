"""What a model or a server refuses is asked for in another way, and the session gets its answer."""

from collections.abc import Iterator
from typing import Any

import pytest

from sojourn.errors import ModelError
from sojourn.model.message import Message
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.protocol import ModelRequest
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire
from tests.providers.openai_talks import HELLO, Log, answered, told

pytestmark = pytest.mark.anyio
ASKED = ModelRequest(messages=HELLO.messages, max_tokens=9, temperature=0.5, thinking=4096)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)


@pytest.mark.parametrize(
    ("refusal", "gone", "instead"),
    [
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]", "stream_options", {}),
        ("Unrecognized request argument supplied: reasoning_effort", "reasoning_effort", {}),
        ("Unsupported value: 'temperature' does not support 0.5 with this model.", "temperature", {}),
        (
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "max_tokens",
            {"max_completion_tokens": 9},
        ),
    ],
)
async def test_what_a_chat_model_refuses_is_given_up_from_then_on(
    server: WireServer, wire: OpenAiWire, refusal: str, gone: str, instead: dict[str, Any]
) -> None:
    wire.fail(400, refusal)
    wire.say("Hello")
    wire.say("Hello again")

    async with OpenAiChat("little-model", base_url=wire.base_url) as model:
        await told(model, ASKED)
        await told(model, ASKED)

    first, second, third = (request.json for request in server.requests)
    assert gone in first
    assert second == third == {**{key: value for key, value in first.items() if key != gone}, **instead}


@pytest.mark.parametrize(
    ("refusal", "gone", "instead"),
    [
        ("Encrypted content is not supported with this model.", "include", {}),
        ("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning", {}),
        (
            "Your organization must be verified to generate reasoning summaries.",
            "reasoning",
            {"reasoning": {"effort": "medium"}},
        ),
        ("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", {}),
    ],
)
async def test_what_a_model_behind_the_responses_api_refuses_is_given_up_from_then_on(
    server: WireServer, wire: OpenAiWire, refusal: str, gone: str, instead: dict[str, Any]
) -> None:
    wire.fail(400, refusal, script=wire.responses)
    wire.respond("Hello")
    wire.respond("Hello again")

    async with OpenAiResponses("little-model", base_url=wire.base_url) as model:
        await told(model, ASKED)
        await told(model, ASKED)

    first, second, third = (request.json for request in server.requests)
    assert second == third == {**{key: value for key, value in first.items() if key != gone}, **instead}


async def test_thoughts_that_can_no_longer_be_read_do_not_end_the_session(server: WireServer, wire: OpenAiWire) -> None:
    wire.respond(thinking="Hm", calls=[Call(id="a", name="look")])
    refusal = "The encrypted content gAAA...DQ== could not be verified."
    wire.fail(400, refusal, script=wire.responses)
    wire.respond("A river")
    wire.fail(400, refusal, script=wire.responses)
    wire.respond("A river")

    async with OpenAiResponses("little-model", base_url=wire.base_url) as model:
        first = (await answered(model)).message
        result = Message(role="tool", content="a river", tool_call_id="a")
        talk = ModelRequest(messages=(*HELLO.messages, first, result))
        last = await answered(model, talk)
        await model.complete(talk)

    assert last.message.text == "A river"
    kinds = [[item["type"] for item in request.json["input"]] for request in server.requests[1:]]
    with_thoughts = ["message", "reasoning", "function_call", "function_call_output"]
    without = ["message", "function_call", "function_call_output"]
    assert kinds == [with_thoughts, without, with_thoughts, without]
    assert all("id" not in item for item in server.requests[2].json["input"])


async def test_several_refusals_are_met_one_after_the_other_and_logged(wire: OpenAiWire) -> None:
    wire.fail(400, "Unrecognized request argument supplied: reasoning_effort")
    wire.fail(422, "stream_options: extra inputs are not permitted")
    wire.say("Hello")
    log = Log()

    async with OpenAiChat("little-model", base_url=wire.base_url) as model:
        events = await told(model, ASKED, raw_log=log)

    assert len(events) == 2
    assert len(log.requests) == 3
    assert [status for status, _ in log.responses] == [400, 422]


async def test_a_refusal_that_stays_the_same_is_not_asked_again(server: WireServer, wire: OpenAiWire) -> None:
    wire.fail(400, "stream_options: I do not like them")
    wire.fail(400, "stream_options: I still do not like them")

    async with OpenAiChat("little-model", base_url=wire.base_url) as model:
        with pytest.raises(ModelError, match="still do not like them"):
            await told(model)

    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [401, 404])
async def test_only_a_refusal_of_the_request_itself_has_another_way(
    server: WireServer, wire: OpenAiWire, status: int
) -> None:
    wire.fail(status, "stream_options")

    async with OpenAiChat("little-model", base_url=wire.base_url) as model:
        with pytest.raises(ModelError):
            await told(model)

    assert len(server.requests) == 1
