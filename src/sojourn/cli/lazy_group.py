"""The root of the commands: it knows them by name, and imports one when it is run.

What is no command goes to the front door, with all that was typed: a prompt, or options alone.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:  # only a shell that completes needs it
    from click.shell_completion import CompletionItem

LITERAL: Final = "sojourn.literal"
"""In the context: whether `--` was typed, so that nothing of the prompt is meant as a command."""
_FRONT: Final = ""
"""The name of the front door: nobody can type it."""
_DOOR: Final = "sojourn.cli.front:front"
_OPTION: Final = 26
"""Columns for the names of an option; longer ones have a line of their own."""
_OWN: Final = frozenset({"-h", "--help", "--version"})


class LazyGroup(click.Group):
    """A group that knows its commands by name, where each is, what it does in one line, and what belongs together."""

    def __init__(
        self, *, table: Mapping[str, tuple[str, str]], sections: Mapping[str, Sequence[str]], **given: Any
    ) -> None:
        super().__init__(**given)
        self._table = table
        self._sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != _FRONT and cmd_name not in self._table:
            return None
        module, _, name = (_DOOR if cmd_name == _FRONT else self._table[cmd_name][0]).partition(":")
        command: click.Command = getattr(import_module(module), name)
        if not ctx.resilient_parsing:
            return command
        from sojourn.cli.sessions_named import with_sessions  # noqa: PLC0415 - only who presses Tab waits for it

        return with_sessions(command)

    def front(self, ctx: click.Context) -> click.Command:
        """Return what is run when no command is typed."""
        found = self.get_command(ctx, _FRONT)
        if found is None:
            raise RuntimeError("there is always a front door")
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        completes = ctx.resilient_parsing and not args
        if not completes and (not args or (args[0] not in self._table and args[0] not in _OWN)):
            ctx.meta[LITERAL] = "--" in args
            args = [_FRONT, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only who presses Tab waits for it

        if incomplete.startswith("-"):
            return self.front(ctx).shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=text)
            for name, (_, text) in sorted(self._table.items())
            if name.startswith(incomplete)
        ]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return ["[OPTIONS]", "[PROMPT | COMMAND ...]"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = [
            record
            for parameter in (*self.front(ctx).params, *self.get_params(ctx))
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)) is not None
        ]
        self.format_commands(ctx, formatter)
        with formatter.section("Options"):
            formatter.write_dl(records, col_max=_OPTION)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        column = max(map(len, self._table))
        for title, names in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(column), self._table[name][1]) for name in names])
