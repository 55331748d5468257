"""How a chat is set up: the store, the model, what the model is told and what it may do."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio.to_thread
from msgspec.structs import replace

import sojourn
from sojourn.agent.instructions import load_instructions
from sojourn.agent.logs.config import DEFAULT_FOLDER, LogConfig, LogStream
from sojourn.agent.permissions.approvals import Approver
from sojourn.agent.permissions.gate import WhenNobody
from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.desk.conversation import Conversation, Note, Partner, Terms
from sojourn.desk.equipment import equip
from sojourn.desk.home import instructions_file
from sojourn.desk.overheard import overheard
from sojourn.desk.start import LAST, Start
from sojourn.engine.session import Session
from sojourn.errors import AlreadyExistsError, SessionNotFoundError
from sojourn.model.usage import Usage
from sojourn.providers.choosing import Choice, choose
from sojourn.providers.local import WEIGHTS_FILE
from sojourn.providers.protocol import Provider
from sojourn.providers.structured import StructuredByProvider

if TYPE_CHECKING:  # few have servers of tools
    from sojourn.agent.mcp.servers import Mcp

_ROOMY: Final = 16_000
"""Tokens that a model must take to be told of tools and how to work: those alone are some thousands."""

_TINY: Final = "it is a very small model: good for trying sessions, and often wrong"


def caution(choice: Choice) -> str:
    """Return what one should know of a model before one trusts it; empty if nothing."""
    return _TINY if f"{choice.model}.gguf" == WEIGHTS_FILE else ""


@asynccontextmanager
async def open_conversation(
    start: Start, *, approver: Approver | None, note: Note, when_nobody: WhenNobody = "deny", once: bool = False
) -> AsyncIterator[Conversation]:
    """Open the store and the model of *start* for the time of a chat in this folder, in one task.

    With tools the model may read the folder, and change it when *approver* says so; without an approver it is as
    *when_nobody* says. *note* hears what should be known and stops nothing, such as what fails in the background.
    `enter` goes into the session. A chat that is over after *once* loads no large table that it can do without.
    """
    known = _known(start.choice, start)
    # The model writes summaries. It does not read every exchange as well, which would cost as much as the talk itself.
    settings = sojourn.Settings(
        models={**start.config.prices, start.choice.model: known},
        learning="rules",
        keep_profile=start.config.keep_profile,
        brief=once,
    )
    async with AsyncExitStack() as stack:
        stack.enter_context(overheard(note))
        provider = start.choice.open()
        stack.push_async_callback(provider.close)
        summarises = _is_roomy(known) and start.choice.provider != "scripted"
        app = await stack.enter_async_context(
            sojourn.open(
                "memory:" if start.ephemeral else start.location,
                settings=settings,
                model=StructuredByProvider(provider) if summarises else None,
            )
        )
        mcp = await _servers(start, note, stack) if start.tools and start.config.mcp else None
        outfitter = _Outfitter(start=start, app=app, mcp=mcp, approver=approver, when_nobody=when_nobody, note=note)
        conversation = Conversation(
            app,
            await outfitter.partner(start.choice, provider),
            project=await app.sessions.project_of(Path.cwd()),
            terms=_terms(start),
            mcp=mcp,
            find_partner=outfitter.find,
            note=note,
        )
        stack.push_async_callback(conversation.close)
        yield conversation


async def enter(conversation: Conversation, start: Start) -> Session | None:
    """Go into the session that *start* names, or into a fork of it; None if what is said first begins one.

    Whoever lets the person pick does that first, and hands in a start that names what he picked.

    Raises:
        SessionNotFoundError, InvalidInputError: the reference names none, or several.
        AlreadyExistsError: the id for a new session is taken.
    """
    if start.session_id is not None and await conversation.app.store.find_session(start.session_id) is not None:
        raise AlreadyExistsError(f"session={start.session_id}; go on with it by -r {start.session_id}")
    if start.new_session or start.ephemeral:
        return None
    try:
        if start.fork:
            return await conversation.fork(start.reference or LAST, name=start.name, session_id=start.session_id)
        session = await conversation.resume(start.reference)
    except SessionNotFoundError as error:
        if start.reference != LAST:
            raise
        raise SessionNotFoundError(
            "there is no session in this project yet; leave out --continue to begin one"
        ) from error
    if session is not None and start.name is not None:
        await conversation.app.sessions.rename(session.id, start.name)
    return session


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outfitter:
    """Prepares models for one chat: what they are told, and what they may do. Lives as long as it."""

    start: Start
    app: sojourn.Sojourn
    mcp: "Mcp | None"
    approver: Approver | None
    when_nobody: WhenNobody
    note: Note

    async def find(self, name: str) -> Partner:
        """Return the model of this name, opened; the errors are those of `choose`."""
        choice = await anyio.to_thread.run_sync(partial(choose, name, environment=os.environ))
        self.app.models.learn(choice.model, _known(choice, self.start))
        return await self.partner(choice, choice.open())

    async def partner(self, choice: Choice, provider: Provider) -> Partner:
        """Return an open model with what it is told and may do."""
        known = _known(choice, self.start)
        if self.start.budget_micros is not None and not _is_priced(choice, known):
            self.note(
                f"nobody knows what {choice.model} costs, so the budget cannot be kept: sojourn config set prices"
            )
        if not _is_roomy(known):
            return Partner(provider=provider, choice=choice)
        folder = Path.cwd()
        may_act = partial(
            equip,
            folder=folder,
            environment=os.environ,
            approver=self.approver,
            when_nobody=self.when_nobody,
            sources=self.mcp.sources if self.mcp is not None else (),
        )
        return Partner(
            provider=provider,
            choice=choice,
            instructions=await _instructions(folder, self.note),
            equip=may_act if self.start.tools and provider.takes_tools else None,
        )


async def _servers(start: Start, note: Note, stack: AsyncExitStack) -> "Mcp | None":
    from sojourn.desk.tool_servers import open_servers  # noqa: PLC0415 - few have any

    return await stack.enter_async_context(open_servers(start.config.mcp, note))


def _known(choice: Choice, start: Start) -> ModelInfo:
    """Return what is known about a model: by the person, and by where it runs."""
    known = start.config.prices.get(choice.model, ModelInfo())
    if choice.window is not None:
        known = replace(known, window=choice.window)
    if not choice.costs:
        known = replace(known, input_price=0.0, output_price=0.0)
    return known


def _is_roomy(known: ModelInfo) -> bool:
    return known.window is None or known.window >= _ROOMY


def _is_priced(choice: Choice, known: ModelInfo) -> bool:
    used = Usage(model=choice.model, input_tokens=1)
    return ModelCatalog({choice.model: known}).priced(used).cost_micros is not None


def _terms(start: Start) -> Terms:
    log = None
    if start.raw_log or start.log_dir is not None:
        streams = LogStream.CONTEXT
        streams |= LogStream.RAW if start.raw_log else LogStream.NONE
        streams |= LogStream.VERBOSE if start.verbose else LogStream.NONE
        log = LogConfig(base_dir=start.log_dir or DEFAULT_FOLDER, streams=streams)
    return Terms(
        name=start.name,
        session_id=start.session_id,
        budget_micros=start.budget_micros,
        log=log,
        in_passing=start.in_passing,
    )


async def _instructions(folder: Path, note: Note) -> str:
    """Return what the model is told first, by Sojourn, by the person and by the project."""
    loaded = await load_instructions(user_file=instructions_file(os.environ), folder=folder)
    for text in loaded.notes:
        note(text)
    return loaded.text
