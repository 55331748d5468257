"""Asking a human whether a call may run, so that the question outlives the process that asks.

The question is an interrupt of the session, of kind confirmation, that waits for ever. Its data says which call it is
about and what can be answered; the answer is that of a confirmation, with the exact one in its data. So any door can
answer it, through `answer_question` or through `session.interrupts`, in this process or in another, now or after days.
"""

import hashlib
import math
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from sojourn.agent.permissions.shown import shown
from sojourn.agent.permissions.verdicts import Approval, Ask
from sojourn.engine.nouns.allowances import granting
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, NotPendingError
from sojourn.model.allowances import Allowance
from sojourn.model.events import AllowanceGranted, InterruptRaised, InterruptResolved, ToolStarted
from sojourn.model.ids import Seq
from sojourn.model.interrupts import Interrupt, raised
from sojourn.store.protocol import MAX_PAGE

Approver = Callable[[Interrupt], Awaitable[Approval]]
"""Asks whoever is here. It is cancelled if somebody else answers first, and must stand that."""


_MOST_PATHS: Final = 5
_LONGEST_PATH: Final = 200
"""What goes with a question that offers nothing for single paths, because they are too many or too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What was asked about calls since some entry, oldest first, and where calls were started since."""

    asked: tuple[Interrupt, ...]
    started: Mapping[str, Seq]

    def find(self, call_id: str, *, after: int) -> Interrupt | None:
        """Return the last question about a call that was made after the entry *after*, and has not run.

        An answer is used up when its call runs: another call may have the same id.
        """
        since = max(after, self.started.get(call_id, 0))
        return next((one for one in reversed(self.asked) if one.seq > since and is_about(one, call_id)), None)

    def find_answer_to_all(self) -> Interrupt | None:
        """Return the last answer that ended the asking."""
        ends = (one for one in reversed(self.asked) if one.status == "resolved" and approval_of(one).ends_asking)
        return next(ends, None)


# --- ask


async def raise_question(
    session: Session, call_id: str, tool: str, arguments: dict[str, Any], ask: Ask, *, asked_at: int | None = None
) -> Interrupt:
    """Put the question about a call of *tool* into the journal; *asked_at* is the message that made the call.

    Raises:
        InvalidInputError: 100 questions wait already.
    """
    turn = session.state.conversation.turn
    return await session.interrupts.raise_(
        "confirmation",
        question=ask.question,
        data={
            "call_id": call_id,
            "tool": tool,
            "arguments": shown(arguments),
            "options": list(ask.options),
            "paths": list(ask.paths) if ask.folders else [path[-_LONGEST_PATH:] for path in ask.paths[:_MOST_PATHS]],
            "folders": list(ask.folders),
            "fingerprint": fingerprint(arguments, ask),
        },
        request_id=None if turn is None else turn.turn_id,
        ttl=math.inf,
        causes=() if asked_at is None else (asked_at,),
    )


def fingerprint(arguments: dict[str, Any], ask: Ask) -> str:
    """Return what tells this call from one with other arguments, or with a path that leads elsewhere."""
    return hashlib.sha256(msgspec.json.encode([arguments, ask.paths], order="sorted")).hexdigest()


def is_about(interrupt: Interrupt, call_id: str) -> bool:
    """Tell whether *interrupt* asks whether this call may run."""
    return interrupt.kind == "confirmation" and interrupt.data.get("call_id") == call_id


def is_of(interrupt: Interrupt, tool: str, arguments: dict[str, Any], ask: Ask) -> bool:
    """Tell whether *interrupt* asks just this: the same tool, with the same arguments, in the same places."""
    data = interrupt.data
    return data.get("tool") == tool and data.get("fingerprint") == fingerprint(arguments, ask)


