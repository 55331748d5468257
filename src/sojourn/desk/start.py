"""What a chat is begun with: all that was typed, and what the configuration adds to it."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sojourn.desk.config import Config
from sojourn.desk.home import shown
from sojourn.desk.references import short
from sojourn.providers.choosing import Choice

LAST: Final = "@last"
"""Names the session that was used last in this project, and insists that there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How a chat begins. Whoever makes it has checked that its parts go together.

    `opening.open_conversation` opens what it needs, and `opening.enter` goes into its session.

    Attributes:
        choice: the model.
        location: where sessions are kept.
        store: the place as it was typed, for the command that goes on; None if none was.
        reference: the session to go on with, as it was typed. None is the one used last in this project, if any.
        pick: let the person choose the session from a list first.
        new_session: begin a session, whatever there was before.
        fork: go on in a fork, and leave the session as it is.
        name: the title of the session that is begun, forked or gone on with.
        session_id: the id of the session that is begun or forked.
        prompt: what is said first.
        in_passing: only that is said: who talks in this project goes on where he talked before.
        tools: whether the model may use tools.
        ephemeral: keep nothing: the session is in memory only.
        budget_micros: what this chat may spend, in millionths of a dollar; None is no limit.
        log_dir: where a log for people is written; None writes none.
        raw_log: write down what goes over the wire, too.
        verbose: show what the model thinks, and what tools put out.
        config: what is settled beside that: prices, servers of tools, the theme.
    """

    choice: Choice
    location: str | Path
    store: str | None = None
    reference: str | None = None
    pick: bool = False
    new_session: bool = False
    fork: bool = False
    name: str | None = None
    session_id: str | None = None
    prompt: str | None = None
    in_passing: bool = False
    tools: bool = True
    ephemeral: bool = False
    budget_micros: int | None = None
    log_dir: Path | None = None
    raw_log: bool = False
    verbose: bool = False
    config: Config = field(default_factory=Config)


def again(session_id: str, store: str | None) -> str:
    """Return the command that goes on with a session; *store* is the place as it was typed, if one was."""
    where = f" --store {shlex.quote(store)}" if store is not None and shown(store) == store else ""
    return f"sojourn -r {short(session_id)}{where}"
