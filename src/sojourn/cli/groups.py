"""Commands that belong together under one word. Some do the most usual of them when that word stands alone."""

from typing import Any, Final

import click

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
