"""The commands by name. Each is imported when it is used, so that `sojourn --help` is quick."""

import atexit
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

import click

from sojourn import __version__
from sojourn.cli import diagnostics, output
from sojourn.cli.lazy_group import LazyGroup
from sojourn.cli.reading import open_what_is_closed
from sojourn.desk.wording import advice
from sojourn.errors import SojournError, outside

_COMMANDS: Final = {
    "archive": ("sojourn.cli.shelving:archive", "Put sessions aside: kept, and listed only when asked for."),
    "chat": ("sojourn.cli.chat:chat", "Talk to a model, in a session that is kept."),
    "compact": ("sojourn.cli.compacting:compact", "Let a summary stand for the older messages of a session."),
    "completion": ("sojourn.cli.completion:completion", "Let your shell complete what you type."),
    "config": ("sojourn.cli.configuring:config", "See and change what is settled for every chat."),
    "context": ("sojourn.cli.context:context", "Show what a model would see next, what it costs, and why."),
    "cost": ("sojourn.cli.cost:cost", "Show what was spent, by model, day, session or project."),
    "db": ("sojourn.cli.database:database", "Look after the database: where it is, what is in it, a copy."),
    "delete": ("sojourn.cli.shelving:delete", "Throw sessions into the trash."),
    "demo": ("sojourn.cli.demo:demo", "Kill a session in the middle of a turn, resume it, fork it."),
    "diff": ("sojourn.cli.comparing:diff", "Say where two branches part, and what they hold differently."),
    "doctor": ("sojourn.cli.doctor:doctor", "Check everything that is kept, and say what is missing."),
    "export": ("sojourn.cli.exporting:export", "Write sessions as files that others can read."),
    "facts": ("sojourn.cli.facts:facts", "See what was learned, and put it right."),
    "focus": ("sojourn.cli.focus:focus", "See or say what a session is about right now."),
    "forget": ("sojourn.cli.forgetting:forget", "Remove something for good, with all that was made of it."),
    "fork": ("sojourn.cli.branching:fork", "Begin a session that continues another."),
    "help": ("sojourn.cli.manual:help_", "Say what can be typed: every command, or all about one."),
    "import": ("sojourn.cli.importing:import_", "Take in sessions from Claude Code, Codex or another Sojourn."),
    "ls": ("sojourn.cli.listing:ls", "List the sessions of this project."),
    "merge": ("sojourn.cli.comparing:merge", "Bring home what a branch has learned."),
    "new": ("sojourn.cli.beginning:new", "Begin a session."),
    "profile": ("sojourn.cli.profile:profile", "See or say who you are, and whether that is written down."),
    "project": ("sojourn.cli.projects:project", "See which project a folder is, and let sessions follow it."),
    "prune": ("sojourn.cli.shelving:prune", "Remove old sessions of the archive and the trash for good."),
    "rename": ("sojourn.cli.naming:rename", "Give a session a title."),
    "research": ("sojourn.cli.research:research", "See how far a question has been looked into, and work on it."),
    "restore": ("sojourn.cli.shelving:restore", "Take sessions out of the trash."),
    "rewind": ("sojourn.cli.branching:rewind", "Go back to an earlier entry of a session."),
    "scrub": ("sojourn.cli.scrubbing:scrub", "Find keys and passwords in what is stored, and take them out."),
    "search": ("sojourn.cli.searching:search", "Find what was said, in the sessions of this project."),
    "sessions": ("sojourn.cli.listing:sessions", "List the sessions of this project: the same as ls."),
    "show": ("sojourn.cli.showing:show", "Show what was said in a session."),
    "statusline": ("sojourn.cli.statusline:statusline", "Print one line about a session, for a status bar."),
    "tag": ("sojourn.cli.naming:tag", "Add tags to a session, or remove some."),
    "tree": ("sojourn.cli.branching:tree", "Show a session and the forks that hang on it."),
    "unarchive": ("sojourn.cli.shelving:unarchive", "Take sessions out of the archive."),
    "why": ("sojourn.cli.why:why", "Show what something that is believed rests on."),
}
"""Where each command is, and what it does in one line."""

