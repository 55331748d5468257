"""The files store: what a crash, a power cut or a bad disk can do to its files, and what it makes of them."""

import shutil
from pathlib import Path

import pytest

from sojourn.errors import CorruptError
from sojourn.model import events as ev
from sojourn.model.codec import Encoded
from sojourn.model.ids import Seq
from sojourn.model.state import encode_snapshot, replay
from sojourn.store import Durability, open_store
from sojourn.store.files.line import encode_line
from sojourn.store.files.projections import read_state
from sojourn.store.files.sealed import seal
from sojourn.store.protocol import Order, SessionQuery, Snapshot, Store
from sojourn.store.rows import Prepared, make_row
from sojourn.testing import FakeClock, fingerprint
from sojourn.testing.factories import UNKNOWN, noted, one_of_each, said

DERIVED = ("metadata.json", "state.json", "working.json", "index.jsonl", "receipts.jsonl")


def open_files(root: Path) -> Store:
    return open_store(f"files:{root}", durability=Durability.RELAXED, clock=FakeClock(tick=1.0))


def folder_of(root: Path, session_id: str = "s") -> Path:
    return root / "sessions" / session_id


def journal_of(root: Path, session_id: str = "s") -> Path:
    return folder_of(root, session_id) / "journal.jsonl"


async def talk(root: Path, *texts: str, session_id: str = "s") -> None:
    """Begin a session with one append, and so one line, for each of *texts*."""
    async with open_files(root) as store:
        await store.create_session(session_id)
        for text in texts:
            await store.append(session_id, [said(text), noted(len(text))])


async def texts_of(store: Store, session_id: str = "s", *, limit: int = 1000) -> list[str]:
    entries = await store.read(session_id, limit=limit)
    return [entry.event.message.text for entry in entries if isinstance(entry.event, ev.MessageAdded)]


def flipped(data: bytes, place: int) -> bytes:
    """Return *data* with one bit of the byte at *place* changed."""
    return data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :]


# --- a line that was not finished


@pytest.mark.anyio
@pytest.mark.parametrize("crashed", [True, False], ids=["before the other files", "after the other files"])
async def test_a_last_line_cut_off_at_any_byte_is_as_if_it_had_not_been_begun(tmp_path: Path, crashed: bool) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    await talk(root, "one", "two")
    before = journal_of(root).stat().st_size
    shutil.copytree(root, copy)
    async with open_files(root) as store:
        await store.append("s", [said("three")], key="k", clear_partial=True)
    whole = journal_of(root).read_bytes()
    base = copy if crashed else root

    for cut in range(before, len(whole)):
        shutil.rmtree(tmp_path / "case", ignore_errors=True)
        shutil.copytree(base, tmp_path / "case")
        journal_of(tmp_path / "case").write_bytes(whole[:cut])
        async with open_files(tmp_path / "case") as store:
            assert (await store.get_session("s")).header.head == 5
            assert await texts_of(store) == ["one", "two"]
            assert journal_of(tmp_path / "case").stat().st_size == cut, "a reader cuts nothing"
            receipt = await store.append("s", [said("again")], key="k")
            assert (receipt.first, receipt.repeated) == (6, False)
            assert await texts_of(store) == ["one", "two", "again"]
            assert (await store.check()).ok


@pytest.mark.anyio
@pytest.mark.parametrize(
    "tail", [b"\0", b"\0" * 4096, b"\0" * 10 + b"}\n", b'{"n":90,"crc":"00000000","first":6' + b"\0" * 99]
)
async def test_zeros_that_a_power_cut_left_are_cut_off_by_the_next_append(tmp_path: Path, tail: bytes) -> None:
    await talk(tmp_path, "one")
    whole = journal_of(tmp_path).read_bytes()
    journal_of(tmp_path).write_bytes(whole + tail)

    async with open_files(tmp_path) as store:
        assert await texts_of(store) == ["one"]
        await store.append("s", [said("two")])
        report = await store.check()

    assert report.ok
    assert journal_of(tmp_path).read_bytes().startswith(whole)
    assert b"\0" not in journal_of(tmp_path).read_bytes()


