"""Commands that belong together under one word. Some do the most usual of them when that word stands alone."""

import inspect
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

_HELP: Final = frozenset({"-h", "--help"})


class Group(click.Group):
    """A group of commands. With a *usual* one, that is meant where none is named: `sojourn facts` is `facts ls`."""

    def __init__(self, *given: Any, usual: str | None = None, **also: Any) -> None:
        super().__init__(*given, **also)
        self._usual = usual

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names_none = not args or (args[0].startswith("-") and args[0] not in _HELP)
        if self._usual is not None and names_none and not ctx.resilient_parsing:
            args = [self._usual, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if command is not None and ctx.resilient_parsing:
            from sojourn.cli.sessions_named import with_sessions  # noqa: PLC0415 - only who presses Tab waits for it

            return with_sessions(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            known = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"{ctx.command_path} has no command {args[0]!r:.50}; it has {known}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say of each command what its help begins with, to the end of the sentence."""
        told = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _first_sentence(command.help or "")) for name, command in told if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        usual = self.get_command(ctx, self._usual) if self._usual is not None else None
        if usual is not None and incomplete.startswith("-"):
            return usual.shell_complete(ctx, incomplete)
        return super().shell_complete(ctx, incomplete)


def _first_sentence(text: str) -> str:
    """Return the first sentence of a help text, in one line."""
    paragraph = " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())
    sentence, _, more = paragraph.partition(". ")
    return f"{sentence}." if more else sentence
