"""The audit log: what an agent did, who allowed it and what it took. A view of the journal, with nothing of its own.

So it cannot differ from what happened, needs no second write, and forgets what the session forgets.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from sojourn.agent.permissions.gate import REJECTED
from sojourn.agent.permissions.shown import shown
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError
from sojourn.model.entry import Entry
from sojourn.model.events import (
    InterruptRaised,
    InterruptResolved,
    MessageAdded,
    RequestBlocked,
    ToolRan,
    ToolRefused,
    ToolStarted,
    TurnStarted,
    UsageRecorded,
)
from sojourn.model.header import totals_of
from sojourn.model.message import Message
from sojourn.model.secrets import without_secrets
from sojourn.model.value import Value
from sojourn.store.protocol import Order

ActionType = Literal["llm_call", "tool_call", "approval", "security_block"]

APPROVED: Final = "approved"
REJECTED_BY_USER: Final = "rejected_by_user"

MAX_ACTION: Final = 200
MAX_RESULT: Final = 500
MAX_ROWS: Final = 10_000
_PAGE: Final = 500
_MARGIN: Final = 4_000
"""Characters that are searched for secrets, so that none is cut in two and shown."""


class AuditRow(Value, frozen=True, kw_only=True):
    """One thing that was done or refused.

    Attributes:
        at: when it ended.
        session_id: where.
        agent: who, if the agent has a name and its own words led to it: a blocked request, and a call of a model for
            another purpose than the conversation, are nobody's.
        action_type: what kind of thing.
        action: what exactly, at most 200 characters.
        approved: whether it was allowed; None where nobody was asked.
        result: what came of it, at most 500 characters.
        tokens_used: what a call of a model took, all four kinds of tokens together.
    """

    at: datetime
    session_id: str
    agent: str
    action_type: ActionType
    action: str
    approved: bool | None = None
    result: str = ""
    tokens_used: int = 0


async def audit(session: Session, *, limit: int = 100) -> list[AuditRow]:
    """Return the last *limit* rows, newest first; the cost depends on *limit*, not on the length of the journal.

    Raises:
        InvalidInputError: the limit is not between 1 and 10,000.
    """
    if not 1 <= limit <= MAX_ROWS:
        raise InvalidInputError(f"a limit is 1 to {MAX_ROWS:,} rows, got {limit!r:.50}")
    walk = _Walk()
    before: int | None = None
    while page := await session.store.read(session.id, before=before, limit=_PAGE, order=Order.NEWEST_FIRST):
        for entry in page:
            walk.see(entry)
        if walk.has(limit):
            break
        before = page[-1].seq
    return walk.rows(limit)


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A row whose beginning, further back in the journal, may still be to come."""

    entry: Entry
    action_type: ActionType
    action: str = ""
    approved: bool | None = None
    result: str = ""
    tokens_used: int = 0
    agent: str | None = None
    is_begun: bool = True
    """Whether what it began with was seen."""
    is_dropped: bool = False

    @property
    def is_whole(self) -> bool:
        return self.is_begun and self.agent is not None

    def row(self) -> AuditRow:
        return AuditRow(
            at=self.entry.at,
            session_id=self.entry.session_id,
            agent=self.agent or "",
            action_type=self.action_type,
            action=_short(self.action, MAX_ACTION),
            approved=self.approved,
            result=_short(self.result, MAX_RESULT),
            tokens_used=self.tokens_used,
        )


