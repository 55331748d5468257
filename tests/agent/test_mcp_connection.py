"""One connection, with links that are made up: how it goes from state to state, waits, and tells of it."""

from typing import Any

import anyio
import pytest

from sojourn.agent.mcp.config import McpServer, Timing
from sojourn.agent.mcp.connection import Connection
from sojourn.agent.mcp.link import LinkError, Outlook
from sojourn.agent.mcp.offers import NOTHING, Artifacts, McpTool
from sojourn.agent.mcp.status import (
    LEGAL,
    ArtifactsFetched,
    ConnectionStatusChanged,
    McpNews,
    ReconnectProgress,
    Status,
    moved,
)
from sojourn.agent.skills.skill import ToolResult
from sojourn.engine.bus import EventBus
from sojourn.errors import McpError
from tests.agent.mcp_kit import HEALTH, Heard, Hourglass, MadeUpLink, Opener, Stage, running

LOST = LinkError("it ended the connection")
NO_ANSWER = McpError("no answer")
ONE_TOOL = Artifacts(tools=(McpTool(name="one"),))
TWO_TOOLS = Artifacts(tools=(McpTool(name="one"), McpTool(name="two")))

DISCONNECTED, CONNECTING, CONNECTED = Status.DISCONNECTED, Status.CONNECTING, Status.CONNECTED
RECONNECTING, ERROR = Status.RECONNECTING, Status.ERROR


class BusyLink(MadeUpLink):
    """A link whose calls take until *done*."""

    def __init__(self, *, pings: list[McpError | None]) -> None:
        super().__init__(pings=pings)
        self.began, self.done = anyio.Event(), anyio.Event()

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        self.began.set()
        await self.done.wait()
        return ToolResult(output="done")


def test_every_status_has_its_moves() -> None:
    assert set(LEGAL) == set(Status)


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("to", list(Status))
def test_a_move_that_is_not_in_the_table_raises_and_names_both(status: Status, to: Status) -> None:
    if to in LEGAL[status]:
        assert moved(status, to) is to
    else:
        with pytest.raises(RuntimeError, match=rf"that is {status} cannot become {to}"):
            moved(status, to)


def test_an_error_is_followed_by_connecting_and_nothing_else() -> None:
    assert LEGAL[ERROR] == {CONNECTING}


def test_waits_grow_up_to_the_longest() -> None:
    timing = Timing()

    assert [timing.delay(failed) for failed in range(5)] == [2.0, 3.0, 4.5, 6.75, 10.125]
    assert timing.delay(8) == 30.0
    assert timing.delay(10_000) == 30.0


@pytest.mark.anyio
async def test_a_connection_connects_reads_what_is_offered_and_disconnects_when_it_ends() -> None:
    link = MadeUpLink(artifacts=ONE_TOOL)
    stage = Stage(link)

    async with running(stage):
        assert stage.connection.status is CONNECTED
        assert stage.connection.artifacts == ONE_TOOL

    assert stage.heard.statuses == [CONNECTING, CONNECTED, DISCONNECTED]
    assert [news.changed for news in stage.heard.of(ArtifactsFetched)] == [True]
    assert stage.connection.artifacts == NOTHING
    assert link.closed


@pytest.mark.anyio
async def test_news_say_what_was_before() -> None:
    stage = Stage(MadeUpLink())

    async with running(stage):
        pass

    moves = [(news.previous_status, news.status) for news in stage.heard.of(ConnectionStatusChanged)]
    assert moves == [(DISCONNECTED, CONNECTING), (CONNECTING, CONNECTED), (CONNECTED, DISCONNECTED)]


@pytest.mark.anyio
async def test_a_server_that_is_gone_is_connected_anew_after_a_wait() -> None:
    first, second = MadeUpLink(artifacts=ONE_TOOL), MadeUpLink(artifacts=ONE_TOOL)
    stage = Stage(first, second)

    async with running(stage):
        first.gone.set()
        await stage.heard.until_status(RECONNECTING)
        assert stage.connection.artifacts == ONE_TOOL
        await stage.hourglass.turn(2.0)
        await stage.heard.until_status(CONNECTED, 2)

    assert first.closed
    assert stage.heard.statuses == [CONNECTING, CONNECTED, RECONNECTING, CONNECTED, DISCONNECTED]
    assert [news.changed for news in stage.heard.of(ArtifactsFetched)] == [True, False]


