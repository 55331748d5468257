"""How a chat is set up: the store, the model, what the model is told and what it may do."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import sojourn
from sojourn.agent.instructions import load_instructions
from sojourn.agent.permissions.approvals import Approver
from sojourn.context.models import ModelInfo
from sojourn.desk.conversation import INSTRUCTIONS, Conversation
from sojourn.desk.equipment import equip
from sojourn.desk.home import instructions_file
from sojourn.providers.choosing import Choice
from sojourn.providers.local import WEIGHTS_FILE
from sojourn.providers.structured import StructuredByProvider

_ROOMY: Final = 16_000
"""Tokens that a model must take to be told of tools and how to work: those alone are some thousands."""

_TINY: Final = "it is a very small model: good for trying sessions, and often wrong"

Note = Callable[[str], None]


def caution(choice: Choice) -> str:
    """Return what one should know of a model before one trusts it; empty if nothing."""
    return _TINY if f"{choice.model}.gguf" == WEIGHTS_FILE else ""


@asynccontextmanager
async def open_conversation(
    choice: Choice, location: str | Path, *, tools: bool, approver: Approver | None, note: Note
) -> AsyncIterator[Conversation]:
    """Open the store at *location* and the model of *choice* for the time of a chat in this folder.

    With *tools* the model may read the folder, and change it when *approver* says so. *note* hears what should be known
    and is no error.
    """
    known = ModelInfo(window=choice.window)
    if not choice.costs:
        known = ModelInfo(window=choice.window, input_price=0.0, output_price=0.0)
    folder = Path.cwd()
    # The model writes summaries. It does not read every exchange as well, which would cost as much as the talk itself.
    settings = sojourn.Settings(models={choice.model: known}, learning="rules")
    provider = choice.open()
    is_roomy = choice.window is None or choice.window >= _ROOMY
    summariser = StructuredByProvider(provider) if is_roomy and choice.provider != "scripted" else None
    try:
        async with sojourn.open(location, settings=settings, model=summariser) as app:
            yield Conversation(
                app,
                provider,
                project=await app.sessions.project_of(folder),
                choice=choice,
                instructions=await _instructions(folder, note) if is_roomy else INSTRUCTIONS,
                equip=partial(equip, folder=folder, environment=os.environ, approver=approver)
                if tools and is_roomy and provider.takes_tools
                else None,
            )
    finally:
        await provider.close()


async def _instructions(folder: Path, note: Note) -> str:
    """Return what the model is told first, by Sojourn, by the person and by the project."""
    loaded = await load_instructions(user_file=instructions_file(os.environ), folder=folder)
    for text in loaded.notes:
        note(text)
    return loaded.text
