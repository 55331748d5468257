"""What writers said they would write and what they were promised, to be held against what the store gives back.

Every append of the tests carries a nonce, in each of its events, and which part of it that event is. So of any journal
it can be told whether an append is there whole, in part, twice, or not at all.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from sojourn.engine.session import Session
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, SessionForked, UsageRecorded
from sojourn.model.message import Message
from sojourn.model.state import replay
from sojourn.store.protocol import MAX_PAGE, SessionQuery, Store

EVERYTHING = SessionQuery(archived=None, trashed=None, limit=1000)


class Begun(NamedTuple):
    """A writer is about to append; with *keyed*, the nonce is the idempotency key."""

    session_id: str
    nonce: str
    keyed: bool = False


class Done(NamedTuple):
    """The append returned."""

    session_id: str
    nonce: str
    first: int
    last: int


class Forked(NamedTuple):
    """The fork returned."""

    session_id: str
    fork_id: str
    at: int


Note = Begun | Done | Forked


def turn(nonce: str, *, bulk: int = 0) -> list[MessageAdded | UsageRecorded]:
    """Return the events of one turn that carry *nonce*; *bulk* makes them larger."""
    return [
        MessageAdded(message=Message(role="user", content=f"{nonce} 1/2 " + "x" * bulk)),
        MessageAdded(message=Message(role="assistant", content=f"{nonce} 2/2 " + "x" * bulk)),
        UsageRecorded(model=nonce, input_tokens=7, output_tokens=3, cost_micros=11),
    ]


def nonce_of(entry: Entry) -> tuple[str, str] | None:
    """Return the nonce and the part that *entry* carries, if it is a writer's."""
    match entry.event:
        case MessageAdded(message=message):
            nonce, part, *_ = message.text.split(" ")
            return nonce, part
        case UsageRecorded(model=str(nonce)):
            return nonce, "usage"
        case _:
            return None


@dataclass
class Ledger:
    """All notes that writers sent, and what follows from them."""

    begun: dict[str, Begun] = field(default_factory=dict)
    done: dict[str, Done] = field(default_factory=dict)
    forked: dict[str, Forked] = field(default_factory=dict)

    def take(self, note: Note) -> None:
        match note:
            case Begun():
                self.begun[note.nonce] = note
            case Done():
                self.done[note.nonce] = note
            case Forked():
                self.forked[note.fork_id] = note

    def in_doubt(self) -> list[Begun]:
        """Return the keyed appends of which nobody knows yet: they can be tried again."""
        return [note for note in self.begun.values() if note.keyed and note.nonce not in self.done]


async def read_all(store: Store, session_id: str) -> list[Entry]:
    """Return the session's whole journal."""
    found: list[Entry] = []
    while page := await store.read(session_id, after=len(found), limit=MAX_PAGE):
        found += page
    return found


async def verify(store: Store, ledger: Ledger) -> int:
    """Fail unless the store holds what was promised, once and whole, and nothing that nobody wrote.

    Returns how many entries it looked at.
    """
    report = await store.check()
    assert report.ok, report.problems
    rows = {row.header.session_id: row for row in (await store.list_sessions(EVERYTHING)).rows}
    journals: dict[str, list[Entry]] = {session_id: await read_all(store, session_id) for session_id in rows}
    for session_id, row in rows.items():
        journal = journals[session_id]
        assert [entry.seq for entry in journal] == list(range(1, row.header.head + 1)), session_id
        state = replay(journal)
        assert state == (await Session.open(store, session_id)).state, f"{session_id}: not its replay"
        assert state is not None
        assert state.header == row.header, f"{session_id}: the row has another header"
        _verify_turns(session_id, journal, ledger)
    for done in ledger.done.values():
        assert done.session_id in journals, f"a session with acknowledged entries is gone: {done}"
        there = journals[done.session_id][done.first - 1 : done.last]
        assert {nonce_of(entry) for entry in there} == _whole(done.nonce), f"acknowledged and lost: {done}"
    for fork in ledger.forked.values():
        assert fork.fork_id in journals, f"acknowledged and lost: {fork}"
        _verify_fork(journals[fork.session_id], journals[fork.fork_id], fork)
    return sum(map(len, journals.values()))


def _whole(nonce: str) -> set[tuple[str, str] | None]:
    return {(nonce, "1/2"), (nonce, "2/2"), (nonce, "usage")}


def _verify_turns(session_id: str, journal: list[Entry], ledger: Ledger) -> None:
    carried = [(entry, carries) for entry in journal if (carries := nonce_of(entry)) is not None]
    forked_at = max((entry.seq - 1 for entry in journal if isinstance(entry.event, SessionForked)), default=0)
    times = Counter(carries for _, carries in carried)
    twice = [carries for carries, count in times.items() if count > 1]
    assert not twice, f"{session_id}: stored twice: {twice}"
    for entry, (nonce, _) in carried:
        assert nonce in ledger.begun, f"{session_id} entry {entry.seq}: nobody wrote {nonce}"
        if entry.seq > forked_at:
            assert ledger.begun[nonce].session_id == session_id, f"{nonce} is in {session_id}"
            assert all(part in times for part in _whole(nonce)), f"{session_id}: {nonce} is there in part"


def _verify_fork(parent: list[Entry], fork: list[Entry], note: Forked) -> None:
    shared = [(entry.seq, entry.at, entry.payload) for entry in parent[: note.at]]
    assert [(entry.seq, entry.at, entry.payload) for entry in fork[: note.at]] == shared, f"another past: {note}"
    assert isinstance(fork[note.at].event, SessionForked)
