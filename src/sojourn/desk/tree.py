"""A session among its forks, drawn as lines."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from sojourn.desk.columns import fit, width
from sojourn.desk.references import short
from sojourn.desk.rows import session_name
from sojourn.engine.branches import Branch, find_tree
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import Store

_LEAST: Final = 8
"""Columns of a title that are shown however deep it hangs."""


class TreeLine(NamedTuple):
    """A session in the tree, how deep it hangs, and the lines that lead to it: before it, and before what is below."""

    branch: Branch
    depth: int = 0
    front: str = ""
    below: str = ""


async def find_whole_tree(store: Store, header: SessionHeader) -> list[TreeLine]:
    """Return the tree that a session stands in, from the oldest session that is still there, as it is drawn."""
    while header.forked_from is not None:
        parent = await store.find_session(header.forked_from)
        if parent is None:
            break
        header = parent.header
    return list(_walk(await find_tree(store, header.session_id)))


def drawn(line: TreeLine, here: str, columns: int | None) -> str:
    """Return a line of a tree, in so many columns; *here* is the session that is looked at."""
    header = line.branch.header
    where = f" at {header.forked_at}" if header.forked_at is not None else ""
    mark = "  ← here" if header.session_id == here else ""
    front, name = f"{line.front}{short(header.session_id)}{where}  ", session_name(header)
    room = max(_LEAST, columns - width(front) - width(mark)) if columns is not None else width(name)
    return f"{front}{fit(name, room)}{mark}"


def _walk(root: Branch) -> Iterator[TreeLine]:
    """Yield every session of the tree in the order in which it is drawn. Not by recursion: a tree may be very deep."""
    waiting = [TreeLine(root)]
    while waiting:
        line = waiting.pop()
        yield line
        forks = line.branch.forks
        waiting += [
            TreeLine(
                fork,
                line.depth + 1,
                line.below + ("└─ " if fork is forks[-1] else "├─ "),
                line.below + ("   " if fork is forks[-1] else "│  "),
            )
            for fork in reversed(forks)
        ]
