"""`sojourn config`: what is settled once and for all, where, and by whom."""

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import click

from sojourn.cli.frame import Result, off_store
from sojourn.cli.groups import Group
from sojourn.cli.output import Dim
from sojourn.desk.columns import pad, width
from sojourn.desk.config import (
    PROJECT_FILE,
    Loaded,
    Setting,
    dotted,
    find_project_file,
    load_config,
    read_settings,
    read_text,
)
from sojourn.desk.config_text import read_path, with_value, without, written
from sojourn.desk.editor import editor_command
from sojourn.desk.home import config_file, here
from sojourn.desk.settings_known import KEYS, MCP_KEYS, PAIRS, PRICE_KEYS, checked, find_key
from sojourn.desk.settling import write_config
from sojourn.errors import InvalidInputError, NotFoundError


@click.group("config", cls=Group, usual="list")
def config() -> None:
    """See and change what is settled for every chat: the model, the budget, prices, servers of tools.

    Alone it lists that. Your own settings are in config.toml; those of a project in its .sojourn/config.toml, and go
    before yours as far as you trust it. An option goes before a variable of the environment (SOJOURN_MODEL), and that
    before both.
    """


@config.command("list")
@off_store
def list_() -> Result:
    """List what is settled, and by whom."""
    loaded = _loaded()
    rows = [(setting.name, _shown(setting.path, setting.value), setting.origin) for setting in loaded.settings]
    data = [
        {"key": setting.name, "value": _data(setting.path, setting.value), "from": setting.origin}
        for setting in loaded.settings
    ]
    lines: list[str] = []
    first, second = (max((width(row[column]) for row in rows), default=0) for column in (0, 1))
    for name, value, origin in rows:
        lines.append(f"{pad(name, first)}  {pad(value, min(second, 40))}  {origin}")
    notes = [*loaded.notes, *([] if rows else ["nothing is settled; sojourn config schema tells what can be"])]
    return Result(data={"settings": data}, lines=lines, notes=notes)


@config.command("get")
@click.argument("name", metavar="KEY")
@off_store
def get(*, name: str) -> Result:
    """Print what KEY is: as it was settled, or its default."""
    path = read_path(name)
    key = find_key(path)
    loaded = _loaded()
    found = next((setting for setting in loaded.settings if setting.path == path), None)
    value = key.default if found is None else found.value
    origin = "default" if found is None else found.origin
    if value is None:
        raise NotFoundError(f"{dotted(path)} is not settled; sojourn config set {dotted(path)} VALUE does it")
    line = value if isinstance(value, str) else written(value)
    return Result(
        data={"key": dotted(path), "value": value, "from": origin},
        lines=[line],
        notes=[*loaded.notes, f"from {origin}"],
    )


@config.command("set", context_settings={"ignore_unknown_options": True})  # an argument of a server may be -y
@click.argument("name", metavar="KEY")
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@click.option("--project", is_flag=True, help="For this project, not for you.")
@off_store
def set_(*, name: str, values: tuple[str, ...], project: bool) -> Result:
    """Settle KEY. A list takes several VALUEs. Comments and all other lines stay as they are."""
    path = read_path(name)
    takes_list = "list" in find_key(path).kind
    if len(values) > 1 and not takes_list:
        raise InvalidInputError(f"{dotted(path)} takes one value; write it in quotes if it has spaces")
    value = checked(path, list(values) if takes_list and (len(values) > 1 or not _is_switch(values[0])) else values[0])
    file = _file(project=project)
    read_settings(file)  # what cannot be used is told before it is written to
    _write(file, with_value(read_text(file), path, value, file=file))
    return Result(
        data={"key": dotted(path), "value": _data(path, value), "file": str(file)},
        notes=[f"{dotted(path)} is {_shown(path, value)}, in {file}", *_unheard(file)],
    )


@config.command("unset")
@click.argument("name", metavar="KEY")
@click.option("--project", is_flag=True, help="For this project, not for you.")
@off_store
def unset(*, name: str, project: bool) -> Result:
    """Take KEY back, or a whole table such as mcp.NAME; then its default counts."""
    path, file = read_path(name), _file(project=project)
    _write(file, without(read_text(file), path, file=file))
    return Result(data={"key": dotted(path), "file": str(file)}, notes=[f"{dotted(path)} is no longer set, in {file}"])


