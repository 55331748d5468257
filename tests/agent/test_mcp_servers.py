"""Real servers, as programs and over HTTP, of the protocol of 2026 and of the one before."""

import subprocess
import sys

import anyio
import anyio.to_thread
import pytest

from sojourn.agent.mcp.config import Timing
from sojourn.agent.mcp.servers import Mcp
from sojourn.agent.mcp.source import McpSource
from sojourn.agent.mcp.status import ArtifactsFetched, Status
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.skill import traits_of
from sojourn.errors import AlreadyExistsError, McpError, MissingExtraError, NotFoundError
from tests.agent.mcp_kit import HEALTH, opened, program, served, web

KINDS = ["program", "old program", "http", "old http"]


def names(source: McpSource) -> list[str]:
    return [skill.name for skill in source.skills()]


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
async def test_links_and_resources_in_an_answer_are_shown() -> None:
    async with web() as one:
        result = await one.skill("attach").execute()

    assert result.output == "[resource: memo://notes]\nBuy milk.\n[audio: audio/wav, 8 bytes]"


@pytest.mark.anyio
async def test_an_answer_that_is_only_data_is_shown_as_json() -> None:
    async with web() as one:
        result = await one.skill("measure").execute()

    assert (result.output, result.data) == ('{"°C": 21}', {"°C": 21})


@pytest.mark.anyio
async def test_an_answer_that_breaks_its_own_schema_is_an_error() -> None:
    async with web() as one:
        result = await one.skill("lie").execute()

    assert "little gave an unusable answer to the tool lie" in result.error


@pytest.mark.anyio
async def test_a_tool_that_fails_without_a_word_is_still_an_error() -> None:
    async with web() as one:
        result = await one.skill("sulk").execute()

    assert result.error == "The tool failed and did not say why."


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
        assert len(one.mcp.source("little").skills()) == 45


@pytest.mark.anyio
async def test_a_list_that_never_ends_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(program(ENDLESS="1")) as one:
        assert one.mcp.statuses == {"little": Status.CONNECTED}
        assert len(one.mcp.source("little").skills()) == 15
    assert "than 100 pages" in caplog.text


@pytest.mark.anyio
async def test_a_program_gets_the_harmless_variables_and_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "s3cret")
    async with opened(program(OWN="mine")) as one:
        environment = (await one.skill("environment").execute()).data

    assert environment["OWN"] == "mine"
    assert "SOME_SECRET" not in environment


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
