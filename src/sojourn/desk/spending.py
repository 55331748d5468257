"""What was spent: the calls of models that the journals hold, and their sums by day, model, purpose and session.

Every door takes its figures from here, so that they agree. A fork counts what came after it was forked: what it shares
with its origin was paid there. Sessions in the archive and in the trash count as well.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Final, Literal

from sojourn.desk.wording import money
from sojourn.errors import CorruptError
from sojourn.model.events import UsageRecorded
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.model.statistics import SessionMetadata
from sojourn.store.protocol import Order, Progress, SessionQuery, Store

By = Literal["day", "model", "purpose", "session", "project"]
"""What calls are put together by."""
UNNAMED: Final = "(no name)"
"""Stands for a model that has no name, and for no project."""
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a model: in which session, when, and what it took."""

    session: SessionHeader
    at: datetime
    usage: UsageRecorded


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """What calls took together: tokens in four buckets that do not overlap, and millionths of a dollar.

    *unpriced* are the calls whose cost nobody knows; they add nothing to the cost.
    """

    calls: int = 0
    unpriced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    cost_micros: int = 0

    @property
    def tokens(self) -> int:
        """All four buckets."""
        return self.input_tokens + self.output_tokens + self.cache_creation_tokens + self.cache_read_tokens

    @property
    def cost_text(self) -> str:
        """What it cost, as people read it. What has no known price is not called free."""
        if self.calls and self.calls == self.unpriced:
            return "unpriced"
        return f"{money(self.cost_micros)}{'+' if self.unpriced else ''}"

    @property
    def sent_tokens(self) -> int:
        """What models were sent, from their cache or not."""
        return self.input_tokens + self.cache_creation_tokens + self.cache_read_tokens

    @property
    def cache_share(self) -> float | None:
        """The share of what was sent that came from a cache; None if nothing was sent."""
        return self.cache_read_tokens / self.sent_tokens if self.sent_tokens else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Calls that belong together: *key* tells programs which, *name* tells people, and what they took."""

    key: str
    name: str
    sum: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Calls, newest first in each session. *unreadable* are sessions that are damaged: theirs are missing."""

    calls: tuple[Call, ...] = ()
    unreadable: tuple[SessionId, ...] = ()
    zone: tzinfo | None = None
    """Where days begin and end; None means here."""

    @property
    def total(self) -> Sum:
        """All of them."""
        return _sum_of(self.calls)

    @property
    def unpriced(self) -> dict[str, int]:
        """How many calls of each model have no known cost, most first."""
        return dict(Counter(_model(call) for call in self.calls if call.usage.cost_micros is None).most_common())

    def by(self, what: By) -> list[Group]:
        """Return the sums by *what*: days with the latest first, anything else with the most expensive first."""
        together: dict[str, list[Call]] = {}
        names: dict[str, str] = {}
        for call in self.calls:
            key, name = self._key(call, what)
            together.setdefault(key, []).append(call)
            names.setdefault(key, name)
        groups = [Group(key=key, name=names[key], sum=_sum_of(calls)) for key, calls in together.items()]
        if what == "day":
            return sorted(groups, key=lambda group: group.key, reverse=True)
        return sorted(groups, key=lambda group: (-group.sum.cost_micros, -group.sum.tokens, group.name))

    def per_day(self, *, last: date, days: int) -> list[Sum]:
        """Return the sum of each of so many days, the one before *last* before it: days without calls, too."""
        sums = {group.key: group.sum for group in self.by("day")}
        return [sums.get((last - timedelta(days=back)).isoformat(), Sum()) for back in reversed(range(days))]

    def only(self, session_id: str) -> "Spending":
        """Return what was spent in one session."""
        return replace(self, calls=tuple(call for call in self.calls if call.session.session_id == session_id))

    def _key(self, call: Call, what: By) -> tuple[str, str]:
        match what:
            case "day":
                day = call.at.astimezone(self.zone).date().isoformat()
                return day, day
            case "model":
                return _model(call), _model(call)
            case "purpose":
                return call.usage.purpose, call.usage.purpose
            case "session":
                return call.session.session_id, call.session.title or call.session.session_id
            case "project":
                return call.session.project or "", call.session.project or UNNAMED


