"""Stores against plain Python: whatever is done in whatever order, they show what the model shows."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import ClassVar, TypeVar

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sojourn.errors import AlreadyExistsError, ConflictError, ForksExistError
from sojourn.model import events as ev
from sojourn.model.entry import Draft, Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import encode_snapshot, replay
from sojourn.store.protocol import Snapshot, Store
from sojourn.testing import Backend, Storage
from sojourn.testing.backends import FILES, MEMORY, SQLITE
from sojourn.testing.factories import noted, said
from sojourn.testing.fingerprint import read_all
from sojourn.testing.journal_model import Cell, Journal, Model
from sojourn.testing.strategies import histories
from sojourn.testing.suite.reading import state_of

T = TypeVar("T")


def run_on(backend: Backend, body: Callable[[Storage], Awaitable[None]]) -> None:
    """Run *body* on new storage and an event loop of its own."""
    with tempfile.TemporaryDirectory(prefix="sojourn-test-") as folder:
        anyio.run(body, backend.storage(Path(folder)))


def content(entries: list[Entry]) -> list[tuple[object, ...]]:
    return [(entry.seq, entry.event, entry.causes, entry.payload) for entry in entries]


def drafts_of(history: list[Entry]) -> list[Draft]:
    return [Draft(event=entry.event, causes=entry.causes) for entry in history[1:]]


@settings(max_examples=100)
@given(histories(min_size=1, max_size=25), st.data())
def test_any_history_is_read_back_and_loads_to_the_same_state(history: list[Entry], data: st.DataObject) -> None:
    async def body(storage: Storage) -> None:
        async with storage.open() as store:
            await store.create_session("s")
            await store.append("s", drafts_of(history))
            at = data.draw(st.integers(1, len(history)))
            entries = await read_all(store, "s")
            middle = replay(entries[:at])
            assert middle is not None
            await store.save_snapshot("s", Snapshot(seq=middle.head, data=encode_snapshot(middle)), epoch=0)

            assert content(entries) == content(history)
            state = replay(entries)
            assert state is not None
            assert state_of(await store.load("s")) == state
            assert (await store.get_session("s")).header == state.header

    run_on(MEMORY, body)


@settings(max_examples=100)
@given(histories(min_size=3, max_size=25), st.data())
def test_a_fork_reads_like_a_copy_of_the_history(history: list[Entry], data: st.DataObject) -> None:
    async def body(storage: Storage) -> None:
        async with storage.open() as store:
            await store.create_session("s0")
            await store.append("s0", drafts_of(history))
            wanted = content(await read_all(store, "s0"))
            for depth in range(1, 5):
                at = data.draw(st.integers(1, len(wanted)))
                await store.fork_session(f"s{depth - 1}", f"s{depth}", at=at)
                await store.append(f"s{depth - 1}", [said("the parent goes on")])
                await store.append(f"s{depth}", [noted(depth)])
                entries = await read_all(store, f"s{depth}")

                assert content(entries)[:at] == wanted[:at]
                assert [entry.seq for entry in entries] == list(range(1, at + 3))
                assert entries[-1].event == noted(depth)
                assert state_of(await store.load(f"s{depth}")) == replay(entries)
                wanted = content(entries)

    run_on(MEMORY, body)


plans = st.lists(
    st.lists(st.tuples(st.sampled_from(["append", "expect", "key", "several"]), st.integers(0, 2)), max_size=8),
    min_size=2,
    max_size=5,
)
"""What each writer does: how it appends, and how many steps it yields before."""


async def interleave(stores: list[Store], writers: list[list[tuple[str, int]]]) -> None:
    """Let *writers* append as planned, and check that all that was acknowledged is there once and in order."""
    acknowledged: dict[int, list[tuple[int, ev.Event]]] = {number: [] for number in range(len(writers))}

    async def write(number: int, plan: list[tuple[str, int]]) -> None:
        store = stores[number % len(stores)]
        for step, (how, pause) in enumerate(plan):
            for _ in range(pause):
                await anyio.lowlevel.checkpoint()
            events = [ev.TopicChanged(topic=f"{number}.{step}.{part}") for part in range(3 if how == "several" else 1)]
            expected = (await store.get_session("s")).header.head if how == "expect" else None
            key = f"{number}.{step}" if how == "key" else None
            try:
                receipt = await store.append("s", events, expected=expected, key=key)
            except ConflictError:
                continue
            if key is not None:
                again = await store.append("s", events, key=key)
                assert (again.first, again.repeated) == (receipt.first, True)
            acknowledged[number] += enumerate(events, start=receipt.first)

    await stores[0].create_session("s")
    async with anyio.create_task_group() as group:
        for number, plan in enumerate(writers):
            group.start_soon(write, number, plan)
    entries = await read_all(stores[0], "s")

    for mine in acknowledged.values():
        places = [place for place, _ in mine]
        assert places == sorted(places)
        assert [entries[place - 1].event for place in places] == [event for _, event in mine]
    assert len(entries) == 1 + sum(map(len, acknowledged.values()))
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


@settings(max_examples=100)
@given(plans)
def test_interleaved_writers_lose_and_repeat_nothing(writers: list[list[tuple[str, int]]]) -> None:
    async def body(storage: Storage) -> None:
        async with storage.open() as store:
            await interleave([store], writers)

    run_on(MEMORY, body)


@settings(max_examples=40)
@given(plans)
def test_writers_through_two_stores_on_one_file_lose_and_repeat_nothing(writers: list[list[tuple[str, int]]]) -> None:
    async def body(storage: Storage) -> None:
        async with storage.open() as one, storage.open() as two:
            await interleave([one, two], writers)

    run_on(SQLITE, body)


@settings(max_examples=20)
@given(plans)
def test_writers_through_two_stores_on_one_folder_lose_and_repeat_nothing(writers: list[list[tuple[str, int]]]) -> None:
    async def body(storage: Storage) -> None:
        async with storage.open() as one, storage.open() as two:
            await interleave([one, two], writers)

    run_on(FILES, body)


# --- a random life


class Life(RuleBasedStateMachine):
    """Does anything to a store and to the model, in any order, and compares them after every step."""

    backend: ClassVar[Backend] = MEMORY

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory(prefix="sojourn-test-")
        self.storage = self.backend.storage(Path(self.folder.name))
        self.store = self.storage.open()
        self.run(self.store.__aenter__())
        self.model = Model()
        self.changed: set[str] = set()
        self.number = 0

    def run(self, awaitable: Awaitable[T]) -> T:
        async def wait() -> T:
            return await awaitable

        return self.runner.run(wait())

    def teardown(self) -> None:
        try:
            report = self.run(self.store.check())
        finally:
            self.run(self.store.close())
            self.runner.close()
            self.folder.cleanup()
        assert report.ok, report.problems

    def pick(self, choice: int) -> str:
        names = sorted(self.model.sessions)
        return names[choice % len(names)]

    def new_name(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def cell(self, session_id: str, place: int, choice: int) -> Cell:
        """Return a new cell for *place*, every other one derived from an earlier entry."""
        self.number += 1
        event = said(f"text {self.number}") if choice % 3 else noted(self.number)
        return Cell(event, (Seq(choice % (place - 1) + 1),) if choice % 2 else ())

    @rule()
    def create(self) -> None:
        name = self.new_name()
        self.run(self.store.create_session(name))
        self.model.sessions[name] = Journal([Cell(ev.SessionCreated())])
        self.changed.add(name)

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99), choices=st.lists(st.integers(0, 99), min_size=1, max_size=4), keyed=st.booleans())
    def append(self, who: int, choices: list[int], keyed: bool) -> None:
        name = self.pick(who)
        head = self.model.head(name)
        cells = [self.cell(name, head + 1 + offset, choice) for offset, choice in enumerate(choices)]
        key = f"key {self.number}" if keyed else None
        drafts = [Draft(event=cell.event, causes=cell.causes) for cell in cells]
        receipt = self.run(self.store.append(name, drafts, expected=head, key=key))

        assert (receipt.first, receipt.last) == self.model.append(name, cells, key=key)
        self.changed.add(name)

    @precondition(lambda self: any(journal.receipts for journal in self.model.sessions.values()))
    @rule(who=st.integers(0, 99), which=st.integers(0, 99))
    def retry(self, who: int, which: int) -> None:
        names = sorted(name for name, journal in self.model.sessions.items() if journal.receipts)
        name = names[who % len(names)]
        keys = sorted(self.model.sessions[name].receipts)
        key = keys[which % len(keys)]
        receipt = self.run(self.store.append(name, [said("never written")], expected=0, key=key))

        assert (receipt.first, receipt.last, receipt.repeated) == (*self.model.sessions[name].receipts[key], True)

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99), off=st.sampled_from([-1, 1, 7]))
    def conflict(self, who: int, off: int) -> None:
        name = self.pick(who)
        with pytest.raises(ConflictError):
            self.run(self.store.append(name, [said("never written")], expected=self.model.head(name) + off))

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99), where=st.integers(0, 99))
    def fork(self, who: int, where: int) -> None:
        name, fork_id = self.pick(who), self.new_name()
        at = where % self.model.head(name) + 1
        self.run(self.store.fork_session(name, fork_id, at=at))
        first = ev.SessionForked(session_id=SessionId(fork_id), forked_from=SessionId(name), at=Seq(at))
        self.model.fork(name, fork_id, at, first)
        self.changed.add(fork_id)

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99))
    def create_again(self, who: int) -> None:
        with pytest.raises(AlreadyExistsError):
            self.run(self.store.create_session(self.pick(who)))

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99), which=st.lists(st.integers(0, 99), min_size=1, max_size=2))
    def redact(self, who: int, which: list[int]) -> None:
        name = self.pick(who)
        seqs = [choice % self.model.head(name) + 1 for choice in which]
        self.run(self.store.redact(name, seqs))
        self.model.redact(name, seqs)
        self.changed |= self.model.sessions.keys()

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99))
    def snapshot(self, who: int) -> None:
        name = self.pick(who)
        loaded = self.run(self.store.load(name))
        state = state_of(loaded)
        assert state is not None
        self.run(
            self.store.save_snapshot(
                name, Snapshot(seq=state.head, data=encode_snapshot(state)), epoch=loaded.row.epoch
            )
        )

    @precondition(lambda self: self.model.sessions)
    @rule(
        who=st.integers(0, 99), event=st.sampled_from([ev.SessionTrashed(), ev.SessionRestored(), ev.SessionArchived()])
    )
    def put_aside(self, who: int, event: ev.Event) -> None:
        name = self.pick(who)
        self.run(self.store.append(name, [event]))
        self.model.append(name, [Cell(event)])
        self.changed.add(name)

    @precondition(lambda self: self.model.sessions)
    @rule(who=st.integers(0, 99))
    def detach(self, who: int) -> None:
        name = self.pick(who)
        detached = self.run(self.store.detach_forks(name))

        assert detached == self.model.detach(name)
        self.changed |= self.model.sessions.keys()

    @precondition(lambda self: len(self.model.sessions) > 2)
    @rule(who=st.integers(0, 99), detach=st.booleans())
    def purge(self, who: int, detach: bool) -> None:
        name = self.pick(who)
        forks = self.model.forks(name)
        if forks and not detach:
            with pytest.raises(ForksExistError) as refused:
                self.run(self.store.purge_session(name))
            assert refused.value.forks == tuple(forks)
            return
        self.run(self.store.purge_session(name, detach=detach))
        self.model.detach(name)
        del self.model.sessions[name]
        self.changed = (self.changed | set(forks)) - {name}

    @rule()
    def rebuild(self) -> None:
        assert self.run(self.store.rebuild()) == len(self.model.sessions)
        self.changed |= self.model.sessions.keys()

    @precondition(lambda self: self.backend.shared)
    @rule()
    def reopen(self) -> None:
        self.run(self.store.close())
        self.store = self.storage.open()
        self.run(self.store.__aenter__())
        self.changed |= self.model.sessions.keys()

    @invariant()
    def the_store_shows_what_the_model_shows(self) -> None:
        for name in sorted(self.changed):
            self.compare(name)
        self.changed.clear()

    def compare(self, name: str) -> None:
        entries = self.run(read_all(self.store, name))
        state = replay(entries)
        loaded = self.run(self.store.load(name))
        cells = self.model.cells(name)

        assert [(entry.event, entry.causes) for entry in entries] == [(cell.event, cell.causes) for cell in cells]
        assert state is not None
        assert (loaded.row.header, state_of(loaded)) == (state.header, state)
        assert loaded.row == self.run(self.store.get_session(name))
        messages = [entry for entry in entries if isinstance(entry.event, ev.MessageAdded)]
        assert self.run(self.store.last_messages(name, limit=3)) == messages[-3:]
        assert self.run(self.store.list_forks(name)) == self.model.forks(name)


class LifeOnSqlite(Life):
    backend = SQLITE


class LifeInFiles(Life):
    backend = FILES


TestLifeInMemory = Life.TestCase
TestLifeInMemory.settings = settings(max_examples=120, stateful_step_count=40)
TestLifeOnSqlite = LifeOnSqlite.TestCase
TestLifeOnSqlite.settings = settings(max_examples=25, stateful_step_count=30)
TestLifeInFiles = LifeInFiles.TestCase
TestLifeInFiles.settings = settings(max_examples=20, stateful_step_count=25)
