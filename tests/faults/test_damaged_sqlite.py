"""Damage to a SQLite file is named, stays where it is, and is never handed out as if it had been written."""

import asyncio
import random
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import pytest

from sojourn.engine.session import Session
from sojourn.errors import CorruptError
from sojourn.store import open_store
from sojourn.store.sql.sqlite_driver import PAGE_BYTES
from tests.faults.answers import Answers, ask, assert_prefixes, differences, write
from tests.faults.ledger import read_all, turn
from tests.faults.processes import Child

FLIPS: Final = 200


@dataclass(frozen=True)
class Written:
    """A SQLite file as it should be, and every answer that a store on it gives."""

    path: Path
    data: bytes
    answers: Answers


@pytest.fixture
async def written(tmp_path: Path) -> Written:
    path = tmp_path / "sojourn.db"
    async with open_store(path) as store:
        await write(store)
        answers = await ask(store)
    return Written(path, path.read_bytes(), answers)


def damage(written: Written, at: int, new: bytes) -> None:
    """Replace the bytes *at* in the file by *new*."""
    written.path.write_bytes(written.data[:at] + new + written.data[at + len(new) :])


@pytest.mark.anyio
@pytest.mark.parametrize("new", [b"beta-4 1/2 ?", b"beta-4 1/2 \xff"], ids=["another letter", "no text at all"])
async def test_a_changed_text_is_named_and_only_its_session_is_stopped(written: Written, new: bytes) -> None:
    damage(written, written.data.index(b"beta-4 1/2 x"), new)
    place = next(entry.seq for entry in written.answers["beta entries"] if "beta-4 1/2" in entry.payload)

    async with open_store(written.path) as store:
        with pytest.raises(CorruptError, match="session=beta"):
            await read_all(store, "beta")
        for before_it in (None, place + 1):
            with pytest.raises(CorruptError, match="session=beta"):
                await store.last_messages("beta", 50, before=before_it)
        report = await store.check()
        with pytest.raises(CorruptError, match="quarantine"):
            await store.append("beta", turn("more"))
        before = await store.read("beta", before=place)
        for other in ("alpha", "gamma", "fork"):
            assert await read_all(store, other) == written.answers[f"{other} entries"]
            await store.append(other, turn("more"))

    assert [(problem.session_id, problem.seq) for problem in report.problems] == [("beta", place)]
    assert before == written.answers["beta entries"][: place - 1]


@pytest.mark.anyio
async def test_a_session_that_was_damaged_and_put_right_is_open_again(written: Written) -> None:
    damage(written, written.data.index(b"beta-4 1/2 x"), b"beta-4 1/2 ?")
    async with open_store(written.path) as store:
        await store.check()
    at = (damaged := written.path.read_bytes()).index(b"beta-4 1/2 ?")
    written.path.write_bytes(damaged[:at] + b"beta-4 1/2 x" + damaged[at + 12 :])

    async with open_store(written.path) as store:
        report = await store.check()
        await store.append("beta", turn("more"))

    assert report.ok


@pytest.mark.anyio
async def test_a_damaged_snapshot_is_not_used(written: Written) -> None:
    damage(written, written.data.index(b'"title":"Title of gamma"'), b'"title":"TITLE of gamma"')

    async with open_store(written.path) as store:
        state = (await Session.open(store, "gamma")).state

    assert state == written.answers["gamma state"]


@pytest.mark.anyio
async def test_a_row_that_its_entries_do_not_bear_out_is_named_and_made_anew(written: Written) -> None:
    damage(written, written.data.index(b"Title of gammatitle of gamma"), b"Title of LAMBDA")

    async with open_store(written.path) as store:
        found = await store.check()
        await store.rebuild()
        after = await store.check()
        header = (await store.get_session("gamma")).header

    assert [problem.session_id for problem in found.problems] == ["gamma"]
    assert after.ok
    assert header == written.answers["gamma header"]


@pytest.mark.anyio
async def test_opening_and_reading_a_damaged_file_leaves_its_journal_as_it_is(written: Written) -> None:
    damage(written, written.data.index(b"beta-4 1/2 x"), b"beta-4 1/2 ?")

    async with open_store(written.path) as store:
        await ask(store)

    assert written.path.read_bytes().count(b"beta-4 1/2 ?") == 1
    assert len(written.path.read_bytes()) == len(written.data)


