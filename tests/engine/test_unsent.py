"""What was typed and not sent: it is kept for its session, and goes with it."""

from collections.abc import AsyncIterator

import pytest

import sojourn
from sojourn import Settings, Sojourn
from sojourn.engine import unsent
from sojourn.engine.unsent import Unsent, UnsentTexts

pytestmark = pytest.mark.anyio
TYPED = Unsent(text="see [pasted #1: 9 characters]", pasted=("something",), waiting=("one", "two"))


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open("memory:", settings=Settings(learning="off", embeddings="off")) as opened:
        yield opened


async def kept(app: Sojourn) -> list[str]:
    return await app.store.documents.list_keys(unsent.PREFIX)


async def test_what_is_kept_is_what_was_typed(app: Sojourn) -> None:
    await UnsentTexts(app.store.documents).save("s", TYPED)
    assert await UnsentTexts(app.store.documents).load("s") == TYPED
    assert await UnsentTexts(app.store.documents).load("other") == Unsent()


async def test_what_was_sent_is_not_kept_any_more(app: Sojourn) -> None:
    texts = UnsentTexts(app.store.documents)
    await texts.save("s", TYPED)
    await texts.save("s", Unsent(text="see this"))
    assert await texts.load("s") == Unsent(text="see this")
    await texts.save("s", Unsent(text=" \n"))
    assert await kept(app) == []


async def test_pastes_beyond_the_limit_are_not_kept_and_the_text_is(
    app: Sojourn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsent, "MOST_KEPT", 10)
    await UnsentTexts(app.store.documents).save("s", TYPED)
    assert await UnsentTexts(app.store.documents).load("s") == Unsent(text=TYPED.text)


async def test_it_goes_when_the_session_is_removed_for_good(app: Sojourn) -> None:
    session = await app.sessions.create()
    await UnsentTexts(app.store.documents).save(session.id, TYPED)
    await app.sessions.purge(session.id)
    assert await kept(app) == []


async def test_it_goes_when_all_of_the_session_is_forgotten_and_stays_when_a_message_is(app: Sojourn) -> None:
    session = await app.sessions.create()
    said = await session.messages.user("hello")
    await UnsentTexts(app.store.documents).save(session.id, TYPED)
    await session.forget("message", said.seq)
    assert len(await kept(app)) == 2
    await session.messages.user("hello again")
    await session.forget("session")
    assert await kept(app) == []


async def test_it_goes_when_the_user_is_forgotten(app: Sojourn) -> None:
    session = await app.sessions.create(user_id="ada")
    await UnsentTexts(app.store.documents).save(session.id, TYPED)
    await app.forget_user("ada")
    assert await kept(app) == []
