"""What the children do: they write until they are killed, or until they have written enough."""

import asyncio
import random
from multiprocessing.connection import Connection

from sojourn.engine.session import Session
from sojourn.errors import AlreadyExistsError
from sojourn.model.ids import SessionId
from sojourn.model.state import encode_snapshot
from sojourn.store import open_store
from sojourn.store.protocol import Snapshot, Store
from tests.faults.ledger import Begun, Done, Forked, turn

SESSIONS = ("first", "second", "third")
WRITERS = 3


def write_until_killed(pipe: Connection, location: str, seed: int, retry: list[Begun]) -> None:
    """Open the store, finish what is in doubt, then go on writing to several sessions at once for ever."""

    async def main() -> None:
        pipe.send("about to open")
        async with open_store(location) as store:
            sessions = [await _open(store, name) for name in SESSIONS]
            for doubtful in retry:
                await _append(pipe, await Session.open(store, doubtful.session_id), doubtful.nonce, keyed=True)
            async with asyncio.TaskGroup() as writers:
                for number in range(WRITERS):
                    writers.create_task(_write(pipe, store, sessions, random.Random(seed * WRITERS + number)))

    asyncio.run(main())


async def _open(store: Store, name: str) -> Session:
    try:
        return await Session.create(store, name)
    except AlreadyExistsError:
        return await Session.open(store, name)


async def _write(pipe: Connection, store: Store, sessions: list[Session], rng: random.Random) -> None:
    while True:
        session = rng.choice(sessions)
        match rng.randrange(12):
            case 0:
                await _fork(pipe, sessions, session, rng)
            case 1:
                snapshot = Snapshot(seq=session.head, data=encode_snapshot(session.state))
                await store.save_snapshot(session.id, snapshot, epoch=0)
            case 2:
                await store.save_partial(session.id, "half a sent")
            case choice:
                nonce = f"{rng.getrandbits(64):x}"
                await _append(pipe, session, nonce, keyed=choice % 2 == 0, bulk=rng.choice((0, 0, 100, 5000)))


async def _append(pipe: Connection, session: Session, nonce: str, *, keyed: bool, bulk: int = 0) -> None:
    pipe.send(Begun(session.id, nonce, keyed))
    receipt = await session.append(*turn(nonce, bulk=bulk), key=nonce if keyed else None, clear_partial=True)
    pipe.send(Done(session.id, nonce, receipt.first, receipt.last))


async def _fork(pipe: Connection, sessions: list[Session], session: Session, rng: random.Random) -> None:
    fork_id, at = SessionId(f"fork-{rng.getrandbits(64):x}"), rng.randint(1, session.head)
    fork = await session.fork(fork_id, at=at)
    pipe.send(Forked(session.id, fork_id, at))
    sessions[rng.randrange(len(sessions))] = fork


def write_turns(pipe: Connection, location: str, session_id: str, turns: int, number: int) -> None:
    """Write *turns* turns as writer *number* once told to go, and say where each came to stand."""

    async def main() -> None:
        async with open_store(location) as store:
            session = await Session.open(store, session_id)
            pipe.send("ready")
            pipe.recv()
            for count in range(turns):
                await _append(pipe, session, f"{number}-{count}", keyed=False)
            await session.refresh()
            pipe.send(session.head)

    asyncio.run(main())


def open_at_once(pipe: Connection, location: str, number: int) -> None:
    """Open a store that is not there yet, once told to, and write one turn to a session of its own."""

    async def main() -> None:
        async with open_store(location) as store:
            await _append(pipe, await Session.create(store, f"writer-{number}"), f"{number}-0", keyed=False)

    pipe.send("ready")
    pipe.recv()
    asyncio.run(main())
