"""An app as the tests open it: on a store of their own, with a model that says what it is told to say."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

import sojourn
from sojourn.desk.conversation import Conversation, Equip, Partner
from sojourn.engine.app import Sojourn
from sojourn.engine.project import Project
from sojourn.providers.choosing import Choice
from sojourn.providers.protocol import Provider
from sojourn.providers.scripted import ScriptedProvider
from sojourn.tui.app import SojournApp

PROJECT = Project(id="path-test", path=Path("/work/web-app"))


@asynccontextmanager
async def engine(location: str | Path = "memory:") -> AsyncIterator[Sojourn]:
    """An engine that learns by rules and does nothing behind the test's back."""
    settings = sojourn.Settings(embeddings="off", learning="rules", summarise_turns_every=None)
    async with sojourn.open(location, settings=settings) as app:
        yield app


def conversation(
    app: Sojourn, *, says: Sequence[str] = ("All right.",), provider: Provider | None = None, equip: Equip | None = None
) -> Conversation:
    """A conversation whose model says *says*, one after the other."""
    model = provider or ScriptedProvider(list(says))
    choice = Choice(provider="scripted", model="scripted", why="the test says so", make=lambda: model, window=32_000)
    return Conversation(app, Partner(provider=model, choice=choice, equip=equip), project=PROJECT)


@asynccontextmanager
async def opened(
    location: str | Path = "memory:", *, says: Sequence[str] = ("All right.",), session_id: str | None = None
) -> AsyncIterator[SojournApp]:
    """An app that is not running yet, in *session_id* if that is given: use `app.run_test(size=(120, 34))`."""
    async with engine(location) as app:
        talk = conversation(app, says=says)
        if session_id is not None:
            await talk.resume(session_id)
        yield SojournApp(talk)


async def until(pilot: Pilot[int], holds: Callable[[], bool], *, press: str | None = None) -> None:
    """Let the app work until *holds*, pressing a key again and again if one is given; fail if it never does."""
    for _ in range(500):
        if holds():
            return
        if press is not None:
            await pilot.press(press)
        await pilot.pause(0.01)
    raise AssertionError("the app never came to where it should be")
