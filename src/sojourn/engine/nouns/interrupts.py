"""Questions and approvals that wait for a human: `session.interrupts`.

A question is raised, and then ends once: answered, cancelled, or out of time. Whether its time is over is asked of the
session's clock whenever it matters, so a late answer is refused even if nobody has swept yet; the sweep, `expire`, only
writes it down. Expiry goes by wall time, because a question outlives the process and the machine that asked it.
"""

import math
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any, Final, Literal, TypedDict, Unpack

import uuid_utils
from msgspec.structs import replace

from sojourn.engine.deciding import append_decided
from sojourn.engine.inputs import MAX_NAME, MAX_SECONDS, check_data, check_seconds, check_text
from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError, NotFoundError, NotPendingError
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import InterruptKind, InterruptRaised, InterruptResolved
from sojourn.model.ids import Seq
from sojourn.model.interrupts import MAX_OPEN, Interrupt, raised
from sojourn.model.state import SessionState
from sojourn.store.protocol import Order

ReviewDecision = Literal["approve", "reject", "modify"]

DEFAULT_SECONDS: Final[dict[InterruptKind, float]] = {
    "clarification": 24 * 3600.0,
    "confirmation": 3600.0,
    "agent_review": 30 * 60.0,
    "checkpoint": math.inf,
    "resource_exhausted": 5 * 60.0,
    "timeout": 5 * 60.0,
    "system_error": 3600.0,
}
"""How long a question of each kind waits, unless whoever raises it says otherwise."""

_ANSWERED_BY: Final[dict[InterruptKind, str]] = {
    "clarification": "text",
    "confirmation": "approved",
    "agent_review": "decision",
}
"""What an answer must say. The other kinds are only acknowledged, with *data* or nothing."""

_DECISIONS: Final = ("approve", "reject", "modify")
_PAGE: Final = 500


class AskOptions(TypedDict, total=False):
    """What `raise_` takes besides the words; it says what each means."""

    data: dict[str, Any] | None
    request_id: str | None
    user_id: str | None
    ttl: float | None
    causes: Iterable[int]