@pytest.mark.anyio
async def test_a_long_last_line_with_a_hole_is_not_taken_for_damage(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "x" * 10_000)
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    lines[-1] = lines[-1][:100] + bytes(4096) + lines[-1][4196:]
    journal_of(tmp_path).write_bytes(b"".join(lines))
    (folder_of(tmp_path) / "metadata.json").unlink()

    async with open_files(tmp_path) as store:
        row = await store.get_session("s")

    assert (row.header.head, row.quarantined) == (3, None)


# --- damage


@pytest.mark.anyio
@pytest.mark.parametrize("number", [1, 2, 3], ids=["an early line", "a line between", "the last line"])
async def test_any_flipped_bit_is_noticed_named_and_nothing_is_rewritten(tmp_path: Path, number: int) -> None:
    await talk(tmp_path, "one", "two", "three")
    await talk(tmp_path, "other", session_id="t")
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    start = sum(map(len, lines[:number]))
    whole = b"".join(lines)

    for place in range(start, start + len(lines[number])):
        journal_of(tmp_path).write_bytes(flipped(whole, place))
        async with open_files(tmp_path) as store:
            report = await store.check()
            assert {problem.session_id for problem in report.problems} == {"s"}, place
            assert report.problems[0].seq in {2 * number, 2 * number + 1}, place
            assert (await store.get_session("s")).quarantined
            assert await texts_of(store, "t") == ["other"]
            with pytest.raises(CorruptError, match="session=s entry="):
                await store.read("s")
            with pytest.raises(CorruptError, match="quarantine"):
                await store.append("s", [said()])
        assert journal_of(tmp_path).read_bytes() == flipped(whole, place)

    journal_of(tmp_path).write_bytes(whole)
    async with open_files(tmp_path) as store:
        assert (await store.check()).ok
        assert (await store.append("s", [said("four")])).first == 8
        assert await texts_of(store) == ["one", "two", "three", "four"]


@pytest.mark.anyio
async def test_a_damaged_session_is_read_up_to_the_damage_and_forked_before_it(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "two", "three")
    journal = journal_of(tmp_path)
    journal.write_bytes(journal.read_bytes().replace(b"two", b"TWO"))

    async with open_files(tmp_path) as store:
        await store.check()
        early = await store.read("s", before=4)
        late = await store.read("s", limit=2, order=Order.NEWEST_FIRST)
        fork = await store.fork_session("s", "f", at=3)
        with pytest.raises(CorruptError, match="entry=4"):
            await store.read("s", after=2)
        with pytest.raises(CorruptError, match="entry=4"):
            await store.fork_session("s", "g", at=5)
        rows = (await store.list_sessions()).rows

    assert [entry.seq for entry in early] == [1, 2, 3]
    assert [entry.seq for entry in late] == [7, 6]
    assert fork.header.head == 4
    assert {row.header.session_id: bool(row.quarantined) for row in rows} == {"s": True, "f": False}


@pytest.mark.anyio
async def test_damage_is_found_also_when_only_the_journal_is_left(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "two", "three")
    journal = journal_of(tmp_path)
    journal.write_bytes(journal.read_bytes().replace(b"two", b"TWO"))
    for name in DERIVED:
        (folder_of(tmp_path) / name).unlink(missing_ok=True)

    async with open_files(tmp_path) as store:
        row = await store.get_session("s")
        with pytest.raises(CorruptError, match="entry=4"):
            await store.read("s")
        with pytest.raises(CorruptError, match="quarantine"):
            await store.append("s", [said()])

    assert row.header.head == 7
    assert row.quarantined == "entry=4: the entry does not match its checksum"


@pytest.mark.anyio
async def test_a_session_whose_first_line_is_lost_does_not_break_the_list(tmp_path: Path) -> None:
    await talk(tmp_path, "one")
    await talk(tmp_path, "other", session_id="t")
    journal_of(tmp_path).write_bytes(b"garbage\n" + journal_of(tmp_path).read_bytes())
    (folder_of(tmp_path) / "metadata.json").write_bytes(b"\xff{")

    async with open_files(tmp_path) as store:
        rows = (await store.list_sessions(SessionQuery(archived=None))).rows

    assert {row.header.session_id: bool(row.quarantined) for row in rows} == {"s": True, "t": False}


