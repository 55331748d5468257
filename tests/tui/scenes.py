"""Pictures of the app: a made-up piece of work, and the screens on it. They stand in the documents, and are tests.

`python -m tests.tui.scenes` (or `make pictures`) draws them anew.
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from textual.pilot import Pilot

import sojourn
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.model.message import ToolCall
from sojourn.testing.clock import FakeClock
from sojourn.tui.app import SojournApp
from sojourn.tui.chat.cards import Card
from tests.tui.apps import PROJECT, conversation, until

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
MORNING: Final = datetime(2026, 11, 13, 14, 0, tzinfo=UTC)
WIDE: Final = (118, 34)

_ANSWER: Final = """\
iOS 12 reads an unknown `SameSite` value as **Strict**, so the cookie is dropped on the way back from the login page.
I would set it in one place:

```python
response.set_cookie("session", token, samesite="None", secure=True)
```

Then the old clients need a second look: they must not get the attribute at all.
"""

Act = Callable[[SojournApp, Pilot[int]], Awaitable[None]]


class Scene(NamedTuple):
    """One picture: how large the terminal is, and what the person did before."""

    act: Act
    size: tuple[int, int] = WIDE
    theme: str = "sojourn-dark"
    begun: bool = True


# --- the made-up piece of work


async def _tell(app: Sojourn, clock: FakeClock) -> None:
    """Fill the store with a week's work."""
    for number, (title, said) in enumerate(
        (
            ("Checkout test is flaky", "The checkout test fails once in twenty runs, on the slow machine."),
            ("Choose a vector store", "Which vector store fits five million short texts on one machine?"),
            ("Release notes for 2.4", "Write the release notes for 2.4 from the merged pull requests."),
        )
    ):
        other = await app.sessions.create(f"other-{number}", project=PROJECT.id, title=title)
        await other.messages.user(said)
        clock.advance(seconds=40)
        await other.messages.assistant("Let me look at it step by step.", model="claude-sonnet-5-5")
        await other.messages.used(model="claude-sonnet-5-5", input_tokens=5200, output_tokens=640, cost_micros=16_800)
        clock.advance(seconds=9_000)
    await app.sessions.tag("other-1", add=["research"])
    session = await app.sessions.create("login", project=PROJECT.id)
    await app.sessions.rename("login", "Login button bug")
    heard = await _talk(session, clock)
    await _know(session, heard)
    fork = await app.sessions.fork("login", "login-jwt", at=6)
    await app.sessions.rename(fork.id, "Try JWT instead")
    await fork.messages.user("Try JWT instead of a cookie.")
    await fork.messages.assistant(
        "That needs refresh tokens; I would not do it for this bug.", model="claude-sonnet-5-5"
    )


async def _talk(session: Session, clock: FakeClock) -> tuple[int, int]:
    """Return where the first message stands, and the last answer."""
    messages = session.messages
    first = await messages.user("The login is broken on my iPhone, but works on my laptop. I like small pull requests.")
    clock.advance(seconds=20)
    call = ToolCall(id="c1", name="read_file", arguments={"path": "src/auth.py"})
    await messages.assistant("I will look at how the cookie is set.", tool_calls=[call], model="claude-sonnet-5-5")
    await messages.tool("c1", "def login(request):\n" + "    ...\n" * 40, name="read_file")
    await messages.assistant(
        "The session cookie is set without attributes. I can reproduce it.", model="claude-sonnet-5-5"
    )
    await messages.used(
        model="claude-sonnet-5-5", input_tokens=2_100, output_tokens=310, cache_read_tokens=9_400, cost_micros=9_200
    )
    clock.advance(seconds=70)
    await messages.user("Why does the session cookie vanish on iOS?")
    clock.advance(seconds=12)
    last = await messages.assistant(_ANSWER, model="claude-sonnet-5-5")
    await messages.used(
        model="claude-sonnet-5-5", input_tokens=1_240, output_tokens=420, cache_read_tokens=12_800, cost_micros=11_100
    )
    clock.advance(seconds=180)
    return first.seq, last.seq


