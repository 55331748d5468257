"""A store in a few lines of plain Python, to compare real ones with.

Nothing here is fast, durable or concurrent. A session stores its own cells and reads earlier ones from its base, as the
protocol says; forgetting is done the slow way, by looking at every session until nothing changes any more.
"""

from dataclasses import dataclass, field

from sojourn.model.events import NOTHING_TO_FORGET, Event, Forgotten, kind_of
from sojourn.model.ids import Seq


@dataclass(eq=False)
class Cell:
    """One stored entry."""

    event: Event
    causes: tuple[Seq, ...] = ()

    def forget(self) -> None:
        """Become a tombstone, unless there is nothing to forget."""
        if not isinstance(self.event, NOTHING_TO_FORGET):
            self.event = Forgotten(was=kind_of(self.event))
            self.causes = ()


@dataclass
class Journal:
    """One session: what it stores, and which session stores what comes before."""

    own: list[Cell]
    base: str | None = None
    base_seq: int = 0
    receipts: dict[str, tuple[int, int]] = field(default_factory=dict)


class Model:
    """All sessions of a store."""

    def __init__(self) -> None:
        self.sessions: dict[str, Journal] = {}

    def cells(self, session_id: str) -> list[Cell]:
        journal = self.sessions[session_id]
        inherited = self.cells(journal.base)[: journal.base_seq] if journal.base else []
        return inherited + journal.own

    def head(self, session_id: str) -> int:
        return len(self.cells(session_id))

    def append(self, session_id: str, cells: list[Cell], *, key: str | None = None) -> tuple[int, int]:
        journal = self.sessions[session_id]
        if key is not None and key in journal.receipts:
            return journal.receipts[key]
        first = self.head(session_id) + 1
        journal.own += cells
        place = (first, first + len(cells) - 1)
        if key is not None:
            journal.receipts[key] = place
        return place

    def fork(self, session_id: str, fork_id: str, at: int, first: Event) -> None:
        owner = session_id
        while (base := self.sessions[owner].base) is not None and at <= self.sessions[owner].base_seq:
            owner = base
        self.sessions[fork_id] = Journal([Cell(first)], owner, at)

    def forks(self, session_id: str) -> list[str]:
        return sorted(name for name, journal in self.sessions.items() if journal.base == session_id)

    def detach(self, session_id: str) -> list[str]:
        found = self.forks(session_id)
        for name in found:
            journal = self.sessions[name]
            copies = [Cell(cell.event, cell.causes) for cell in self.cells(session_id)[: journal.base_seq]]
            journal.own, journal.base, journal.base_seq = copies + journal.own, None, 0
        return found

    def redact(self, session_id: str, seqs: list[int]) -> None:
        cells = self.cells(session_id)
        gone = {id(cells[seq - 1]): cells[seq - 1] for seq in seqs}
        grew = True
        while grew:
            grew = False
            for name in self.sessions:
                cells = self.cells(name)
                for cell in cells:
                    if id(cell) not in gone and any(id(cells[cause - 1]) in gone for cause in cell.causes):
                        gone[id(cell)] = cell
                        grew = True
        for cell in gone.values():
            cell.forget()
