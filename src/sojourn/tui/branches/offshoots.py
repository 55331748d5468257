"""The other branches of a session, and where each parts from it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sojourn.engine.branches import find_tree
from sojourn.engine.recall.scope import parts_of
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Store
from sojourn.tui.chat.items import Item, item_of

_LOOKED_AT: Final = 200
"""Entries of a branch that are read to see what was said there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offshoot:
    """A branch, as it is seen from the session that is open.

    *at* is the last entry that the two share. *since* is where what is its own begins: after *at*, or later if it hangs
    on another branch, *under*. *said* is what was said there first; *is_more* tells whether there is more of it.
    """

    header: SessionHeader
    at: int
    since: int
    under: SessionId | None = None
    depth: int = 0
    said: tuple[Item, ...] = ()
    is_more: bool = False

    @property
    def messages(self) -> int:
        """How many messages were found there."""
        return sum(item.message is not None for item in self.said)

    @property
    def first_prompt(self) -> str | None:
        """What the person said there first."""
        return next((item.text for item in self.said if item.is_prompt), None)


async def find_offshoots(store: Store, session_id: SessionId) -> list[Offshoot]:
    """Return every branch of the tree that *session_id* belongs to, but itself: those that part first come first.

    A branch that was left behind by a rewind before anything was said in it is left out.
    """
    row = await store.get_session(session_id)
    path = {part.session_id: part.last or row.header.head for part in await parts_of(store, row)}
    headers = await _headers(store, list(path)[-1])
    placed = [_placed(header, path, headers) for header in headers.values() if header.session_id != session_id]
    looked = [await _look(store, one) for one in placed if one is not None]
    return _nested(looked)


async def _headers(store: Store, root: SessionId) -> dict[SessionId, SessionHeader]:
    waiting, headers = [await find_tree(store, root)], {}
    while waiting:
        branch = waiting.pop()
        headers[branch.header.session_id] = branch.header
        waiting += branch.forks
    return headers


def _placed(
    header: SessionHeader, path: Mapping[SessionId, int], headers: Mapping[SessionId, SessionHeader]
) -> Offshoot | None:
    """Return where a branch parts from the path; None if it shares nothing with it."""
    if header.session_id in path:
        at = path[header.session_id]
        return Offshoot(header=header, at=at, since=at)
    shared = _parting(header, path, headers)
    origin, forked_at = header.forked_from, header.forked_at
    if shared is None or origin is None or forked_at is None:
        return None
    above = path.get(origin) if origin in path else _parting(headers[origin], path, headers)
    if above is not None and forked_at > above:
        return Offshoot(header=header, at=shared, since=forked_at, under=origin)
    return Offshoot(header=header, at=shared, since=shared)


def _parting(
    header: SessionHeader, path: Mapping[SessionId, int], headers: Mapping[SessionId, SessionHeader]
) -> int | None:
    """Return the last entry that a branch shares with the path."""
    shared: int = header.head
    while header.session_id not in path:
        origin = headers.get(header.forked_from) if header.forked_from is not None else None
        if origin is None or header.forked_at is None:
            return None
        shared, header = min(shared, header.forked_at), origin
    return min(shared, path[header.session_id])


async def _look(store: Store, one: Offshoot) -> Offshoot:
    """Return the branch with what was said in it first."""
    entries = await store.read(one.header.session_id, after=one.since, limit=_LOOKED_AT)
    said = tuple(item for entry in entries if (item := item_of(entry)) is not None)
    return replace(one, said=said, is_more=len(entries) == _LOOKED_AT)


def _nested(found: list[Offshoot]) -> list[Offshoot]:
    """Put each branch behind the one that it hangs on, and say how deep it hangs."""
    here = {one.header.session_id for one in found}
    below: dict[SessionId | None, list[Offshoot]] = {}
    for one in sorted(found, key=lambda one: (one.at, one.since, one.header.created_at), reverse=True):
        below.setdefault(one.under if one.under in here else None, []).append(one)
    nested: list[Offshoot] = []
    waiting = [(one, 0) for one in below.get(None, [])]
    while waiting:
        one, depth = waiting.pop()
        children = below.get(one.header.session_id, [])
        if one.header.superseded_by is None or one.said or children:
            nested.append(replace(one, depth=depth))
        waiting += [(child, depth + 1) for child in children]
    return nested
