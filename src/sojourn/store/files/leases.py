"""Operations on leases: who runs a session's turn. `lease.json` says so."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import msgspec

from sojourn.errors import ConflictError, CorruptError, LeaseLostError, LockedError, SessionNotFoundError, StoreError
from sojourn.model.ids import SessionId
from sojourn.store.checks import UNFINISHED, check_lease
from sojourn.store.files.disk import read_file
from sojourn.store.files.folders import SessionFolder
from sojourn.store.files.partials import read_partial
from sojourn.store.files.sealed import is_whole, seal
from sojourn.store.files.shelf import Shelf
from sojourn.store.process import Process
from sojourn.store.protocol import Claim, Lease


class Moment(NamedTuple):
    """Who asks, and when, in seconds since boot."""

    process: Process
    now: float


class _Stored(msgspec.Struct, kw_only=True):
    token: int
    holder: str | None
    expires: float
    boot_id: str
    pid: int
    pid_start: int
    pid_space: str = ""

    def is_held(self, moment: Moment) -> bool:
        process = Process(self.boot_id, self.pid_space, self.pid, self.pid_start)
        live = self.boot_id == moment.process.boot_id and self.expires > moment.now
        return self.holder is not None and live and not process.is_gone(seen_from=moment.process)


def acquire(shelf: Shelf, session_id: SessionId, holder: str, *, ttl: float, moment: Moment) -> Lease:
    """Take the lease if it is free, expired, or its process is gone."""
    check_lease(holder, ttl)
    with shelf.locked(session_id) as folder:
        return _take(shelf, folder, session_id, Claim(holder=holder, ttl=ttl), moment)


def find(shelf: Shelf, session_id: SessionId, *, moment: Moment) -> Lease | None:
    """Return the lease in force."""
    with shelf.locked(session_id) as folder:
        stored = _read(folder)
        if stored is None or stored.holder is None or not stored.is_held(moment):
            return None
        return Lease(session_id=session_id, holder=stored.holder, token=stored.token)


def _take(
    shelf: Shelf,
    folder: SessionFolder,
    session_id: SessionId,
    claim: Claim,
    moment: Moment,
    *,
    over_partial: bool = True,
) -> Lease:
    stored = _read(folder)
    if stored is not None and stored.is_held(moment):
        raise LockedError(f"session={session_id} holder={stored.holder}")
    if not over_partial and read_partial(folder) is not None:
        raise ConflictError(f"session={session_id}: {UNFINISHED}")
    lease = Lease(session_id=session_id, holder=claim.holder, token=stored.token + 1 if stored else 1)
    _write(shelf, folder, lease, holder=claim.holder, ttl=claim.ttl, moment=moment)
    return lease


@contextmanager
def passed(
    shelf: Shelf,
    folder: SessionFolder,
    session_id: SessionId,
    lease: Lease | Claim | None,
    *,
    release: bool,
    clear_partial: bool,
    moment: Moment,
) -> Iterator[Lease | None]:
    """Take the lease before the body if it is claimed, and give it back behind it if it is to be released.

    A body that fails takes nothing. What cannot be given back ends by itself: the body is done, and stays so.
    """
    taken = None
    if isinstance(lease, Claim):
        taken = _take(shelf, folder, session_id, lease, moment, over_partial=clear_partial)
    try:
        yield taken
    except BaseException:
        if taken is not None:
            _write(shelf, folder, taken, holder=None, ttl=0.0, moment=moment)
        raise
    if release and isinstance(lease, Lease):
        with suppress(StoreError):
            _write(shelf, folder, lease, holder=None, ttl=0.0, moment=moment)


def verify(folder: SessionFolder, lease: Lease) -> None:
    """Raise unless *lease* is the one in force. An expired lease that nobody took is still in force."""
    stored = _read(folder)
    if stored is None or (stored.token, stored.holder) != (lease.token, lease.holder):
        raise LeaseLostError(f"session={lease.session_id} holder={lease.holder}")


def renew(shelf: Shelf, lease: Lease, *, ttl: float, moment: Moment) -> None:
    """Hold *lease* for *ttl* seconds from now."""
    check_lease(lease.holder, ttl)
    with shelf.locked(lease.session_id) as folder:
        verify(folder, lease)
        _write(shelf, folder, lease, holder=lease.holder, ttl=ttl, moment=moment)


def release(shelf: Shelf, lease: Lease, *, moment: Moment) -> None:
    """Give *lease* back; a lost one is nobody's business any more."""
    try:
        with shelf.locked(lease.session_id) as folder:
            verify(folder, lease)
            _write(shelf, folder, lease, holder=None, ttl=0.0, moment=moment)
    except (LeaseLostError, SessionNotFoundError):
        return


def _read(folder: SessionFolder) -> _Stored | None:
    data = read_file(folder.lease)
    if data is None:
        return None
    if not is_whole(data):
        raise CorruptError(f"{folder.lease} is damaged; remove it when nobody works on the session")
    return msgspec.json.decode(data, type=_Stored)


def _write(
    shelf: Shelf, folder: SessionFolder, lease: Lease, *, holder: str | None, ttl: float, moment: Moment
) -> None:
    process = moment.process._asdict()
    shelf.disk.replace(
        folder.lease, seal({"token": lease.token, "holder": holder, "expires": moment.now + ttl, **process})
    )
