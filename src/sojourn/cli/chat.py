"""`sojourn chat`: talk to a model, in a session that is kept."""

import os
import shlex
import sys
from pathlib import Path

import anyio.from_thread
import click

import sojourn
from sojourn.cli import diagnostics
from sojourn.cli.asking import Asking
from sojourn.cli.line_mode import LineMode
from sojourn.cli.screen import JsonScreen, Opening, Screen, TextScreen
from sojourn.desk import slash_commands
from sojourn.desk.home import shown, store_location
from sojourn.desk.opening import caution, enter, open_conversation
from sojourn.desk.references import short
from sojourn.desk.start import Start
from sojourn.desk.visible import safe
from sojourn.errors import InvalidInputError
from sojourn.providers.choosing import Choice, choose


@click.command()
@click.option("--model", "-m", metavar="NAME", help="Which model, such as local, claude-NAME, gpt-NAME or ollama:NAME.")
@click.option("--base-url", metavar="URL", help="Where the model is served, if not by its vendor.")
@click.option(
    "--session",
    "--resume",
    "-r",
    metavar="NAME",
    help="Go on with this session: its title, its id, or a piece of its id.",
)
@click.option("--new-session", is_flag=True, help="Begin a new session instead of going on with the last one.")
@click.option("--store", metavar="LOCATION", help="Where sessions are kept; a file of your own by default.")
@click.option(
    "--tools/--no-tools", default=True, help="Let the model read this folder, and change it when you allow it."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each thing that happens.")
def chat(
    *,
    model: str | None,
    base_url: str | None,
    session: str | None,
    new_session: bool,
    store: str | None,
    tools: bool,
    as_json: bool,
) -> int:
    """Talk to a model, line by line, in a session that is kept.

    It goes on with the session that was used last in this project. Input may be piped in: each line is one message.

    Without a model's name it takes the one in SOJOURN_MODEL, else a vendor whose key is set (ANTHROPIC_API_KEY,
    OPENAI_API_KEY, OPENROUTER_API_KEY), else an Ollama server that answers, else a small model on this machine.
    """
    if session is not None and new_session:
        raise InvalidInputError("a session is begun or gone on with: give --session or --new-session, not both")
    _read_anything()
    choice = choose(model, environment=os.environ, base_url=base_url)
    location = store_location(store, os.environ)
    screen: Screen = JsonScreen() if as_json else TextScreen()
    asking = Asking()
    approver = asking.approve if sys.stdin.isatty() else None
    start = Start(
        choice=choice, location=location, store=store, reference=session, new_session=new_session, tools=tools
    )
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_conversation(start, approver=approver, note=_note)) as conversation,
    ):
        resumed = portal.call(enter, conversation, start)
        screen.begin(_opening(choice, location, resumed))
        code = LineMode(portal, conversation, screen, asking=asking).run()
        if conversation.session is not None:
            screen.leave(conversation.session.id, _again(conversation.session.id, store))
    return code


def _opening(choice: Choice, location: str | Path, resumed: sojourn.Session | None) -> Opening:
    return Opening(
        model=choice.model,
        provider=choice.provider,
        why=choice.why,
        location=shown(location),
        caution=caution(choice),
        session_id=resumed.id if resumed is not None else None,
        welcome=tuple(slash_commands.welcome(resumed)) if resumed is not None else (),
    )


def _again(session_id: str, store: str | None) -> str:
    """Return the command that goes on with a session."""
    where = f" --store {shlex.quote(store)}" if store is not None and shown(store) == store else ""
    return f"sojourn chat --session {short(session_id)}{where}"


def _note(text: str) -> None:
    diagnostics.note(safe(text))


def _read_anything() -> None:
    """Let what is piped in hold bytes that are no text: they become question marks, and the rest is read."""
    if sys.stdin is None:  # it was closed: nothing will come
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - open for as long as the program reads
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
