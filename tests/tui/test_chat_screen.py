"""The screen that one talks in."""

import pytest

from sojourn.tui.chat.prompt import Prompt
from sojourn.tui.chat.transcript import Transcript
from tests.tui.apps import opened

pytestmark = pytest.mark.anyio


async def test_what_is_typed_is_answered_and_both_are_shown() -> None:
    async with opened(says=["Hello, Ada."]) as app, app.run_test(size=(120, 34)) as pilot:
        await pilot.press(*"hi", "enter")
        await app.chat.turns.wait_until_idle()
        await pilot.pause()
        texts = [item.text for item in app.chat.query_one(Transcript).items]
        typed = app.chat.query_one(Prompt).text

    assert texts == ["hi", "Hello, Ada."]
    assert typed == ""
