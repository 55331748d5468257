"""What tools may do in a session without asking again: `session.allowances`."""

from collections.abc import Iterable
from pathlib import PurePath

from sojourn.engine.deciding import append_decided
from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError
from sojourn.model.allowances import Allowance
from sojourn.model.entry import Draft
from sojourn.model.events import AllowanceGranted, AllowanceScope, AllowanceWithdrawn
from sojourn.model.state import SessionState


class AllowancesNoun:
    """Grants, lists and withdraws. They are in the journal, so they hold after a restart."""

    def __init__(self, session: Live) -> None:
        self._session = session

    def list(self, tool: str | None = None) -> tuple[Allowance, ...]:
        """Return those that hold (for *tool*), the oldest first."""
        granted = self._session.state.allowances.granted
        return tuple(one for one in granted if tool is None or one.tool == tool)

    async def grant(
        self,
        tool: str,
        *,
        scope: AllowanceScope = "session",
        path: str | None = None,
        interrupt_id: str | None = None,
        causes: Iterable[int] = (),
    ) -> Allowance:
        """Let *tool* run without asking: on the file or within the folder *path*, or always in the session.

        *interrupt_id* is the question that a human answered so.

        Raises:
            InvalidInputError: the scope is not known, or needs another path than the one that is given.
        """
        event = granting(tool, scope=scope, path=path, interrupt_id=interrupt_id)
        [entry] = (await self._session.append(event, causes=causes)).entries
        return Allowance(tool=tool, scope=scope, path=path, seq=entry.seq)

    async def withdraw(self, tool: str, *, path: str | None = None) -> int:
        """Let *tool* ask again: for *path*, or for everything; return how many allowances that ended."""
        check_text(tool, "a tool's name", most=MAX_NAME)
        ended: list[Allowance] = []

        async def decide(state: SessionState) -> list[Draft]:
            ended[:] = [one for one in state.allowances.granted if one.tool == tool and path in (None, one.path)]
            event = AllowanceWithdrawn(tool=tool, path=path)
            return [Draft(event=event, causes=tuple(one.seq for one in ended))] if ended else []

        await append_decided(self._session, decide)
        return len(ended)


def granting(
    tool: str, *, scope: AllowanceScope, path: str | None = None, interrupt_id: str | None = None
) -> AllowanceGranted:
    """Return the event that grants an allowance.

    Raises:
        InvalidInputError: the scope is not known, or needs another path than the one that is given.
    """
    check_text(tool, "a tool's name", most=MAX_NAME)
    if scope not in ("file", "folder", "session"):
        raise InvalidInputError(f"an allowance is for a file, a folder or the session, got {scope!r:.50}")
    if scope == "session" and path is not None:
        raise InvalidInputError("an allowance for the session has no path; name the file or the folder as its scope")
    if scope != "session":
        check_text(path or "", f"the path of the {scope}")
        if path is None or not PurePath(path).is_absolute():
            raise InvalidInputError(f"an allowance needs an absolute path, got {path!r:.100}")
    return AllowanceGranted(tool=tool, scope=scope, path=path, interrupt_id=interrupt_id)
