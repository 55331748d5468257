"""Real servers, as programs and over HTTP, of the protocol of 2026 and of the one before."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
import pytest

from sojourn.agent.mcp.config import McpServer, Timing
from sojourn.agent.mcp.servers import Mcp
from sojourn.agent.mcp.source import McpSource
from sojourn.agent.mcp.status import ArtifactsFetched, Status
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.skill import Skill, traits_of
from sojourn.errors import AlreadyExistsError, McpError, MissingExtraError, NotFoundError
from sojourn.testing.wire import Reply, WireServer
from tests.agent.mcp_kit import HEALTH, Heard, Hourglass, program
from tests.agent.mcp_server import HttpServer

KINDS = ["program", "old program", "http", "old http"]


@contextmanager
def served(kind: str, timing: Timing | None = None) -> Iterator[McpServer]:
    legacy = kind.startswith("old")
    if kind.endswith("program"):
        yield program(timing=timing, **({"LEGACY": "1"} if legacy else {}))
    else:
        with HttpServer(legacy=legacy) as http:
            yield McpServer(name="little", url=http.url, timing=timing or Timing())


class Opened:
    """Servers that are open, with their time and their news."""

    def __init__(self, *servers: McpServer) -> None:
        self.heard = Heard()
        self.hourglass = Hourglass()
        self.mcp = Mcp(servers, announce=self.heard, sleep=self.hourglass.sleep)

    def skill(self, name: str, server: str = "little") -> Skill:
        return next(skill for skill in self.mcp.source(server).skills() if skill.name == name)

    async def pid(self) -> int:
        return int((await self.skill("pid").execute()).output)


@asynccontextmanager
async def opened(*servers: McpServer) -> AsyncIterator[Opened]:
    one = Opened(*servers)
    async with one.mcp:
        await one.mcp.ready()
        yield one


@asynccontextmanager
async def web() -> AsyncIterator[Opened]:
    """Open the little server over HTTP, which is quicker than to start a program."""
    with served("http") as server:
        async with opened(server) as one:
            yield one


def names(source: McpSource) -> list[str]:
    return [skill.name for skill in source.skills()]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_tools_prompts_and_resources_of_a_server_are_there(kind: str) -> None:
    with served(kind) as server:
        async with opened(server) as one:
            assert one.mcp.statuses == {"little": Status.CONNECTED}
            assert names(one.mcp.source("little"))[:4] == ["echo", "add", "fail", "picture"]
            assert [(server_name, prompt.name) for server_name, prompt in one.mcp.prompts] == [
                ("little", "greet"),
                ("little", "talk"),
            ]
            assert [resource.uri for _, resource in one.mcp.resources] == [
                "memo://notes", "memo://sly", "memo://blob", "memo://{name}"
            ]  # fmt: skip
            assert (await one.skill("echo").execute(text="hi")).output == "hi"
            assert await one.mcp.connection("little").read("memo://notes") == "Buy milk."
            (message,) = await one.mcp.connection("little").prompt("greet", {"who": "Ana"})
            assert (message.role, message.text) == ("user", "Greet Ana warmly.")


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_a_server_that_grows_is_read_anew(kind: str) -> None:
    with served(kind) as server:
        async with opened(server) as one:
            await one.skill("grow").execute()
            await one.heard.until(lambda: len(one.heard.of(ArtifactsFetched)) == 2)

            assert names(one.mcp.source("little"))[-1] == "grown"


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_cancelling_a_call_cancels_it_at_the_server(kind: str) -> None:
    with served(kind) as server:
        async with opened(server) as one:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(one.skill("wait").execute)
                await one.skill("until_began").execute()
                tasks.cancel_scope.cancel()

            assert (await one.skill("until_cancelled").execute()).output == "done"


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["program", "old http"])
async def test_a_call_that_takes_too_long_is_an_error(kind: str) -> None:
    with served(kind, Timing(call=0.05)) as server:
        async with opened(server) as one:
            result = await one.skill("wait").execute()

    assert result.error == "The tool wait could not be run: little did not answer the tool wait within 0.05 seconds."


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["program", "old http"])
async def test_a_healthy_server_stays_connected(kind: str) -> None:
    with served(kind) as server:
        async with opened(server) as one:
            for _ in range(3):
                await one.hourglass.turn(HEALTH)
            await one.mcp.connection("little").call("echo", {})

            assert one.heard.statuses == [Status.CONNECTING, Status.CONNECTED]


@pytest.mark.anyio
async def test_what_a_tool_answers_is_its_text_and_its_data() -> None:
    async with web() as one:
        result = await one.skill("add").execute(a=1, b=2)

    assert (result.output, result.data, result.error) == ("It is 3.", {"sum": 3}, "")


@pytest.mark.anyio
async def test_a_tool_that_fails_is_an_error_in_its_own_words() -> None:
    async with web() as one:
        result = await one.skill("fail").execute()

    assert (result.success, result.error) == (False, "The disk is full.")


@pytest.mark.anyio
async def test_a_tool_that_the_server_refuses_is_an_error_that_says_so() -> None:
    async with web() as one:
        with pytest.raises(McpError, match="little refused the tool nothing: there is no tool nothing"):
            await one.mcp.connection("little").call("nothing", {})


@pytest.mark.anyio
async def test_a_picture_is_noted() -> None:
    async with web() as one:
        result = await one.skill("picture").execute()

    assert result.output == "Look:\n[image: image/png, 8 bytes]"


@pytest.mark.anyio
async def test_what_a_server_says_of_its_tools_becomes_their_traits() -> None:
    async with web() as one:
        traits = {name: traits_of(one.skill(name)) for name in ("echo", "picture", "wait")}

    assert {name: (is_.reads_only, is_.needs_approval) for name, is_ in traits.items()} == {
        "echo": (False, False),
        "picture": (True, False),
        "wait": (False, True),
    }
    assert traits["echo"].timeout == 60.0


@pytest.mark.anyio
async def test_what_nobody_sees_is_not_told_to_a_model() -> None:
    async with web() as one:
        echo = one.skill("echo")

    assert echo.description == "Says it again."
    assert echo.parameters["properties"]["text"]["description"] == "What."


@pytest.mark.anyio
async def test_a_tool_whose_schema_no_model_could_use_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    async with web() as one:
        assert "huge" not in names(one.mcp.source("little"))
    assert "the tool huge of little is left out" in caplog.text


@pytest.mark.anyio
async def test_all_pages_of_a_list_are_read() -> None:
    async with opened(program(TOOLS="30")) as one:
        assert names(one.mcp.source("little"))[-1] == "extra29"
        assert len(one.mcp.source("little").skills()) == 41


@pytest.mark.anyio
async def test_a_list_that_never_ends_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(program(ENDLESS="1")) as one:
        assert one.mcp.statuses == {"little": Status.CONNECTED}
        assert len(one.mcp.source("little").skills()) == 11
    assert "than 100 pages" in caplog.text


@pytest.mark.anyio
async def test_a_program_gets_the_harmless_variables_and_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "s3cret")
    async with opened(program(OWN="mine")) as one:
        environment = (await one.skill("environment").execute()).data

    assert environment["OWN"] == "mine"
    assert "SOME_SECRET" not in environment


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
        await one.hourglass.turn(HEALTH)
        await one.hourglass.turn(HEALTH)
        await one.heard.until_status(Status.RECONNECTING)
        assert "unhealthy: little did not answer a ping" in one.mcp.connection("little").reason
        # It is stopped, so it cannot end by itself: it is killed before the next attempt.
        await one.hourglass.turn(2.0)

        assert not is_running(pid)


@pytest.mark.anyio
@pytest.mark.parametrize("legacy", [False, True])
async def test_a_server_that_comes_back_on_its_port_is_connected_anew(legacy: bool) -> None:
    with HttpServer(legacy=legacy) as http:
        port, server = http.port, McpServer(name="little", url=http.url)
        one = Opened(server)
        await one.mcp.__aenter__()
        await one.mcp.ready()
    try:
        await one.hourglass.turn(HEALTH)
        await one.heard.until_status(Status.RECONNECTING)
        with HttpServer(port=port, legacy=legacy):
            one.mcp.retry("little")
            await one.heard.until_status(Status.CONNECTED, 2)

            assert (await one.skill("echo").execute(text="hi")).output == "hi"
            await one.mcp.__aexit__()
    finally:
        await one.mcp.__aexit__()


@pytest.mark.anyio
async def test_an_old_server_that_forgot_the_session_is_connected_anew() -> None:
    """A server that was started anew answers, but knows nothing of the session: that is a failed check."""
    with HttpServer(legacy=True) as http:
        port = http.port
        one = Opened(McpServer(name="little", url=http.url))
        await one.mcp.__aenter__()
        await one.mcp.ready()
    with HttpServer(port=port, legacy=True):
        await one.hourglass.turn(HEALTH)
        await one.hourglass.turn(HEALTH)
        await one.heard.until_status(Status.RECONNECTING)
        await one.hourglass.turn(2.0)
        await one.heard.until_status(Status.CONNECTED, 2)

        assert (await one.skill("echo").execute(text="hi")).output == "hi"
        await one.mcp.__aexit__()


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
async def test_without_the_extra_opening_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'sojourn\[mcp\]'"):
        async with Mcp([program()]):
            pass


def test_the_sdk_is_loaded_when_a_server_is_opened_and_not_before() -> None:
    code = "import sys, sojourn.agent.mcp.hooks; print(sorted({'mcp', 'mcp_types', 'httpx2'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "[]\n"


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
        assert names(one.mcp.source("refusing")) == []

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
async def test_a_server_that_goes_away_during_a_call_is_noticed_at_once() -> None:
    results = []
    with HttpServer() as http:
        one = Opened(McpServer(name="little", url=http.url))
        await one.mcp.__aenter__()
        await one.mcp.ready()
        skill = one.skill("wait")

        async def wait() -> None:
            results.append(await skill.execute())

        tasks = await anyio.create_task_group().__aenter__()
        tasks.start_soon(wait)
        await one.skill("until_began").execute()
    await tasks.__aexit__(None, None, None)
    await one.mcp.__aexit__()

    assert results[0].error


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


@pytest.mark.anyio
async def test_tools_of_one_name_at_two_servers_have_two_names() -> None:
    async with opened(program("first"), program("second")) as one:
        first, second = one.mcp.sources

        assert names(first)[:2] == ["echo", "add"]
        assert names(second)[:2] == ["second__echo", "second__add"]
        assert (await one.skill("second__echo", "second").execute(text="hi")).output == "hi"


@pytest.mark.anyio
async def test_a_registry_offers_the_skills_of_servers() -> None:
    async with opened(program("first"), program("second")) as one:
        registry = SkillRegistry()
        for source in one.mcp.sources:
            registry.add_source(source)
        skill = registry.get("second__echo")

        assert skill is not None
        assert (await skill.execute(text="hi")).output == "hi"
        assert {"echo", "second__echo", "odd_name_with_signs"} <= set(registry.names)


@pytest.mark.anyio
async def test_no_servers_need_no_sdk_and_are_ready() -> None:
    async with Mcp([]) as mcp:
        await mcp.ready()

        assert (mcp.sources, mcp.prompts, mcp.resources, mcp.statuses) == ((), (), (), {})


def test_two_servers_of_one_name_are_refused() -> None:
    with pytest.raises(AlreadyExistsError, match="two MCP servers are called 'little'"):
        Mcp([program(), program()])


def test_a_server_that_is_not_there_gets_a_sentence_with_those_that_are() -> None:
    with pytest.raises(NotFoundError, match="no MCP server is called 'big'; there are: little"):
        Mcp([program()]).retry("big")
