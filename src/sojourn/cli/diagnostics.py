"""What a command says about its work: on stderr, never on stdout, which belongs to results."""

from collections.abc import Iterable

import click

from sojourn.cli.output import color_wanted
from sojourn.desk.visible import safe


def note(text: str) -> None:
    """Tell the person what is going on."""
    click.echo(text, err=True, color=color_wanted())


def prompt(text: str) -> None:
    """Say that it is the person's turn, in the line in which he types."""
    click.echo(text, nl=False, err=True, color=color_wanted())


def complain(text: str, *, hints: Iterable[str] = ()) -> None:
    """Say in one sentence what went wrong, and below it what may help."""
    click.echo(f"{click.style('error:', fg='red')} {safe(text)}", err=True, color=color_wanted())
    for hint in hints:
        note(f"  {safe(hint)}")