async def read_spending(
    store: Store,
    *,
    project: str | None = None,
    since: datetime | None = None,
    zone: tzinfo | None = None,
    on_progress: Progress | None = None,
) -> Spending:
    """Return what all sessions spent, or those of *project*, from *since* on.

    The journals of the sessions that were used since then are read, so this takes its time: *on_progress* hears how
    many are done.
    """
    headers = await _used(store, project=project, since=since)
    calls: list[Call] = []
    unreadable = []
    for done, header in enumerate(headers, 1):
        try:
            calls += await _calls_of(store, header, since=since, after=header.forked_at or 0)
        except CorruptError:
            unreadable.append(header.session_id)
        if on_progress is not None:
            on_progress(done, len(headers))
    return Spending(calls=tuple(calls), unreadable=tuple(unreadable), zone=zone)


async def read_session_spending(
    store: Store, session_id: str, *, inherited: bool = False, zone: tzinfo | None = None
) -> Spending:
    """Return what one session spent; with *inherited*, also what was spent in its origin before it was forked.

    Raises:
        SessionNotFoundError: there is no such session.
        CorruptError: it is damaged.
    """
    header = (await store.get_session(session_id)).header
    after = 0 if inherited else header.forked_at or 0
    return Spending(calls=tuple(await _calls_of(store, header, since=None, after=after)), zone=zone)


async def _used(store: Store, *, project: str | None, since: datetime | None) -> list[SessionHeader]:
    """Return the sessions that were used since then, newest activity first."""
    query = SessionQuery(project=project, archived=None, trashed=None, limit=_PAGE)
    headers: list[SessionHeader] = []
    while True:
        page = await store.list_sessions(query)
        used = [row.header for row in page.rows if since is None or row.header.updated_at >= since]
        headers += used
        if page.cursor is None or len(used) < len(page.rows):
            return headers
        query = replace(query, cursor=page.cursor)


async def _calls_of(store: Store, header: SessionHeader, *, since: datetime | None, after: int) -> list[Call]:
    """Return the calls in a session's entries behind *after*, newest first."""
    calls: list[Call] = []
    before: int | None = None
    while True:
        page = await store.read(header.session_id, after=after, before=before, limit=_PAGE, order=Order.NEWEST_FIRST)
        calls += [
            Call(session=header, at=entry.at, usage=entry.event)
            for entry in page
            if isinstance(entry.event, UsageRecorded) and (since is None or entry.at >= since)
        ]
        if len(page) < _PAGE or (since is not None and all(entry.at < since for entry in page)):
            return calls
        before = page[-1].seq


def cost_of(spent: SessionMetadata) -> str:
    """Return what a session cost, as people read it. What has no known price is not called free."""
    if spent.unpriced_calls and not spent.cost_micros:
        return "unpriced"
    return f"{money(sum(spent.cost_micros.values()))}{'+' if spent.unpriced_calls else ''}"


def _model(call: Call) -> str:
    return call.usage.model or UNNAMED


def _sum_of(calls: Sequence[Call]) -> Sum:
    """Return what *calls* took together; there may be tens of thousands."""
    used = [call.usage for call in calls]
    return Sum(
        calls=len(used),
        unpriced=sum(one.cost_micros is None for one in used),
        input_tokens=sum(one.input_tokens for one in used),
        output_tokens=sum(one.output_tokens for one in used),
        cache_creation_tokens=sum(one.cache_creation_tokens for one in used),
        cache_read_tokens=sum(one.cache_read_tokens for one in used),
        cost_micros=sum(one.cost_micros or 0 for one in used),
    )
