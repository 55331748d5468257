"""`receipts.jsonl`: in which entry an idempotency key was used, found without reading the journal.

The keys themselves stand in the journal's lines. This file is a table of slots of one length, most of them blank; a
key's slot is told by its hash, and the next free one if that is taken. What it finds is checked against the journal,
so a wrong slot proves nothing. Keys are entered some dozens at a time; those of the last lines are read from there.
"""

import hashlib
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from sojourn.store.files.disk import Disk

_FORM: Final = re.compile(rb'\{"key":"([0-9a-f]{16})","seq": *(\d+),"crc":"([0-9a-f]{8})"\}\n')
_FEWEST_SLOTS: Final = 256


class StaleReceiptsError(Exception):
    """A slot is neither blank nor what was written: the table must be made anew."""


class _Slot(NamedTuple):
    key: str
    seq: int


def _encode(slot: _Slot) -> bytes:
    text = b'"key":"%b","seq":%12d' % (slot.key.encode(), slot.seq)
    return b'{%b,"crc":"%08x"}\n' % (text, zlib.crc32(text))


_WIDTH: Final = len(_encode(_Slot("0" * 16, 0)))
_BLANK: Final = b" " * (_WIDTH - 1) + b"\n"


def find(path: Path, key: str) -> Iterator[int]:
    """Give the entries that may have been appended with *key*.

    Raises:
        StaleReceiptsError: the table is damaged or missing.
    """
    wanted = _hash(key)
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError as error:
        raise StaleReceiptsError from error
    try:
        for _, slot in _probe(descriptor, wanted):
            if slot is None:
                return
            if slot.key == wanted:
                yield slot.seq
    finally:
        os.close(descriptor)


def add(path: Path, used: Iterable[tuple[str, int]], disk: Disk, *, count: int) -> int:
    """Enter which key was used in which entry, into a table that holds *count*; return how many it then holds.

    Raises:
        StaleReceiptsError: the table is damaged or missing.
    """
    slots = [_Slot(_hash(key), seq) for key, seq in used]
    if count == 0 or (count + len(slots)) * 2 > path.stat().st_size // _WIDTH:
        slots += _all(path) if count else []
        _write_anew(path, slots, disk)
        return len(slots)
    descriptor = os.open(path, os.O_RDWR)
    try:
        for slot in slots:
            count += _enter(descriptor, slot)
        disk.settle(descriptor)
    finally:
        os.close(descriptor)
    return count


def _enter(descriptor: int, new: _Slot) -> int:
    for place, slot in _probe(descriptor, new.key):
        if slot == new:
            return 0  # a crash came between this table and the note of how far it goes
        if slot is None:
            os.pwrite(descriptor, _encode(new), place * _WIDTH)
            return 1
    raise StaleReceiptsError  # no blank slot: the table is never that full


def _probe(descriptor: int, key: str) -> Iterator[tuple[int, _Slot | None]]:
    """Give the slots where *key* may stand, up to the first blank one."""
    slots, rest = divmod(os.fstat(descriptor).st_size, _WIDTH)
    if rest or slots < _FEWEST_SLOTS or slots.bit_count() != 1:
        raise StaleReceiptsError
    start = int(key, 16)
    for step in range(slots):
        place = (start + step) % slots
        slot = _decode(os.pread(descriptor, _WIDTH, place * _WIDTH))
        yield place, slot
        if slot is None:
            return


def _decode(data: bytes) -> _Slot | None:
    if data == _BLANK:
        return None
    found = _FORM.fullmatch(data)
    if found is None or int(found[3], 16) != zlib.crc32(data[1 : found.start(3) - 8]):
        raise StaleReceiptsError
    return _Slot(found[1].decode(), int(found[2]))


def _all(path: Path) -> list[_Slot]:
    data = path.read_bytes()
    found = (_decode(data[place : place + _WIDTH]) for place in range(0, len(data), _WIDTH))
    return [slot for slot in found if slot is not None]


def _write_anew(path: Path, slots: list[_Slot], disk: Disk) -> None:
    size = _FEWEST_SLOTS
    while size < 4 * len(slots):
        size *= 2
    table = [_BLANK] * size
    for slot in slots:
        place = int(slot.key, 16) % size
        while table[place] != _BLANK:
            place = (place + 1) % size
        table[place] = _encode(slot)
    disk.replace(path, b"".join(table))


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:16]
