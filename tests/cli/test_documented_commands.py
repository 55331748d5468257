"""Whatever the documents tell people to type can be typed: the command is there, and so is each option."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from sojourn.cli.commands import cli
from sojourn.desk.settings_known import KEYS, MCP_KEYS, PRICE_KEYS
from sojourn.desk.slash_commands import offered

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
_SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_IN_TEXT = re.compile(r"`(sojourn [^`]*)`")
_COMMAND = re.compile(r"(?:^|[|&(`;] *|\$ )sojourn(?= |$)(?P<rest>[^|>)&\n]*)")


def typed_in(text: str) -> Iterator[list[str]]:
    """Yield the words after `sojourn`, wherever *text* says that it is typed."""
    text, _, _ = text.partition("\n# Commands\n")  # those are printed by the program itself
    lines = [line for block in _SHELL.findall(text) for line in block.splitlines()]
    lines += [" ".join(span.split()) for span in _IN_TEXT.findall(text)]
    for line in lines:
        for found in _COMMAND.finditer(line):
            rest = found["rest"].replace("...", "")
            yield shlex.split(rest if rest.count('"') % 2 == 0 else rest.replace('"', ""), comments=True)


def parse(words: list[str]) -> None:
    """Do nothing if *words* can be typed; what they would do is not done.

    Raises:
        ClickException: they cannot.
    """
    root = click.Context(cli, info_name="sojourn")
    if words[:1] in (["--version"], ["--help"]):
        return
    command = cli.get_command(root, words[0]) if words else None
    command, rest = (command, words[1:]) if command is not None else (cli.get_command(root, ""), words)
    if isinstance(command, click.Group):
        usual = next((name for name in ("ls", "show", "") if name in command.commands), "")
        name, *rest = rest if rest and not rest[0].startswith("-") else [usual, *rest]
        command = command.commands[name] if name else None
    if command is None:
        return  # a group alone, which lists what is in it
    try:
        command.make_context("sojourn", rest, parent=root)
    except click.exceptions.Exit:
        pass  # it asked for help
    except click.MissingParameter:
        pass  # a text names the command, and leaves out what it is about


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_types_can_be_typed(document: Path) -> None:
    for words in typed_in(document.read_text("utf-8")):
        try:
            parse(words)
        except click.ClickException as error:
            pytest.fail(f"sojourn {shlex.join(words)}: {error.format_message()}")


def test_there_is_much_that_is_typed() -> None:
    commands = {words[0] for path in DOCUMENTS for words in typed_in(path.read_text("utf-8")) if words}

    assert {"ls", "facts", "forget", "export", "config", "-p"} <= commands


@pytest.mark.parametrize("text", ["`sojourn ls --nothing`", "```sh\ngit diff | sojourn show @last --nothing\n```"])
def test_an_option_that_is_not_there_is_found(text: str) -> None:
    [words] = typed_in(text)

    with pytest.raises(click.NoSuchOption):
        parse(words)


def test_each_setting_is_on_the_page_about_settings() -> None:
    page = (ROOT / "docs" / "reference" / "config.md").read_text("utf-8")

    assert [name for name in (*KEYS, *PRICE_KEYS, *MCP_KEYS) if f"`{name}`" not in page] == []


def test_each_command_within_a_talk_can_be_looked_up_by_a_name_that_is_there() -> None:
    page = (ROOT / "docs" / "reference" / "chat.md").read_text("utf-8")

    assert set(re.findall(r"`/([a-z]+)`", page)) - {*offered(), "go"} == set()
