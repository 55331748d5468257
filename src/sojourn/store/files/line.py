"""One line of `journal.jsonl`: the entries of one append, with the length and checksum that tell if it is whole.

A line is JSON, and begins `{"n":N,"crc":"C","first":F,"last":L,`: N bytes with the CRC-32 C follow after the comma
behind C, without the line's end. No entry holds a raw line break, so lines are found by their ends alone. The first
line also says where a fork's earlier entries are kept, and the session's epoch: the journal alone tells everything.
"""

import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from sojourn.model.events import MessageAdded, kind_of
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Message
from sojourn.store.rows import JournalRow, damage, micros, moment

_HEAD: Final = re.compile(rb'\{"n":(\d{1,15}),"crc":"([0-9a-f]{8})",')
_SPAN: Final = re.compile(rb'\{"n":\d{1,15},"crc":"[0-9a-f]{8}","first":(\d{1,15}),"last":(\d{1,15}),')
MOST_HEAD_BYTES: Final = 96
_HOLE: Final = bytes(512)
MESSAGE_KIND: Final = kind_of(MessageAdded(message=Message(role="user")))


class _Entry(msgspec.Struct, omit_defaults=True, kw_only=True):
    seq: Seq
    at: datetime
    kind: str
    version: int
    crc: int
    key_id: str | None = None
    causes: Raw | UnsetType = UNSET
    event: Raw | UnsetType = UNSET
    text: str | None = None  # a payload that is no plain JSON object, such as an encrypted one


class _Line(msgspec.Struct, omit_defaults=True, kw_only=True):
    first: int
    last: int
    base: SessionId | None = None
    base_seq: int = 0
    epoch: int = 0
    key: str | None = None
    clears_partial: bool = False
    entries: list[_Entry]


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(_Line)


class Origin(NamedTuple):
    """What the first line of a journal says about the session: its fork's base, and how often it was redacted."""

    base: SessionId | None = None
    base_seq: int = 0
    epoch: int = 0


NO_ORIGIN: Final = Origin()
"""A session that is no fork and never forgot anything."""


class Damage(NamedTuple):
    """What is wrong, and the first entry that cannot be trusted."""

    seq: int
    what: str


class JournalLine(NamedTuple):
    """A line that was read: its entries, up to the first that is damaged."""

    first: int
    last: int
    rows: list[JournalRow]
    origin: Origin = NO_ORIGIN
    key: str | None = None
    clears_partial: bool = False
    damage: Damage | None = None


def encode_line(
    rows: Sequence[JournalRow],
    *,
    origin: Origin = NO_ORIGIN,
    key: str | None = None,
    clears_partial: bool = False,
) -> bytes:
    """Return the line for *rows*, which are consecutive and at least one."""
    line = _Line(
        first=rows[0].seq,
        last=rows[-1].seq,
        base=origin.base,
        base_seq=origin.base_seq,
        epoch=origin.epoch,
        key=key,
        clears_partial=clears_partial,
        entries=[_stored(row) for row in rows],
    )
    body = _encoder.encode(line)[1:]
    return b'{"n":%d,"crc":"%08x",%b\n' % (len(body), zlib.crc32(body), body)


def decode_line(data: bytes, *, expected: int) -> JournalLine:
    """Return the line in *data*, which ends with a line break; its first entry should be *expected*."""
    head = _HEAD.match(data)
    body = data[head.end() : -1] if head else b""
    whole = head is not None and (int(head[1]), int(head[2], 16)) == (len(body), zlib.crc32(body))
    try:
        line = _decoder.decode(data)
        rows = [_row(entry) for entry in line.entries]
    except (msgspec.MsgspecError, UnicodeError, OverflowError):
        what = "the line cannot be read"
        return JournalLine(expected, expected, [], damage=Damage(expected, what))
    wrong = None
    if not (whole and data.endswith(b"\n")):
        rows, wrong = _sound_part(rows, line.first)
    elif line.first != expected:
        rows, wrong = [], Damage(expected, "the entry is missing")
    origin = Origin(line.base, line.base_seq, line.epoch)
    return JournalLine(line.first, line.last, rows, origin, line.key, line.clears_partial, wrong)


def span_of(data: bytes) -> tuple[int, int] | None:
    """Return the first and last entry of the line that begins with *data*, without reading more; None if it is none."""
    found = _SPAN.match(data)
    return (int(found[1]), int(found[2])) if found else None


def is_torn(data: bytes) -> bool:
    """Tell whether *data*, the end of a journal, is a line whose writing was cut short, not one that was damaged since.

    A crash leaves a beginning of the line; a power cut may also leave zeros for the blocks that were not written.
    """
    if not data.endswith(b"\n"):
        head = _HEAD.match(data)
        return head is None or len(data) < head.end() + int(head[1]) + 1 or data.endswith(b"\0")
    return data.startswith(b"\0") or _HOLE in data


def _stored(row: JournalRow) -> _Entry:
    payload = row.payload
    plain = row.key_id is None and payload.startswith("{") and payload.endswith("}") and "\n" not in payload
    return _Entry(
        seq=row.seq,
        at=moment(row.at),
        kind=row.kind,
        version=row.version,
        crc=row.crc,
        key_id=row.key_id,
        causes=UNSET if row.causes is None else Raw(row.causes),
        event=Raw(payload) if plain else UNSET,
        text=None if plain else payload,
    )


def _row(entry: _Entry) -> JournalRow:
    causes = None if isinstance(entry.causes, UnsetType) else bytes(entry.causes).decode()
    payload = (entry.text or "") if isinstance(entry.event, UnsetType) else bytes(entry.event).decode()
    return JournalRow(entry.seq, micros(entry.at), entry.kind, entry.version, causes, payload, entry.key_id, entry.crc)


def _sound_part(rows: list[JournalRow], first: int) -> tuple[list[JournalRow], Damage]:
    for place, row in enumerate(rows):
        wrong = damage(row) if row.seq == first + place else "the entry is missing"
        if wrong is not None:
            return rows[:place], Damage(first + place, wrong)
    return [], Damage(first, "the line does not match its checksum")