@pytest.mark.anyio
async def test_an_unhealthy_server_is_really_connected_anew() -> None:
    first, second = MadeUpLink(pings=[NO_ANSWER, NO_ANSWER]), MadeUpLink()
    stage = Stage(first, second)

    async with running(stage):
        await stage.hourglass.turn(HEALTH)
        await stage.hourglass.turn(HEALTH)
        await stage.heard.until_status(RECONNECTING)
        assert stage.connection.reason == "unhealthy: no answer"
        await stage.hourglass.turn(2.0)
        await stage.heard.until_status(CONNECTED, 2)

        assert stage.connection.reason == ""
        assert stage.opener.opened == 2


@pytest.mark.anyio
async def test_one_missed_answer_is_forgiven_when_the_next_comes() -> None:
    stage = Stage(MadeUpLink(pings=[NO_ANSWER, None, NO_ANSWER, None]))

    async with running(stage):
        for _ in range(5):
            await stage.hourglass.turn(HEALTH)

        assert stage.connection.status is CONNECTED
        assert stage.opener.opened == 1


@pytest.mark.anyio
async def test_a_server_at_work_is_not_taken_for_an_unhealthy_one() -> None:
    """Many servers do one thing at a time and answer no ping meanwhile; ending them would lose the work."""
    link = BusyLink(pings=[NO_ANSWER, NO_ANSWER])
    stage = Stage(link)

    async with running(stage), anyio.create_task_group() as tasks:
        tasks.start_soon(stage.connection.call, "long", {})
        await link.began.wait()
        for _ in range(3):
            await stage.hourglass.turn(HEALTH)
        assert stage.connection.status is CONNECTED
        link.done.set()
        await anyio.wait_all_tasks_blocked()
        for _ in range(3):  # at the first look it has just answered
            await stage.hourglass.turn(HEALTH)
        await stage.heard.until_status(RECONNECTING)

    assert stage.heard.statuses == [CONNECTING, CONNECTED, RECONNECTING, DISCONNECTED]


@pytest.mark.anyio
async def test_a_server_that_is_at_work_for_longer_than_a_call_may_take_is_asked_after_all() -> None:
    link = BusyLink(pings=[NO_ANSWER, NO_ANSWER])
    stage = Stage(link, timing=Timing(call=2 * HEALTH))

    async with running(stage), anyio.create_task_group() as tasks:
        tasks.start_soon(stage.connection.call, "long", {})
        await link.began.wait()
        for _ in range(4):
            await stage.hourglass.turn(HEALTH)
        await stage.heard.until_status(RECONNECTING)
        tasks.cancel_scope.cancel()

    assert stage.heard.statuses == [CONNECTING, CONNECTED, RECONNECTING, DISCONNECTED]


@pytest.mark.anyio
async def test_what_a_server_said_last_is_in_the_reason() -> None:
    link = MadeUpLink()
    link.last_words = "MemoryError"
    stage = Stage(link)

    async with running(stage):
        link.gone.set()
        await stage.heard.until_status(RECONNECTING)

        assert stage.connection.reason == "it ended the connection: MemoryError"


@pytest.mark.anyio
async def test_a_server_that_speaks_of_changes_all_the_time_is_read_now_and_then() -> None:
    link = MadeUpLink(artifacts=ONE_TOOL)
    stage = Stage(link)

    async with running(stage):
        for _ in range(5):
            link.on_change()
            await anyio.wait_all_tasks_blocked()
        assert len(stage.heard.of(ArtifactsFetched)) == 2
        await stage.hourglass.turn(1.0)
        await stage.heard.until(lambda: len(stage.heard.of(ArtifactsFetched)) == 3)


@pytest.mark.anyio
async def test_each_failed_attempt_makes_the_wait_longer_and_progress_is_told_every_two_seconds() -> None:
    first = MadeUpLink()
    stage = Stage(first, LinkError("refused once"), LinkError("refused twice"), MadeUpLink())

    async with running(stage):
        first.gone.set()
        for step in (2.0, 2.0, 1.0, 2.0, 2.0, 0.5):
            await stage.hourglass.turn(step)
        await stage.heard.until_status(CONNECTED, 2)

    progress = [(news.attempts, news.next_retry_delay) for news in stage.heard.of(ReconnectProgress)]
    assert progress == [(0, 2.0), (1, 3.0), (1, 1.0), (2, 4.5), (2, 2.5), (2, 0.5)]
    assert {news.max_attempts for news in stage.heard.of(ReconnectProgress)} == {None}


