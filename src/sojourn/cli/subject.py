"""Which session a command is about, opened to be looked at or to be changed."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from sojourn.cli.place import Place

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.desk.config import Config
    from sojourn.engine.app import Sojourn
    from sojourn.engine.session import Session

session_option: Final = click.option(
    "--session", "-s", "reference", metavar="SESSION", default="@last", help="In this session; the one used last."
)


class Opened(NamedTuple):
    """An app, and the session in it that a command is about."""

    app: "Sojourn"
    session: "Session"


def settled(place: Place) -> "Config":
    """Return what the person and the project have settled for whoever works here."""
    from sojourn.desk.config import load_config  # noqa: PLC0415

    return load_config(os.environ, place.folder).config


@asynccontextmanager
async def looking_at(place: Place, reference: str) -> AsyncIterator["Session"]:
    """Open the session that *reference* names on the store alone: nothing is learned, indexed or changed."""
    from sojourn.engine.session import Session  # noqa: PLC0415

    async with place.store() as store:
        header = await place.find(store, reference)
        yield await Session.open(store, header.session_id)


@asynccontextmanager
async def changing(place: Place, reference: str, *, whole: bool = False) -> AsyncIterator[Opened]:
    """Open the session that *reference* names, to change it or to look beyond it.

    It is the very session that is named, also if it was rewound and goes on under another id: what was seen there is
    what is changed. With *whole*, mere words of its title do not name it.
    """
    async with place.app(config=settled(place)) as app:
        header = await place.find(app.store, reference, whole=whole)
        yield Opened(app, await app.sessions.open(header.session_id, exact=True))
