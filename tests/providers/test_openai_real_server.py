"""Both protocols against a server that nobody wrote for this: llama.cpp's own, with a real model, a few tokens each."""

from collections.abc import Iterator

import msgspec
import pytest

from sojourn.model.message import Message, ToolCall
from sojourn.providers.local import find_weights, missing
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.protocol import ContentDelta, ModelRequest, Provider, StreamComplete, ToolDefinition
from tests.providers.openai_talks import told

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(180),  # a loaded machine computes slowly
    pytest.mark.skipif(bool(missing()), reason=f"the local model is not installed: {' and '.join(missing())}"),
]
LOOK = ToolDefinition(name="look", description="Looks at a place.")
FRANCE = Message(role="user", content="What is the capital of France?")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    import xllamacpp  # type: ignore[import-untyped]

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(find_weights())
    wanted.n_ctx = 1024
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.warmup = wanted.ui = False
    wanted.offline = True
    wanted.verbosity = 0
    wanted.port = 0
    server = xllamacpp.Server(wanted)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(params=[OpenAiChat, OpenAiResponses])
def model(request: pytest.FixtureRequest, address: str) -> Provider:
    made: Provider = request.param("smollm2", base_url=address)
    return made


async def test_an_answer_is_streamed_with_what_it_took(model: Provider) -> None:
    request = ModelRequest(messages=(FRANCE,), system="Be brief.", max_tokens=6, temperature=0.0, tools=(LOOK,))

    *pieces, last = await told(model, request)
    await model.close()

    assert isinstance(last, StreamComplete)
    assert last.message.text == "".join(piece.text for piece in pieces if isinstance(piece, ContentDelta)) != ""
    assert last.usage.output_tokens == 6
    assert last.usage.input_tokens + last.usage.cache_read_tokens > 10


async def test_the_same_is_said_when_all_of_it_is_asked_for_at_once(model: Provider) -> None:
    request = ModelRequest(messages=(FRANCE,), max_tokens=6, temperature=0.0)

    whole = await model.complete(request)
    *_, last = await told(model, request)
    await model.close()

    assert isinstance(last, StreamComplete)
    assert whole.message.text == last.message.text
    assert whole.usage.output_tokens == last.usage.output_tokens


async def test_a_talk_with_calls_and_broken_arguments_is_taken(model: Provider) -> None:
    calls = (
        ToolCall(id="a", name="look", arguments={"at": "sea"}),
        ToolCall(id="b", name="look", arguments_text="{"),
    )
    talk = (
        FRANCE,
        Message(role="assistant", content="Let me look.", tool_calls=calls),
        Message(role="tool", content="a river", tool_call_id="a"),
        Message(role="tool", content="these are no arguments", tool_call_id="b", error=True),
    )

    answer = await model.complete(ModelRequest(messages=talk, tools=(LOOK,), max_tokens=2))
    await model.close()

    assert answer.message.role == "assistant"
    assert answer.usage.output_tokens > 0


async def test_an_answer_follows_its_schema(address: str) -> None:
    schema = {
        "type": "object",
        "properties": {"is_city": {"type": "boolean"}},
        "required": ["is_city"],
        "additionalProperties": False,
    }

    question = Message(role="user", content="Is Porto a city?")
    model = OpenAiChat("smollm2", base_url=address)
    answer = await model.complete(
        ModelRequest(messages=(question,), schema=schema, max_tokens=100, temperature=0.0)  # the same every time
    )
    await model.close()

    assert answer.stop == "end"
    assert isinstance(msgspec.json.decode(answer.message.text)["is_city"], bool)