@pytest.mark.anyio
@pytest.mark.timeout(180)
async def test_no_single_bit_gives_a_wrong_answer(written: Written, rng: random.Random) -> None:
    """Whatever bit is turned: the answers are right, or errors of ours, or the check names what is damaged."""
    outcomes = {"harmless": 0, "named": 0, "refused": 0}
    for _ in range(FLIPS):
        bit = rng.randrange(len(written.data) * 8)
        damage(written, bit // 8, bytes([written.data[bit // 8] ^ 1 << bit % 8]))
        try:
            async with open_store(written.path) as store:
                answers = await ask(store)
                report = await store.check()
        except CorruptError:
            outcomes["refused"] += 1
            continue

        wrong = differences(answers, written.answers)
        assert not (report.ok and wrong), f"bit {bit}: the check finds nothing, and these are wrong: {wrong}"
        assert_prefixes(answers, written.answers)
        outcomes["named" if wrong else "harmless"] += 1
    assert outcomes["named"] > FLIPS // 4, outcomes


@pytest.mark.anyio
async def test_no_page_of_zeros_gives_a_wrong_answer(written: Written) -> None:
    for page in range(len(written.data) // PAGE_BYTES):
        damage(written, page * PAGE_BYTES, bytes(PAGE_BYTES))
        try:
            async with open_store(written.path) as store:
                answers = await ask(store)
                report = await store.check()
        except CorruptError:
            continue

        wrong = differences(answers, written.answers)
        assert not (report.ok and wrong), f"page {page + 1}: the check finds nothing, and these are wrong: {wrong}"
        assert_prefixes(answers, written.answers)


@pytest.mark.anyio
@pytest.mark.parametrize("tenths", range(10))
async def test_a_file_that_was_cut_is_named_or_refused(written: Written, tenths: int) -> None:
    written.path.write_bytes(written.data[: max(1, len(written.data) * tenths // 10)])

    try:
        async with open_store(written.path) as store:
            answers = await ask(store)
            report = await store.check()
    except CorruptError:
        return

    assert not report.ok
    assert_prefixes(answers, written.answers)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "content", [b"hi\n", b"not a database\n" * 100, b"\0" * 4096, b"SQLite format 3\0" + b"x" * 4096]
)
async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(CorruptError, match=r"notes\.txt"):
        async with open_store(path):
            pass

    assert path.read_bytes() == content
    assert not (tmp_path / "notes.txt-wal").exists()


def write_and_stay(pipe: Connection, location: str) -> None:
    """Write, and keep the store open, so that the newest entries are in its log only."""

    async def main() -> None:
        async with open_store(location) as store:
            await write(store)
            pipe.send(await ask(store))
            pipe.recv()

    asyncio.run(main())


@pytest.fixture
def logged(tmp_path: Path) -> Written:
    """Give a file whose writer was killed: *data* is its log."""
    path = tmp_path / "sojourn.db"
    child = Child(write_and_stay, str(path))
    answers = child.receive()
    child.kill()
    child.join()
    return Written(path, Path(f"{path}-wal").read_bytes(), answers)


def put_files(path: Path, file: bytes, *, log: bytes) -> None:
    path.write_bytes(file)
    path.with_name(f"{path.name}-wal").write_bytes(log)
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)


@pytest.mark.anyio
@pytest.mark.timeout(180)
async def test_a_damaged_log_gives_an_earlier_moment_and_nothing_else(logged: Written, rng: random.Random) -> None:
    """SQLite takes a log up to its first damaged frame, so what it gives was true once, for all sessions together."""
    file = logged.path.read_bytes()
    for count in range(FLIPS // 4):
        at = rng.randrange(len(logged.data))
        flipped = logged.data[:at] + bytes([logged.data[at] ^ 1 << rng.randrange(8)]) + logged.data[at + 1 :]
        put_files(logged.path, file, log=logged.data[:at] if count % 2 else flipped)

        async with open_store(logged.path) as store:
            answers = await ask(store)
            report = await store.check()

        assert report.ok, f"{report.problems} after damage at {at}"
        assert_prefixes(answers, logged.answers)