async def _know(session: Session, said: tuple[int, int]) -> None:
    first, last = said
    learn = session.facts.learn
    await learn("Production runs behind nginx", source="user", confidence=0.95)
    await learn("The user likes small pull requests", source="user", confidence=0.95, causes=[first])
    await learn("The cookie is set in src/auth.py", source="tool", confidence=0.85)
    await learn("Old clients must not get it", source="assistant", confidence=0.6, status="candidate", causes=[last])
    await learn("Some users still have iOS 12", source="assistant", confidence=0.55, status="candidate", causes=[last])
    await session.focus.set("task", "login-ios", context={"label": "fix the login on iOS"})
    await session.entities.reference("file", "src/auth.py", title="auth.py")
    await session.working_set.decide("Set the cookie in one place")
    await session.working_set.open_task("Test with an old iPhone")
    await session.working_set.touch_file("src/auth.py", action="read")


@asynccontextmanager
async def _opened(scene: Scene) -> AsyncIterator[tuple[SojournApp, Pilot[int]]]:
    clock = FakeClock(now=MORNING)
    settings = sojourn.Settings(embeddings="off", learning="off", summarise_turns_every=None, keep_profile="yes")
    async with sojourn.open("memory:", settings=settings, clock=clock) as engine:
        await _tell(engine, clock)
        talk = conversation(engine, says=["Done: the cookie is set in one place, with a test."])
        if scene.begun:
            await talk.resume("login")
        app = SojournApp(talk, look=scene.theme)
        async with app.run_test(size=scene.size) as pilot:
            if scene.begun:
                await until(pilot, lambda: bool(app.chat.transcript.items))
            yield app, pilot


# --- the pictures


async def _look(app: SojournApp, pilot: Pilot[int]) -> None:
    await _settle(app, pilot)


async def _settle(app: SojournApp, pilot: Pilot[int]) -> None:
    """Wait until nobody works for what is shown any more; who follows the journal never ends."""
    await until(pilot, lambda: all(worker.is_finished or worker.group == "following" for worker in app.workers))
    await pilot.pause()


def _press(*keys: str) -> Act:
    async def act(app: SojournApp, pilot: Pilot[int]) -> None:
        for key in keys:
            await _settle(app, pilot)
            await pilot.press(key)

    return act


async def _asked(app: SojournApp, pilot: Pilot[int]) -> None:
    session = app.session
    if session is None:
        raise RuntimeError("the scene has a session")
    await session.interrupts.raise_(
        "confirmation",
        question="Tool 'write_file' wants to change src/auth.py. Allow it?",
        data={
            "call_id": "c9",
            "tool": "write_file",
            "arguments": {"path": "src/auth.py", "content": 'response.set_cookie("session", token, samesite="None")'},
            "options": ["no", "once", "file", "folder", "session"],
        },
    )
    await until(pilot, lambda: bool(app.chat.query(Card)))


SCENES: Final[Mapping[str, Scene]] = {
    "chat": Scene(_look),
    "chat-light": Scene(_look, theme="sojourn-light"),
    "chat-narrow": Scene(_look, size=(60, 24)),
    "first-run": Scene(_look, begun=False),
    "question": Scene(_asked),
    "finder": Scene(_press("ctrl+r")),
    "branches": Scene(_press("ctrl+t", "up", "space")),
    "context": Scene(_press("ctrl+g")),
    "knowledge": Scene(_press("ctrl+k")),
    "cost": Scene(_press("ctrl+e", "tab", "tab")),
    "keys": Scene(_press("f1")),
}


async def draw(name: str) -> str:
    """Return a picture, as SVG."""
    scene = SCENES[name]
    async with _opened(scene) as (app, pilot):
        await scene.act(app, pilot)
        app.chat.prompt.cursor_blink = False
        await _settle(app, pilot)
        return app.export_screenshot(title="sojourn")


def main() -> None:
    """Draw all of them, or those that are named, into the documents' folder."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    PICTURES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or SCENES:
        (PICTURES / f"{name}.svg").write_text(asyncio.run(draw(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
