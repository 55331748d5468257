"""The operations that forget, an entry or a part of it: the one rewrite that a journal knows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.protocol import Redaction
from sojourn.store.rows import JournalRow, derived_from, has_content, make_rewritten, make_tombstone
from sojourn.store.sql import sessions
from sojourn.store.sql.reading import PAGE, parts, rows_forward, state_at
from sojourn.store.sql.statement import Operation, Statement


def redact(tenant: TenantId, session_id: SessionId, seqs: Iterable[int]) -> Operation[Redaction]:
    """Put tombstones in place of *seqs* and of all that was derived from them, in every session that reads them."""
    stored = yield from sessions.lock(tenant, session_id)
    head = stored.row.header.head
    asked = sorted(set(seqs))
    if not asked or asked[0] < 1 or asked[-1] > head:
        raise InvalidInputError(f"session={session_id}: name entries between 1 and {head} to forget")

    reached: dict[SessionId, set[int]] = {}
    for owner, first, last in (yield from parts(tenant, session_id, after=0, before=head + 1)):
        here = {seq for seq in asked if first <= seq <= last}
        if here:
            yield from _spread(tenant, owner, here, reached)

    tombstones: dict[SessionId, tuple[Seq, ...]] = {}
    for owner, gone in reached.items():
        tombstones[owner] = yield from _bury(tenant, owner, gone)
    for owner, gone in reached.items():  # after all tombstones stand: a fork's row is made from its base's entries too
        yield from _renew(tenant, owner, first=min(gone))
    return Redaction(tombstones={owner: gone for owner, gone in tombstones.items() if gone}, sessions=tuple(reached))


def rewrite(tenant: TenantId, session_id: SessionId, payloads: Mapping[int, str]) -> Operation[Redaction]:
    """Put other content in place of what these entries say, in every session that reads them."""
    stored = yield from sessions.lock(tenant, session_id)
    head = stored.row.header.head
    if not payloads or min(payloads) < 1 or max(payloads) > head:
        raise InvalidInputError(f"session={session_id}: name entries between 1 and {head} to rewrite")
    changed: dict[SessionId, list[JournalRow]] = {}
    reached: dict[SessionId, int] = {}
    for owner, first, last in (yield from parts(tenant, session_id, after=0, before=head + 1)):
        here = {seq: payload for seq, payload in payloads.items() if first <= seq <= last}
        if here:
            rows = yield from _own_rows(tenant, owner, first=min(here))
            changed[owner] = [
                make_rewritten(row, here[row.seq]) for row in rows if row.seq in here and has_content(row)
            ]
            yield from _reach(tenant, owner, min(here), reached)
    for owner, rows in changed.items():
        yield from _replace(tenant, owner, rows)
    for owner, first in reached.items():  # after all entries are changed: a fork's row is made from its base's, too
        yield from _renew(tenant, owner, first=first)
    tombstones = {owner: tuple(Seq(row.seq) for row in rows) for owner, rows in changed.items() if rows}
    return Redaction(tombstones=tombstones, sessions=tuple(reached))


def _reach(tenant: TenantId, owner: SessionId, first: int, reached: dict[SessionId, int]) -> Operation[None]:
    """Add to *reached* the session and each fork that reads its entry *first*, with the first entry that changes."""
    reached[owner] = min(first, reached.get(owner, first))
    yield from sessions.hold(tenant, owner)
    for fork_id, base_seq in (yield from sessions.forks(tenant, owner)):
        if first <= base_seq:
            yield from _reach(tenant, fork_id, first, reached)


def _spread(tenant: TenantId, owner: SessionId, gone: set[int], reached: dict[SessionId, set[int]]) -> Operation[None]:
    """Add to *reached* what goes when *gone* goes: in *owner*'s own entries, then in each fork that reads them."""
    gone = gone | reached.get(owner, set())
    rows = yield from _own_rows(tenant, owner, first=min(gone))
    reached[owner] = derived_from(rows, gone)
    for fork_id, base_seq in (yield from sessions.forks(tenant, owner)):
        inherited = {seq for seq in reached[owner] if seq <= base_seq}
        if inherited:
            yield from _spread(tenant, fork_id, inherited, reached)


def _own_rows(tenant: TenantId, owner: SessionId, *, first: int) -> Operation[list[JournalRow]]:
    stored = yield from sessions.lock(tenant, owner)  # or somebody could yet append what is derived from these
    head = stored.row.header.head
    found = yield from parts(tenant, owner, after=max(first - 1, stored.base_seq), before=head + 1)
    rows = yield from rows_forward(tenant, found, limit=head)
    return [JournalRow._make(row) for row in rows]


def _bury(tenant: TenantId, owner: SessionId, gone: set[int]) -> Operation[tuple[Seq, ...]]:
    rows = yield from _own_rows(tenant, owner, first=min(gone))
    buried = [make_tombstone(row) for row in rows if row.seq in gone and has_content(row)]
    yield from _replace(tenant, owner, buried)
    return tuple(Seq(row.seq) for row in buried)


def _replace(tenant: TenantId, owner: SessionId, rows: Sequence[JournalRow]) -> Operation[None]:
    place = {"tenant": tenant, "session_id": owner}
    for start in range(0, len(rows), PAGE):
        yield Statement("replace_entry", {}, [{**place, **row._asdict()} for row in rows[start : start + PAGE]])


def _renew(tenant: TenantId, owner: SessionId, *, first: int) -> Operation[None]:
    place = {"tenant": tenant, "session_id": owner}
    yield Statement("delete_snapshots", {**place, "first": first})
    yield Statement("delete_partial", place)
    stored = yield from sessions.lock(tenant, owner)
    state = yield from state_at(tenant, owner, at=stored.row.header.head)
    row = replace(stored.row, header=state.header, epoch=stored.row.epoch + 1)
    yield from sessions.update(tenant, stored._replace(row=row))
