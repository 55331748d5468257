"""`sojourn chat`: talk to a model line by line, in a session that is kept."""

import sys
from dataclasses import replace
from typing import Any

import anyio.from_thread
import click

import sojourn
from sojourn.cli import diagnostics
from sojourn.cli.asking import Asking
from sojourn.cli.ending import TERMINAL_GONE, ended_by_signals
from sojourn.cli.line_mode import LineMode
from sojourn.cli.picking import list_sessions
from sojourn.cli.reading import read_anything
from sojourn.cli.screen import JsonScreen, Opening, Screen, TextScreen
from sojourn.cli.wanted import Wanted, chat_options, make_start
from sojourn.desk import slash_commands
from sojourn.desk.home import shown
from sojourn.desk.opening import caution, enter, open_conversation
from sojourn.desk.start import Start, again
from sojourn.desk.visible import safe


@click.command("chat")
@click.argument("session", metavar="[SESSION]", required=False)
@click.option("--session", "also", metavar="SESSION", help="The same as SESSION.")
@chat_options
def chat(*, session: str | None, also: str | None, **given: Any) -> int:
    """Talk to a model, line by line, in a session that is kept.

    It goes on with SESSION, or with the session that was used last in this project. Input may be piped in: each line is
    one message. In JSON there is one object for each thing that happens.

    Without a model's name it takes the one in SOJOURN_MODEL, else that of the configuration, else a vendor whose key is
    set (ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY), else an Ollama server that answers, else a small model
    on this machine.
    """
    references = [one for one in (session, also, given["reference"]) if one is not None]
    if len(references) > 1:
        raise click.UsageError("one session at a time: name it once")
    wanted = Wanted(**{**given, "reference": references[0] if references else None})
    wanted.check()
    return list_sessions(wanted) if wanted.picks else talk(make_start(wanted), form=wanted.output)


def talk(start: Start, *, form: str) -> int:
    """Talk line by line, until the input ends or the person leaves; return the exit code."""
    read_anything()
    if start.pick:  # nobody can choose from a list here, and nothing is mixed up with what it is not about
        start = replace(start, pick=False, new_session=True)
        diagnostics.note("/sessions lists what there is, and /resume goes on with one")
    screen: Screen = TextScreen(verbose=start.verbose) if form == "text" else JsonScreen()
    asking = Asking()
    approver = asking.approve if sys.stdin.isatty() else None
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_conversation(start, approver=approver, note=_note)) as conversation,
    ):
        resumed = portal.call(enter, conversation, start)
        screen.begin(_opening(start, resumed))
        with ended_by_signals():
            code = LineMode(portal, conversation, screen, asking=asking).run(start.prompt)
        if conversation.session is not None and not start.ephemeral and code != TERMINAL_GONE:
            screen.leave(conversation.session.id, again(conversation.session.id, start.store))
    return code


def _opening(start: Start, resumed: sojourn.Session | None) -> Opening:
    return Opening(
        model=start.choice.model,
        provider=start.choice.provider,
        why=start.choice.why,
        location="memory only" if start.ephemeral else shown(start.location),
        caution=caution(start.choice),
        session_id=resumed.id if resumed is not None else None,
        welcome=tuple(slash_commands.welcome(resumed)) if resumed is not None else (),
    )


def _note(text: str) -> None:
    diagnostics.note(safe(text))
