"""What tools may do in a session without asking again, because somebody said so."""

from typing import Final

from sojourn.model.bounded import with_newest
from sojourn.model.entry import Entry
from sojourn.model.events import AllowanceGranted, AllowanceScope, AllowanceWithdrawn
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_ALLOWANCES: Final = 200


class Allowance(Value, frozen=True, kw_only=True):
    """One tool may run: always in the session, or on *path*, or on what is within it. *seq* is where that was said."""

    tool: str
    scope: AllowanceScope
    path: str | None = None
    seq: Seq


class Allowances(Value, frozen=True, kw_only=True):
    """Those that hold, the oldest first; beyond 200 the oldest goes, and has to be asked for again."""

    granted: tuple[Allowance, ...] = ()

    def apply(self, entry: Entry) -> "Allowances":
        """Return the allowances after *entry*."""
        match entry.event:
            case AllowanceGranted(tool=tool, scope=scope, path=path):
                allowance = Allowance(tool=tool, scope=scope, path=path, seq=entry.seq)
                return Allowances(
                    granted=with_newest(self.granted, allowance, limit=MAX_ALLOWANCES, same=_are_the_same)
                )
            case AllowanceWithdrawn(tool=tool, path=path):
                kept = (one for one in self.granted if one.tool != tool or path not in (None, one.path))
                return Allowances(granted=tuple(kept))
            case _:
                return self


def _are_the_same(one: Allowance, other: Allowance) -> bool:
    return (one.tool, one.scope, one.path) == (other.tool, other.scope, other.path)
