"""Real servers that break, hang, refuse and come back; and closing, which leaves nothing behind."""

import asyncio
import os
import signal
import sys
from contextlib import ExitStack

import anyio
import anyio.to_thread
import pytest

from sojourn.agent.mcp.config import McpServer, Timing
from sojourn.agent.mcp.servers import Mcp
from sojourn.agent.mcp.source import McpSource
from sojourn.agent.mcp.status import Status
from sojourn.testing.wire import Reply, WireServer
from tests.agent.mcp_kit import HEALTH, Opened, is_running, opened, program
from tests.agent.mcp_server import HttpServer


@pytest.mark.anyio
async def test_a_program_that_is_killed_is_started_anew() -> None:
    async with opened(program()) as one:
        first = await one.pid()
        os.kill(first, signal.SIGKILL)
        await one.heard.until_status(Status.RECONNECTING)
        result = await McpSource(one.mcp.connection("little")).skills()[0].execute(text="hi")
        await one.hourglass.turn(2.0)
        await one.heard.until_status(Status.CONNECTED, 2)

        assert "little is not connected (reconnecting): it ended the connection" in result.error
        assert await one.pid() != first


@pytest.mark.anyio
async def test_a_program_that_is_killed_during_a_call_leaves_it_unknown_whether_it_was_done() -> None:
    async with opened(program()) as one:
        pid = await one.pid()
        results = []

        async def wait() -> None:
            results.append(await one.skill("wait").execute())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await one.skill("until_began").execute()
            os.kill(pid, signal.SIGKILL)

        assert "the connection to little broke during the tool wait: it may or may not be done" in results[0].error


@pytest.mark.anyio
async def test_a_program_that_hangs_is_ended_and_started_anew() -> None:
    async with opened(program(timing=Timing(health_timeout=0.05))) as one:
        pid = await one.pid()
        os.kill(pid, signal.SIGSTOP)
        for _ in range(3):  # at the first look it has just answered
            await one.hourglass.turn(HEALTH)
        await one.heard.until_status(Status.RECONNECTING)
        assert "unhealthy: little did not answer a ping" in one.mcp.connection("little").reason
        # It is stopped, so it cannot end by itself: it is killed before the next attempt.
        await one.hourglass.turn(2.0)

        assert not is_running(pid)


@pytest.mark.anyio
@pytest.mark.parametrize("legacy", [False, True])
async def test_a_server_that_comes_back_on_its_port_is_connected_anew(legacy: bool) -> None:
    with ExitStack() as stack:
        http = stack.enter_context(HttpServer(legacy=legacy))
        async with opened(McpServer(name="little", url=http.url)) as one:
            await anyio.to_thread.run_sync(stack.close)
            await one.hourglass.turn(HEALTH)
            await one.heard.until_status(Status.RECONNECTING)
            stack.enter_context(HttpServer(port=http.port, legacy=legacy))
            one.mcp.retry("little")
            await one.heard.until_status(Status.CONNECTED, 2)

            assert (await one.skill("echo").execute(text="hi")).output == "hi"


@pytest.mark.anyio
async def test_an_old_server_that_forgot_the_session_is_connected_anew() -> None:
    """A server that was started anew answers, but knows nothing of the session: that is a failed check."""
    with ExitStack() as stack:
        http = stack.enter_context(HttpServer(legacy=True))
        async with opened(McpServer(name="little", url=http.url)) as one:
            await anyio.to_thread.run_sync(stack.close)
            stack.enter_context(HttpServer(port=http.port, legacy=True))
            await one.hourglass.turn(HEALTH)
            await one.hourglass.turn(HEALTH)
            await one.heard.until_status(Status.RECONNECTING)
            await one.hourglass.turn(2.0)
            await one.heard.until_status(Status.CONNECTED, 2)

            assert (await one.skill("echo").execute(text="hi")).output == "hi"


@pytest.mark.anyio
async def test_an_old_server_that_knows_no_ping_is_healthy_because_it_answers() -> None:
    with HttpServer(legacy=True, pingless=True) as http:
        async with opened(McpServer(name="little", url=http.url)) as one:
            for _ in range(3):
                await one.hourglass.turn(HEALTH)
            await one.mcp.connection("little").call("echo", {})

            assert one.mcp.statuses == {"little": Status.CONNECTED}


@pytest.mark.anyio
async def test_closing_leaves_no_program() -> None:
    async with opened(program("a"), program("b")) as one:
        pids = [int((await one.mcp.connection(name).call("pid", {})).output) for name in ("a", "b")]
        assert all(map(is_running, pids))

    assert not any(map(is_running, pids))
    assert one.mcp.statuses == {"a": Status.DISCONNECTED, "b": Status.DISCONNECTED}


@pytest.mark.anyio
async def test_closing_while_connecting_is_fine() -> None:
    async with Mcp([program()]) as mcp:
        pass

    assert mcp.statuses == {"little": Status.DISCONNECTED}


@pytest.mark.anyio
async def test_an_error_inside_comes_out_as_it_is() -> None:
    pids: list[int] = []

    async def fail() -> None:
        async with opened(program()) as one:
            pids.append(await one.pid())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert not is_running(*pids)


