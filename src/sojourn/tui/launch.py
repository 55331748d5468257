"""How the app is opened: with a model and a store, in the session that was asked for."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import anyio

from sojourn.agent.permissions.verdicts import Approval
from sojourn.desk.home import config_file, shown
from sojourn.desk.opening import caution, enter, open_conversation
from sojourn.desk.slash_commands import welcome
from sojourn.desk.start import Start
from sojourn.model.interrupts import Interrupt
from sojourn.tui.app import SojournApp

_ENDED: Final = 128 + signal.SIGTERM
"""What a shell reports of a program that the system ended."""


def open_app(start: Start) -> str | None:
    """Show the app until the person leaves, and return the id of the session that he was in, if any.

    Raises:
        SojournError: the store or the model cannot be opened, or there is no such session.
    """
    return asyncio.run(_shown(start))


async def _shown(start: Start) -> str | None:
    notes: list[str] = []
    app: SojournApp | None = None

    def note(text: str) -> None:
        if app is None or not app.is_running:
            notes.append(text)
        else:
            app.chat.note(text)

    async with open_conversation(start, approver=_asked_by_a_card, note=note) as conversation:
        session = None if start.pick else await enter(conversation, start)
        greeting = welcome(session)[:1] if session is not None else []  # the rest is in view
        app = SojournApp(
            conversation,
            notes=["\n".join([*_opening(start), *greeting, *notes])],
            first=start.prompt,
            ask_which=start.pick,
            verbose=start.verbose,
            look=start.config.theme,
            config=config_file(os.environ),
        )
        with _left_when_ended(app) as was_ended:
            await app.run_async()
        if was_ended:
            sys.exit(_ENDED)
        if app.return_code:
            sys.exit(app.return_code)  # it fell over, and has told how
        return conversation.session.id if conversation.session is not None else None


@contextmanager
def _left_when_ended(app: SojournApp) -> Iterator[list[bool]]:
    """Leave the app when the system ends the program, so that the terminal is as it was; tell whether that happened."""
    was_ended: list[bool] = []
    loop = asyncio.get_running_loop()

    def leave() -> None:
        was_ended.append(True)
        app.call_later(app.action_leave)

    loop.add_signal_handler(signal.SIGTERM, leave)
    try:
        yield was_ended
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _opening(start: Start) -> list[str]:
    """Return what a person should know at first: which model, why that one, and where things are kept."""
    choice = start.choice
    where = "nothing is kept" if start.ephemeral else f"sessions are kept in {shown(start.location)}"
    lines = [f"{choice.model} ({choice.provider}), because {choice.why}; {where}", caution(choice)]
    return [line for line in lines if line]


async def _asked_by_a_card(interrupt: Interrupt) -> Approval:  # noqa: ARG001 - the journal says what is asked
    """Wait: a card shows the question, and its answer goes into the journal, which ends this wait."""
    await anyio.sleep_forever()
    raise AssertionError("nobody wakes this")
