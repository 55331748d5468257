"""`sojourn help`: every command with what it takes, for people, for programs, and for the reference in the docs."""

import inspect
from collections.abc import Iterator
from typing import Any

import click

from sojourn.cli import output
from sojourn.cli.lazy_group import LazyGroup
from sojourn.errors import NotFoundError


@click.command("help")
@click.argument("names", metavar="[COMMAND]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: with every argument and option.")
@click.option("--markdown", is_flag=True, help="Print it as Markdown.")
@click.pass_context
def help_(ctx: click.Context, *, names: tuple[str, ...], as_json: bool, markdown: bool) -> None:
    """Say what can be typed: every command, or all about COMMAND."""
    asked = _named(ctx.find_root(), names)
    if as_json:
        output.write_json("help", {"commands": [_data(one) for one in _walk(asked)]})
    elif markdown:
        output.write("\n".join(line for one in _walk(asked) for line in _markdown(one)))
    else:
        output.write(asked.get_help())


def _named(root: click.Context, names: tuple[str, ...]) -> click.Context:
    """Return the command that *names* lead to, word by word.

    Raises:
        NotFoundError: there is no such command.
    """
    found = root
    for name in names:
        command = found.command.get_command(found, name) if isinstance(found.command, click.Group) else None
        if command is None:
            raise NotFoundError(f"there is no command {name!r:.50}; sojourn help lists them")
        found = click.Context(command, info_name=name, parent=found)
    return found


def _walk(asked: click.Context) -> Iterator[click.Context]:
    """Yield a command, or each command of a group, in their order."""
    if not isinstance(asked.command, click.Group):
        yield asked
        return
    if isinstance(asked.command, LazyGroup):  # what can be typed without a command comes first
        yield click.Context(asked.command.front(asked), info_name=asked.info_name)
    for name in asked.command.list_commands(asked):
        command = asked.command.get_command(asked, name)
        if command is not None:
            yield from _walk(click.Context(command, info_name=name, parent=asked))


def _data(one: click.Context) -> dict[str, Any]:
    arguments = [parameter for parameter in one.command.params if isinstance(parameter, click.Argument)]
    return {
        "name": _name(one),
        "usage": _usage(one),
        "help": _text(one),
        "arguments": [
            {"name": argument.make_metavar(one), "required": argument.required, "many": argument.nargs == -1}
            for argument in arguments
        ],
        "options": [
            {
                "names": [*option.opts, *option.secondary_opts],
                "metavar": None if option.is_flag else option.make_metavar(one),
                "required": option.required,
                "repeated": option.multiple,
                "help": option.help or "",
            }
            for option in _options(one)
        ],
    }


def _markdown(one: click.Context) -> Iterator[str]:
    yield from (
        f"## {_name(one)}",
        "",
        f"`{_usage(one)}`",
        "",
        _text(one),
        "",
        "| option | what it does |",
        "|---|---|",
    )
    for option in _options(one):
        yield f"| {_typed(option, one)} | {_told(option)} |"
    yield ""


def _typed(option: click.Option, one: click.Context) -> str:
    takes_word = not option.is_flag and not isinstance(option.type, click.Choice)
    metavar = f" {option.make_metavar(one)}" if takes_word else ""
    return ", ".join(f"`{name}{metavar}`" for name in (*option.opts, *option.secondary_opts))


def _told(option: click.Option) -> str:
    told = [option.help] if option.help else []
    if isinstance(option.type, click.Choice):
        told.append(f"One of {', '.join(f'`{choice}`' for choice in option.type.choices)}.")
    if option.required:
        told.append("Required.")
    return " ".join(told)


def _options(one: click.Context) -> list[click.Option]:
    return [parameter for parameter in one.command.params if isinstance(parameter, click.Option)]


def _name(one: click.Context) -> str:
    """Return the words that are typed for a command, without the program's own unless it stands alone."""
    return one.command_path.partition(" ")[2] or one.command_path


def _usage(one: click.Context) -> str:
    return " ".join(one.get_usage().removeprefix("Usage: ").split())


def _text(one: click.Context) -> str:
    return inspect.cleandoc(one.command.help or "")
