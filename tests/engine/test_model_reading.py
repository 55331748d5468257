"""A model that reads what was said, and answers with something that nobody can read."""

import pytest

import sojourn
from sojourn import ScriptedProvider, Settings
from sojourn.providers.structured import StructuredByProvider

pytestmark = pytest.mark.anyio


async def test_a_model_whose_answer_cannot_be_read_is_paid_once_and_asked_again_when_something_is_said() -> None:
    model = ScriptedProvider(otherwise="I would rather talk about the weather.")
    async with sojourn.open("memory:", settings=Settings(embeddings="off"), model=StructuredByProvider(model)) as app:
        session = await app.sessions.create("s")
        await session.messages.user("Good morning")
        await app.learn_later()
        await app.background.drain()
        await app.learn_later()
        assert len(model.requests) == 1
        assert session.state.metadata.tokens_by_purpose["extraction"] > 0

        await session.messages.user("It rains")
        await app.learn_later()
        assert len(model.requests) == 2
