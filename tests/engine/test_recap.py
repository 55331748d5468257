"""Where a session stands: what waits for a human is told, however it was asked."""

import pytest

from sojourn import Session, open_store

pytestmark = pytest.mark.anyio


async def test_a_recap_names_what_waits_for_an_answer_and_not_what_only_tells() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("Book a flight")
        await session.interrupts.confirm("Book it for 240 EUR?")
        await session.interrupts.clarify("From which airport?")
        await session.interrupts.raise_("checkpoint", message="Half of it is done")

        told = session.recap()

        assert "Book it for 240 EUR?" in told
        assert "From which airport?" in told
        assert "Half of it is done" not in told
