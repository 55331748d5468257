"""Two who want the same at once, or one who waits for himself: all is said and answered once, and nobody hangs."""

import asyncio

import anyio
import pytest

import sojourn
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.runtime.component import AgentComponent
from sojourn.errors import InvalidInputError, LockedError
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import Slow, Waits, calling, listed, registry, said

pytestmark = pytest.mark.anyio


async def test_of_two_who_resume_at_once_one_finds_nothing_to_do() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        await session.messages.user("What is it?")
        provider = ScriptedProvider(otherwise="This.")
        agent = Agent(provider, session=session)

        ended = await asyncio.gather(listed(agent.resume()), listed(agent.resume()), return_exceptions=True)

        assert sorted(type(one).__name__ for one in ended) == ["InvalidInputError", "list"]
        assert [one.text for one in await said(session)] == ["What is it?", "This."]


async def test_of_two_agents_who_resume_one_session_one_finds_nothing_to_do() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        await session.messages.user("What is it?")
        provider = ScriptedProvider(otherwise="This.")
        agents = [Agent(provider, session=await app.sessions.open(session.id)) for _ in range(2)]

        ended = await asyncio.gather(*(listed(agent.resume()) for agent in agents), return_exceptions=True)

        assert sorted(type(one).__name__ for one in ended) == ["InvalidInputError", "list"]
        assert [one.text for one in await said(session)] == ["What is it?", "This."]


async def test_who_resumes_while_a_message_is_answered_finds_nothing_to_do() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        await session.messages.user("What is it?")
        provider = ScriptedProvider(otherwise="This.")
        agent = Agent(provider, session=session)

        ended = await asyncio.gather(agent.ask("Well?"), listed(agent.resume()), return_exceptions=True)

        assert ended[0] == "This."
        assert isinstance(ended[1], InvalidInputError)


async def test_the_same_words_said_again_while_they_are_answered_are_another_question() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        model = Slow("Yes.")
        agent = Agent(model)
        ends: list[str] = []

        async def ask() -> None:
            ends.append(await agent.input("go on", session=session))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await model.asked.wait()
            tasks.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            model.go.set()

        assert ends == ["Yes.", "Yes."]
        assert [one.role for one in await said(session)] == ["user", "assistant"] * 2


async def test_a_skill_has_the_token_of_its_own_turn_and_not_of_one_that_waits() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        held: list[CancellationToken] = []
        runs, go = anyio.Event(), anyio.Event()

        async def look() -> str:
            """Look."""
            runs.set()
            await go.wait()
            held.append(skills.services.get("cancellation"))
            return "seen"

        skills = registry(look=look)
        agent = Agent(ScriptedProvider([calling(("look", {})), "Seen.", "More."]), session=session, skills=skills)
        first, second = CancellationToken(), CancellationToken()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listed, agent.run_turn("one", cancel_token=first))
            await runs.wait()
            tasks.start_soon(listed, agent.run_turn("two", cancel_token=second))
            await anyio.wait_all_tasks_blocked()
            go.set()

        assert held == [first]


async def test_a_skill_that_asks_its_own_agent_is_refused_and_does_not_wait_for_itself() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()

        async def again() -> str:
            """Ask again."""
            return await agent.ask("inner")

        async def another() -> str:
            """Ask another agent of the session."""
            return await Agent(ScriptedProvider(otherwise="x"), session=session).ask("inner")

        provider = ScriptedProvider([calling(("again", {})), calling(("another", {})), "Well."])
        agent = Agent(provider, session=session, skills=registry(again=again, another=another))

        with anyio.fail_after(10):
            assert await agent.ask("outer") == "Well."
        assert ["inside the turn" in one.text for one in await said(session) if one.role == "tool"] == [True, True]


async def test_an_agent_asked_inside_the_turn_of_its_conversation_is_refused() -> None:
    async with sojourn.open("memory:") as app:
        conversation = await sojourn.Conversations(app).get_or_create("talk")
        agent = Agent(ScriptedProvider(otherwise="Hello."))

        with anyio.fail_after(10), pytest.raises(LockedError, match="inside the turn"):
            async with conversation.turn("hello") as turn:
                turn.answer = await agent.input("hello", session=conversation)

        assert await agent.input("hello", session=conversation) == "Hello."
        assert [one["role"] for one in conversation.conversation_history] == ["user", "assistant"]


async def test_cancelling_a_component_stops_all_its_turns() -> None:
    async with sojourn.open("memory:") as app:
        waits = [Waits(), Waits()]
        provider = ScriptedProvider([calling(("wait0", {})), calling(("wait1", {}))], otherwise="Done.")
        agent = Agent(provider, skills=registry(wait0=waits[0], wait1=waits[1]))
        component = AgentComponent("helper", agent)
        conversations = sojourn.Conversations(app)
        async with anyio.create_task_group() as tasks:
            for place, one in enumerate(waits):
                tasks.start_soon(component.input, "go", None, await conversations.get_or_create(f"talk{place}"))
                await one.runs.wait()
            component.cancel()
            await anyio.wait_all_tasks_blocked()
            for one in waits:
                one.let_go.set()

        assert [one.cancelled for one in waits] == [True, True]