@config.command("path")
@click.option("--project", is_flag=True, help="That of this project, not yours.")
@off_store
def path_(*, project: bool) -> Result:
    """Print where your configuration is, whether it is there or not yet."""
    file = _file(project=project)
    exists = file.is_file()
    return Result(
        data={"file": str(file), "exists": exists}, lines=[str(file)], notes=[] if exists else ["it is not there yet"]
    )


@config.command("edit")
@click.option("--project", is_flag=True, help="That of this project, not yours.")
@off_store
def edit(*, project: bool) -> Result:
    """Open your configuration in the editor that VISUAL or EDITOR names, and check it afterwards."""
    file = _file(project=project)
    command = editor_command(os.environ)
    if not file.is_file():
        _write(file, "")
    try:
        ended = subprocess.run([*command, str(file)], check=False)  # noqa: S603 - the person's own editor
    except OSError as error:
        raise InvalidInputError(f"the editor {command[0]!r:.80} cannot be started: {error.strerror}") from error
    if ended.returncode != 0:
        raise InvalidInputError(f"the editor {command[0]!r:.80} ended with code {ended.returncode}")
    settings = read_settings(file)
    return Result(data={"file": str(file), "settings": len(settings)}, notes=[f"{file} can be used", *_unheard(file)])


@config.command("trust")
@click.argument("folder", metavar="[FOLDER]", default=".")
@off_store
def trust(*, folder: str) -> Result:
    """Let the configuration of the project in FOLDER, by default this one, settle all that yours may."""
    place = Path(folder).expanduser().resolve()
    theirs = find_project_file(place, config_file(os.environ))
    if theirs is None:
        raise NotFoundError(f"there is no {PROJECT_FILE} in {place}, so there is nothing to trust")
    settles = read_settings(theirs)  # nobody can trust what cannot be read
    trusted, file = str(theirs.parent.parent), config_file(os.environ)
    already = next((list(setting.value) for setting in read_settings(file) if setting.path == ("trusted",)), [])
    if trusted not in already:
        _write(file, with_value(read_text(file), ("trusted",), [*already, trusted], file=file))
    names = [setting.name for setting in settles if setting.path[0] != "trusted"]
    return Result(
        data={"trusted": trusted, "file": str(file), "settles": names},
        notes=[
            f"{trusted} is trusted; it is in {file}",
            f"it settles: {', '.join(names) or 'nothing yet'}",
            *[f"it runs: {command}" for command in _commands(settles)],
        ],
    )


@config.command("schema")
@off_store
def schema() -> Result:
    """List every setting: its name, what it may be, and what it is for."""
    keys = [(name, key) for name, key in KEYS.items()]
    keys += [(f"prices.MODEL.{name}", key) for name, key in PRICE_KEYS.items()]
    keys += [(f"mcp.SERVER.{name}{'.NAME' if name in PAIRS else ''}", key) for name, key in MCP_KEYS.items()]
    lines: list[str] = []
    for name, key in keys:
        default = "" if key.default is None else f", {written(key.default)} by default"
        lines += [f"{name}  ({key.kind}{default})", Dim(f"    {key.meaning}")]
    data = [{"key": name, "kind": key.kind, "meaning": key.meaning, "default": key.default} for name, key in keys]
    return Result(data={"keys": data}, lines=lines)


def _loaded() -> Loaded:
    return load_config(os.environ, here())


def _file(*, project: bool) -> Path:
    own = config_file(os.environ)
    if not project:
        return own
    return find_project_file(here(), own) or here() / PROJECT_FILE


def _write(file: Path, text: str) -> None:
    asyncio.run(write_config(file, text))


def _commands(settings: tuple[Setting, ...]) -> list[str]:
    """Return the programs that servers of tools among *settings* are, with their arguments."""
    arguments = {setting.path[1]: setting.value for setting in settings if setting.path[::2] == ("mcp", "args")}
    return [
        " ".join([setting.value, *arguments.get(setting.path[1], ())])
        for setting in settings
        if setting.path[::2] == ("mcp", "command")
    ]


def _is_switch(value: str) -> bool:
    return value.strip().lower() in {"true", "false", "yes", "no", "on", "off"}


def _shown(path: tuple[str, ...], value: Any) -> str:
    return str(_data(path, value)) if isinstance(_data(path, value), str) else written(value)


def _data(path: tuple[str, ...], value: Any) -> Any:
    return "(set)" if len(path) == 4 and path[2] in PAIRS else value


def _unheard(file: Path) -> list[str]:
    """Return what is ignored of a project's file, if it is one."""
    return [note for note in _loaded().notes if str(file) in note]
