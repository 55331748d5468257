"""How much room a store takes: its own files, the log of what was written last, and the search index beside it."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sojourn.store.location import read_location
from sojourn.store.querying import query

_POSTGRES: Final = """
SELECT coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE NOT relname LIKE 'search\\_%'), 0)::bigint AS data,
       coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname LIKE 'search\\_%'), 0)::bigint AS search
FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bytes: *data* is what is kept, *log* what SQLite has not moved there yet, *index* what search needs.

    *copies* are those that were kept before the store's format changed.
    """

    data: int = 0
    log: int = 0
    index: int = 0
    copies: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.data + self.log + self.index + self.copies


async def measure(location: str | Path) -> Sizes:
    """Return how much room the store at *location* takes; nothing, if there is none.

    Raises:
        StoreError: a database server does not tell.
    """
    kind, path = read_location(location)
    if kind == "postgresql":
        [(data, index)] = (await query(location, _POSTGRES)).rows
        return Sizes(data=data, index=index)
    if path is None:
        return Sizes()
    return await asyncio.to_thread(_folder if kind == "files" else _file, path)


def _file(path: Path) -> Sizes:
    named = {one.name: one for one in path.parent.glob(f"{path.name}*")} if path.parent.is_dir() else {}
    return Sizes(
        data=_bytes(path),
        log=_bytes(path.with_name(f"{path.name}-wal")),
        index=sum(_bytes(one) for name, one in named.items() if name.startswith(f"{path.name}.index")),
        copies=sum(_bytes(one) for name, one in named.items() if name.startswith(f"{path.name}.before-v")),
    )


def _folder(root: Path) -> Sizes:
    index = sum(_bytes(one) for one in root.glob("index.db*"))
    return Sizes(data=sum(_walk(str(root))) - index, index=index)


def _walk(folder: str) -> Iterator[int]:
    for where, _, names in os.walk(folder):
        for name in names:
            yield _bytes(Path(where) / name)


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # it is not there, or not any more
