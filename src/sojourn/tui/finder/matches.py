"""What was said that has the words one looks for, session by session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sojourn.engine.app import Sojourn
from sojourn.engine.recall.scope import parts_of
from sojourn.engine.superseding import find_current
from sojourn.memory.index.document import Hit
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import Store
from sojourn.tui.finder.view import View

_ASKED_FOR: Final = 200
"""Messages that are asked for."""
_LEAST: Final = 2
"""Characters that are enough to look for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The best matching message of a session, and how many more match. *highlights* are the words in *snippet*.

    The message stands at entry *seq* of the session that *header* is of. *header* may be of a session that was rewound,
    if the message is in what was left behind.
    """

    header: SessionHeader
    seq: int
    role: str
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    more: int = 0


async def find_matches(app: Sojourn, view: View) -> list[Match]:
    """Return the sessions of *view* in which something was said with its words, the best first.

    The last word may be only begun: who types sees what is coming.
    """
    text = view.text.strip()
    if len(text) < _LEAST or view.place == "trash":
        return []
    hits = await _hits(app, f"{text}*", view) if text[-1].isalnum() else []
    hits = hits or await _hits(app, text, view)
    by_session: dict[str, list[tuple[SessionHeader, Hit]]] = {}
    for hit in hits:
        header = await _where_it_is_read(app.store, hit)
        if header is not None and view.holds(header):
            by_session.setdefault(header.session_id, []).append((header, hit))
    return [_match(found) for found in by_session.values()]


async def _hits(app: Sojourn, text: str, view: View) -> list[Hit]:
    project = view.project if view.scope == "project" else None
    return await app.memory.search(
        text, everyone=True, project=project, kinds=("message",), limit=_ASKED_FOR, by_words=True
    )


async def _where_it_is_read(store: Store, hit: Hit) -> SessionHeader | None:
    """Return the session to which a message belongs now: if the one that stores it was rewound, the one after it."""
    document = hit.document
    row = await find_current(store, document.session_id)
    if row is None or row.header.session_id == document.session_id:
        return row.header if row is not None else None
    for part in await parts_of(store, row):
        if part.session_id == document.session_id and (part.last is None or document.seq <= part.last):
            return row.header
    return (await store.get_session(document.session_id)).header


def _match(found: Sequence[tuple[SessionHeader, Hit]]) -> Match:
    header, hit = found[0]
    return Match(
        header=header,
        seq=hit.document.seq,
        role=hit.document.role,
        snippet=hit.snippet,
        highlights=hit.highlights,
        more=len(found) - 1,
    )
