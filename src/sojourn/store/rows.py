"""Rows of a journal: the form in which every store keeps entries, and the checksum that tells when one is damaged."""

import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple, get_args

import msgspec

from sojourn.errors import CorruptError, InvalidEventError
from sojourn.model.codec import CODEC, UNREADABLE, Encoded, decode_current, kind_in
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import KINDS, NOTHING_TO_FORGET, Event, Forgotten, SessionCreated, SessionForked
from sojourn.model.ids import Seq, SessionId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MAX_VERSION: Final = 1_000_000
_WITHOUT_CONTENT: Final = {kind for kind, cls in KINDS.items() if cls in get_args(NOTHING_TO_FORGET)}
_MESSAGE: Final = "message_added"
_DAMAGED: Final = "the entry does not match its checksum"
_causes_decoder: Final = msgspec.json.Decoder(tuple[Seq, ...])


class JournalRow(NamedTuple):
    """One stored entry. *at* is in microseconds since 1970; *causes* is JSON text, or None for none.

    *key_id* names the key that *payload* is encrypted with; None means it is plain.
    """

    seq: Seq
    at: int
    kind: str
    version: int
    causes: str | None
    payload: str
    key_id: str | None
    crc: int


StoredRow = tuple[Seq, int, str, int, str | None, str, str | None, int]
"""The fields of a `JournalRow` as a database gives them. To name them would add a fifteenth to reading them."""
StoredMessage = tuple[Seq, int, int, str | None, str, int]
"""The same of a row that is asked for as a message, so without its kind and key: they would add a tenth."""


class Prepared(msgspec.Struct, frozen=True, gc=False):
    """A draft that was checked and encoded, still without a place in the journal."""

    encoded: Encoded
    causes: tuple[Seq, ...]


def micros(at: datetime) -> int:
    """Return *at* as microseconds since 1970."""
    return (at - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=64)
def moment(at: int) -> datetime:
    """Return the time that is *at* microseconds after 1970. Entries that were appended together share theirs."""
    return datetime.fromtimestamp(at / 1_000_000, UTC)  # exact to the microsecond until the year 2242


def _checksum(  # noqa: PLR0917 - the fields in the row's own order
    seq: int, at: int, kind: str, version: int, causes: str | None, payload: str
) -> int:
    # The same stands in `read_entries` and `read_messages`, where a call for each row would be felt.
    return zlib.crc32(f"{seq}|{at}|{kind}|{version}|{'None' if causes is None else causes}|{payload}".encode())


def prepare(events: Iterable[Event | Draft]) -> list[Prepared]:
    """Encode *events*, checking each.

    Raises:
        InvalidEventError, TooLargeError: one cannot be stored.
    """
    return [
        Prepared(CODEC.encode(item.event), item.causes) if isinstance(item, Draft) else Prepared(CODEC.encode(item), ())
        for item in events
    ]


def seal(prepared: Prepared, *, seq: int, at: int) -> StoredRow:
    """Return what a database stores for *prepared* at its place.

    Raises:
        InvalidEventError: it names a cause that does not stand before it.
    """
    encoded = prepared.encoded
    causes = None
    if prepared.causes:
        if max(prepared.causes) >= seq:
            cause = max(prepared.causes)
            raise InvalidEventError(f"{encoded.kind}: entry {seq} is not derived from {cause}, which is not before it")
        causes = "[" + ",".join(map(str, prepared.causes)) + "]"
    kind, version, payload = encoded.kind, encoded.version, encoded.payload
    return Seq(seq), at, kind, version, causes, payload, None, _checksum(seq, at, kind, version, causes, payload)


def make_row(prepared: Prepared, *, seq: int, at: int) -> JournalRow:
    """Return the row for *prepared* at its place; the errors are those of `seal`."""
    return JournalRow._make(seal(prepared, seq=seq, at=at))


def make_entry(prepared: Prepared, session_id: SessionId, *, seq: int, at: datetime) -> Entry:
    """Return the entry that reading *prepared* back at its place will give."""
    return Entry(
        session_id=session_id,
        seq=Seq(seq),
        at=at,
        event=prepared.encoded.event,
        causes=prepared.causes,
        payload=prepared.encoded.payload,
        version=prepared.encoded.version,
    )


def has_content(row: JournalRow) -> bool:
    """Tell whether there is anything to forget in *row*: not in a tombstone, nor in a note on where a session is."""
    return row.kind not in _WITHOUT_CONTENT


def make_tombstone(row: JournalRow) -> JournalRow:
    """Return the row that takes the place of *row* when its content is forgotten."""
    return make_row(Prepared(CODEC.encode(Forgotten(was=row.kind)), ()), seq=row.seq, at=row.at)


def make_rewritten(row: JournalRow, payload: str) -> JournalRow:
    """Return *row* with other content of the same kind.

    Raises:
        InvalidEventError: *payload* is not an event of this kind and version.
    """
    try:
        kind = kind_in(payload)
        CODEC.decode(kind, row.version, payload)
    except CorruptError as error:
        raise InvalidEventError(f"entry {row.seq}: {error.detail}") from error
    if kind != row.kind:
        raise InvalidEventError(f"entry {row.seq} is a {row.kind}, not a {kind}")
    crc = _checksum(row.seq, row.at, kind, row.version, row.causes, payload)
    return row._replace(payload=payload, key_id=None, crc=crc)


