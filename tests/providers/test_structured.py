"""Any provider as a model that answers with JSON of a given shape."""

from typing import Any

import pytest

from sojourn.errors import ModelError, ModelUnavailableError
from sojourn.model.message import Message, TextPart, ThinkingPart
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ModelRequest, RawLog, StopReason, StreamComplete
from sojourn.providers.scripted import Reply, ScriptedProvider
from sojourn.providers.structured import StructuredAnswer, StructuredByProvider

pytestmark = pytest.mark.anyio
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


class Stopping(ScriptedProvider):
    """Stops for a reason of the test's."""

    def __init__(self, reply: Reply, stop: StopReason) -> None:
        super().__init__([reply])
        self._stop: StopReason = stop
        self.is_closed = False

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        answer = await super().complete(request, raw_log=raw_log)
        return StreamComplete(message=answer.message, usage=answer.usage, stop=self._stop)

    async def close(self) -> None:
        self.is_closed = True


async def ask(provider: ScriptedProvider) -> StructuredAnswer:
    model = StructuredByProvider(provider)
    return await model.structured(system="Answer in JSON.", prompt="Which city?", schema=SCHEMA, max_tokens=50)


async def test_the_question_is_the_users_message_with_the_schema_and_the_limit() -> None:
    provider = ScriptedProvider(["{}"])

    await ask(provider)

    assert provider.requests == [
        ModelRequest(
            messages=(Message(role="user", content="Which city?"),),
            system="Answer in JSON.",
            schema=SCHEMA,
            max_tokens=50,
        )
    ]


async def test_the_answer_is_the_text_without_the_thinking_and_what_it_took() -> None:
    said = Message(role="assistant", content=(ThinkingPart(text="Hm"), TextPart(text="{}")))
    used = Usage(
        model="m-2", input_tokens=10, output_tokens=5, cache_creation_tokens=3, cache_read_tokens=7, cost_micros=9
    )

    answer = await ask(ScriptedProvider([said], usage=used))

    assert answer == StructuredAnswer(text="{}", input_tokens=13, output_tokens=5, cache_read_tokens=7, model="m-2")


async def test_an_unnamed_answer_is_the_models() -> None:
    assert (await ask(ScriptedProvider(["{}"], model="m", usage=Usage(output_tokens=1)))).model == "m"


async def test_an_answer_that_reached_its_limit_says_so() -> None:
    assert not (await ask(Stopping('{"city": "Por', "length"))).complete


@pytest.mark.parametrize(("said", "stop", "words"), [("No.", "refusal", "refused"), (" ", "end", "without any text")])
async def test_a_refusal_and_silence_are_errors(said: str, stop: StopReason, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        await ask(Stopping(said, stop))


async def test_a_model_that_cannot_be_reached_says_so() -> None:
    with pytest.raises(ModelUnavailableError):
        await ask(ScriptedProvider([ModelUnavailableError("down")]))


async def test_it_has_the_providers_name_and_closes_it() -> None:
    provider = Stopping("{}", "end")

    async with StructuredByProvider(provider) as model:
        assert model.name == provider.name
        assert "ScriptedProvider" in repr(model)

    assert provider.is_closed
