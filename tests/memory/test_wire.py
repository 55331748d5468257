"""The real OpenAI SDK over real HTTP: the embedder and the structured model behind an address, and the test server."""

import math
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.to_thread
import numpy as np
import openai
import pytest

from sojourn.errors import EmbeddingError, InvalidInputError, ModelError
from sojourn.memory.embeddings.endpoint import BATCH, EndpointEmbedder
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.structured import StructuredAnswer, StructuredByProvider
from sojourn.testing.wire import Held, Reply, WireServer
from sojourn.testing.wire_openai import OpenAiWire, embedding_list, encoded, word_vector

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)


async def ask(model: StructuredByProvider) -> StructuredAnswer:
    return await model.structured(system="Answer in JSON.", prompt="Which city?", schema=SCHEMA, max_tokens=50)


def model_at(wire: OpenAiWire, **options: Any) -> StructuredByProvider:
    return StructuredByProvider(OpenAiChat("little-model", base_url=wire.base_url, **options))


# --- embeddings


def test_texts_are_embedded_by_the_server_with_length_one(wire: OpenAiWire) -> None:
    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        rows = embedder.embed(["harbour lights", "", "harbour"])

        assert embedder.dimensions == 16

    assert rows.shape == (3, 16)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 0.0, 1.0], abs=1e-5)
    assert rows[2] == pytest.approx(word_vector("harbour", 16), abs=1e-6)


def test_many_texts_are_asked_for_in_batches_and_come_back_in_order(server: WireServer, wire: OpenAiWire) -> None:
    texts = [f"text number {number}" for number in range(BATCH + 5)]

    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        rows = embedder.embed(texts)

    assert [len(request.json["input"]) for request in server.requests] == [BATCH, 5]
    assert rows[BATCH + 2] == pytest.approx(word_vector(texts[BATCH + 2], 16), abs=1e-6)


def test_empty_texts_are_not_sent(server: WireServer, wire: OpenAiWire) -> None:
    with EndpointEmbedder(wire.base_url, "little-model", dimensions=4) as embedder:
        rows = embedder.embed(["", "\n"])

    assert server.requests == []
    assert rows.tolist() == [[0.0] * 4] * 2


def test_a_wanted_size_is_asked_for(server: WireServer, wire: OpenAiWire) -> None:
    with EndpointEmbedder(wire.base_url, "little-model", dimensions=4) as embedder:
        assert embedder.embed(["harbour"]).shape == (1, 4)

    assert server.requests[0].json["dimensions"] == 4


def test_the_name_tells_the_model_the_size_and_the_server_but_no_password(wire: OpenAiWire) -> None:
    address = wire.base_url.replace("http://", "http://me:secret@")

    name = EndpointEmbedder(address, "little-model", dimensions=4).name

    assert name == f"little-model-4@{wire.base_url.removeprefix('http://').removesuffix('/v1')}"


def test_the_size_can_be_asked_before_anything_is_embedded(wire: OpenAiWire) -> None:
    wire.vector_size = 5

    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        assert embedder.dimensions == 5


def test_a_size_that_changes_is_an_error(wire: OpenAiWire) -> None:
    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        embedder.embed(["harbour"])
        wire.vector_size = 5

        with pytest.raises(EmbeddingError, match="vectors of size 5, not 16"):
            embedder.embed(["lights"])


@pytest.mark.parametrize(
    ("vectors", "complaint"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0]], "vectors that are none"),
        ([[], []], "of several sizes, or of none"),
        ([[1.0, math.nan], [0.0, 1.0]], "no numbers"),
        ([[1.0, math.inf], [0.0, 1.0]], "no numbers"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused(wire: OpenAiWire, vectors: list[list[float]], complaint: str) -> None:
    wire.garble(encoded(embedding_list(vectors)), script=wire.embeddings)

    with EndpointEmbedder(wire.base_url, "little-model") as embedder, pytest.raises(EmbeddingError, match=complaint):
        embedder.embed(["one", "two"])


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b'{"data": null}',
        b'{"data": [1, 2]}',
        b'{"data": [{"index": 0, "embedding": "x"}, {"index": 1, "embedding": "y"}]}',
        b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}',
        b"",
    ],
)
def test_an_answer_that_is_no_list_of_vectors_is_refused(wire: OpenAiWire, body: bytes) -> None:
    wire.garble(body, script=wire.embeddings)

    with EndpointEmbedder(wire.base_url, "little-model") as embedder, pytest.raises(EmbeddingError):
        embedder.embed(["one", "two"])