def damage(row: JournalRow) -> str | None:
    """Say what is wrong with *row*, or None."""
    return None if row.crc == _checksum(*row[:6]) else _DAMAGED


def read_entry(row: StoredRow, session_id: SessionId) -> Entry:
    """Return *row* as an entry read through *session_id*.

    Raises:
        CorruptError: the row is damaged.
    """
    [entry] = read_entries([row], session_id)
    return entry


def copy_rows(entries: Sequence[Entry]) -> list[JournalRow]:
    """Return rows that store *entries*, a whole journal, to the letter.

    Raises:
        InvalidEventError: they do not begin with a session's first entry, have a gap, or one is not an event.
    """
    if not entries or not isinstance(entries[0].event, SessionCreated | Forgotten):
        raise InvalidEventError("a journal begins with session_created")
    return [_copied(entry, seq) for seq, entry in enumerate(entries, 1)]


def copy_more_rows(entries: Sequence[Entry]) -> list[JournalRow]:
    """Return rows that store *entries*, with which a journal goes on, to the letter.

    Raises:
        InvalidEventError: there are none, they have a gap, begin a session, or one is not an event.
    """
    if not entries or any(isinstance(entry.event, SessionCreated | SessionForked) for entry in entries):
        raise InvalidEventError("a journal goes on with entries that begin no session")
    return [_copied(entry, seq) for seq, entry in enumerate(entries, entries[0].seq)]


def _copied(entry: Entry, seq: int) -> JournalRow:
    if entry.seq != seq:
        raise InvalidEventError(f"entry {entry.seq} stands where entry {seq} belongs")
    if not 1 <= entry.version <= _MAX_VERSION:
        raise InvalidEventError(f"entry {seq}: there is no version {entry.version!r:.50} of an event")
    try:
        kind = kind_in(entry.payload)
        event = CODEC.decode(kind, entry.version, entry.payload)
    except (InvalidEventError, CorruptError) as error:
        raise InvalidEventError(f"entry {seq}: {error.detail}") from error
    encoded = Encoded(kind, entry.version, entry.payload, event)
    return make_row(Prepared(encoded, entry.causes), seq=seq, at=micros(entry.at))


def read_entries(rows: Iterable[StoredRow], session_id: SessionId, *, follows: int | None = None) -> list[Entry]:
    """Return *rows* as entries read through *session_id*; with *follows*, they go on from that seq without a gap.

    Raises:
        CorruptError: a row is damaged or missing.
    """
    entries: list[Entry] = []
    crc32, current = zlib.crc32, CODEC.current.get
    seq, kind, appended, when = Seq(0), "", -1, _EPOCH
    try:
        for seq, at, kind, version, causes, payload, _, crc in rows:
            if follows is not None:
                follows += 1
                if seq != follows:
                    raise CorruptError(f"session={session_id} entry={follows}: the entry is missing")
            if crc != crc32(f"{seq}|{at}|{kind}|{version}|{'None' if causes is None else causes}|{payload}".encode()):
                raise CorruptError(f"session={session_id} entry={seq}: {_DAMAGED}")
            if at != appended:  # those that were appended together share their time
                appended, when = at, moment(at)
            entries.append(
                Entry(
                    session_id=session_id,
                    seq=seq,
                    at=when,
                    event=decode_current(payload) if version == current(kind) else CODEC.decode(kind, version, payload),
                    causes=_causes_decoder.decode(causes) if causes else (),
                    payload=payload,
                    version=version,
                )
            )
    except UNREADABLE as error:
        raise _unreadable(session_id, seq, kind, error) from error
    return entries


def read_messages(rows: Iterable[StoredMessage], session_id: SessionId) -> list[Entry]:
    """Return *rows* as entries read through *session_id*. Most are of today's version and derived from nothing.

    Raises:
        CorruptError: a row is damaged.
    """
    entries: list[Entry] = []
    crc32, current = zlib.crc32, CODEC.current[_MESSAGE]
    ordinary = f"{_MESSAGE}|{current}|None"
    seq, appended, when = Seq(0), -1, _EPOCH
    try:
        for seq, at, version, causes, payload, crc in rows:
            if version == current and causes is None and crc == crc32(f"{seq}|{at}|{ordinary}|{payload}".encode()):
                if at != appended:
                    appended, when = at, moment(at)
                event = decode_current(payload)
                entries.append(
                    Entry(session_id=session_id, seq=seq, at=when, event=event, payload=payload, version=version)
                )
            else:
                entries.append(read_entry((seq, at, _MESSAGE, version, causes, payload, None, crc), session_id))
    except UNREADABLE as error:
        raise _unreadable(session_id, seq, _MESSAGE, error) from error
    return entries


def _unreadable(session_id: SessionId, seq: Seq, kind: str, error: Exception) -> CorruptError:
    return CorruptError(f"session={session_id} entry={seq}: a stored {kind} cannot be read: {error}")


def derived_from(rows: Iterable[JournalRow], forgotten: set[int]) -> set[int]:
    """Return *forgotten* with all entries among *rows*, oldest first, that were derived from them at any remove."""
    reached = set(forgotten)
    for row in rows:
        if row.causes and not reached.isdisjoint(_causes_decoder.decode(row.causes)):
            reached.add(row.seq)
    return reached
