"""Operations on leases: who runs a session's turn."""

from typing import NamedTuple

from sojourn.errors import LeaseLostError, LockedError, SessionNotFoundError
from sojourn.model.ids import SessionId, TenantId
from sojourn.store.checks import check_lease
from sojourn.store.process import Process
from sojourn.store.protocol import Lease
from sojourn.store.sql.statement import Operation, Params, Statement


class Moment(NamedTuple):
    """Who asks, and when, in seconds since boot; a database with a clock of its own uses that instead."""

    process: Process
    now: float

    def params(self) -> Params:
        return {"now": self.now, **self.process._asdict()}


def acquire(tenant: TenantId, session_id: SessionId, holder: str, *, ttl: float, moment: Moment) -> Operation[Lease]:
    """Take the lease if it is free, expired, or its process is gone."""
    check_lease(holder, ttl)
    lease = yield from find_free(tenant, session_id, holder, moment=moment)
    yield put(tenant, lease, ttl=ttl, moment=moment)
    return lease


def find(tenant: TenantId, session_id: SessionId, *, moment: Moment) -> Operation[Lease | None]:
    """Return the lease in force, once whatever else writes to the session has ended."""
    token, holder = yield from _look(tenant, session_id, moment)
    return None if holder is None else Lease(session_id=session_id, holder=holder, token=token)


def find_free(tenant: TenantId, session_id: SessionId, holder: str, *, moment: Moment) -> Operation[Lease]:
    """Return the lease that *holder* can put in force; raise if another one is."""
    last_token, other = yield from _look(tenant, session_id, moment)
    if other is not None:
        raise LockedError(f"session={session_id} holder={other}")
    return Lease(session_id=session_id, holder=holder, token=last_token + 1)


def _look(tenant: TenantId, session_id: SessionId, moment: Moment) -> Operation[tuple[int, str | None]]:
    """Return the last token, and who holds the lease now, if anybody does."""
    rows = yield Statement("lock_lease", {"tenant": tenant, "session_id": session_id, **moment.params()})
    if not rows:
        raise SessionNotFoundError(f"session={session_id}")
    token, holder, *process, live = rows[0]
    held = holder is not None and live and not Process(*process).is_gone(seen_from=moment.process)
    return token, holder if held else None


def put(tenant: TenantId, lease: Lease, *, ttl: float, moment: Moment) -> Statement:
    """Put *lease* in force for *ttl* seconds from now."""
    place = {"tenant": tenant, "session_id": lease.session_id, "token": lease.token, "holder": lease.holder}
    return Statement("put_lease", {**place, **moment.params(), "ttl": ttl})


def give_back(tenant: TenantId, lease: Lease) -> Statement:
    """Let nobody hold *lease*, which is in force."""
    return Statement("clear_lease", {"tenant": tenant, "session_id": lease.session_id})


def verify(tenant: TenantId, lease: Lease) -> Operation[None]:
    """Raise unless *lease* is the one in force. An expired lease that nobody took is still in force."""
    params = {"tenant": tenant, "session_id": lease.session_id, "now": 0.0, "boot_id": ""}
    rows = yield Statement("lock_lease", params)
    if not rows:
        raise SessionNotFoundError(f"session={lease.session_id}")
    if (rows[0][0], rows[0][1]) != (lease.token, lease.holder):
        raise LeaseLostError(f"session={lease.session_id} holder={lease.holder}")


def renew(tenant: TenantId, lease: Lease, *, ttl: float, moment: Moment) -> Operation[None]:
    """Hold *lease* for *ttl* seconds from now."""
    check_lease(lease.holder, ttl)
    yield from verify(tenant, lease)
    yield put(tenant, lease, ttl=ttl, moment=moment)


def release(tenant: TenantId, lease: Lease) -> Operation[None]:
    """Give *lease* back; a lost one is nobody's business any more."""
    try:
        yield from verify(tenant, lease)
    except (LeaseLostError, SessionNotFoundError):
        return
    yield give_back(tenant, lease)
