"""What PostgreSQL's crashes and broken connections do to a store: nothing acknowledged is lost, nothing is doubled."""

import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from enum import Enum
from pathlib import Path
from urllib.parse import quote

import anyio
import anyio.to_thread
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from sojourn.clock import SystemClock
from sojourn.errors import UnavailableError, UnknownOutcomeError
from sojourn.model.events import MessageAdded
from sojourn.model.ids import DEFAULT_TENANT
from sojourn.store import Store, open_store
from sojourn.store.sql.postgres_driver import PostgresDriver
from sojourn.store.sql.store import SqlStore
from sojourn.testing.factories import said
from sojourn.testing.fingerprint import read_all
from sojourn.testing.postgres import NoPostgresError, OwnServer, fresh_schema, in_schema, own_postgres_server

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

SOCKET = ".s.PGSQL.5432"
COMMIT_ASKED = b"Q\0\0\0\x0bCOMMIT\0"
COMMIT_DONE = b"C\0\0\0\x0bCOMMIT\0"


class Cut(Enum):
    """What the proxy does with the next COMMIT."""

    NOTHING = "let it pass"
    REQUEST = "cut before the server sees it"
    REPLY = "cut after the server did it"
    REPLY_FOR_GOOD = "cut after the server did it, and let nobody in again"


class Proxy:
    """Stands in front of the server's socket, and cuts connections at the worst moments."""

    def __init__(self, server: Path) -> None:
        self._server = server
        self._writers: set[asyncio.StreamWriter] = set()
        self._clients: set[asyncio.Task[None]] = set()
        self._gone = False
        self.next = Cut.NOTHING
        self.cuts = 0

    async def serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        """Serve one client until either side ends."""
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            if not self._gone:
                server, to_server = await asyncio.open_unix_connection(self._server / SOCKET)
                self._writers |= {to_client, to_server}
                await asyncio.gather(
                    self._pass_on(client, to_server, to_client, moment=COMMIT_ASKED, at={Cut.REQUEST}),
                    self._pass_on(server, to_client, to_server, moment=COMMIT_DONE, at={Cut.REPLY, Cut.REPLY_FOR_GOOD}),
                )
        except ConnectionError:
            pass  # the other side was faster
        finally:
            to_client.close()
            self._clients.discard(task)

    async def _pass_on(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        other: asyncio.StreamWriter,
        *,
        moment: bytes,
        at: set[Cut],
    ) -> None:
        try:
            while data := await source.read(1 << 16):
                if moment in data and self.next in at:
                    self._cut()
                    return
                target.write(data)
                await target.drain()
        finally:
            target.close()
            other.close()

    def _cut(self) -> None:
        self.cuts += 1
        if self.next is Cut.REPLY_FOR_GOOD:
            self._gone = True
            self.cut_all()
        self.next = Cut.NOTHING

    def come_back(self) -> None:
        """Let clients in again."""
        self._gone = False

    def cut_all(self) -> None:
        """Cut every connection that is open."""
        for writer in self._writers:
            writer.close()

    async def stop(self) -> None:
        """Cut every connection, and wait until nobody is served any more."""
        self.cut_all()
        if self._clients:
            await asyncio.wait(self._clients)


@asynccontextmanager
async def run_proxy(server_url: str, folder: Path) -> AsyncIterator[tuple[Proxy, str]]:
    """Run a proxy in *folder*, whose path must be short; give it and its address."""
    params = conninfo_to_dict(server_url)
    proxy = Proxy(Path(str(params["host"])))
    listener = await asyncio.start_unix_server(proxy.serve, folder / SOCKET)
    try:
        yield proxy, f"postgresql://{params['user']}@/{params['dbname']}?host={quote(str(folder))}"
    finally:
        listener.close()
        await proxy.stop()


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    try:
        with own_postgres_server() as started:
            yield started
    except NoPostgresError as error:
        pytest.skip(f"no PostgreSQL server: {error}")


@pytest.fixture
def url(server: OwnServer) -> Iterator[str]:
    with fresh_schema(server.url) as address:
        yield address


@pytest.fixture
def schema(url: str) -> str:
    return url.rpartition("%3D")[2]


@pytest.fixture
async def proxy(server: OwnServer) -> AsyncIterator[tuple[Proxy, str]]:
    with tempfile.TemporaryDirectory(prefix="sojourn-") as folder:
        async with run_proxy(server.url, Path(folder)) as running:
            yield running


def store_at(url: str, *, settle_seconds: float) -> SqlStore:
    driver = PostgresDriver(url, settle_seconds=settle_seconds)
    return SqlStore(driver, clock=SystemClock(), tenant=DEFAULT_TENANT, open_copy=open_store)


