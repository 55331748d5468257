"""From a session's files to what they tell. Nothing is written here.

The end of the journal is read, never all of it, unless `metadata.json`, `state.json` or the index is missing or does
not fit: then the journal alone is believed, from its first line on.
"""

from sojourn.errors import CorruptError
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import SessionState
from sojourn.store.files.disk import read_file
from sojourn.store.files.folders import SessionFolder, TenantFolder
from sojourn.store.files.held import Held
from sojourn.store.files.index import IndexFile, Record, StaleIndexError
from sojourn.store.files.journal_file import JournalFile, stamp_of
from sojourn.store.files.line import NO_ORIGIN, Damage, Origin, span_of
from sojourn.store.files.metadata import read_metadata
from sojourn.store.files.projections import read_state
from sojourn.store.files.reading import state_at
from sojourn.store.protocol import SessionRow
from sojourn.store.rows import moment


def load(home: TenantFolder, session_id: SessionId, *, anew: bool = False) -> Held:
    """Return the session as its files tell, with *anew* as the journal alone tells.

    Raises:
        FileNotFoundError: it has no journal.
    """
    folder = home.session(session_id)
    with JournalFile(folder.journal) as journal:
        held = None if anew else _resume(folder, session_id, journal)
        return held if held is not None else _begin(home, session_id, journal)


def _resume(folder: SessionFolder, session_id: SessionId, journal: JournalFile) -> Held | None:
    """Return the session from its derived files and the journal's end; None if they do not fit together."""
    settled = stamp_of(folder.metadata)
    known = read_metadata(folder, session_id)
    state = read_state(read_file(folder.state))
    if known is None or state is None or known.journal_bytes > journal.stamp.size:
        return None
    if state.session_id != session_id or not known.base_seq < state.head <= known.head:
        return None
    if known.receipts and not folder.receipts.exists():
        return None
    held = Held(
        row=known.row,
        origin=known.origin,
        state=state,
        stamp=journal.stamp,
        settled=settled,
        end=known.journal_bytes,
        receipts=known.receipts,
        receipts_through=known.receipts_through,
        state_seq=state.head,
    )
    if known.quarantined is not None and known.journal_bytes == journal.stamp.size:
        return held
    with IndexFile(folder.index) as index:
        try:
            last = index.record(len(index) - 1)
            start = index.record(index.place_of(min(last.seq, state.head + 1, known.receipts_through + 1)))
        except StaleIndexError:
            return None
    if not (journal.begins_line(last.offset, last.seq) and journal.begins_line(start.offset, start.seq)):
        return None
    held.block, held.messages, held.indexed = last.seq, last.messages, last.offset
    _follow(held, journal, start)
    return held if held.indexed >= known.journal_bytes else None


def _begin(home: TenantFolder, session_id: SessionId, journal: JournalFile) -> Held:
    """Return the session as its journal tells, from the first line to the last."""
    start = Record(journal.first_seq(), 0, 0)
    first = next(journal.lines(0, expected=start.seq), None)
    origin = first.line.origin if first is not None and first.line.damage is None else NO_ORIGIN
    when = moment(journal.stamp.changed_ns // 1000)
    header = SessionHeader(session_id=session_id, head=Seq(0), created_at=when, updated_at=when)
    row = SessionRow(header=header, epoch=origin.epoch)
    wrong = None
    try:
        state = _base_state(home, session_id, origin)
    except CorruptError as error:
        state, wrong = None, Damage(origin.base_seq, error.detail)
    held = Held(row=row, origin=origin, state=state, stamp=journal.stamp, anew=True, behind=True)
    _follow(held, journal, start)
    if held.state is None:
        wrong = Damage(start.seq, "the first entry cannot be read")
    if wrong is not None and held.row.quarantined is None:
        held.quarantine(wrong, head=held.head)
    return held


def _base_state(home: TenantFolder, session_id: SessionId, origin: Origin) -> SessionState | None:
    if origin.base is None:
        return None
    return state_at(home, session_id, origin, at=origin.base_seq)


def _follow(held: Held, journal: JournalFile, start: Record) -> None:
    """Take the journal's lines from *start* on, up to the first that is damaged."""
    for placed in journal.lines(start.offset, expected=start.seq):
        wrong = held.take(placed)
        if wrong is not None:
            held.quarantine(wrong, head=max(wrong.seq, _last_claimed(journal, placed.offset)))
            return


def _last_claimed(journal: JournalFile, offset: int) -> int:
    """Return the last entry that the lines from *offset* on say they hold, damaged or not."""
    spans = (span_of(data) for _, data in journal.raw_lines(offset, journal.stamp.size))
    return max((span[1] for span in spans if span is not None), default=0)