@pytest.mark.anyio
async def test_entries_that_were_promised_and_are_gone_are_reported(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "two")
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    journal_of(tmp_path).write_bytes(b"".join(lines[:-1]))

    async with open_files(tmp_path) as store:
        report = await store.check()

    assert [(problem.session_id, problem.seq) for problem in report.problems] == [("s", 4)]


@pytest.mark.anyio
async def test_a_line_that_is_missing_is_named_by_its_first_entry(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "two", "three")
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    journal_of(tmp_path).write_bytes(b"".join([*lines[:2], lines[3]]))

    async with open_files(tmp_path) as store:
        report = await store.check()
        with pytest.raises(CorruptError, match="entry=4: the entry is missing"):
            await store.read("s", after=3)
        with pytest.raises(CorruptError, match="entry=4: the entry is missing"):
            await store.read("s")
        late = await store.read("s", after=5)

    assert (report.problems[0].seq, report.problems[0].what) == (4, "the entry is missing")
    assert [entry.seq for entry in late] == [6, 7]


@pytest.mark.anyio
async def test_a_fork_whose_base_was_taken_away_by_hand_is_named(tmp_path: Path) -> None:
    await talk(tmp_path, "one")
    async with open_files(tmp_path) as store:
        await store.fork_session("s", "f")
        shutil.rmtree(folder_of(tmp_path))
        with pytest.raises(CorruptError, match=r"sessions/s/journal\.jsonl"):
            await store.read("f")
        report = await store.check()
        row = await store.get_session("f")

    assert [problem.what for problem in report.problems] == ["its base s is missing"]
    assert row.quarantined == "entry=1: its base s is missing"


@pytest.mark.anyio
@pytest.mark.parametrize("known", [True, False], ids=["with its metadata", "from its journal alone"])
async def test_a_fork_of_a_damaged_session_keeps_what_is_its_own(tmp_path: Path, known: bool) -> None:
    await talk(tmp_path, "one", "two")
    async with open_files(tmp_path) as store:
        await store.fork_session("s", "f")
        await store.append("f", [said("mine")])
    journal_of(tmp_path).write_bytes(journal_of(tmp_path).read_bytes().replace(b"two", b"TWO"))
    if not known:
        (folder_of(tmp_path, "f") / "metadata.json").unlink()

    async with open_files(tmp_path) as store:
        own = await store.read("f", after=5)
        with pytest.raises(CorruptError, match="session=f entry=4"):
            await store.read("f")
        row = await store.get_session("f")

    assert [entry.event for entry in own][1:] == [said("mine")]
    assert (row.header.session_id, row.header.head, row.quarantined is None) == ("f", 7, known)


@pytest.mark.anyio
async def test_what_a_newer_version_wrote_under_a_known_name_is_kept_and_skipped(tmp_path: Path) -> None:
    await talk(tmp_path, "one")
    path = folder_of(tmp_path) / "state.json"
    path.write_bytes(seal({"version": 999, "state": {"unheard": "of"}}))

    async with open_files(tmp_path) as store:
        assert (await store.append("s", [said("two")])).first == 4

    assert read_state(path.read_bytes()) is not None


@pytest.mark.anyio
async def test_a_whole_line_with_an_event_that_cannot_be_read_is_damage_too(tmp_path: Path) -> None:
    await talk(tmp_path, "one")
    strange = Encoded("message_added", 1, '{"kind":"message_added","message":7}', said())
    row = make_row(Prepared(strange, ()), seq=4, at=0)
    with journal_of(tmp_path).open("ab") as journal:
        journal.write(encode_line([row]))

    async with open_files(tmp_path) as store:
        quarantined = (await store.get_session("s")).quarantined
        report = await store.check()
        assert await texts_of(store, limit=3) == ["one"]

    assert quarantined is not None
    assert quarantined.startswith("entry=4: ")
    assert [problem.seq for problem in report.problems] == [4]


# --- files that are derived