def listeners(server: OwnServer) -> set[int]:
    """Return the server's processes that serve those who listen for news."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        query = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        return {pid for (pid,) in connection.execute(query)}


async def test_a_killed_server_loses_nothing_and_the_store_goes_on_when_it_is_back(server: OwnServer, url: str) -> None:
    acknowledged = []
    async with open_store(url) as store:
        await store.create_session("s")
        for round_number in range(3):
            for number in range(20):
                await store.append("s", [said(f"{round_number}.{number}")])
                acknowledged.append(f"{round_number}.{number}")
            server.kill()
            for _ in range(3):
                with pytest.raises(UnavailableError):
                    await store.append("s", [said("lost")])
            with pytest.raises(UnavailableError):
                await store.get_session("s")
            server.start()
            await store.append("s", [said("back")])
            acknowledged.append("back")
        messages = [entry.event for entry in await store.last_messages("s", 1000)]

        assert [event.message.text for event in messages if isinstance(event, MessageAdded)] == acknowledged
        assert (await store.check()).ok


async def test_a_server_killed_under_eight_writers_keeps_all_that_it_acknowledged(server: OwnServer, url: str) -> None:
    """The outcome of an append that was under way may be unknown, so each is tried with its key until it is known."""
    written: dict[str, int] = {}
    over = anyio.Event()

    async def write(store: Store, writer: int) -> None:
        for number in itertools.count():
            key = f"{writer}.{number}"
            while key not in written:
                try:
                    written[key] = (await store.append("s", [said(key)], key=key)).first
                except (UnavailableError, UnknownOutcomeError):
                    await anyio.sleep(0.01)
            if over.is_set():
                return

    async with open_store(url) as store:
        await store.create_session("s")
        async with anyio.create_task_group() as tasks:
            for writer in range(8):
                tasks.start_soon(write, store, writer)
            await anyio.sleep(0.5)
            await anyio.to_thread.run_sync(server.kill)
            await anyio.to_thread.run_sync(server.start)
            over.set()
        entries = await read_all(store, "s")

    places = {entry.event.message.text: entry.seq for entry in entries if isinstance(entry.event, MessageAdded)}
    assert len(written) >= 8
    assert places == written
    assert len(entries) == len(written) + 1


async def test_connections_that_the_server_ended_are_replaced_without_an_error(server: OwnServer, url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
        for _ in range(3):
            with psycopg.connect(server.url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sojourn'"
                )
            await store.append("s", [said()])
            assert await store.find_partial("s") is None

        assert (await store.get_session("s")).header.head == 4


@pytest.mark.parametrize("cut", [Cut.REPLY, Cut.REQUEST])
async def test_a_commit_without_a_reply_is_answered_truthfully(cut: Cut, proxy: tuple[Proxy, str], schema: str) -> None:
    running, proxied = proxy
    async with open_store(in_schema(proxied, schema)) as store:
        await store.create_session("s")
        for number in range(20):
            running.next = cut
            receipt = await store.append("s", [said(f"{number}")], key=f"k{number}")
            again = await store.append("s", [said(f"{number}")], key=f"k{number}")
            assert (again.first, again.repeated) == (receipt.first, True)
        entries = await read_all(store, "s")

    assert running.cuts == 20
    assert [entry.seq for entry in entries] == list(range(1, 22))


@pytest.mark.parametrize("cut", [Cut.REPLY, Cut.REQUEST])
async def test_what_has_no_journal_entry_is_answered_truthfully_too(
    cut: Cut, proxy: tuple[Proxy, str], schema: str
) -> None:
    running, proxied = proxy
    async with open_store(in_schema(proxied, schema)) as store:
        await store.create_session("s")
        running.next = cut
        lease = await store.acquire_lease("s", "me")
        running.next = cut
        await store.documents.save("k", {"n": 1})
        running.next = cut
        await store.release_lease(lease)

        assert running.cuts == 3
        assert lease.token == 1
        assert await store.documents.load("k") == {"n": 1}
        assert (await store.acquire_lease("s", "you")).token == 2


async def test_an_outcome_that_nobody_can_tell_is_said_to_be_unknown(
    proxy: tuple[Proxy, str], url: str, schema: str
) -> None:
    running, proxied = proxy
    async with store_at(in_schema(proxied, schema), settle_seconds=0.3) as store:
        await store.create_session("s")
        running.next = Cut.REPLY_FOR_GOOD
        with pytest.raises(UnknownOutcomeError):
            await store.append("s", [said()], key="k")
        with pytest.raises(UnavailableError):
            await store.append("s", [said()], key="k")
        running.come_back()
        receipt = await store.append("s", [said()], key="k")

    assert (receipt.repeated, receipt.last) == (True, 2)


async def test_news_is_heard_again_after_the_connection_for_it_was_lost(
    server: OwnServer, proxy: tuple[Proxy, str], url: str, schema: str
) -> None:
    running, proxied = proxy
    async with open_store(in_schema(proxied, schema)) as here, open_store(url) as there:
        await here.create_session("s")
        async with here.subscribe("s") as heads:
            before = listeners(server)
            running.cut_all()
            with anyio.fail_after(10):
                while len(now := listeners(server)) != 2 or now == before:  # noqa: ASYNC110 - no event of ours tells
                    await anyio.sleep(0.02)
            receipt = await there.append("s", [said()])

            with anyio.fail_after(3):  # polling would take longer
                assert await anext(heads) == receipt.last


async def test_followers_poll_while_no_news_can_be_heard(proxy: tuple[Proxy, str], url: str, schema: str) -> None:
    running, proxied = proxy
    driver = PostgresDriver(in_schema(proxied, schema))
    driver.poll_seconds = 0.05
    here = SqlStore(driver, clock=SystemClock(), tenant=DEFAULT_TENANT, open_copy=open_store)
    async with here, open_store(url) as there:
        await here.create_session("s")
        async with here.subscribe("s") as heads:
            running.cut_all()
            receipt = await there.append("s", [said()])

            with anyio.fail_after(3):
                assert await anext(heads) == receipt.last


async def test_a_store_cannot_be_opened_while_the_server_is_down(server: OwnServer, url: str) -> None:
    server.kill()
    try:
        with pytest.raises(UnavailableError, match="cannot be reached"):
            await open_store(url).__aenter__()
    finally:
        server.start()
