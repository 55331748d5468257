"""Questions and approvals that wait for a human, and outlive a restart."""

from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import InterruptKind, InterruptRaised, InterruptResolved
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_OPEN: Final = 100


class Interrupt(Value, frozen=True, kw_only=True):
    """One question that is still open."""

    interrupt_id: str
    kind: InterruptKind
    raised_at: datetime
    seq: Seq
    question: str | None = None
    message: str | None = None
    data: dict[str, Any] = {}
    request_id: str | None = None
    user_id: str | None = None
    expires_at: datetime | None = None


class Interrupts(Value, frozen=True, kw_only=True):
    """The open questions by id, oldest first, at most 100."""

    open: dict[str, Interrupt] = {}

    def apply(self, entry: Entry) -> "Interrupts":
        """Return the open questions after *entry*."""
        match entry.event:
            case InterruptRaised() as raised:
                interrupt = Interrupt(
                    interrupt_id=raised.interrupt_id,
                    kind=raised.interrupt,
                    raised_at=entry.at,
                    seq=entry.seq,
                    question=raised.question,
                    message=raised.message,
                    data=raised.data,
                    request_id=raised.request_id,
                    user_id=raised.user_id,
                    expires_at=raised.expires_at,
                )
                kept = dict(list(self.open.items())[-(MAX_OPEN - 1) :])
                return replace(self, open={**kept, raised.interrupt_id: interrupt})
            case InterruptResolved(interrupt_id=answered):
                return replace(self, open={name: one for name, one in self.open.items() if name != answered})
            case _:
                return self
