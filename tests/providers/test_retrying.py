"""A model around a model: tried again after failures that pass, and only while nothing was said."""

from collections.abc import AsyncGenerator

import pytest

from sojourn.errors import InvalidInputError, ModelError, ModelUnavailableError
from sojourn.model.message import Message
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.protocol import ContentDelta, ModelRequest, Provider, RawLog, StreamEvent
from sojourn.providers.retrying import Retrying
from sojourn.providers.scripted import ScriptedProvider
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import OpenAiWire
from tests.providers.openai_talks import HELLO, answered, told, told_until

pytestmark = pytest.mark.anyio
DOWN = ModelUnavailableError("down")


class Waits:
    """Remembers how long it was to wait, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def retrying(provider: Provider, waits: Waits, *, tries: int = 3) -> Retrying:
    return Retrying(provider, tries=tries, pause=waits, chance=lambda: 0.0)


async def test_a_model_that_comes_back_is_heard_as_if_nothing_had_been() -> None:
    waits = Waits()
    model = retrying(ScriptedProvider([DOWN, DOWN, "Hello", DOWN, "Again"]), waits)

    streamed = await answered(model)
    whole = await model.complete(HELLO)

    assert (streamed.message.text, whole.message.text) == ("Hello", "Again")
    assert waits.seconds == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("tries", [1, 2, 4])
async def test_a_model_that_stays_away_is_asked_so_often_and_no_more(tries: int) -> None:
    waits, scripted = Waits(), ScriptedProvider(otherwise=DOWN)
    model = retrying(scripted, waits, tries=tries)

    with pytest.raises(ModelUnavailableError):
        await told(model)
    with pytest.raises(ModelUnavailableError):
        await model.complete(HELLO)

    assert len(scripted.requests) == 2 * tries
    assert waits.seconds == [0.5, 1.0, 2.0][: tries - 1] * 2


async def test_what_would_fail_again_is_not_tried_again() -> None:
    waits = Waits()
    model = retrying(ScriptedProvider([ModelError("no such model"), "Hello"]), waits)

    with pytest.raises(ModelError, match="no such model"):
        await told(model)

    assert waits.seconds == []


async def test_what_was_said_is_not_taken_back() -> None:
    class BreaksOff(ScriptedProvider):
        async def stream(
            self, request: ModelRequest, *, raw_log: RawLog | None = None
        ) -> AsyncGenerator[StreamEvent, None]:
            self.requests.append(request)
            yield ContentDelta(text="Hel")
            raise DOWN

    waits, provider = Waits(), BreaksOff()

    came, error = await told_until(retrying(provider, waits), ModelUnavailableError)

    assert came == [ContentDelta(text="Hel")]
    assert error is DOWN
    assert (len(provider.requests), waits.seconds) == (1, [])


async def test_waits_grow_up_to_the_longest_and_chance_shortens_them() -> None:
    waits = Waits()
    model = Retrying(ScriptedProvider(otherwise=DOWN), tries=6, pause=waits, first=1.0, longest=5.0, chance=lambda: 1.0)

    with pytest.raises(ModelUnavailableError):
        await model.complete(HELLO)

    assert waits.seconds == [0.75, 1.5, 3.0, 3.75, 3.75]


async def test_over_the_wire_an_answer_that_broke_off_before_a_word_is_asked_for_again() -> None:
    with WireServer() as server:
        wire = OpenAiWire(server)
        wire.say(ending="cut")
        wire.fail(503)
        wire.say("Hello")
        model = retrying(OpenAiChat("little-model", base_url=wire.base_url, retries=0), Waits())

        last = await answered(model)
        await model.close()

    assert last.message.text == "Hello"
    assert len(server.requests) == 3


async def test_it_is_the_model_that_it_asks_and_closes_with_it() -> None:
    inner = OpenAiChat("little-model", base_url="http://localhost:1/v1", takes_tools=False)
    model = Retrying(inner)

    await model.close()

    assert (model.model, model.name, model.takes_tools) == (inner.model, inner.name, False)
    assert "OpenAiChat" in repr(model)
    with pytest.raises(ModelError, match="is closed"):
        await inner.complete(ModelRequest(messages=(Message(role="user", content="Hello"),)))


async def test_it_must_be_tried_at_least_once() -> None:
    with pytest.raises(InvalidInputError, match="tries"):
        Retrying(ScriptedProvider(), tries=0)