class _Walk:
    """Goes back through a journal. Lives for one look at it."""

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        self._unnamed: list[_Draft] = []  # until the message comes that its agent said
        self._results: dict[str, str] = {}  # what tools returned, by call
        self._ran: dict[str, _Draft] = {}  # by call, until its start comes
        self._answered: dict[str, _Draft] = {}  # by question, until that comes
        self._refused: set[str] = set()  # questions whose answer has a row
        self._called: _Draft | None = None  # a call of a model whose answer is the next to come

    def has(self, limit: int) -> bool:
        """Tell whether the first *limit* rows are whole."""
        wanted = self._kept(limit)
        return len(wanted) == limit and all(draft.is_whole for draft in wanted)

    def rows(self, limit: int) -> list[AuditRow]:
        return [draft.row() for draft in self._kept(limit)]

    def _kept(self, limit: int) -> list[_Draft]:
        return [draft for draft in self._drafts if not draft.is_dropped][:limit]

    def see(self, entry: Entry) -> None:
        """Take in the entry before the ones that were seen."""
        called, self._called = self._called, None
        match entry.event:
            case MessageAdded(message=message):
                self._heard(message, called)
            case UsageRecorded() as used:
                action = f"{used.purpose}: {used.model}" if used.model else used.purpose
                _, tokens, _ = totals_of([used])
                draft = _Draft(entry=entry, action_type="llm_call", action=action, tokens_used=tokens)
                self._called = self._add(draft, nobodys=used.purpose != "conversation")
            case ToolRan() as ran:
                self._ended(entry, ran)
            case ToolStarted() as started:
                self._began(entry, started)
            case TurnStarted():
                for draft in self._ran.values():  # what has no start in its own turn has none
                    draft.is_begun = True
                self._ran.clear()
            case ToolRefused() as refused:
                self._turned_away(entry, refused)
            case InterruptResolved() as resolved if resolved.interrupt_id not in self._refused:
                self._answered[resolved.interrupt_id] = self._add(_answer(entry, resolved))
            case InterruptRaised() as raised:
                self._asked(raised)
            case RequestBlocked(reason=reason, text=text):
                draft = _Draft(entry=entry, action_type="security_block", action=text, approved=False, result=reason)
                self._add(draft, nobodys=True)

    def _add(self, draft: _Draft, *, nobodys: bool = False) -> _Draft:
        self._drafts.append(draft)
        if nobodys:
            draft.agent = ""
        else:
            self._unnamed.append(draft)
        return draft

    def _heard(self, message: Message, called: _Draft | None) -> None:
        if message.role == "assistant":
            if called is not None:
                called.result = message.text
            for draft in self._unnamed:
                draft.agent = str(message.metadata.get("agent", ""))
            self._unnamed.clear()
        elif message.tool_call_id is not None:
            self._results[message.tool_call_id] = message.text

    def _ended(self, entry: Entry, ran: ToolRan) -> None:
        result = self._results.pop(ran.call_id, ran.error or "")
        draft = _Draft(entry=entry, action_type="tool_call", action=ran.name, result=result, is_begun=False)
        self._ran[ran.call_id] = self._add(draft)

    def _began(self, entry: Entry, started: ToolStarted) -> None:
        draft = self._ran.pop(started.call_id, None)
        if draft is None:  # nobody knows whether it finished, and its result says so
            draft = self._add(
                _Draft(entry=entry, action_type="tool_call", result=self._results.pop(started.call_id, ""))
            )
        draft.action, draft.is_begun = _call(started.name, started.arguments), True

    def _turned_away(self, entry: Entry, refused: ToolRefused) -> None:
        by_human = refused.reason == REJECTED
        if refused.interrupt_id is not None:
            self._refused.add(refused.interrupt_id)
        self._results.pop(refused.call_id, None)
        self._add(
            _Draft(
                entry=entry,
                action_type="approval",
                action=_call(refused.name, refused.arguments),
                approved=False,
                result=REJECTED_BY_USER if by_human else refused.reason,
            )
        )

    def _asked(self, raised: InterruptRaised) -> None:
        draft = self._answered.pop(raised.interrupt_id, None)
        if draft is None:
            return
        draft.is_begun, draft.is_dropped = True, raised.interrupt != "confirmation"
        tool = raised.data.get("tool")
        asked = raised.question or raised.message or ""
        draft.action = _call(tool, raised.data.get("arguments", {})) if isinstance(tool, str) else asked


def _answer(entry: Entry, resolved: InterruptResolved) -> _Draft:
    approved = resolved.status == "resolved" and resolved.response.get("approved") is True
    if resolved.status == "resolved":
        result = APPROVED if approved else REJECTED_BY_USER
    else:
        result = f"{resolved.status}: {resolved.reason}" if resolved.reason else resolved.status
    return _Draft(entry=entry, action_type="approval", approved=approved, result=result, is_begun=False)


def _call(name: str, arguments: dict[str, Any]) -> str:
    return f"{name} {msgspec.json.encode(shown(arguments)).decode()}" if arguments else name


def _short(text: str, most: int) -> str:
    return without_secrets(text[:_MARGIN])[:most]
