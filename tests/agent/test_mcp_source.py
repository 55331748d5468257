"""Tools as skills: their names, what a model is told of them, and switching them off."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.connection import Connection
from sojourn.agent.mcp.content import MAX_DESCRIPTION, bounded
from sojourn.agent.mcp.link import LinkError, Outlook
from sojourn.agent.mcp.offers import Artifacts, McpTool
from sojourn.agent.mcp.source import McpSource, SkillNames
from sojourn.agent.skills.skill import definition_of, traits_of
from sojourn.errors import McpError
from tests.agent.mcp_kit import MadeUpLink, Stage, running

FITS = re.compile(r"[A-Za-z0-9_-]{1,64}")


def offer(*tools: McpTool) -> MadeUpLink:
    return MadeUpLink(artifacts=Artifacts(tools=tools))


@given(st.lists(st.tuples(st.sampled_from(["one", "two"]), st.text(max_size=80)), unique=True))
def test_every_tool_has_a_name_that_fits_and_that_no_other_has(tools: list[tuple[str, str]]) -> None:
    names = SkillNames()
    given_names = [names.name_of(server, tool) for server, tool in tools]

    assert all(FITS.fullmatch(name) for name in given_names)
    assert len(set(given_names)) == len(tools)
    assert [names.name_of(server, tool) for server, tool in tools] == given_names


def test_a_name_that_fits_stays_as_the_server_has_it() -> None:
    assert SkillNames().name_of("one", "read_file-2") == "read_file-2"


def test_names_that_become_one_when_made_to_fit_are_told_apart() -> None:
    names = SkillNames()

    assert [names.name_of("one", tool) for tool in ("a b", "a/b", "a.b")][:2] == ["a_b", "one__a_b"]


@pytest.mark.anyio
async def test_a_name_stays_with_its_tool_when_another_server_comes_or_goes() -> None:
    names = SkillNames()
    tool = McpTool(name="search")
    early, late = Stage(offer(tool)), Stage(offer(tool))
    late_connection = Connection(McpServer(name="late", command="x"), open_link=late.opener, sleep=late.hourglass.sleep)
    sources = McpSource(late_connection, names=names), McpSource(early.connection, names=names)

    async with running(early):
        before = [skill.name for source in sources for skill in source.skills()]
    late.connection = late_connection
    async with running(late):
        after = [skill.name for source in sources for skill in source.skills()]

    assert (before, after) == (["search"], ["late__search"])


@pytest.mark.anyio
async def test_a_model_is_told_the_description_and_the_schema_of_an_object() -> None:
    schema = {"properties": {"q": {"type": "string"}}, "required": ["q"]}
    stage = Stage(offer(McpTool(name="find", description="Finds.", parameters=schema), McpTool(name="bare")))

    async with running(stage):
        find, bare = map(definition_of, McpSource(stage.connection).skills())

    assert (find.name, find.description) == ("find", "Finds.")
    assert find.parameters == {"type": "object"} | schema
    assert bare.parameters == {"type": "object", "properties": {}}
    assert bare.description == "bare of made-up"


@pytest.mark.anyio
async def test_a_tool_that_destroys_is_not_taken_for_one_that_only_reads() -> None:
    stage = Stage(offer(McpTool(name="wipe", read_only=True, destructive=True)))

    async with running(stage):
        traits = traits_of(McpSource(stage.connection).skills()[0])

    assert (traits.needs_approval, traits.reads_only) == (True, False)


@pytest.mark.anyio
async def test_a_tool_that_is_switched_off_is_not_offered_and_does_not_run() -> None:
    stage = Stage(offer(McpTool(name="one"), McpTool(name="two")))

    async with running(stage):
        source = McpSource(stage.connection)
        skill = source.skills()[0]
        source.disable("one")
        result = await skill.execute()

        assert [skill.name for skill in source.skills()] == ["two"]
        assert result.error == "The tool one is switched off. Do without it."
        source.enable("one")
        assert [skill.name for skill in source.skills()] == ["one", "two"]


@pytest.mark.anyio
async def test_a_tool_that_the_configuration_disables_is_not_offered() -> None:
    stage = Stage(offer(McpTool(name="one"), McpTool(name="two")))
    server = McpServer(name="strict", command="x", disabled=("one",))
    stage.connection = Connection(server, open_link=stage.opener, sleep=stage.hourglass.sleep)

    async with running(stage):
        source = McpSource(stage.connection)

        assert [skill.name for skill in source.skills()] == ["two"]
        source.enable("one")
        assert [skill.name for skill in source.skills()] == ["one", "two"]


@pytest.mark.anyio
async def test_a_tool_that_a_server_lists_twice_is_offered_once() -> None:
    stage = Stage(offer(McpTool(name="one"), McpTool(name="one")))

    async with running(stage):
        assert [skill.name for skill in McpSource(stage.connection).skills()] == ["one"]


@pytest.mark.anyio
async def test_a_skill_whose_server_is_gone_says_so() -> None:
    link = offer(McpTool(name="one"))
    stage = Stage(link, LinkError("the key is refused", Outlook.REFUSED))

    async with running(stage):
        (skill,) = McpSource(stage.connection).skills()
    result = await skill.execute()

    assert result.error == "The tool one could not be run: made-up is not connected (disconnected)."


@pytest.mark.anyio
async def test_arguments_may_have_any_name() -> None:
    stage = Stage(offer(McpTool(name="one")))

    async with running(stage):
        (skill,) = McpSource(stage.connection).skills()
        result = await skill.execute(**{"self": 1, "not a name": 2})

    assert result.output == "one {'self': 1, 'not a name': 2}"


def test_a_description_is_cut_to_what_is_bearable() -> None:
    text = bounded("word " * 10_000)

    assert len(text) <= MAX_DESCRIPTION
    assert text.endswith("word…")


def test_characters_that_nobody_sees_are_taken_out() -> None:
    assert bounded("Adds.\u200b\U000e0041\x1b[2J\n\tTwice.\u202e") == "Adds.[2J\n\tTwice."


def test_nothing_is_described_as_nothing() -> None:
    assert bounded(None) == ""


@pytest.mark.anyio
async def test_an_error_of_the_server_is_one_sentence_to_the_model() -> None:
    class Refusing(MadeUpLink):
        async def call(self, tool: str, arguments: object) -> object:  # type: ignore[override]  # it only raises
            raise McpError("made-up refused the tool one: not today")

    stage = Stage(Refusing(artifacts=Artifacts(tools=(McpTool(name="one"),))))

    async with running(stage):
        (skill,) = McpSource(stage.connection).skills()
        result = await skill.execute()

    assert result.error == "The tool one could not be run: made-up refused the tool one: not today."