class InterruptsNoun:
    """Raises, answers, cancels and finds questions. What another process has answered counts, too."""

    def __init__(self, session: Live) -> None:
        self._session = session

    # --- ask

    async def raise_(
        self,
        kind: InterruptKind,
        *,
        question: str | None = None,
        message: str | None = None,
        data: dict[str, Any] | None = None,
        request_id: str | None = None,
        user_id: str | None = None,
        ttl: float | None = None,
        causes: Iterable[int] = (),
    ) -> Interrupt:
        """Let something wait for a human.

        Args:
            kind: one of the seven; a checkpoint needs no answer.
            question: what is asked; a clarification needs it, a confirmation needs it or a message.
            message: what there is to say.
            data: anything else, as JSON.
            request_id: the request that waits for the answer.
            user_id: who must answer; the session's user by default, and if it has none, anybody.
            ttl: how many seconds it waits; None is the kind's own time, `math.inf` for ever.
            causes: the entries that led to it.

        Raises:
            InvalidInputError: the kind is not known, something is missing or too long, or 100 questions wait.
        """
        _check_question(kind, question, message)
        for name, text in (("a request's id", request_id), ("a user's id", user_id)):
            if text is not None:
                check_text(text, name, most=MAX_NAME)
        seconds = DEFAULT_SECONDS[kind] if ttl is None else check_seconds(ttl, "the time a question waits")
        event = InterruptRaised(
            interrupt_id=str(uuid_utils.uuid7()),
            interrupt=kind,
            question=question,
            message=message,
            data=check_data(data or {}, "a question's data"),
            request_id=request_id,
            user_id=user_id if user_id is not None else self._session.state.user_id,
            expires_at=None if seconds == math.inf else self._session.clock.now() + timedelta(seconds=seconds),
        )
        if self._is_full():
            await self.expire()
            if self._is_full():
                raise InvalidInputError(f"{MAX_OPEN} questions wait already; answer or cancel one first")
        receipt = await self._session.append(event, causes=causes)
        return raised(receipt.entries[0], event)

    async def clarify(self, question: str, **options: Unpack[AskOptions]) -> Interrupt:
        """Ask the user something; the options are those of `raise_`."""
        return await self.raise_("clarification", question=question, **options)

    async def confirm(self, message: str, **options: Unpack[AskOptions]) -> Interrupt:
        """Ask for a yes or no; the options are those of `raise_`."""
        return await self.raise_("confirmation", message=message, **options)

    async def resource_exhausted(
        self, resource: str, *, retry_after: float | None = None, message: str | None = None, user_id: str | None = None
    ) -> Interrupt:
        """Wait because *resource* is used up: for *retry_after* seconds, by default 5 minutes."""
        check_text(resource, "a resource's name", most=MAX_NAME)
        seconds = DEFAULT_SECONDS["resource_exhausted"]
        if retry_after is not None:
            seconds = min(check_seconds(retry_after, "the time until a retry"), MAX_SECONDS)
        return await self.raise_(
            "resource_exhausted",
            message=message or f"{resource} is used up; try again in {seconds:g} seconds.",
            data={"resource_type": resource, "retry_after_seconds": seconds},
            user_id=user_id,
            ttl=seconds,
        )

    # --- end

    async def answer(
        self,
        interrupt_id: str,
        *,
        text: str | None = None,
        approved: bool | None = None,
        decision: ReviewDecision | None = None,
        data: dict[str, Any] | None = None,
        user_id: str | None = None,
    ) -> Interrupt:
        """Answer a question: a clarification by *text*, a confirmation by *approved*, a review by *decision*.

        The other kinds are acknowledged. *data* may go with any answer. *user_id* is who answers; None is a caller
        that is trusted with every question. Of several answers at once, one counts.

        Raises:
            NotFoundError: there is no such question for this user.
            NotPendingError: it was answered or cancelled, or its time is over.
            InvalidInputError: the answer does not fit the kind of question.
        """
        given = {"text": text, "approved": approved, "decision": decision}
        response: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if data is not None:
            response["data"] = check_data(data, "an answer's data")
        event = InterruptResolved(interrupt_id=interrupt_id, response=response, user_id=user_id)
        return await self._end(event, response=response)

    async def cancel(self, interrupt_id: str, reason: str | None = None, *, user_id: str | None = None) -> Interrupt:
        """Take a question back.

        Raises:
            NotFoundError: there is no such question for this user.
            NotPendingError: it was answered or cancelled, or its time is over.
        """
        if reason is not None:
            check_text(reason, "a reason")
        event = InterruptResolved(interrupt_id=interrupt_id, status="cancelled", reason=reason, user_id=user_id)
        return await self._end(event)

    async def expire(self) -> int:
        """Write down which questions ran out of time, each once; return how many that were now."""
        now = self._session.clock.now()

        async def decide(state: SessionState) -> list[Draft]:
            late = [one for one in state.interrupts.open.values() if one.is_late(now)]
            return [_ending(one, InterruptResolved(interrupt_id=one.interrupt_id, status="expired")) for one in late]

        receipt = await append_decided(self._session, decide)
        return len(receipt.entries) if receipt is not None else 0

    # --- find

    async def get(self, interrupt_id: str, *, user_id: str | None = None) -> Interrupt:
        """Return a question, open or closed, with what became of it.

        Raises:
            NotFoundError: there is none, or it is another user's.
        """
        interrupt = await self.find(interrupt_id, user_id=user_id)
        if interrupt is None:
            raise NotFoundError(f"there is no question {interrupt_id!r:.100}")
        return interrupt

    async def find(self, interrupt_id: str, *, user_id: str | None = None) -> Interrupt | None:
        """Return a question, open or closed, with what became of it; None if this user has none of that id.

        An open one, and the last 100 that are closed, are found at once; an older one by reading the journal back.
        """
        await self._session.refresh()
        found = await self._find(self._session.state, interrupt_id)
        if found is None or not _is_asked(found, user_id):
            return None
        return replace(found, status="expired") if found.is_late(self._session.clock.now()) else found

    def pending(self, kinds: Collection[InterruptKind] | None = None) -> list[Interrupt]:
        """Return the questions that wait (of these *kinds*), newest first; none whose time is over.

        They are those of the state: `refresh` the session to see what other processes asked and answered.
        """
        now = self._session.clock.now()
        waiting = [one for one in self._session.state.interrupts.open.values() if not one.is_late(now)]
        return [one for one in reversed(waiting) if kinds is None or one.kind in kinds]

    def pending_for_request(self, request_id: str) -> Interrupt | None:
        """Return the newest question that this request waits for."""
        return next((one for one in self.pending() if one.request_id == request_id), None)

    # --- how

    def _is_full(self) -> bool:
        return sum(one.needs_answer for one in self._session.state.interrupts.open.values()) >= MAX_OPEN

    async def _end(self, event: InterruptResolved, *, response: dict[str, Any] | None = None) -> Interrupt:
        """End a question that waits, if *event* may: its user is asked, there is time, and a *response* fits."""

        async def decide(state: SessionState) -> list[Draft]:
            interrupt = await self._find(state, event.interrupt_id)
            if interrupt is None or not _is_asked(interrupt, event.user_id):
                raise NotFoundError(f"there is no question {event.interrupt_id!r:.100}")
            if interrupt.status != "pending" or interrupt.is_late(self._session.clock.now()):
                became = "expired" if interrupt.status == "pending" else interrupt.status
                raise NotPendingError(f"question {event.interrupt_id} is {became}")
            if response is not None:
                _check_answer(interrupt.kind, response)
            return [_ending(interrupt, event)]

        await append_decided(self._session, decide)
        return await self.get(event.interrupt_id)

    async def _find(self, state: SessionState, interrupt_id: str) -> Interrupt | None:
        """Return the question as it was at *state*."""
        interrupts = state.interrupts
        if interrupt_id in interrupts.open:
            return interrupts.open[interrupt_id]
        if interrupt_id in interrupts.closed:
            places = interrupts.closed[interrupt_id]
            return _replayed(interrupt_id, [await self._entry(places.raised), await self._entry(places.resolved)])
        return await self._read_back(interrupt_id, before=state.head + 1)

    async def _entry(self, seq: Seq) -> Entry:
        [entry] = await self._session.store.read(self._session.id, after=seq - 1, limit=1)
        return entry

    async def _read_back(self, interrupt_id: str, *, before: int) -> Interrupt | None:
        """Look for the question from the end of the journal to its beginning."""
        about: list[Entry] = []
        while before > 1:
            page = await self._session.store.read(
                self._session.id, before=before, limit=_PAGE, order=Order.NEWEST_FIRST
            )
            about += [entry for entry in page if _is_about(entry, interrupt_id)]
            if about and isinstance(about[-1].event, InterruptRaised):
                break
            before = page[-1].seq
        return _replayed(interrupt_id, reversed(about))


