"""The commands by name. Each is imported when it is used, so that `sojourn --help` is quick."""

import sys
from importlib import import_module
from typing import Final

import click

from sojourn import __version__
from sojourn.cli import diagnostics, output
from sojourn.errors import SojournError, outside

_COMMANDS: Final = {
    "chat": ("sojourn.cli.chat:chat", "Talk to a model, in a session that is kept."),
    "demo": ("sojourn.cli.demo:demo", "Record a session, kill it in the middle of a turn, resume it, fork it."),
}
"""Where each command is, and what it does in one line."""

_INTERRUPTED: Final = 130
"""What a shell reports of a program that Ctrl+C ended."""


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports one when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_COMMANDS.items())])


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="sojourn")
def cli() -> None:
    """Sojourn keeps every conversation that your agents have."""


def main() -> None:
    """Run the command that was typed, and exit with its code."""
    try:
        sys.exit(cli.main(standalone_mode=False) or 0)
    except SojournError as error:
        diagnostics.complain(str(error))
        sys.exit(outside(error).exit)
    except click.exceptions.NoArgsIsHelpError as error:
        output.write(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        diagnostics.complain(error.format_message())
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        diagnostics.complain("stopped; everything that was acknowledged is kept")
        sys.exit(_INTERRUPTED)
    except OSError as error:
        output.give_up()
        diagnostics.complain(f"{error.filename or 'cannot write the result'}: {error.strerror or error}")
        sys.exit(1)