def test_vectors_in_another_order_find_their_texts(wire: OpenAiWire) -> None:
    answer = embedding_list([[1.0, 0.0], [0.0, 1.0]])
    answer["data"].reverse()
    wire.garble(encoded(answer), script=wire.embeddings)

    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        assert embedder.embed(["one", "two"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_failure_that_passes_is_tried_again_by_the_sdk(server: WireServer, wire: OpenAiWire) -> None:
    wire.fail(500, script=wire.embeddings)
    wire.fail(429, script=wire.embeddings)

    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        assert embedder.embed(["harbour"]).shape == (1, 16)

    assert len(server.requests) == 3


def test_a_server_that_refuses_is_an_error_in_one_sentence(wire: OpenAiWire) -> None:
    wire.fail(401, "the key sk-12345 is wrong", script=wire.embeddings)

    with (
        EndpointEmbedder(wire.base_url, "little-model", retries=0) as embedder,
        pytest.raises(EmbeddingError, match="check the key") as caught,
    ):
        embedder.embed(["harbour"])

    assert "sk-12345" not in str(caught.value)


def test_a_server_that_does_not_answer_is_left_after_the_time_limit(wire: OpenAiWire) -> None:
    wire.hold(script=wire.embeddings)

    with (
        EndpointEmbedder(wire.base_url, "little-model", timeout=0.05, retries=0) as embedder,
        pytest.raises(EmbeddingError, match="did not answer in time"),
    ):
        embedder.embed(["harbour"])


@pytest.mark.parametrize("in_the_middle", [False, True])
def test_a_connection_that_breaks_is_an_error(wire: OpenAiWire, in_the_middle: bool) -> None:
    wire.hang_up(script=wire.embeddings, in_the_middle=in_the_middle)

    with (
        EndpointEmbedder(wire.base_url, "little-model", retries=0) as embedder,
        pytest.raises(EmbeddingError, match="little-model"),
    ):
        embedder.embed(["harbour"])


def test_no_key_of_the_environment_is_sent_to_a_server(
    server: WireServer, wire: OpenAiWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")

    with EndpointEmbedder(wire.base_url, "little-model") as embedder:
        embedder.embed(["harbour"])

    assert "sk-mine" not in str(server.requests[0].headers)


def test_a_closed_embedder_says_so(wire: OpenAiWire) -> None:
    embedder = EndpointEmbedder(wire.base_url, "little-model")
    embedder.close()
    embedder.close()

    with pytest.raises(EmbeddingError, match="is closed"):
        embedder.embed(["harbour"])


@pytest.mark.parametrize(
    ("base_url", "model", "dimensions"),
    [
        ("localhost:1234", "m", None),
        ("ftp://host/v1", "m", None),
        ("http://host/v1", "", None),
        ("http://h/v1", "m", 0),
    ],
)
def test_an_address_that_cannot_be_asked_is_refused(base_url: str, model: str, dimensions: int | None) -> None:
    with pytest.raises(InvalidInputError):
        EndpointEmbedder(base_url, model, dimensions=dimensions)


# --- a model with structured answers


@pytest.mark.anyio
async def test_a_structured_answer_has_its_text_and_its_tokens(server: WireServer, wire: OpenAiWire) -> None:
    wire.say('{"city": "Porto"}', model="little-model-2", input_tokens=100, output_tokens=7, cached_tokens=60)

    async with model_at(wire, api_key="sk-test") as model:
        answer = await ask(model)

    assert answer == StructuredAnswer(
        text='{"city": "Porto"}', input_tokens=40, output_tokens=7, cache_read_tokens=60, model="little-model-2"
    )
    assert server.requests[0].headers["authorization"] == "Bearer sk-test"


@pytest.mark.anyio
async def test_the_schema_and_the_limit_are_sent(server: WireServer, wire: OpenAiWire) -> None:
    wire.say("{}")

    async with model_at(wire) as model:
        await ask(model)

    sent = server.requests[0].json
    assert sent["response_format"]["json_schema"] == {"name": "answer", "schema": SCHEMA, "strict": True}
    assert sent["max_tokens"] == 50
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]


@pytest.mark.anyio
async def test_an_answer_that_reached_its_limit_says_so(wire: OpenAiWire) -> None:
    wire.say('{"city": "Por', finish_reason="length")

    async with model_at(wire) as model:
        assert not (await ask(model)).complete


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "complaint"),
    [
        (400, "status 400: .*as the test wants it"),
        (401, "check the key"),
        (404, "no such model"),
        (429, "too many requests"),
        (500, "status 500"),
    ],
)
async def test_a_refusal_is_an_error_in_one_sentence(wire: OpenAiWire, status: int, complaint: str) -> None:
    wire.fail(status)

    async with model_at(wire, retries=0) as model:
        with pytest.raises(ModelError, match=complaint) as caught:
            await ask(model)

    assert "\n" not in str(caught.value)


