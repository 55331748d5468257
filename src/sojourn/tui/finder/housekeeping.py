"""Naming, tagging, archiving and throwing away, each with a way back."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sojourn.desk.wording import one_line
from sojourn.engine.sessions import SessionManager
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class _Undo:
    """How to take something back, in which session, and what to say then."""

    session_id: SessionId
    said: str
    act: Callable[[], Awaitable[object]]


class Housekeeping:
    """What was done to sessions on this screen, so that it can be taken back. Lives as long as the screen.

    Each method says in one line what it did.
    """

    def __init__(self, sessions: SessionManager) -> None:
        self._sessions = sessions
        self._done: list[_Undo] = []

    @property
    def steps(self) -> int:
        """How many things can be taken back."""
        return len(self._done)

    async def rename(self, header: SessionHeader, title: str) -> str:
        """Give a session a title."""
        before = header.title
        await self._sessions.rename(header.session_id, title)
        if before is not None:
            self._note(header, f"it is called {_name(header)} again", lambda: self._back_to(header, before))
        return f"it is called {one_line(title, most=40)} now"

    async def _back_to(self, header: SessionHeader, title: str) -> None:
        await self._sessions.rename(header.session_id, title)

    async def tag(self, header: SessionHeader, tags: list[str]) -> str:
        """Let a session have these tags and no others."""
        added = [tag for tag in tags if tag not in header.tags]
        removed = [tag for tag in header.tags if tag not in tags]
        if not added and not removed:
            return "the tags are as they were"
        await self._sessions.tag(header.session_id, add=added, remove=removed)
        self._note(
            header,
            f"{_name(header)} has the tags that it had",
            lambda: self._sessions.tag(header.session_id, add=removed, remove=added),
        )
        return f"tagged {', '.join(tags)}" if tags else "no tags any more"

    async def archive(self, header: SessionHeader) -> str:
        """Put a session aside."""
        await self._sessions.archive(header.session_id)
        self._note(
            header, f"{_name(header)} is out of the archive", lambda: self._sessions.unarchive(header.session_id)
        )
        return f"archived {_name(header)}"

    async def unarchive(self, header: SessionHeader) -> str:
        """Take a session out of the archive."""
        await self._sessions.unarchive(header.session_id)
        self._note(header, f"{_name(header)} is archived again", lambda: self._sessions.archive(header.session_id))
        return f"{_name(header)} is out of the archive"

    async def throw_away(self, header: SessionHeader) -> str:
        """Throw a session into the trash."""
        await self._sessions.delete(header.session_id)
        self._note(header, f"{_name(header)} is out of the trash", lambda: self._sessions.restore(header.session_id))
        return f"{_name(header)} is in the trash"

    async def restore(self, header: SessionHeader) -> str:
        """Take a session out of the trash."""
        await self._sessions.restore(header.session_id)
        self._note(header, f"{_name(header)} is in the trash again", lambda: self._sessions.delete(header.session_id))
        return f"{_name(header)} is out of the trash"

    async def undo(self) -> tuple[SessionId, str] | None:
        """Take back what was done last, and say in which session and what; None if there is nothing to take back."""
        if not self._done:
            return None
        last = self._done[-1]
        await last.act()
        self._done.remove(last)
        return last.session_id, last.said

    def _note(self, header: SessionHeader, said: str, act: Callable[[], Awaitable[object]]) -> None:
        self._done.append(_Undo(session_id=header.session_id, said=said, act=act))


def _name(header: SessionHeader) -> str:
    return f"“{one_line(header.title or 'no title', most=40)}”"
