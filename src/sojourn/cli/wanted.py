"""What can be typed to begin a chat, and the `Start` that it becomes.

It is loaded for `sojourn --help`, so what a chat needs is imported by the function that begins one.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sojourn.cli import diagnostics
from sojourn.desk.visible import safe
from sojourn.errors import SojournError

if TYPE_CHECKING:  # who asks for help does not wait for models
    from sojourn.desk.config import Config
    from sojourn.desk.start import Start
    from sojourn.providers.choosing import Choice

FORMATS: Final = ("text", "json", "stream-json")
_PICK: Final = "\0"
"""What `--resume` is without a reference: nobody can type it."""
_OPTIONS: Final = (
    click.option("--continue", "-c", "go_on", is_flag=True, help="Go on with the last session of this project."),
    click.option(
        "--resume",
        "-r",
        "reference",
        metavar="[SESSION]",
        is_flag=False,
        flag_value=_PICK,
        help="Go on with this session: its title, its id, or a piece of its id. Without one, choose from a list.",
    ),
    click.option("--new-session", is_flag=True, help="Begin a new session, whatever there was before."),
    click.option("--fork", is_flag=True, help="With -c or -r: go on in a fork, and leave the session as it is."),
    click.option(
        "--name", "-n", metavar="TITLE", help="The title of the session that is begun; with -c or -r, its new one."
    ),
    click.option("--session-id", metavar="ID", help="The id of the session that is begun."),
    click.option(
        "--model", "-m", metavar="NAME", help="Which model, such as local, claude-NAME, gpt-NAME or ollama:NAME."
    ),
    click.option("--base-url", metavar="URL", help="Where the model is served, if not by its vendor."),
    click.option("--no-session", "ephemeral", is_flag=True, help="Keep nothing: the session is in memory only."),
    click.option("--store", metavar="LOCATION", help="Where sessions are kept; a file of your own by default."),
    click.option(
        "--tools/--no-tools", default=None, help="Let the model read this folder, and change it when you allow it."
    ),
    click.option("--max-budget-usd", "budget", metavar="DOLLARS", help="Stop when this chat has cost so much."),
    click.option("--log-dir", metavar="FOLDER", help="Write a log for people into this folder."),
    click.option("--raw-log", is_flag=True, help="Write down what goes over the wire, too."),
    click.option("--verbose", "-v", is_flag=True, help="Show what the model thinks, and what tools put out."),
    click.option("--output-format", "form", type=click.Choice(FORMATS), help="How it is printed; as text by default."),
    click.option("--json", "as_json", is_flag=True, help="The same as --output-format json."),
)


def chat_options(body: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options with which a chat begins; its body takes them as `Wanted` does."""
    for option in reversed(_OPTIONS):
        body = option(body)
    return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was typed to begin a chat."""

    go_on: bool
    reference: str | None
    new_session: bool
    fork: bool
    name: str | None
    session_id: str | None
    model: str | None
    base_url: str | None
    ephemeral: bool
    store: str | None
    tools: bool | None
    budget: str | None
    log_dir: str | None
    raw_log: bool
    verbose: bool
    form: str | None
    as_json: bool

    @property
    def picks(self) -> bool:
        """Whether the session is to be chosen from a list."""
        return self.reference == _PICK

    @property
    def output(self) -> str:
        """How it is printed.

        Raises:
            UsageError: two ways were named.
        """
        if self.as_json and self.form not in {None, "json"}:
            raise click.UsageError(f"--json is --output-format json, and not {self.form}")
        return "json" if self.as_json else self.form or "text"

    def check(self) -> None:
        """Do nothing if the options go together.

        Raises:
            UsageError: they do not.
        """
        named = self.reference is not None
        if self.go_on + named + self.new_session > 1:
            raise click.UsageError("a session is begun or gone on with: give one of -c, -r and --new-session")
        if self.ephemeral and (self.go_on or named or self.session_id is not None):
            raise click.UsageError("--no-session keeps nothing, so there is no session to go on with or to name")
        if self.fork and not (self.go_on or named):
            raise click.UsageError("--fork goes on in a fork of a session: say of which, with -c or -r SESSION")
        if self.picks and (self.fork or self.name is not None):
            raise click.UsageError("say which session it is about: -r SESSION")
        if self.session_id is not None and (self.go_on or named) and not self.fork:
            raise click.UsageError("--session-id is for a session that is begun: add --fork, or leave it out")


def make_start(wanted: Wanted, *, prompt: str | None = None) -> "Start":
    """Return how a chat begins: what was typed, and what the environment and the configuration say beside it.

    Raises:
        InvalidInputError, MissingExtraError, ModelUnavailableError: there is no such model, or it cannot be used.
    """
    from sojourn.desk.amounts import micros  # noqa: PLC0415
    from sojourn.desk.config import load_config  # noqa: PLC0415
    from sojourn.desk.home import here, store_location  # noqa: PLC0415
    from sojourn.desk.start import LAST, Start  # noqa: PLC0415
    from sojourn.engine.inputs import MAX_NAME, check_text  # noqa: PLC0415
    from sojourn.model.ids import check_session_id  # noqa: PLC0415

    if wanted.name is not None:
        check_text(wanted.name, "a title", most=MAX_NAME)
    if wanted.session_id is not None:
        check_session_id(wanted.session_id)
    loaded = load_config(os.environ, here())
    for note in loaded.notes:
        diagnostics.note(safe(note))
    config = loaded.config
    named = wanted.go_on or wanted.reference is not None
    is_given = prompt is not None or wanted.name is not None or wanted.session_id is not None
    begins = is_given or wanted.new_session or config.resume == "never"
    return Start(
        choice=_choice(wanted, config),
        location=store_location(wanted.store, os.environ),
        store=wanted.store,
        reference=LAST if wanted.go_on else None if wanted.picks else wanted.reference,
        pick=wanted.picks or (config.resume == "ask" and not named and not begins),
        new_session=begins and not named,
        fork=wanted.fork,
        name=wanted.name,
        session_id=wanted.session_id,
        prompt=prompt,
        tools=config.tools if wanted.tools is None else wanted.tools,
        ephemeral=wanted.ephemeral,
        budget_micros=micros(wanted.budget) if wanted.budget is not None else config.budget_micros,
        log_dir=Path(wanted.log_dir).expanduser() if wanted.log_dir else config.log_dir,
        raw_log=wanted.raw_log,
        verbose=wanted.verbose,
        config=config,
    )


def _choice(wanted: Wanted, config: "Config") -> "Choice":
    """Return the model that was named, by whoever comes first: the person now, the environment, the configuration."""
    from sojourn.providers.choosing import choose  # noqa: PLC0415 - who asks for help does not wait for models

    named = os.environ.get("SOJOURN_MODEL", "").strip()
    if wanted.model is not None or named or config.model is None:
        # An address belongs to the model that it was given with.
        beside = os.environ.get("SOJOURN_BASE_URL", "").strip() if named and wanted.model is None else ""
        return choose(wanted.model, environment=os.environ, base_url=wanted.base_url or beside or None)
    try:
        chosen = choose(config.model, environment=os.environ, base_url=wanted.base_url or config.base_url)
    except SojournError as error:
        error.add_note("your configuration names this model: sojourn config set model NAME")
        raise
    return replace(chosen, why="your configuration names it")
