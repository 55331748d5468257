"""The front door: `sojourn` alone, `sojourn "a prompt"` and `sojourn -p`.

At a terminal the app takes what was typed; else the chat goes line by line, or, for one question, the answer alone is
printed. It is loaded for `sojourn --help`, so what a chat needs is imported by the functions that begin one.
"""

import os
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click

from sojourn.cli import diagnostics
from sojourn.cli.lazy_group import LITERAL
from sojourn.cli.wanted import Wanted, chat_options, make_start
from sojourn.desk.visible import safe

if TYPE_CHECKING:
    from sojourn.desk.start import Start

_APP_MISSING: Final = "the app needs an extra: pip install 'sojourn[tui]'; until then the chat goes line by line"


@click.command("sojourn")
@click.argument("words", metavar="[PROMPT]", nargs=-1)
@click.option("--print", "-p", "once", is_flag=True, help="Print the answer to PROMPT, or to the input, and leave.")
@chat_options
def front(*, words: tuple[str, ...], once: bool, **given: Any) -> int:
    """Open the app, and go on with the last session of this project; with PROMPT, ask in a new one.

    Without a terminal, each line of the input is a message. With -p, or with a PROMPT and no terminal, the answer alone
    is printed: the input is part of the question.
    """
    wanted = Wanted(**given)
    wanted.check()
    output = wanted.output
    if not once:
        _check_command(words)
    by_hand = _is_terminal()
    prompt = " ".join(words).strip() or None
    if once or (prompt is not None and not by_hand):
        return _print(prompt, wanted, output)
    has_app = by_hand and output == "text" and _has_app()
    if wanted.picks and not has_app:
        return _list_sessions(wanted)
    start = make_start(wanted, prompt=prompt)
    return _open_app(start) if has_app else _talk(start, output)


def _check_command(words: tuple[str, ...]) -> None:
    """Do nothing if *words* are something to say.

    Raises:
        UsageError: they are a command that was written wrong, or stands behind options.
    """
    context = click.get_current_context()
    group = context.find_root().command
    if not words or context.meta.get(LITERAL) or not isinstance(group, click.Group):
        return
    names = group.list_commands(context)
    if words[0] in names:
        raise click.UsageError(f"{words[0]} is a command: write it first, as in sojourn {words[0]} ...")
    if " " in words[0]:
        return
    import difflib  # noqa: PLC0415 - only who was not understood waits for it

    near = difflib.get_close_matches(words[0].casefold(), names, n=1, cutoff=0.75)
    if near:
        said = safe(words[0])
        raise click.UsageError(f"there is no command {said}; did you mean {near[0]}? To say it: sojourn -- {said} ...")


def _print(prompt: str | None, wanted: Wanted, output: str) -> int:
    from sojourn.cli.printing import print_answer, read_input  # noqa: PLC0415 - a chat at a terminal needs none of it

    if wanted.picks:
        return _list_sessions(wanted)
    start = make_start(wanted, prompt=prompt or "")  # what is wrong with it is told before the input is waited for
    question = "\n\n".join(part for part in (prompt, read_input()) if part)
    if not question:
        raise click.UsageError('there is nothing to ask: write sojourn -p "a question", or pipe one in')
    return print_answer(replace(start, prompt=question, in_passing=True), form=output)


def _list_sessions(wanted: Wanted) -> int:
    from sojourn.cli.picking import list_sessions  # noqa: PLC0415 - who begins a chat does not list

    return list_sessions(wanted)


def _open_app(start: "Start") -> int:
    from sojourn.desk.start import again  # noqa: PLC0415 - a program without a terminal waits for none of it
    from sojourn.tui.launch import open_app  # noqa: PLC0415

    session_id = open_app(start)
    if session_id is not None and not start.ephemeral:
        diagnostics.note(safe(f"kept; to go on: {again(session_id, start.store)}"))
    return 0


def _talk(start: "Start", output: str) -> int:
    from sojourn.cli.chat import talk  # noqa: PLC0415 - the app needs none of it

    return talk(start, form=output)


def _is_terminal() -> bool:
    if sys.stdin is None or sys.stdout is None:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _has_app() -> bool:
    """Tell whether the app can be opened; if not, say what it needs."""
    if find_spec("textual") is not None and find_spec("sojourn.tui") is not None:
        return True
    diagnostics.note(_APP_MISSING)
    return False
