"""What can be typed is told alike in the program, to programs, and in the docs."""

from pathlib import Path

from tests.cli.typed import Type

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_reference_is_what_the_program_says(type_: Type) -> None:
    _, _, commands = REFERENCE.read_text("utf-8").partition("# Commands\n\n")

    assert commands.strip() == type_("help", "--markdown").out.strip(), "write it anew: sojourn help --markdown"


def test_a_program_learns_every_command_with_its_options(type_: Type) -> None:
    told = {one["name"]: one for one in type_("help", "--json").data["commands"]}

    assert {"chat", "ls", "sessions", "show", "merge", "help"} <= set(told)
    alone = told.pop("sojourn")
    assert alone["usage"] == "sojourn [OPTIONS] [PROMPT]"
    assert ["--print", "-p"] in [option["names"] for option in alone["options"]]
    assert told["merge"]["arguments"] == [
        {"name": "SESSION", "required": True, "many": False},
        {"name": "BRANCH", "required": True, "many": False},
    ]
    assert all(one["help"] and one["usage"].startswith(f"sojourn {name}") for name, one in told.items())
    without = [name for name, one in told.items() if ["--json"] not in [option["names"] for option in one["options"]]]
    assert without == []


def test_every_option_says_what_it_is_for(type_: Type) -> None:
    told = type_("help", "--json").data["commands"]

    assert [(one["name"], option["names"]) for one in told for option in one["options"] if not option["help"]] == []


def test_one_command_is_told_alone_and_an_unknown_one_is_not_found(type_: Type) -> None:
    assert type_("help", "ls").out == type_("ls", "--help").out
    assert type_("help").out.startswith("Usage: sojourn")
    assert type_("help", "nothing").code == 3
    assert type_("help", "ls", "deeper", "--json").error["kind"] == "NotFoundError"