@pytest.mark.anyio
async def test_a_failure_that_passes_is_overcome(server: WireServer, wire: OpenAiWire) -> None:
    wire.fail(429)
    wire.hang_up()
    wire.say("{}")

    async with model_at(wire) as model:
        assert (await ask(model)).text == "{}"

    assert len(server.requests) == 3


@pytest.mark.anyio
async def test_a_model_that_hangs_is_left_after_the_time_limit(wire: OpenAiWire) -> None:
    wire.hold()

    async with model_at(wire, timeout=0.05) as model:
        with pytest.raises(ModelError, match=r"longer than 0\.05 seconds|did not answer in time"):
            await ask(model)


@pytest.mark.anyio
async def test_a_question_can_be_cancelled_while_it_waits(wire: OpenAiWire) -> None:
    held = wire.hold()

    async with model_at(wire) as model, anyio.create_task_group() as group:
        group.start_soon(ask, model)
        await anyio.to_thread.run_sync(held.wait_for_request)
        group.cancel_scope.cancel()

    assert group.cancel_scope.cancelled_caught


@pytest.mark.anyio
async def test_an_answer_that_is_held_comes_when_it_is_released(wire: OpenAiWire) -> None:
    held = Held()
    wire.say('{"city": "Porto"}', held=held)
    answers: list[StructuredAnswer] = []

    async def ask_and_keep(model: StructuredByProvider) -> None:
        answers.append(await ask(model))

    async with model_at(wire) as model, anyio.create_task_group() as group:
        group.start_soon(ask_and_keep, model)
        await anyio.to_thread.run_sync(held.wait_for_request)
        before = list(answers)
        held.release()

    assert before == []
    assert [answer.text for answer in answers] == ['{"city": "Porto"}']


@pytest.mark.anyio
@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}', b'{"choices": 3}', b""]
)
async def test_an_answer_that_is_no_completion_is_an_error(wire: OpenAiWire, body: bytes) -> None:
    wire.garble(body)

    async with model_at(wire) as model:
        with pytest.raises(ModelError):
            await ask(model)


@pytest.mark.anyio
async def test_a_refused_answer_is_an_error(wire: OpenAiWire) -> None:
    wire.say(None, refusal="I would rather not")

    async with model_at(wire) as model:
        with pytest.raises(ModelError, match="refused to answer"):
            await ask(model)


@pytest.mark.anyio
async def test_a_server_that_is_gone_is_an_error() -> None:
    with WireServer() as server:
        wire = OpenAiWire(server)

    async with model_at(wire, retries=0) as model:
        with pytest.raises(ModelError, match="cannot be reached"):
            await ask(model)


@pytest.mark.anyio
async def test_a_closed_model_says_so(wire: OpenAiWire) -> None:
    model = model_at(wire)
    await model.close()
    await model.close()

    with pytest.raises(ModelError, match="is closed"):
        await ask(model)


def test_openai_needs_a_key_and_a_server_needs_an_address() -> None:
    with pytest.raises(InvalidInputError, match="api_key"):
        OpenAiChat("little-model")
    with pytest.raises(InvalidInputError, match="base_url"):
        OpenAiChat("little-model", base_url="localhost")
    with pytest.raises(InvalidInputError, match="model"):
        OpenAiChat("", api_key="sk-test")
    assert OpenAiChat("little-model", api_key="sk-test").name == "little-model@api.openai.com"


# --- the server itself


def test_what_is_not_scripted_is_refused(wire: OpenAiWire) -> None:
    with (
        openai.OpenAI(base_url=wire.base_url, api_key="none", max_retries=0) as client,
        pytest.raises(openai.BadRequestError, match="no answer is scripted"),
    ):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hello"}])


def test_the_sdks_own_way_of_asking_for_vectors_works_too(wire: OpenAiWire) -> None:
    with openai.OpenAI(base_url=wire.base_url, api_key="none") as client:
        answer = client.embeddings.create(model="m", input="harbour")

    assert answer.data[0].embedding == pytest.approx(word_vector("harbour", 16), abs=1e-6)


def test_nothing_is_served_at_other_paths(server: WireServer) -> None:
    with (
        openai.OpenAI(base_url=server.address, api_key="none", max_retries=0) as client,
        pytest.raises(openai.NotFoundError),
    ):
        client.embeddings.create(model="m", input="harbour")


def test_texts_that_share_words_have_vectors_that_are_near() -> None:
    one, near, far = (np.array(word_vector(text, 64)) for text in ("red harbour boat", "red harbour", "green hill"))

    assert one @ near > one @ far


def test_closing_the_server_lets_held_answers_go() -> None:
    held = Held()
    with WireServer() as server:
        script = server.script()
        script.add(Reply(held=held))
        assert (script.left, held.released) == (1, False)

    assert held.released
