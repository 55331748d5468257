"""Questions and approvals that wait for a human, and outlive a restart.

The state holds the open ones whole. Of those that are closed it holds only where they stand, because answers are of
any length and nobody needs them at every turn; their content is two short reads of the journal away.
"""

from datetime import datetime
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import InterruptKind, InterruptRaised, InterruptResolved, InterruptStatus
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_OPEN: Final = 100
MAX_CLOSED: Final = 100


class Interrupt(Value, frozen=True, kw_only=True):
    """One question, from the moment it is raised to what became of it.

    *user_id* is who is asked; without one, anybody. *response* and *reason* are those of its end, *resolved_by* is who
    ended it.
    """

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
    status: InterruptStatus = "pending"
    response: dict[str, Any] = {}
    reason: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None

    @property
    def needs_answer(self) -> bool:
        """Whether somebody must do something about it; a checkpoint only tells."""
        return self.kind != "checkpoint"

    def is_late(self, at: datetime) -> bool:
        """Tell whether its time is over at *at*, though nobody may have noted it yet."""
        return self.status == "pending" and self.expires_at is not None and at >= self.expires_at

    def apply(self, entry: Entry) -> "Interrupt":
        """Return the question after *entry*; only its own end changes it, and only the first one."""
        event = entry.event
        if (
            not isinstance(event, InterruptResolved)
            or event.interrupt_id != self.interrupt_id
            or self.status != "pending"
        ):
            return self
        return replace(
            self,
            status=event.status,
            response=event.response,
            reason=event.reason,
            resolved_at=entry.at,
            resolved_by=event.user_id,
        )


class Closed(NamedTuple):
    """Where a question was raised, and where it ended."""

    raised: Seq
    resolved: Seq


class Interrupts(Value, frozen=True, kw_only=True):
    """The open questions by id, oldest first, and where the last closed ones stand; at most 100 of each.

    Past the limit the oldest open checkpoint leaves, or if there is none, the oldest question. It is still open: the
    journal knows it.
    """

    open: dict[str, Interrupt] = {}
    closed: dict[str, Closed] = {}

    def apply(self, entry: Entry) -> "Interrupts":
        """Return the questions after *entry*."""
        match entry.event:
            case InterruptRaised(interrupt_id=raised_id):
                if raised_id in self.open or raised_id in self.closed:
                    return self
                return replace(self, open=_fitting({**self.open, raised_id: raised(entry, entry.event)}))
            case InterruptResolved(interrupt_id=resolved_id) if resolved_id in self.open:
                closed = {**self.closed, resolved_id: Closed(self.open[resolved_id].seq, entry.seq)}
                return Interrupts(
                    open={name: one for name, one in self.open.items() if name != resolved_id},
                    closed=dict(list(closed.items())[-MAX_CLOSED:]),
                )
            case _:
                return self


def raised(entry: Entry, event: InterruptRaised) -> Interrupt:
    """Return the question that *entry*, whose event is *event*, raised."""
    return Interrupt(
        interrupt_id=event.interrupt_id,
        kind=event.interrupt,
        raised_at=entry.at,
        seq=entry.seq,
        question=event.question,
        message=event.message,
        data=event.data,
        request_id=event.request_id,
        user_id=event.user_id,
        expires_at=event.expires_at,
    )


def _fitting(questions: dict[str, Interrupt]) -> dict[str, Interrupt]:
    if len(questions) <= MAX_OPEN:
        return questions
    leaving = next((name for name, one in questions.items() if not one.needs_answer), next(iter(questions)))
    return {name: one for name, one in questions.items() if name != leaving}
