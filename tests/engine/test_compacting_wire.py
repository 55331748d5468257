"""A summary by a model behind a real address: what it is sent, what comes back, and what it costs."""

import json
from collections.abc import Iterator

import pytest

from sojourn import Session, open_store
from sojourn.context.compaction.extractive import ExtractiveSummariser
from sojourn.context.compaction.written_by_model import ModelSummariser
from sojourn.engine.compacting import ContextCompactor
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.structured import StructuredByProvider
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import OpenAiWire
from tests.engine.written_summaries import SMALL, talk

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


async def test_a_session_is_summarised_over_the_wire(server: WireServer) -> None:
    wire = OpenAiWire(server)
    answer = {"summary": "They count messages.", "decided": ["to stop at 30"], "known": [], "open": []}
    wire.say(json.dumps(answer))
    model = StructuredByProvider(OpenAiChat("little-model", base_url=wire.base_url))
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("The server is redis://:p4ssw0rd@cache:6379 and we count to 30.")
        await talk(session, 30, chars=400)

        done = await ContextCompactor(session, ModelSummariser(model), settings=SMALL).compact()
        await model.close()

        assert done.summary == "They count messages.\nDecided:\n- to stop at 30"
        (request,) = server.requests
        sent = json.dumps(request.json)
        assert "p4ssw0rd" not in sent
        assert "[redacted:credentials]" in sent
        assert session.state.metadata.tokens_by_purpose["summarisation"] > 0
        assert session.state.metadata.unpriced_calls == 1


async def test_a_server_that_is_gone_leaves_the_session_as_it_was_unless_somebody_else_can_write(
    server: WireServer,
) -> None:
    wire = OpenAiWire(server)
    wire.fail(400)
    wire.fail(400)
    model = StructuredByProvider(OpenAiChat("little-model", base_url=wire.base_url))
    failures: list[str] = []
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        before = session.state

        def compactor(fallback: ExtractiveSummariser | None = None) -> ContextCompactor:
            return ContextCompactor(
                session,
                ModelSummariser(model),
                settings=SMALL,
                fallback=fallback,
                on_failure=lambda what, _: failures.append(what),
            )

        assert not (await compactor().compact()).compacted
        assert session.state == before
        assert (await compactor(ExtractiveSummariser()).compact()).compacted
        await model.close()
        assert failures == ["summarising what was said"] * 2
