"""The operations that forget, an entry or a part of it: the one rewrite of what a journal says.

It concerns several journals, which cannot be replaced in one step. So the plan is written down first
(`.forgetting.json`, without what is forgotten), and whoever finds it after a crash carries it out.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial

import msgspec

from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq, SessionId
from sojourn.store.files import snapshots
from sojourn.store.files.disk import read_file
from sojourn.store.files.kinship import Kinship
from sojourn.store.files.reading import parts, read_origin
from sojourn.store.files.rewriting import changed_lines, own_lines
from sojourn.store.files.sealed import is_whole, seal
from sojourn.store.files.settling import drop_derived
from sojourn.store.files.shelf import Shelf
from sojourn.store.protocol import Redaction
from sojourn.store.rows import JournalRow, derived_from, has_content, make_rewritten, make_tombstone


class _Part(msgspec.Struct):
    """What one session has to forget, also of the entries that it reads elsewhere, and its epoch after that."""

    session_id: SessionId
    seqs: list[int]
    epoch: int
    payloads: dict[int, str] | None = None
    """What its entries say instead, if they are not forgotten but rewritten."""


class _Plan(msgspec.Struct):
    parts: list[_Part]


def redact(shelf: Shelf, session_id: SessionId, seqs: Iterable[int]) -> Redaction:
    """Put tombstones in place of *seqs* and of all that was derived from them, in every session that reads them."""
    with shelf.structure(alone=True):
        finish(shelf)
        kinship = Kinship(shelf)
        origin = kinship.origin(session_id)
        with shelf.all_locked(kinship.relatives(session_id)):
            head = shelf.look(session_id).row.header.head
            asked = sorted(set(seqs))
            if not asked or asked[0] < 1 or asked[-1] > head:
                raise InvalidInputError(f"session={session_id}: name entries between 1 and {head} to forget")
            reached: dict[SessionId, set[int]] = {}
            for owner, first, last in parts(shelf.home, session_id, origin, after=0, before=head + 1):
                here = {seq for seq in asked if first <= seq <= last}
                if here:
                    _spread(shelf, kinship, owner, here, reached)
            buried = {owner: _standing(shelf, owner, gone) for owner, gone in reached.items()}
            plan = _Plan(
                [_Part(owner, sorted(gone), shelf.look(owner).row.epoch + 1) for owner, gone in reached.items()]
            )
            _carry_out(shelf, plan)
        return Redaction(tombstones={owner: gone for owner, gone in buried.items() if gone}, sessions=tuple(reached))


def rewrite(shelf: Shelf, session_id: SessionId, payloads: Mapping[int, str]) -> Redaction:
    """Put other content in place of what these entries say, in every session that reads them."""
    with shelf.structure(alone=True):
        finish(shelf)
        kinship = Kinship(shelf)
        origin = kinship.origin(session_id)
        with shelf.all_locked(kinship.relatives(session_id)):
            head = shelf.look(session_id).row.header.head
            if not payloads or min(payloads) < 1 or max(payloads) > head:
                raise InvalidInputError(f"session={session_id}: name entries between 1 and {head} to rewrite")
            changed: dict[SessionId, dict[int, str]] = {}
            reached: dict[SessionId, int] = {}
            for owner, first, last in parts(shelf.home, session_id, origin, after=0, before=head + 1):
                here = {seq: payload for seq, payload in payloads.items() if first <= seq <= last}
                if here:
                    changed[owner] = _standing_payloads(shelf, owner, here)
                    _reach(kinship, owner, min(here), reached)
            _carry_out(shelf, _Plan([_rewriting(shelf, owner, first, changed) for owner, first in reached.items()]))
        rewritten = {owner: tuple(Seq(seq) for seq in sorted(here)) for owner, here in changed.items() if here}
        return Redaction(tombstones=rewritten, sessions=tuple(reached))


def _rewriting(shelf: Shelf, owner: SessionId, first: int, changed: Mapping[SessionId, dict[int, str]]) -> _Part:
    return _Part(owner, [first], shelf.look(owner).row.epoch + 1, changed.get(owner, {}))


def _standing_payloads(shelf: Shelf, owner: SessionId, payloads: Mapping[int, str]) -> dict[int, str]:
    """Return those of *payloads* whose entries are not forgotten yet, if each is of its entry's kind."""
    return {
        row.seq: make_rewritten(row, payloads[row.seq]).payload
        for row in _own_rows(shelf, owner)
        if row.seq in payloads and has_content(row)
    }


