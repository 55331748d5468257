"""What goes wrong in the background of a chat is told in one line, once, without its insides."""

import asyncio
import logging

import pytest

from sojourn.desk.overheard import overheard

pytestmark = pytest.mark.anyio
LOG = logging.getLogger("sojourn.engine.something")


async def test_a_warning_is_told_once_and_without_its_traceback() -> None:
    told: list[str] = []
    with overheard(told.append):
        for _ in range(3):
            LOG.error("indexing failed:\n%s", "no room", exc_info=OSError("no room"))
        LOG.info("all is well")
    LOG.debug("nobody listens any more")

    assert told == ["indexing failed: no room"]


async def test_what_another_thread_has_to_say_is_told_on_that_of_the_chat() -> None:
    told: list[str] = []
    heard = asyncio.Event()

    def note(text: str) -> None:
        told.append(text)
        heard.set()

    with overheard(note):
        await asyncio.to_thread(LOG.warning, "the log cannot be written")
        await heard.wait()

    assert told == ["the log cannot be written"]


async def test_who_cannot_be_told_goes_on() -> None:
    def fail(text: str) -> None:
        raise BrokenPipeError(text)

    with overheard(fail):
        LOG.warning("nobody reads this")

    assert not any(type(one).__name__ == "_Overheard" for one in logging.getLogger("sojourn").handlers)