async def lived_in(root: Path) -> None:
    """Make a session with something in each derived file, and a fork of it."""
    async with open_files(root) as store:
        await store.create_session("s", ev.SessionCreated(title="Title", tags=("a",)))
        await store.append("s", [*one_of_each(), UNKNOWN])
        for number in range(80):
            await store.append("s", [noted(number)], key=f"key {number}")
        await store.append("s", [said("last")])
        await store.fork_session("s", "f", at=40)
        await store.append("f", [said("in the fork")])


@pytest.mark.anyio
@pytest.mark.parametrize("harm", ["deleted", "edited", "emptied", "older"])
@pytest.mark.parametrize("name", DERIVED)
async def test_a_derived_file_that_does_not_fit_is_made_anew(tmp_path: Path, name: str, harm: str) -> None:
    root = tmp_path / "root"
    await lived_in(root)
    older = (folder_of(root) / name).read_bytes()
    async with open_files(root) as store:
        await store.append("s", [said("newer")])
        before = await fingerprint(store)
    path = folder_of(root) / name
    good = path.read_bytes()
    match harm:
        case "deleted":
            path.unlink()
        case "edited":
            path.write_bytes(good.replace(b"1", b"7"))
        case "emptied":
            path.write_bytes(b"")
        case _:
            path.write_bytes(older)

    async with open_files(root) as store:
        assert await fingerprint(store) == before
        assert [entry.event for entry in await store.last_messages("s", 1)] == [said("newer")]
        assert (await store.append("s", [noted(0)], key="key 3")).repeated
        await store.append("s", [noted(99)])
        assert (await store.check()).ok
        assert await store.rebuild() == 2