async def read_questions(session: Session, *, after: int) -> Questions:
    """Return what was asked about calls after the entry *after*."""
    found: dict[str, Interrupt] = {}
    started: dict[str, Seq] = {}
    while entries := await session.store.read(session.id, after=after, limit=MAX_PAGE):
        for entry in entries:
            match entry.event:
                case InterruptRaised(interrupt_id=raised_id, data=data) as event if "call_id" in data:
                    found.setdefault(raised_id, raised(entry, event))
                case InterruptResolved(interrupt_id=resolved_id) if resolved_id in found:
                    found[resolved_id] = found[resolved_id].apply(entry)
                case ToolStarted(call_id=call_id):
                    started[call_id] = entry.seq
        after = entries[-1].seq
        if len(entries) < MAX_PAGE:
            break
    return Questions(asked=tuple(found.values()), started=started)


async def wait_for_end(session: Session, interrupt_id: str) -> Interrupt:
    """Return the question once it is answered, cancelled or late, by whichever process. May be cancelled."""
    async with session.store.subscribe(session.id) as heads:
        while True:
            interrupt = await session.interrupts.get(interrupt_id)
            if interrupt.status != "pending":
                return interrupt
            await anext(heads)


# --- answer


async def answer_question(
    session: Session, interrupt_id: str, approval: Approval, *, user_id: str | None = None
) -> Interrupt:
    """Answer a question whether a call may run. Of several answers at once, one counts.

    *user_id* is who answers; None is a caller that is trusted with every question.

    Raises:
        NotFoundError: there is no such question for this user.
        NotPendingError: it was answered or cancelled.
        InvalidInputError: it cannot be answered so.
    """
    interrupt = await session.interrupts.get(interrupt_id, user_id=user_id)
    offered = interrupt.data.get("options", ())
    if approval not in offered:
        raise InvalidInputError(f"the answer is one of {', '.join(offered) or 'none'}, got {approval!r:.50}")
    chosen = Approval(approval)
    return await session.interrupts.answer(
        interrupt_id, approved=chosen.is_yes, data={"approval": chosen}, user_id=user_id
    )


def approval_of(interrupt: Interrupt) -> Approval:
    """Return what a human answered. Anything but a clear yes is a no; a yes that says no more is for once."""
    said = interrupt.response.get("data")
    exact = said.get("approval") if isinstance(said, dict) else None
    if interrupt.status != "resolved" or interrupt.response.get("approved") is not True:
        return Approval.DENY_ALL if exact == Approval.DENY_ALL and interrupt.status == "resolved" else Approval.NO
    return Approval(str(exact)) if exact in interrupt.data.get("options", ()) else Approval.ONCE


def lasting(interrupt: Interrupt, held: Collection[Allowance]) -> list[AllowanceGranted]:
    """Return what the answer allows beyond the call, but for what is *held* already."""
    tool, approval = interrupt.data["tool"], approval_of(interrupt)
    wanted: list[AllowanceGranted] = []
    match approval:
        case Approval.SESSION:
            wanted = [granting(tool, scope="session", interrupt_id=interrupt.interrupt_id)]
        case Approval.FILE:
            wanted = [
                granting(tool, scope="file", path=path, interrupt_id=interrupt.interrupt_id)
                for path in interrupt.data["paths"]
            ]
        case Approval.FOLDER:
            wanted = [
                granting(tool, scope="folder", path=path, interrupt_id=interrupt.interrupt_id)
                for path in interrupt.data["folders"]
            ]
    known = {(one.tool, one.scope, one.path) for one in held}
    return [one for one in wanted if (one.tool, one.scope, one.path) not in known]


async def drop_questions(
    session: Session, call_ids: Collection[str] | None = None, *, reason: str = "the talk went on without this call"
) -> int:
    """Take back the questions that wait about these calls; return how many. One that is answered first stays so.

    None is about every call that has its result, or never gets one: there is nothing left to allow.
    """
    open_calls = {call.call_id for call in session.state.conversation.open_calls}
    dropped = 0
    for interrupt in session.interrupts.pending():
        call_id = interrupt.data.get("call_id") if interrupt.kind == "confirmation" else None
        if call_id is not None and (call_id not in open_calls if call_ids is None else call_id in call_ids):
            try:
                await session.interrupts.cancel(interrupt.interrupt_id, reason)
            except NotPendingError:
                continue
            dropped += 1
    return dropped
