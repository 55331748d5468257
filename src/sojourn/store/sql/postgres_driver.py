"""PostgreSQL, through psycopg. Each operation is one transaction on a connection of its own.

Reads see one consistent view (REPEATABLE READ). Writes lock the sessions they change (READ COMMITTED, FOR UPDATE); a
run that lost against another writer is repeated, and then finds by itself what the other one did. PostgreSQL does the
group commit.

A connection that turns out to be dead before anything was committed is replaced, and the operation is run again. When
one breaks during a COMMIT, the server is asked how it ended.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, LiteralString, TypeVar, cast

import anyio
import psycopg
from psycopg import sql

from sojourn.errors import ClosedError, StoreError, UnknownOutcomeError
from sojourn.store.feed import Feed
from sojourn.store.sql import postgres_transaction as transaction
from sojourn.store.sql.postgres_connections import Address, Connections
from sojourn.store.sql.postgres_copy import copy_schema
from sojourn.store.sql.postgres_errors import is_transient, translate, translated
from sojourn.store.sql.postgres_news import News
from sojourn.store.sql.postgres_schema import migrate
from sojourn.store.sql.postgres_transaction import Attempt, Outcome, Statements, encode_statements
from sojourn.store.sql.statement import Migration, Operation, load_migrations, load_statements

T = TypeVar("T")
MAX_RUNS: Final = 8
SETTLE_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.01
_TABLES: Final = ("journal", "sessions", "snapshots", "receipts", "partials")
_FIND_DAMAGE: Final = b"""
SELECT 'PostgreSQL met ' || checksum_failures || ' damaged pages in this database since it began to count'
FROM pg_stat_database WHERE datname = current_database() AND checksum_failures > 0
UNION ALL
SELECT 'the index ' || indexrelid::regclass || ' is not valid; REINDEX makes it anew'
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid
"""


class PostgresDriver:
    """One schema of one PostgreSQL database. Lives from `open` to `close`, in one process, on one event loop."""

    poll_seconds = 5.0

    def __init__(
        self, url: str, *, migrations: list[Migration] | None = None, settle_seconds: float = SETTLE_SECONDS
    ) -> None:
        """Use the database at *url*, in the first schema of its `search_path`.

        *settle_seconds* is how long to ask how a COMMIT ended whose reply was lost.

        Raises:
            InvalidInputError: *url* cannot be read.
        """
        self._settle_seconds = settle_seconds
        self._address = Address(url)
        self._url = url
        self._migrations = load_migrations("postgres") if migrations is None else migrations
        self._statements = encode_statements(load_statements("postgres"))
        self._connections: Connections | None = None
        self._news: News | None = None

    @property
    def index_location(self) -> str:
        return self._url

    def __repr__(self) -> str:
        return f"PostgresDriver({self._address})"

    async def open(self, feed: Feed) -> None:
        if self._connections is not None:
            return
        connections = Connections(self._address)
        try:
            with translated(str(self._address)):
                async with connections.lend() as line:
                    schema = await migrate(line.connection, self._migrations)
                news = News(connections, schema=schema, feed=feed)
                await news.open()
        except BaseException:
            await connections.close()
            raise
        self._connections, self._news = connections, news

    async def close(self) -> None:
        news, connections, self._news, self._connections = self._news, self._connections, None, None
        try:
            if news is not None:
                await news.close()
        finally:
            if connections is not None:
                await connections.close()

    async def migrate(self, migrations: list[Migration], *, versions: LiteralString) -> None:
        """Bring tables that are not the store's own up to date; *versions* is the table that notes what was done."""

        async def bring_up_to_date(attempt: Attempt) -> None:
            await migrate(attempt.line.connection, migrations, versions=versions)

        await self._run(bring_up_to_date)

    async def read(
        self,
        operation: Callable[[], Operation[T]],
        *,
        small: bool = False,  # noqa: ARG002
        statements: Statements | None = None,
    ) -> T:
        """Run an operation that only reads. *statements* has its statements' texts, if they are not the store's."""
        texts = self._statements if statements is None else statements
        return await self._run(lambda attempt: transaction.read(attempt, texts, operation()))

    async def write(
        self,
        operation: Callable[[], Operation[T]],
        *,
        fleeting: bool = False,  # noqa: ARG002 - another server may take over, and must know of a lease
        statements: Statements | None = None,
    ) -> T:
        """Run an operation and commit it. *statements* has its statements' texts, if they are not the store's."""
        texts = self._statements if statements is None else statements
        return await self._run(lambda attempt: transaction.write(attempt, texts, operation()))

    async def data_version(self) -> int | None:
        return None  # followers look at the session itself

    async def erase_traces(self, tables: Sequence[str] = _TABLES, *, indexes: bool = True) -> None:
        """Free the space of rows deleted from *tables*. The server's log, its replicas and its backups may keep pages.

        If it cannot be done now, the server does it later by itself: what was deleted is deleted all the same. Without
        *indexes*, that is so for the tables' indexes, which may be slow to clean.
        """

        async def vacuum(attempt: Attempt) -> None:
            names = sql.SQL(", ").join(map(sql.Identifier, tables))
            options = sql.SQL("SKIP_LOCKED" if indexes else "SKIP_LOCKED, INDEX_CLEANUP OFF")
            await attempt.line.connection.execute(sql.SQL("VACUUM ({}) {}").format(options, names))

        with suppress(StoreError):
            await self._run(vacuum)

    async def tidy(self) -> None:
        """Let the server use the space of deleted rows again; it does so by itself, a while later."""
        await self.erase_traces()

    async def check_storage(self) -> list[str]:
        """Return what the server has noticed; whether each entry is whole, reading it tells."""

        async def find_damage(attempt: Attempt) -> list[str]:
            return [str(row[0]) for row in await (await attempt.line.connection.execute(_FIND_DAMAGE)).fetchall()]

        return await self._run(find_damage)

    async def copy(self, target: Path) -> None:
        await self._run(lambda attempt: copy_schema(attempt.line.connection, target))

    async def _run(self, body: Callable[[Attempt], Awaitable[T]]) -> T:
        """Run *body* until one run takes effect, or it is clear that none will."""
        if self._connections is None or self._news is None:
            raise ClosedError(f"{self!r}")
        connections, news = self._connections, self._news
        run = 0
        while True:
            run += 1
            async with connections.lend() as line:
                attempt, failure = Attempt(line=line), None
                try:
                    attempt.result = await body(attempt)
                except psycopg.Error as error:
                    failure = error
            if failure is None or await self._took_effect(connections, attempt, failure, last=run >= MAX_RUNS):
                news.announce(attempt.heads)
                return cast(T, attempt.result)

    async def _took_effect(
        self, connections: Connections, attempt: Attempt, failure: psycopg.Error, *, last: bool
    ) -> bool:
        """Tell whether *attempt* took effect in spite of *failure*. If not, nothing was written: run it again.

        Raises:
            SojournError: running it again would not help, or the outcome cannot be told.
        """
        line = attempt.line
        if line.is_lost:
            await connections.drop_idle()
            if attempt.committing:
                return await self._was_committed(connections, attempt, failure)
        again = not line.fresh if line.is_lost else is_transient(failure)
        if last or not again:
            raise translate(failure, str(self._address)) from failure
        await anyio.sleep(random.uniform(0, _PAUSE_SECONDS))  # noqa: S311 - only so that two do not collide again
        return False

    async def _was_committed(self, connections: Connections, attempt: Attempt, failure: psycopg.Error) -> bool:
        outcome = Outcome.PENDING
        with anyio.move_on_after(self._settle_seconds):
            while outcome is Outcome.PENDING:
                await anyio.sleep(_PAUSE_SECONDS)
                try:
                    async with connections.lend() as line:
                        outcome = await transaction.find_outcome(line, self._statements, attempt)
                except (psycopg.Error, StoreError):
                    continue  # the server may be back in a moment
        if outcome not in (Outcome.COMMITTED, Outcome.ABORTED):
            raise UnknownOutcomeError(f"{self._address}: {failure}") from failure
        return outcome is Outcome.COMMITTED
