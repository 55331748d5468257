"""Each write and each sync that an append makes may fail, or be the process's last: nothing acknowledged is lost.

The faults come from strace, which makes the Nth system call of a kind fail in a process that has its store open.
"""

import asyncio
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import pytest

from sojourn.engine.session import Session
from sojourn.errors import SojournError, UnknownOutcomeError
from sojourn.store import open_store
from tests.faults.ledger import Begun, Done, Ledger, nonce_of, read_all, turn, verify
from tests.faults.processes import Child

STRACE = shutil.which("strace")
TURNS = 3


class Refused(NamedTuple):
    """The append raised an error of ours; *unknown*: one that says so."""

    nonce: str
    unknown: bool
    error: str


class Fault(NamedTuple):
    """The *nth* call of *syscall* ends with *effect*; with *on*, every later one too."""

    syscall: str
    nth: int
    effect: str
    on: str = ""

    @property
    def inject(self) -> str:
        return f"inject={self.syscall}:{self.effect}:when={self.nth}{self.on}"


def append_under_faults(pipe: Connection, location: str, together: bool, bulk: int) -> None:
    """Append some turns once told to, one after the other or all at once, and go on after errors."""

    async def main() -> None:
        async with open_store(location) as store:
            session = await Session.create(store, "s")
            pipe.send("ready")
            pipe.recv()
            appends = [_append(pipe, session, f"{count}", bulk) for count in range(TURNS)]
            if together:
                await asyncio.gather(*appends)
            else:
                for append in appends:
                    await append
            pipe.send("end")
            pipe.recv()

    asyncio.run(main())


async def _append(pipe: Connection, session: Session, nonce: str, bulk: int) -> None:
    pipe.send(Begun(session.id, nonce))
    try:
        receipt = await session.append(*turn(nonce, bulk=bulk))
    except SojournError as error:
        pipe.send(Refused(nonce, isinstance(error, UnknownOutcomeError), repr(error)))
    else:
        pipe.send(Done(session.id, nonce, receipt.first, receipt.last))


@pytest.fixture
def stride(request: pytest.FixtureRequest) -> int:
    """How far apart the faults are at most: with many rounds, every one is tried."""
    return 8 if request.config.getoption("rounds", 0) < 1000 else 1


@contextmanager
def injected(pid: int, fault: Fault, log: Path) -> Iterator[None]:
    """Let *fault* happen to the process from here on."""
    assert STRACE is not None
    command = [STRACE, "-f", "-p", str(pid), "-o", str(log), "-e", f"trace={fault.syscall}", "-e", fault.inject]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr is not None
        attached = tracer.stderr.readline()
        if "attached" not in attached:
            pytest.skip(f"strace cannot trace here: {attached.strip()}")
        yield
        tracer.kill()


def suffer(location: str, fault: Fault, log: Path, *, together: bool, bulk: int) -> tuple[Ledger, list[Refused], bool]:
    """Have a process append under *fault* and kill it; return its notes, and whether the fault came to pass."""
    ledger, refused = Ledger(), []
    child = Child(append_under_faults, location, together, bulk)
    assert child.receive() == "ready"
    with injected(child.pid, fault, log):
        child.send("go")
        for note in child.rest():
            if note == "end":
                break
            if isinstance(note, Refused):
                refused.append(note)
            else:
                ledger.take(note)
    child.kill()
    child.join()
    happened = re.search(r"INJECTED|killed by SIGKILL", log.read_text()) is not None
    return ledger, refused, happened


async def verify_after(location: str, ledger: Ledger, refused: list[Refused]) -> None:
    async with open_store(location) as store:
        await verify(store, ledger)
        stored = {found[0] for entry in await read_all(store, "s") if (found := nonce_of(entry))}
        for refusal in refused:
            assert refusal.unknown or refusal.nonce not in stored, f"said to be refused, and stored: {refusal}"
        await (await Session.open(store, "s")).append(*turn("after"))


@pytest.mark.anyio
@pytest.mark.timeout(300)
@pytest.mark.skipif(STRACE is None, reason="strace is not installed: no system call can be made to fail")
@pytest.mark.parametrize(
    ("store", "syscall", "effect", "together"),
    [
        ("sqlite", "pwrite64", "error=EIO", False),
        ("sqlite", "pwrite64", "error=EIO", True),
        ("sqlite", "pwrite64", "error=ENOSPC", False),
        ("sqlite", "pwrite64", "signal=KILL", False),
        ("sqlite", "fdatasync", "error=EIO", False),
        ("sqlite", "fdatasync", "error=EIO", True),
        ("sqlite", "fdatasync", "signal=KILL", True),
        ("files", "pwrite64", "error=EIO", False),
        ("files", "pwrite64", "error=ENOSPC", True),
        ("files", "fsync", "error=EIO", False),
        ("files", "fsync", "signal=KILL", True),
        ("files", "rename", "error=EIO", False),
        ("files", "rename", "signal=KILL", False),
    ],
)
async def test_a_fault_at_any_system_call_of_an_append_loses_nothing(  # noqa: PLR0917 - pytest passes them by name
    tmp_path: Path, rng: random.Random, stride: int, store: str, syscall: str, effect: str, together: bool
) -> None:
    faults, nth, happened = 0, 1, True
    while happened:
        location = str(tmp_path / f"{nth}.db") if store == "sqlite" else f"files:{tmp_path / str(nth)}"
        fault = Fault(syscall, nth, effect, on=rng.choice(("", "+")))
        ledger, refused, happened = await asyncio.to_thread(
            suffer, location, fault, tmp_path / "log", together=together, bulk=0
        )
        await verify_after(location, ledger, refused)
        faults += happened
        nth += rng.randint(1, stride if syscall == "pwrite64" else 1 + stride // 4)
    assert faults >= 1