@pytest.mark.anyio
async def test_after_a_success_the_waits_begin_anew() -> None:
    first, second = MadeUpLink(), MadeUpLink()
    stage = Stage(first, LOST, second, MadeUpLink())

    async with running(stage):
        first.gone.set()
        await stage.hourglass.turn(2.0)
        await stage.hourglass.turn(2.0)
        await stage.hourglass.turn(1.0)
        await stage.heard.until_status(CONNECTED, 2)
        second.gone.set()
        await stage.heard.until_status(RECONNECTING, 2)

    assert [news.attempts for news in stage.heard.of(ReconnectProgress)] == [0, 1, 1, 0]


@pytest.mark.anyio
async def test_after_as_many_attempts_as_are_allowed_it_is_an_error() -> None:
    first = MadeUpLink(artifacts=ONE_TOOL)
    stage = Stage(first, LOST, LinkError("still down"), timing=Timing(max_attempts=2, progress_interval=100.0))

    async with running(stage):
        first.gone.set()
        await stage.hourglass.turn(2.0)
        await stage.hourglass.turn(3.0)
        await stage.heard.until_status(ERROR)

        assert stage.connection.reason == "still down"
        assert stage.connection.artifacts == NOTHING


@pytest.mark.anyio
async def test_a_server_that_never_worked_and_will_not_is_an_error_at_once() -> None:
    stage = Stage(LinkError("no such program", Outlook.UNFIT))

    async with running(stage):
        assert stage.connection.status is ERROR
        assert stage.connection.reason == "no such program"
        assert stage.hourglass.slept == []


@pytest.mark.anyio
async def test_an_error_is_kept_when_the_connection_ends() -> None:
    stage = Stage(LinkError("no such program", Outlook.UNFIT))

    async with running(stage):
        pass

    assert stage.connection.status is ERROR
    assert stage.connection.reason == "no such program"
    assert stage.heard.statuses == [CONNECTING, ERROR]


@pytest.mark.anyio
async def test_an_error_goes_away_when_somebody_asks_to_try_again() -> None:
    stage = Stage(LinkError("no such program", Outlook.UNFIT), MadeUpLink(artifacts=ONE_TOOL))

    async with running(stage):
        stage.connection.retry()
        await stage.connection.settled()

        assert stage.connection.status is CONNECTED
        assert stage.connection.reason == ""

    assert stage.heard.statuses == [CONNECTING, ERROR, CONNECTING, CONNECTED, DISCONNECTED]


@pytest.mark.anyio
async def test_an_error_that_stays_is_an_error_again() -> None:
    unfit = LinkError("no such program", Outlook.UNFIT)
    stage = Stage(unfit, unfit, unfit)

    async with running(stage):
        for _ in range(2):
            stage.connection.retry()
            await stage.connection.settled()
            assert stage.connection.status is ERROR

    assert stage.opener.opened == 3


@pytest.mark.anyio
async def test_a_connection_in_error_can_be_run_again() -> None:
    stage = Stage(LinkError("no such program", Outlook.UNFIT), MadeUpLink())
    async with running(stage):
        pass

    async with running(stage):
        await stage.heard.until_status(CONNECTED)

        assert stage.connection.status is CONNECTED


@pytest.mark.anyio
async def test_a_server_that_may_come_is_waited_for_even_the_first_time() -> None:
    stage = Stage(LinkError("nobody there"), MadeUpLink(), timing=Timing(progress_interval=100.0))

    async with running(stage):
        assert stage.connection.status is RECONNECTING
        await stage.hourglass.turn(3.0)
        await stage.heard.until_status(CONNECTED)

    assert stage.heard.statuses == [CONNECTING, RECONNECTING, CONNECTED, DISCONNECTED]


@pytest.mark.anyio
async def test_a_key_that_is_refused_is_an_error_even_for_a_server_that_worked() -> None:
    first = MadeUpLink()
    stage = Stage(first, LinkError("HTTP status 401", Outlook.REFUSED))

    async with running(stage):
        first.gone.set()
        await stage.hourglass.turn(2.0)
        await stage.heard.until_status(ERROR)

        assert stage.connection.reason == "HTTP status 401"


@pytest.mark.anyio
async def test_a_program_that_worked_once_is_tried_again_even_if_it_is_gone_for_now() -> None:
    first = MadeUpLink()
    stage = Stage(first, LinkError("no such program", Outlook.UNFIT), timing=Timing(progress_interval=100.0))

    async with running(stage):
        first.gone.set()
        await stage.hourglass.turn(2.0)
        await stage.heard.until(lambda: len(stage.heard.of(ReconnectProgress)) == 2)

        assert stage.connection.status is RECONNECTING
        assert stage.connection.reason == "no such program"


