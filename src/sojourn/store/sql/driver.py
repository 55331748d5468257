"""What a SQL database must offer so that `SqlStore` can use it."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from sojourn.store.feed import Feed
from sojourn.store.sql.statement import Operation

T = TypeVar("T")


class Driver(Protocol):
    """Runs operations, each in one transaction, and turns the database's errors into ours."""

    @property
    def poll_seconds(self) -> float:
        """How long a follower waits for news before it looks for itself."""
        ...

    @property
    def index_location(self) -> str:
        """Where the search index of this database belongs, as in `Store.index_location`."""
        ...

    async def open(self, feed: Feed) -> None:
        """Connect, check, and bring the schema up to date. News from elsewhere may be published to *feed*."""
        ...

    async def close(self) -> None:
        """Finish what runs and disconnect. Closing twice is fine."""
        ...

    async def read(self, operation: Callable[[], Operation[T]], *, small: bool = False) -> T:
        """Run an operation that only reads, on one consistent view of the data. *small*: it reads a few rows."""
        ...

    async def write(self, operation: Callable[[], Operation[T]], *, fleeting: bool = False) -> T:
        """Run an operation and return once it is durable. It may be run more than once; one run takes effect.

        What is *fleeting* means nothing after the machine went down: it outlives this process, and need not outlive a
        loss of power.
        """
        ...

    async def data_version(self) -> int | None:
        """Return a number that changes when another connection commits; None if there is no such number."""
        ...

    async def erase_traces(self) -> None:
        """Remove what deleted content left in the database's own files, as far as the database allows."""
        ...

    async def tidy(self) -> None:
        """Give space that nothing uses any more back to the system, as far as the database allows."""
        ...

    async def check_storage(self) -> list[str]:
        """Return what the database finds wrong with its own files."""
        ...

    async def copy(self, target: Path) -> None:
        """Write a consistent copy of everything to *target*, a SQLite file that must not exist."""
        ...
