"""The line of the tree that the open session is: its messages, a page at a time, with the branches between them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, Literal, get_args

from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.engine.session import Session
from sojourn.model.ids import SessionId
from sojourn.tui.branches.nodes import Node, Parts, Rest, Said
from sojourn.tui.branches.offshoots import Offshoot, find_offshoots
from sojourn.tui.chat.items import Item, read_earlier, read_later

Filter = Literal["no tools", "prompts", "all"]
FILTERS: Final[tuple[Filter, ...]] = get_args(Filter)

_PAGE: Final = 100
"""Items that are read at once."""
_ENOUGH: Final = 30
"""Items to be shown, before reading stops."""
_ROUNDS: Final = 10
"""Pages that are read in search of so many."""


class Line:
    """What was read of a session and its branches. Lives until another session is open."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._items: list[Item] = []
        self._offshoots: list[Offshoot] = []
        self._open: set[SessionId] = set()
        self._is_whole = False
        self.filter: Filter = "no tools"

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    @property
    def last(self) -> int:
        """The last entry that was read of it."""
        return self._items[-1].seq if self._items else 0

    @property
    def last_prompt(self) -> tuple[str, int] | None:
        """What names the last thing that the person said here."""
        return next(((self._session.id, item.seq) for item in reversed(self._items) if item.is_prompt), None)

    @property
    def is_whole(self) -> bool:
        """Whether its beginning was read."""
        return self._is_whole

    async def read_earlier(self) -> None:
        """Read what stands above, until there is enough to show."""
        shown = 0
        for _ in range(_ROUNDS):
            before = self._items[0].seq if self._items else self._session.head + 1
            page = await read_earlier(self._session, before=before, count=_PAGE)
            self._items = [*page, *self._items]
            self._is_whole = len(page) < _PAGE
            shown += sum(_passes(item, self.filter) for item in page)
            if self._is_whole or shown >= _ENOUGH:
                return

    async def read_later(self) -> None:
        """Read what was said since."""
        self._items += await read_later(self._session, after=self.last, count=_PAGE)

    async def find_branches(self) -> None:
        """Find the other branches."""
        self._offshoots = await find_offshoots(self._session.store, self._session.id)

    def is_open(self, session_id: SessionId) -> bool:
        """Tell whether what was said in a branch is shown."""
        return session_id in self._open

    def open(self, session_id: SessionId, *, is_open: bool) -> None:
        """Show what was said in a branch, or hide it."""
        (self._open.add if is_open else self._open.discard)(session_id)

    def nodes(self, now: datetime) -> list[Node]:
        """Return what is to be shown, the oldest first. A branch stands below the last message that it shares."""
        items = [item for item in self._items if _passes(item, self.filter)]
        first = 0 if self._is_whole or not self._items else self._items[0].seq
        waiting = [one for one in self._offshoots if one.at >= first]
        nodes: list[Node] = [] if self._is_whole else [Rest(branches=len(self._offshoots) - len(waiting))]
        for place, item in enumerate(items):
            earlier = [one for one in waiting if one.at < item.seq]
            waiting = waiting[len(earlier) :]
            nodes += self._branches(earlier, now)
            is_here = place == len(items) - 1
            nodes.append(Said(item=item, now=now, session_id=self._session.id, is_here=is_here))
        nodes += self._branches(waiting, now)
        return nodes

    def _branches(self, offshoots: Sequence[Offshoot], now: datetime) -> Iterator[Node]:
        beside = safe(one_line(self._session.state.title or "no title", most=60))
        for one in offshoots:
            session_id = one.header.session_id
            is_open = session_id in self._open
            yield Parts(branch=one, now=now, beside=beside, is_open=is_open)
            if is_open:
                for item in one.said:
                    if _passes(item, self.filter):
                        yield Said(item=item, now=now, session_id=session_id, branch=one)


def _passes(item: Item, chosen: Filter) -> bool:
    match chosen:
        case "all":
            return True
        case "prompts":
            return item.is_prompt
        case "no tools":
            return item.kind != "tool" and (item.kind != "assistant" or bool(item.text.strip()))