def _check_question(kind: InterruptKind, question: str | None, message: str | None) -> None:
    if kind not in DEFAULT_SECONDS:
        raise InvalidInputError(f"a question is one of {', '.join(DEFAULT_SECONDS)}, got {kind!r:.50}")
    if kind == "clarification" and question is None:
        raise InvalidInputError("a clarification needs a question")
    if kind == "confirmation" and question is None and message is None:
        raise InvalidInputError("a confirmation needs a message or a question")
    for name, text in (("a question", question), ("a message", message)):
        if text is not None:
            check_text(text, name)


def _check_answer(kind: InterruptKind, response: dict[str, Any]) -> None:
    """Refuse a *response* that does not say what this kind of question asks for, or says something else."""
    needed = _ANSWERED_BY.get(kind)
    expected = f"is answered by {needed}" if needed else "is only acknowledged, with data or nothing"
    said = [name for name in response if name != "data"]
    if said != ([needed] if needed else []):
        raise InvalidInputError(f"a {kind} {expected}, got {', '.join(said) or 'nothing'}")
    match needed:
        case "text":
            check_text(response["text"], "an answer")
        case "approved" if not isinstance(response["approved"], bool):
            raise InvalidInputError(f"approved is True or False, got {response['approved']!r:.50}")
        case "decision" if response["decision"] not in _DECISIONS:
            raise InvalidInputError(f"a decision is one of {', '.join(_DECISIONS)}, got {response['decision']!r:.50}")


def _is_asked(interrupt: Interrupt, user_id: str | None) -> bool:
    """Tell whether the question is this user's; a caller without a user is trusted with every question."""
    return user_id is None or interrupt.user_id in (None, user_id)


def _ending(interrupt: Interrupt, event: InterruptResolved) -> Draft:
    return Draft(event=event, causes=(interrupt.seq,))


def _is_about(entry: Entry, interrupt_id: str) -> bool:
    return isinstance(entry.event, InterruptRaised | InterruptResolved) and entry.event.interrupt_id == interrupt_id


def _replayed(interrupt_id: str, entries: Iterable[Entry]) -> Interrupt | None:
    """Return the question that *entries*, oldest first, tell of."""
    found: Interrupt | None = None
    for entry in entries:
        if found is not None:
            found = found.apply(entry)
        elif isinstance(entry.event, InterruptRaised) and entry.event.interrupt_id == interrupt_id:
            found = raised(entry, entry.event)
    return found
