"""Sojourn's own stores as backends of the suite."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sojourn.store import open_store
from sojourn.testing.suite.check import Backend

MEMORY: Final = Backend(make_store=lambda _, clock: open_store("memory:", clock=clock), shared=False)
SQLITE: Final = Backend(make_store=lambda folder, clock: open_store(folder / "sojourn.db", clock=clock))
FILES: Final = Backend(
    make_store=lambda folder, clock: open_store(f"files:{folder}", clock=clock),
    open_backup=lambda path: open_store(f"files:{path}"),
)


@contextmanager
def postgres_backend(server_url: str) -> Iterator[Backend]:
    """Give a backend in a new schema of the server. Its stores all share that schema: use it for one storage."""
    from sojourn.testing.postgres import fresh_schema  # noqa: PLC0415 - needs the extra `postgres`, as nothing else here

    with fresh_schema(server_url) as url:
        yield Backend(make_store=lambda _, clock: open_store(url, clock=clock))
