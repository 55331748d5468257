"""Commands that belong together are typed under one word, which alone does the most usual of them."""

from pathlib import Path

import pytest
from click import Context
from click.shell_completion import ShellComplete

import sojourn
from sojourn.cli.commands import cli
from sojourn.engine.session import Session
from tests.cli.seeded import seed
from tests.cli.typed import Type


async def _learned(_: sojourn.Sojourn, session: Session) -> None:
    await session.facts.learn("prod runs behind nginx")


@pytest.mark.parametrize(
    ("group", "usual"),
    [
        ("facts", "facts ls"),
        ("profile", "profile show"),
        ("focus", "focus show"),
        ("research", "research show"),
        ("config", "config list"),
        ("db", "db stats"),
        ("project", "project info"),
    ],
)
def test_a_group_alone_does_the_most_usual(folder: Path, type_: Type, group: str, usual: str) -> None:
    seed(folder, _learned)

    alone = type_(group, "--json")

    assert (alone.code, alone.answer["command"]) == (0, usual)
    assert alone.data == type_(*usual.split(), "--json").data


def test_options_alone_are_those_of_the_most_usual(folder: Path, type_: Type) -> None:
    seed(folder, _learned)

    assert "nginx" in type_("facts", "--search", "nginx").out
    assert type_("facts", "--help").out.startswith("Usage: sojourn facts [OPTIONS] COMMAND")


def test_a_group_without_a_usual_command_says_what_it_has(folder: Path, type_: Type) -> None:
    alone = type_("forget")

    assert (alone.code, alone.err) == (0, "")
    assert alone.out.startswith("Usage: sojourn forget")


def test_what_a_group_does_not_have_is_refused_by_name(folder: Path, type_: Type) -> None:
    refused = type_("facts", "sing", "--json")

    assert (refused.code, refused.answer["command"]) == (2, "facts")
    assert refused.error["message"].startswith("sojourn facts has no command 'sing'; it has add, edit, ls, ")


@pytest.mark.parametrize("group", ["config", "db", "facts", "focus", "forget", "profile", "project", "research"])
def test_a_group_says_of_each_command_a_whole_sentence(folder: Path, type_: Type, group: str) -> None:
    told = " ".join(type_(group, "--help").out.partition("Commands:")[2].split())

    assert "..." not in told
    assert told.endswith(".")


def test_every_command_has_its_place_in_the_help(folder: Path, type_: Type) -> None:
    commands = type_("--help").out.partition("Options:")[0]
    listed = [line.split()[0] for line in commands.splitlines() if line[:2] == "  " and line[2:3].islower()]

    assert len(listed) == len(set(listed))
    assert set(cli.list_commands(Context(cli))) - set(listed) == {"sessions"}  # a second name of ls


def test_what_is_typed_wrongly_is_told_with_what_says_more(folder: Path, type_: Type) -> None:
    assert type_("why").err.splitlines()[1] == "  sojourn why --help says what it takes"
    assert type_("facts", "show", "--deep", "--json").error["hint"] == "sojourn facts show --help says what it takes"
    assert type_("--deep").err.splitlines()[1] == "  sojourn --help says what it takes"


def test_help_tells_of_every_command_of_a_group(type_: Type) -> None:
    told = [one["name"] for one in type_("help", "--json").data["commands"]]

    assert {"facts ls", "facts review", "profile keep", "forget message", "research complete"} <= set(told)
    assert "facts" not in told
    assert type_("help", "facts", "ls").out == type_("facts", "ls", "--help").out


def completed(*words: str) -> list[str]:
    """Return what a shell offers for the last of *words*."""
    *typed, incomplete = words
    asked = ShellComplete(cli, {}, "sojourn", "_SOJOURN_COMPLETE")
    return [item.value for item in asked.get_completions(typed, incomplete)]


def test_a_shell_completes_within_a_group(folder: Path) -> None:
    seed(folder, _learned, title="Trip")

    assert completed("facts", "re") == ["restore", "retire", "review"]
    assert "--status" in completed("facts", "--st")
    assert completed("facts", "ls", "--session", "Tr") == ["Trip"]
    assert completed("forget", "session", "Tr") == ["Trip"]
    assert completed("forget", "--") == ["--help"]
