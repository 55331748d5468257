"""Reading on in a long result. The journal has it whole; a model was shown its beginning."""

from collections.abc import AsyncIterator
from typing import Annotated, Final

from msgspec import Meta

from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import MessageAdded
from sojourn.model.message import Message

MAX_LOOKED_AT: Final = 10_000
"""Messages that are looked at, from the newest back."""
_PAGE: Final = 200
Offset = Annotated[int, Meta(ge=0)]
Limit = Annotated[int, Meta(ge=1, le=MAX_CHARS)]


def result_skills(services: ServiceContainer) -> tuple[Skill, ...]:
    """Return the skill that reads on in results of the session of *services*."""
    return (skill_of(read_more, traits=SkillTraits(reads_only=True, inward=True), services=services),)


async def read_more(call_id: str, session: Session, offset: Offset = 0, limit: Limit = MAX_CHARS) -> ToolResult:
    """Read on in a tool's result that was shown only in part.

    Args:
        call_id: the call whose result it is, as the shortened result names it.
        offset: the character to begin at.
        limit: how many characters to read.
    """
    async for message in _results(session):
        if message.tool_call_id == call_id:
            return _page(message.text, offset, limit)
    raise NotFoundError(f"no result of a call {call_id!r:.100} in the last {MAX_LOOKED_AT:,} messages")


async def _results(session: Session) -> AsyncIterator[Message]:
    """Yield the results of tools, newest first."""
    before: int | None = None
    for _ in range(MAX_LOOKED_AT // _PAGE):
        page = await session.messages.last(_PAGE, before=before)
        for entry in reversed(page):
            if isinstance(entry.event, MessageAdded) and entry.event.message.role == "tool":
                yield entry.event.message
        if len(page) < _PAGE:
            return
        before = page[0].seq


def _page(text: str, offset: int, limit: int) -> ToolResult:
    if offset >= max(len(text), 1):
        raise InvalidInputError(f"the result has {len(text):,} characters: offset {offset:,} is past its end")
    shown = text[offset : offset + limit]
    end = offset + len(shown)
    rest = f"; read on with offset={end}" if end < len(text) else ", its end"
    return ToolResult(output=f"{shown}\n[characters {offset:,} to {end:,} of {len(text):,}{rest}]", data=shown)
