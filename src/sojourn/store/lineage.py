"""Which session stores which part of a fork's journal.

A fork stores only its own entries, from its *base_seq* + 1 on; the earlier ones are read from its base, which may
itself be a fork. A chain lists a session, then its base, then the base's base.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sojourn.model.ids import SessionId


class Link(NamedTuple):
    """One session of a chain: it stores entries after *base_seq* (0 if it has no base)."""

    session_id: SessionId
    base_seq: int


class Segment(NamedTuple):
    """Entries *first* to *last* are stored under *owner*."""

    owner: SessionId
    first: int
    last: int


def segments(chain: Sequence[Link], *, after: int, before: int) -> list[Segment]:
    """Return where the entries with *after* < seq < *before* are stored, oldest part first.

    *before* is at most the head + 1 of the chain's first session.
    """
    found: list[Segment] = []
    last = before - 1
    for link in chain:
        first = max(link.base_seq, after) + 1
        if first <= last:
            found.append(Segment(link.session_id, first, last))
        last = min(last, link.base_seq)
        if last <= after:
            break
    found.reverse()
    return found
