"""`sojourn completion`: what a shell needs to complete commands, options and the names of sessions."""

from typing import Final

import click
from click.shell_completion import get_completion_class

from sojourn.cli import diagnostics, output
from sojourn.cli.sessions_named import VARIABLE

_WHERE: Final = {
    "bash": 'eval "$(sojourn completion bash)"   in ~/.bashrc',
    "zsh": 'eval "$(sojourn completion zsh)"   in ~/.zshrc',
    "fish": "sojourn completion fish | source   in ~/.config/fish/config.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(tuple(_WHERE)))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def completion(ctx: click.Context, *, shell: str, as_json: bool) -> None:
    """Print a script for SHELL that completes commands, options, and sessions by their titles and ids."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"click knows no completion for {shell}")
    script = made(ctx.find_root().command, {}, "sojourn", VARIABLE).source()
    if as_json:
        output.write_json("completion", {"shell": shell, "script": script, "use": _WHERE[shell]})
        return
    output.write(script)
    diagnostics.note(f"to use it: {_WHERE[shell]}")