@pytest.mark.anyio
async def test_reading_does_without_an_index_that_is_damaged_anywhere(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        for start in range(0, 640, 10):
            await store.append("s", [said(f"{start}"), *(noted(start + step) for step in range(1, 10))])
        entries = await store.read("s")
        index = folder_of(tmp_path) / "index.jsonl"
        good = index.read_bytes()
        for place in range(0, len(good), 41):
            index.write_bytes(flipped(good, place))
            middle = await store.read("s", after=400, limit=5)
            back = await store.read("s", before=200, limit=5, order=Order.NEWEST_FIRST)
            messages = await store.last_messages("s", 12, before=500)
            assert middle == entries[400:405], place
            assert back == entries[198:193:-1], place
            assert messages == [entry for entry in entries[:499] if isinstance(entry.event, ev.MessageAdded)][-12:]


@pytest.mark.anyio
async def test_hundreds_of_keys_are_remembered_by_whoever_opens_the_session(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        for number in range(400):
            await store.append("s", [noted(number)], key=f"key {number}")
    async with open_files(tmp_path) as store:
        receipts = [await store.append("s", [noted(0)], key=f"key {number}") for number in range(400)]
        new = await store.append("s", [noted(0)], key="key 400")

    assert [receipt.first for receipt in receipts if receipt.repeated] == list(range(2, 402))
    assert (new.first, new.repeated) == (402, False)


@pytest.mark.anyio
async def test_companions_that_cannot_be_read_do_not_stop_a_session(tmp_path: Path) -> None:
    await talk(tmp_path, "one")
    async with open_files(tmp_path) as store:
        await store.save_partial("s", "half")
        lease = await store.acquire_lease("s", "me")
        for name in ("partial.json", "lease.json"):
            (folder_of(tmp_path) / name).write_bytes(b"{")

        assert await store.find_partial("s") is None
        with pytest.raises(CorruptError, match=r"lease\.json is damaged; remove it"):
            await store.renew_lease(lease)
        assert (await store.append("s", [said("two")], clear_partial=True)).first == 4


@pytest.mark.anyio
async def test_rebuilding_makes_a_transcript_anew_where_there_is_one(tmp_path: Path) -> None:
    await talk(tmp_path, "one")
    await talk(tmp_path, "other", session_id="t")
    (folder_of(tmp_path) / "full.json").write_text("edited")
    (folder_of(tmp_path, "t") / "full.json").unlink()

    async with open_files(tmp_path) as store:
        assert await store.rebuild() == 2
        assert "one" in (folder_of(tmp_path) / "full.json").read_text()
        assert not (folder_of(tmp_path, "t") / "full.json").exists()


@pytest.mark.anyio
async def test_a_crash_between_the_journal_and_the_rest_is_caught_up(tmp_path: Path) -> None:
    root, crashed = tmp_path / "root", tmp_path / "crashed"
    await lived_in(root)
    async with open_files(root) as store:
        await store.save_partial("s", "half an ans")
    shutil.copytree(root, crashed)
    async with open_files(root) as store:
        await store.append("s", [said("answer", role="assistant")], key="late", clear_partial=True)
        expected = await fingerprint(store)
    shutil.copy(journal_of(root), journal_of(crashed))

    async with open_files(crashed) as store:
        assert await store.find_partial("s") is None
        assert await fingerprint(store) == expected
        assert (await store.append("s", [said("answer", role="assistant")], key="late")).repeated
    for name in ("metadata.json", "state.json", "working.json"):
        assert (folder_of(crashed) / name).read_bytes() == (folder_of(root) / name).read_bytes()


@pytest.mark.anyio
async def test_rebuilding_spares_a_text_that_is_being_streamed(tmp_path: Path) -> None:
    await talk(tmp_path, "one")

    async with open_files(tmp_path) as store:
        await store.append("s", [said("two")], clear_partial=True)
        await store.save_partial("s", "three, so f")
        await store.rebuild()
        partial = await store.find_partial("s")

    assert partial is not None
    assert partial.text == "three, so f"


@pytest.mark.anyio
async def test_the_state_in_the_folder_is_what_the_journal_adds_up_to(tmp_path: Path) -> None:
    await lived_in(tmp_path)

    async with open_files(tmp_path) as store:
        for session_id in ("s", "f"):
            entries = await store.read(session_id, limit=10_000)
            assert read_state((folder_of(tmp_path, session_id) / "state.json").read_bytes()) == replay(entries)


@pytest.mark.anyio
async def test_a_large_state_is_not_written_with_every_append_and_still_resumed(tmp_path: Path) -> None:
    root, crashed = tmp_path / "root", tmp_path / "crashed"
    await talk(root)
    state = folder_of(root) / "state.json"
    async with open_files(root) as store:
        await store.append("s", [ev.VariableSet(name="big", value=["x" * 100] * 1000)])
        written = state.read_bytes()
        for number in range(10):
            await store.append("s", [ev.VariableSet(name="small", value=number)])
        assert state.read_bytes() == written
        shutil.copytree(root, crashed)
    async with open_files(crashed) as store:
        await store.append("s", [noted(1)])
        expected = replay(await store.read("s"))

    assert read_state((folder_of(crashed) / "state.json").read_bytes()) == expected


@pytest.mark.anyio
async def test_a_snapshot_that_means_nothing_here_is_passed_over(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "two")
    async with open_files(tmp_path) as store:
        await store.save_snapshot("s", Snapshot(seq=Seq(3), data=b"from another world"), epoch=0)
        await store.save_snapshot("s", Snapshot(seq=Seq(3), data=b"from another world, again"), epoch=0)
        fork = await store.fork_session("s", "f", at=4)
        loaded = await store.load("s")

    assert (fork.header.session_id, fork.header.message_count) == ("f", 2)
    assert loaded.snapshot == Snapshot(seq=Seq(3), data=b"from another world, again")
    assert [entry.seq for entry in loaded.tail] == [4, 5]


@pytest.mark.anyio
async def test_a_damaged_snapshot_is_not_used(tmp_path: Path) -> None:
    await talk(tmp_path, "one", "two")
    async with open_files(tmp_path) as store:
        state = replay(await store.read("s"))
        assert state is not None
        await store.save_snapshot("s", Snapshot(seq=state.head, data=encode_snapshot(state)), epoch=0)
        [path] = (folder_of(tmp_path) / "snapshots").iterdir()
        good = await store.load("s")
        path.write_bytes(flipped(path.read_bytes(), 30))
        bad = await store.load("s")

    assert (good.snapshot is not None, len(good.tail)) == (True, 0)
    assert (bad.snapshot, len(bad.tail)) == (None, 5)
