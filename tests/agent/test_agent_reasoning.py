"""An agent that thinks questions through: only the approved answer is in the conversation, the rest in the research."""

from typing import Any

import pytest

import sojourn
from sojourn import ContextManager
from sojourn.agent import events as told
from sojourn.agent.agent import Agent
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.errors import InvalidInputError, ModelError
from sojourn.model.message import Message
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import calling, kinds, listed, registry, said

pytestmark = pytest.mark.anyio

ANALYSIS = """**Complexity Level:** SIMPLE
**Recommended Strategy:** DIRECT
**Estimated Iterations:** 1
**Confidence:** 0.9
**Reasoning:** A plain question."""
PLAN = "1. [HIGH PRIORITY] Look up the rate limit\n   Tools: look\n2. [MEDIUM PRIORITY] Look up the quota"


def verdict(word: str, confidence: float) -> str:
    return f"**Quality Assessment:** {word}\n**Confidence Score:** {confidence}\n**Reasoning:** As it is.\n"


def look(what: str) -> str:
    """Look something up."""
    return f"{what}: 100 per minute"


class Thinker:
    """A model that plays every part, and notes which part it was asked to play."""

    def __init__(self, judgements: list[str]) -> None:
        self.parts: list[str] = []
        self._judgements = judgements
        self.answers = 0
        self.looked: list[str] = []

    def __call__(self, request: ModelRequest) -> str | Message:
        text = f"{request.system}\n{request.messages[-1].text}"
        if "Recommended Strategy" in text:
            self.parts.append("analyse")
            return ANALYSIS
        if "Quality Assessment" in text:
            self.parts.append("judge")
            return self._judgements.pop(0)
        if "HIGH PRIORITY" in text:
            self.parts.append("plan")
            return PLAN
        if "Completeness Assessment" in text:
            self.parts.append("evaluate")
            return "Completeness Assessment: COMPLETE\nConfidence Score: 0.9\n"
        if not request.tools:
            self.parts.append("put together")
            return "Put together: 100 per minute."
        return self._answer(request)

    def _answer(self, request: ModelRequest) -> str | Message:
        self.parts.append("answer")
        if request.messages[-1].role == "user" and "rate limit" in request.messages[-1].text:
            return calling(("look", {"what": "rate limit"}))
        self.answers += 1
        return f"Answer {self.answers}."


async def test_a_good_first_answer_is_the_only_thing_that_enters_the_conversation() -> None:
    thinker = Thinker([verdict("SUFFICIENT", 0.9)])
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(
            ScriptedProvider(otherwise=thinker),
            session=session,
            skills=registry(look=look),
            reasoning=ReasoningConfig(),
        )
        events = await listed(agent.run_turn("What is the rate limit?"))

        assert [(m.role, m.text) for m in await said(session)] == [
            ("user", "What is the rate limit?"),
            ("assistant", "Answer 1."),
        ]
        assert "".join(event.text for event in events if isinstance(event, told.ContentChunk)) == "Answer 1."
        assert [event.name for event in events if isinstance(event, told.ToolCompleted)] == ["look"]
        assert {"ToolStarted", "ToolRan", "ResearchStarted", "ResearchEnded"} <= set(await kinds(session))
        assert session.state.conversation.open_calls == ()
        assert session.state.metadata.tokens_by_purpose.keys() == {"conversation", "reasoning"}


async def test_a_poor_answer_is_tried_harder_and_the_tool_runs_once() -> None:
    thinker = Thinker([verdict("INSUFFICIENT", 0.3), verdict("SUFFICIENT", 0.9)])
    runs: list[str] = []

    def counted(what: str) -> str:
        """Look something up."""
        runs.append(what)
        return f"{what}: 100 per minute"

    escalations: list[tuple[Any, ...]] = []
    callbacks = ReasoningCallbacks(
        is_reasoning_enabled=lambda: True, on_auto_escalation=lambda *news: escalations.append(news)
    )
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = Agent(
            ScriptedProvider(otherwise=thinker),
            session=session,
            skills=registry(look=counted),
            reasoning=ReasoningConfig(),
            reasoning_callbacks=callbacks,
        )
        answer = await agent.ask("What is the rate limit?")

        assert [news[:2] for news in escalations] == [("direct", "light_planning")]
        assert runs == ["rate limit"]
        assert [m.text for m in await said(session)] == ["What is the rate limit?", answer]
        assert session.state.research_history[-1].attempts == 2


async def test_an_error_leaves_the_research_and_the_same_question_goes_on_with_it() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider([ANALYSIS, ModelError("gone")])
        agent = Agent(provider, session=session, skills=registry(look=look), reasoning=ReasoningConfig())
        with pytest.raises(ModelError):
            await agent.ask("Who keeps the harbour?")
        assert session.state.active_research is not None

        provider.add("The harbour master does.", verdict("SUFFICIENT", 0.8))
        events = await listed(agent.resume())

        assert events[-1] == told.SessionCompleted()
        assert [m.text for m in await said(session)] == ["Who keeps the harbour?", "The harbour master does."]
        assert session.state.active_research is None


async def test_an_agent_without_a_session_cannot_reason() -> None:
    with pytest.raises(InvalidInputError, match="give the agent one"):
        Agent(ScriptedProvider(), context=ContextManager(), reasoning=ReasoningConfig())


async def test_a_model_that_takes_no_tools_answers_directly() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        provider = ScriptedProvider(["It is blue."], takes_tools=False)
        agent = Agent(provider, session=session, reasoning=ReasoningConfig())

        assert await agent.ask("What colour is it?") == "It is blue."
        assert len(provider.requests) == 1