def _reach(kinship: Kinship, owner: SessionId, first: int, reached: dict[SessionId, int]) -> None:
    """Add to *reached* the session and each fork that reads its entry *first*, with the first entry that changes."""
    reached[owner] = min(first, reached.get(owner, first))
    for fork_id, base_seq in kinship.forks(owner):
        if first <= base_seq:
            _reach(kinship, fork_id, first, reached)


def finish(shelf: Shelf) -> None:
    """Carry out what a crash left undone. Needs the structure lock alone."""
    data = read_file(shelf.home.forgetting)
    if data is None or not is_whole(data):
        return  # a plan that cannot be read stops nobody; a check names it
    plan = msgspec.json.decode(data, type=_Plan)
    with shelf.all_locked(part.session_id for part in plan.parts):
        _carry_out(shelf, plan)


def _spread(
    shelf: Shelf, kinship: Kinship, owner: SessionId, gone: set[int], reached: dict[SessionId, set[int]]
) -> None:
    """Add to *reached* what goes when *gone* goes: in *owner*'s own entries, then in each fork that reads them."""
    gone = gone | reached.get(owner, set())
    reached[owner] = derived_from(_own_rows(shelf, owner), gone)
    for fork_id, base_seq in kinship.forks(owner):
        inherited = {seq for seq in reached[owner] if seq <= base_seq}
        if inherited:
            _spread(shelf, kinship, fork_id, inherited, reached)


def _own_rows(shelf: Shelf, owner: SessionId) -> Iterable[JournalRow]:
    for line in own_lines(shelf.home.session(owner), owner):
        yield from line.rows


def _standing(shelf: Shelf, owner: SessionId, gone: set[int]) -> tuple[Seq, ...]:
    """Return which of *gone* the session stores and has not forgotten yet."""
    return tuple(Seq(row.seq) for row in _own_rows(shelf, owner) if row.seq in gone and has_content(row))


def _carry_out(shelf: Shelf, plan: _Plan) -> None:
    """Write all new journals, then the plan, and only then let them take their places."""
    with ExitStack() as stack:
        for part in plan.parts:
            folder = shelf.home.session(part.session_id)
            origin = read_origin(folder, part.session_id)._replace(epoch=part.epoch)
            lines = changed_lines(own_lines(folder, part.session_id), origin, _change(part))
            file = stack.enter_context(shelf.disk.replacing(folder.journal))
            file.writelines(lines)
            file.flush()
            shelf.disk.settle(file.fileno())
        shelf.disk.replace(shelf.home.forgetting, seal(plan))
        shelf.disk.settle_folder(shelf.home.sessions)
        for part in plan.parts:
            folder = shelf.home.session(part.session_id)
            snapshots.drop(folder.snapshots, first=part.seqs[0])
            folder.partial.unlink(missing_ok=True)
            drop_derived(folder)
    for part in plan.parts:  # after all tombstones stand: a fork's state is made from its base's entries too
        shelf.disk.settle_folder(shelf.home.session(part.session_id).path)
        shelf.renew(part.session_id)
        shelf.touched.add(part.session_id)
    shelf.home.forgetting.unlink(missing_ok=True)
    shelf.disk.settle_folder(shelf.home.sessions)


def _change(part: _Part) -> Callable[[JournalRow], JournalRow]:
    if part.payloads is None:
        return partial(_bury, gone=set(part.seqs))
    return partial(_rewritten, payloads=part.payloads)


def _rewritten(row: JournalRow, *, payloads: Mapping[int, str]) -> JournalRow:
    return make_rewritten(row, payloads[row.seq]) if row.seq in payloads and has_content(row) else row


def _bury(row: JournalRow, *, gone: set[int]) -> JournalRow:
    return make_tombstone(row) if row.seq in gone and has_content(row) else row