_SECTIONS: Final = {
    "Talk": ("chat", "demo"),
    "Sessions": ("ls", "show", "search", "new", "rename", "tag", "archive", "unarchive", "delete", "restore"),
    "Branches": ("fork", "rewind", "tree", "diff", "merge"),
    "What a model sees": ("context", "compact", "cost"),
    "What is known": ("facts", "why", "profile", "focus", "research"),
    "In and out": ("import", "export"),
    "Care": ("doctor", "db", "project", "scrub", "forget", "prune"),
    "Setting up": ("config", "completion", "statusline", "help"),
}
"""What belongs together, in the order in which people need it. A second name of a command is in none of them."""

_OBJECTS: Final = 50_000
"""New objects after which garbage is looked for."""
_INTERRUPTED: Final = 130
"""What a shell reports of a program that Ctrl+C ended."""


@click.group(
    cls=LazyGroup, table=_COMMANDS, sections=_SECTIONS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="sojourn")
def cli() -> None:
    """Sojourn keeps every conversation that your agents have.

    Alone it opens the app, and goes on with the last session of this project. PROMPT asks in a new session.

    \b
      sojourn "Why is the sky blue?"
      sojourn -c "And at night?"
      git diff | sojourn -p "Review this"
      sojourn ls
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that was typed, or that *arguments* say, and exit with its code."""
    open_what_is_closed()
    if arguments is None:
        _be_quick()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.exit(cli.main(given, prog_name="sojourn", standalone_mode=False) or 0)
    except SojournError as error:
        _complain(given, error)
        sys.exit(outside(error).exit)
    except click.exceptions.NoArgsIsHelpError as error:  # a group of commands, and none of them
        output.write(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        _complain(given, error)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt) as end:
        with suppress(OSError):  # the terminal may be what is gone
            diagnostics.complain("stopped; everything that was acknowledged is kept")
        sys.exit(getattr(end.__cause__ or end, "code", _INTERRUPTED))  # click raises its own from it
    except BrokenPipeError:  # whoever reads it has enough
        output.give_up()
        sys.exit(1)
    except OSError as error:
        output.give_up()
        diagnostics.complain(f"{error.filename or 'cannot write the result'}: {error.strerror or error}")
        sys.exit(1)


def _be_quick() -> None:
    """Look for garbage seldom, and not when the process ends: starting makes much and drops little of it.

    It is a quarter of what a short command takes.
    """
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)


def _complain(given: Sequence[str], error: SojournError | click.ClickException) -> None:
    """Say what went wrong, and what may help, to a person or to a program."""
    hints = advice(error)
    if isinstance(error, click.MissingParameter | click.NoSuchOption | click.BadOptionUsage) and error.ctx is not None:
        hints.append(f"{error.ctx.command_path.strip()} --help says what it takes")
    typed = given[: given.index("--")] if "--" in given else given
    if _wants_json(typed):
        output.write_json_error(_named(typed), error, hints=hints)
    else:
        diagnostics.complain(output.sentence(error), hints=hints)


def _named(typed: Sequence[str]) -> str:
    """Return the command that was typed, with that of its group: `facts ls`; the program's name, if there is none."""
    words = [word for word in typed if not word.startswith("-")]
    first = next((place for place, word in enumerate(words) if word in _COMMANDS), None)
    if first is None:
        return "sojourn"
    group = cli.get_command(click.Context(cli), words[first])
    within = group.commands if isinstance(group, click.Group) else {}
    return " ".join([words[first], *[word for word in words[first + 1 : first + 2] if word in within]])


def _wants_json(typed: Sequence[str]) -> bool:
    """Tell whether a program reads the answer: whatever went wrong, it may have been the options themselves."""
    forms = [after for word, after in pairwise((*typed, "")) if word == "--output-format"]
    forms += [word.partition("=")[2] for word in typed if word.startswith("--output-format=")]
    return "--json" in typed or any("json" in form for form in forms)
