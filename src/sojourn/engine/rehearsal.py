"""Finding out what would be appended, without appending it: for what must be written together with something else."""

from collections.abc import Iterable
from functools import partial

from sojourn.engine.nouns.facts import Facts
from sojourn.engine.recall.memory import Memory
from sojourn.engine.session import Session, SessionOptions
from sojourn.errors import InvalidInputError
from sojourn.model.entry import Draft, Entry, as_drafts
from sojourn.model.events import Event
from sojourn.model.ids import Seq
from sojourn.store.protocol import Claim, Lease, Receipt


class Rehearsal(Session):
    """A session whose appends go nowhere: they change its own state, and are noted in *drafts*.

    Lives for one append of the real session, which must be at the head at which the rehearsal began.
    """

    def __init__(self, session: Session) -> None:
        self._real = session
        self._known = _memory_of(session)
        self.drafts: list[Draft] = []
        options = SessionOptions(clock=session.clock)
        super().__init__(session.store, session.state, epoch=0, snapshot_at=Seq(0), options=options)

    @property
    def facts(self) -> Facts:
        """What was learned. What fell out of the state is looked up for the real session."""
        if self._known is None:
            return Facts(self)
        return Facts(self, meaning=self._known.meaning, known=partial(self._known.find_facts, self._real))

    async def append(
        self,
        *events: Event | Draft,
        causes: Iterable[int] = (),
        expected: int | None = None,  # noqa: ARG002 - nobody else rehearses
        key: str | None = None,  # noqa: ARG002
        lease: Lease | Claim | None = None,  # noqa: ARG002
        release: bool = False,  # noqa: ARG002
        clear_partial: bool = False,  # noqa: ARG002
    ) -> Receipt:
        """Note *events*, and let the state hold them."""
        at = self.clock.now()
        first = self.head + 1
        entries: list[Entry] = []
        for draft in as_drafts(events, causes=causes):
            entry = Entry(
                session_id=self.id,
                seq=Seq(first + len(entries)),
                at=at,
                event=draft.event,
                causes=draft.causes,
                payload="",
            )
            entries.append(entry)
            self.drafts.append(draft)
        self._unfolded += entries
        return Receipt(first=Seq(first), last=self.head, at=at, entries=tuple(entries))


def _memory_of(session: Session) -> Memory | None:
    try:
        return session.memory
    except InvalidInputError:
        return None  # the session was opened without an app
