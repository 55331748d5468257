"""An agent whose model calls the tools of a real server."""

import anyio
import pytest

import sojourn
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import SessionCancelled, ToolCompleted, ToolStarted
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import calling, listed, said
from tests.agent.mcp_kit import Opened, web


def skills_of(one: Opened) -> SkillRegistry:
    registry = SkillRegistry()
    for source in one.mcp.sources:
        registry.add_source(source)
    return registry


@pytest.mark.anyio
async def test_a_model_calls_a_tool_of_a_server_and_the_answer_is_in_the_journal() -> None:
    provider = ScriptedProvider([calling(("add", {"a": 1, "b": 2})), "Three."])
    async with sojourn.open("memory:") as app, web() as one:
        session = await app.sessions.create()
        events = await listed(Agent(provider, session=session, skills=skills_of(one)).run_turn("How much is 1 + 2?"))
        messages = await said(session)

    assert [event.output for event in events if isinstance(event, ToolCompleted)] == ["It is 3."]
    assert [message.text for message in messages][-2:] == ["It is 3.", "Three."]
    assert "odd_name_with_signs" in {tool.name for tool in provider.requests[0].tools}


@pytest.mark.anyio
async def test_cancelling_a_turn_cancels_the_tool_at_the_server() -> None:
    provider = ScriptedProvider([calling(("wait", {}))])
    token = CancellationToken()
    async with sojourn.open("memory:") as app, web() as one:
        agent = Agent(provider, session=await app.sessions.create(), skills=skills_of(one))
        events = []
        async for event in agent.run_turn("Wait.", cancel_token=token):
            events.append(event)
            if isinstance(event, ToolStarted):
                await one.skill("until_began").execute()
                token.cancel()

        assert isinstance(events[-1], SessionCancelled)
        with anyio.fail_after(20):
            assert (await one.skill("until_cancelled").execute()).output == "done"