@pytest.mark.anyio
async def test_asking_to_try_again_ends_the_wait() -> None:
    first = MadeUpLink()
    stage = Stage(first, MadeUpLink())

    async with running(stage):
        first.gone.set()
        await stage.heard.until_status(RECONNECTING)
        stage.connection.retry()
        await stage.connection.settled()

        assert stage.connection.status is CONNECTED
        assert stage.hourglass.slept == []


@pytest.mark.anyio
async def test_asking_to_try_again_while_connected_does_nothing() -> None:
    stage = Stage(MadeUpLink())

    async with running(stage):
        stage.connection.retry()
        await stage.connection.settled()

    assert stage.heard.statuses == [CONNECTING, CONNECTED, DISCONNECTED]


@pytest.mark.anyio
async def test_what_is_offered_is_read_anew_when_the_server_says_that_it_changed() -> None:
    link = MadeUpLink(artifacts=ONE_TOOL)
    stage = Stage(link)

    async with running(stage):
        link.offer = TWO_TOOLS
        link.on_change()
        await stage.heard.until(lambda: len(stage.heard.of(ArtifactsFetched)) == 2)

        assert stage.connection.artifacts == TWO_TOOLS

    assert stage.heard.of(ArtifactsFetched)[-1].changed


@pytest.mark.anyio
async def test_a_change_that_cannot_be_read_leaves_what_was_known(caplog: pytest.LogCaptureFixture) -> None:
    link = MadeUpLink(artifacts=ONE_TOOL)
    stage = Stage(link)

    async with running(stage):
        link.offer = McpError("it is confused")
        link.on_change()
        await anyio.wait_all_tasks_blocked()

        assert stage.connection.status is CONNECTED
        assert stage.connection.artifacts == ONE_TOOL
    assert "could not be read anew: it is confused" in caplog.text


@pytest.mark.anyio
async def test_a_server_whose_lists_cannot_be_read_is_not_connected() -> None:
    stage = Stage(MadeUpLink(artifacts=McpError("it is confused")))

    async with running(stage):
        assert stage.connection.status is RECONNECTING
        assert stage.connection.reason == "it is confused"


@pytest.mark.anyio
async def test_a_request_without_a_connection_says_how_things_are() -> None:
    stage = Stage(LinkError("no such program", Outlook.UNFIT))

    async with running(stage):
        with pytest.raises(McpError, match=r"made-up is not connected \(error\): no such program"):
            await stage.connection.call("one", {})


@pytest.mark.anyio
async def test_requests_go_through_the_link_while_there_is_one() -> None:
    stage = Stage(MadeUpLink())

    async with running(stage):
        result = await stage.connection.call("one", {"a": 1})
        messages = await stage.connection.prompt("greet", {})
        text = await stage.connection.read("memo://x")

    assert (result.output, messages[0].text, text) == ("one {'a': 1}", "greet {}", "what memo://x holds")


@pytest.mark.anyio
async def test_a_handler_that_fails_does_not_end_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    def fail(news: McpNews) -> None:
        raise ValueError("a mistake in a handler")

    connection = Connection(
        McpServer(name="made-up", command="nothing"),
        announce=fail,
        sleep=Hourglass().sleep,
        open_link=Opener(MadeUpLink()),
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.run)
        await connection.settled()

        assert connection.status is CONNECTED
        tasks.cancel_scope.cancel()
    assert "a handler of ConnectionStatusChanged failed" in caplog.text


@pytest.mark.anyio
async def test_an_event_bus_takes_the_news() -> None:
    bus, heard = EventBus(), Heard()
    bus.subscribe(ConnectionStatusChanged, heard)
    connection = Connection(
        McpServer(name="made-up", command="nothing"),
        announce=bus.publish,
        sleep=Hourglass().sleep,
        open_link=Opener(MadeUpLink()),
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.run)
        await connection.settled()
        tasks.cancel_scope.cancel()

    assert heard.statuses == [CONNECTING, CONNECTED, DISCONNECTED]


@pytest.mark.anyio
async def test_a_connection_runs_once_at_a_time() -> None:
    stage = Stage(MadeUpLink())

    async with running(stage):
        with pytest.raises(RuntimeError, match="that is connected cannot become connecting"):
            await stage.connection.run()

        assert stage.connection.status is CONNECTED