@pytest.mark.anyio
async def test_cancelling_from_outside_closes_everything() -> None:
    one = Opened(program())
    with anyio.CancelScope() as scope:
        async with one.mcp:
            await one.mcp.ready()
            pid = await one.pid()
            scope.cancel()
            await anyio.sleep_forever()

    assert scope.cancelled_caught
    assert not is_running(pid)
    assert one.mcp.statuses == {"little": Status.DISCONNECTED}


@pytest.mark.anyio
async def test_a_time_limit_from_outside_closes_everything() -> None:
    pids: list[int] = []

    async def take_too_long() -> None:
        async with asyncio.timeout(None) as limit, opened(program()) as one:
            pids.append(await one.pid())
            limit.reschedule(asyncio.get_running_loop().time())
            await anyio.sleep_forever()

    with pytest.raises(TimeoutError):
        await take_too_long()
    assert not is_running(*pids)


@pytest.mark.anyio
async def test_servers_can_be_opened_again() -> None:
    one = Opened(program())
    for _ in range(2):
        async with one.mcp:
            await one.mcp.ready()
            assert (await one.skill("echo").execute(text="hi")).output == "hi"

    assert one.heard.statuses == [Status.CONNECTING, Status.CONNECTED, Status.DISCONNECTED] * 2


@pytest.mark.anyio
async def test_a_broken_server_does_not_stop_the_others() -> None:
    missing = McpServer(name="missing", command="/no/such/program")
    refusing = program("refusing", REFUSE="1")

    async with opened(missing, refusing, program()) as one:
        assert one.mcp.statuses == {
            "missing": Status.ERROR,
            "refusing": Status.ERROR,
            "little": Status.CONNECTED,
        }
        assert (await one.skill("echo").execute(text="hi")).output == "hi"
        assert one.mcp.connection("missing").reason == "cannot start '/no/such/program': No such file or directory"
        assert one.mcp.connection("refusing").reason == "Connection closed: little server: no licence found"
        assert one.mcp.source("refusing").skills() == ()

    assert one.mcp.statuses["missing"] is Status.ERROR


@pytest.mark.anyio
async def test_a_page_that_is_no_server_is_an_error_with_its_status() -> None:
    with HttpServer() as http:
        async with opened(McpServer(name="wrong", url=f"{http.url}/nowhere")) as one:
            assert one.mcp.statuses == {"wrong": Status.ERROR}
            assert "HTTP status 404" in one.mcp.connection("wrong").reason


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("http_status", "status"),
    [
        (401, Status.ERROR),
        (403, Status.ERROR),
        (405, Status.ERROR),
        (429, Status.RECONNECTING),
        (503, Status.RECONNECTING),
    ],
)
async def test_a_server_that_refuses_is_an_error_and_one_that_is_busy_is_tried_again(
    http_status: int, status: Status
) -> None:
    with WireServer() as wire:
        wire.route("/mcp", lambda _: Reply(status=http_status))
        async with opened(McpServer(name="wire", url=f"{wire.address}/mcp", headers={"X-Key": "k"})) as one:
            assert one.mcp.statuses == {"wire": status}
            assert one.mcp.connection("wire").reason.endswith(f"HTTP status {http_status}")
    assert {request.headers["x-key"] for request in wire.requests} == {"k"}


@pytest.mark.anyio
async def test_a_folder_that_is_not_there_is_named() -> None:
    nowhere = McpServer(name="nowhere", command=sys.executable, cwd="/no/such/folder")

    async with opened(nowhere) as one:
        assert one.mcp.connection("nowhere").reason.endswith("No such file or directory: /no/such/folder")


@pytest.mark.anyio
@pytest.mark.parametrize("legacy", [False, True])
async def test_a_server_that_goes_away_during_a_call_leaves_it_unknown_whether_it_was_done(legacy: bool) -> None:
    results = []
    with ExitStack() as stack:
        http = stack.enter_context(HttpServer(legacy=legacy))
        async with opened(McpServer(name="little", url=http.url)) as one:

            async def wait() -> None:
                results.append(await one.skill("wait").execute())

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                await one.skill("until_began").execute()
                await anyio.to_thread.run_sync(stack.close)
            later = await one.skill("echo").execute(text="hi")
            await one.heard.until_status(Status.RECONNECTING)

            assert "it may or may not be done" in results[0].error
            assert not later.success
            assert one.mcp.connection("little").reason == "All connection attempts failed"


@pytest.mark.anyio
async def test_an_address_where_nobody_answers_is_tried_again() -> None:
    with HttpServer() as http:
        url = http.url
    async with opened(McpServer(name="late", url=url)) as one:
        assert one.mcp.statuses == {"late": Status.RECONNECTING}


@pytest.mark.anyio
async def test_a_program_that_says_nothing_is_given_up_in_time() -> None:
    silent = McpServer(name="silent", command="sleep", args=("1000",), timing=Timing(connect=0.05))

    async with opened(silent) as one:
        assert one.mcp.statuses == {"silent": Status.ERROR}
        assert one.mcp.connection("silent").reason == "it did not answer within 0.05 seconds"
