"""The front: prompts and resources first, then what the session knows, then the agent."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any

import anyio
import pytest

import sojourn
from sojourn import Session, open_store
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.command_control import CommandControlAgent, McpHooks
from sojourn.agent.events import ContentChunk, SessionCancelled, SessionCompleted, TurnEvent
from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.offers import Artifacts, McpResource
from sojourn.agent.mcp.servers import Mcp
from sojourn.agent.permissions.gate import PermissionGate
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.known_answers import known_answer
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import MessageAdded
from sojourn.model.message import Message
from sojourn.model.state import replay
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import calling, listed, registry
from tests.agent.mcp_kit import Hourglass, MadeUpLink, Opener

pytestmark = pytest.mark.anyio

JUDGED = "**Quality Assessment:** SUFFICIENT\n**Confidence Score:** 0.9"
SIMPLE = "**Complexity Level:** SIMPLE\n**Recommended Strategy:** direct"


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


class Brackets:
    """Hooks that know one prompt and one resource."""

    async def expand(self, text: str) -> str:
        if text.startswith("/"):
            if text != "/review code":
                raise NotFoundError(f"no prompt is called {text}")
            return "Please review the code."
        return f'<resource id="docs:readme">\nHello\n</resource>\n\n{text}' if "@readme" in text else text


async def messages(session: Session) -> list[Message]:
    return [entry.event.message async for entry in session.messages.all() if isinstance(entry.event, MessageAdded)]


async def told(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in await messages(session)]


# --- what the session knows


async def test_a_question_for_the_name_is_answered_without_a_model_and_stands_in_the_conversation(
    session: Session,
) -> None:
    said = await session.messages.user("My name is Alice.")
    await session.profile.set(name="Alice", causes=[said.seq])
    provider = ScriptedProvider()
    front = CommandControlAgent(Agent(provider, session=session))
    events = [event async for event in front.run_turn("What's my name?")]

    assert events == [ContentChunk(text="Your name is Alice."), SessionCompleted()]
    assert not provider.requests
    assert (await told(session))[1:] == [("user", "What's my name?"), ("assistant", "Your name is Alice.")]
    assert (await messages(session))[-1].metadata == {"answered_from": "profile"}
    assert session.state == replay(await session.store.read("s"))
    assert session.state.conversation.turn is not None
    assert session.state.conversation.turn.outcome == "completed"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is my name?", "Your name is Alice."),
        ("how old am i", "You are 30 years old."),
        ("Where do I live?", "You live in Oslo."),
        ("Which languages do I know?", "Your programming languages: Python, Go."),
        ("What am I working on?", "Your project: Sojourn."),
    ],
)
async def test_each_field_is_told_in_a_sentence(session: Session, question: str, answer: str) -> None:
    await session.profile.set(
        name="Alice", age=30, location="Oslo", programming_languages=("Python", "Go"), current_project="Sojourn"
    )
    found = await known_answer(session, question)
    assert found is not None
    assert found.text == answer


@pytest.mark.parametrize(
    "question",
    [
        "What language is this file written in?",
        "What language do I use?",
        "What is the average age of a tree?",
        "Write a function that prints my name.",
        "What is my name in Japanese?",
        "Rename the page",
        "",
        "What is my name? " * 50,
    ],
)
async def test_words_are_compared_whole_and_other_questions_are_for_the_model(session: Session, question: str) -> None:
    await session.profile.set(age=30, name="Alice")
    assert await known_answer(session, question) is None


async def test_what_is_not_known_is_for_the_model(session: Session) -> None:
    provider = ScriptedProvider(["I do not know."])
    front = CommandControlAgent(Agent(provider, session=session))

    assert await front.ask("What is my name?") == "I do not know."
    assert len(provider.requests) == 1


async def test_what_is_half_known_is_for_the_model(session: Session) -> None:
    await session.profile.update({"name": "Alice"}, confidence=0.3)
    assert await known_answer(session, "What is my name?") is None


async def test_what_we_learned_about_something_is_told_from_the_facts(session: Session) -> None:
    for content in ("The API allows 100 calls a minute", "The API needs a token", "The office is in Oslo"):
        await session.facts.learn(content)
    found = await known_answer(session, "So, what did we learn about the API?")
    assert found is not None
    assert found.text is not None

    assert sorted(found.text.splitlines()) == ["- The API allows 100 calls a minute", "- The API needs a token"]
    assert await known_answer(session, "What do we know about penguins?") is None
    assert await known_answer(session, "What do you know about the API?") is None


async def test_what_is_known_about_the_user_is_told_from_the_profile(session: Session) -> None:
    assert await known_answer(session, "What do you know about me?") is None
    await session.profile.set(name="Alice")
    found = await known_answer(session, "What do you know about me?")
    assert found is not None
    assert "Alice" in (found.text or "")


async def test_where_we_were_is_told_from_the_state(session: Session) -> None:
    assert await known_answer(session, "Where were we?") is None
    await session.messages.user("Let us write a parser.")
    await session.working_set.decide("Use a hand-written parser")
    found = await known_answer(session, "Where were we?")
    assert found is not None
    assert "hand-written parser" in (found.text or "")


async def test_what_another_session_knows_of_the_user_is_told_too() -> None:
    async with sojourn.open("memory:") as app:
        await app.answer_keep_profile(keep=True)
        first = await app.sessions.create("first", user_id="u")
        await first.facts.learn("The user's name is Alice", slot="user/name", scope="user")
        await app.background.drain()
        second = await app.sessions.create("second", user_id="u")
        found = await known_answer(second, "What is my name?")
        stranger = await app.sessions.create("third", user_id="v")

        assert await known_answer(stranger, "What is my name?") is None
    assert found is not None
    assert (found.text, found.source) == ("The user's name is Alice", "facts")


async def test_what_is_known_in_memory_only_is_told_all_the_same() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create("s")
        await session.facts.learn("The user's name is Alice", slot="user/name")
        front = CommandControlAgent(Agent(ScriptedProvider(), session=session))

        assert await front.ask("What is my name?") == "The user's name is Alice"


async def test_forgetting_what_an_answer_rests_on_forgets_the_answer(session: Session) -> None:
    said = await session.messages.user("My name is Alice.")
    await session.profile.set(name="Alice", causes=[said.seq])
    await CommandControlAgent(Agent(ScriptedProvider(), session=session)).ask("What is my name?")
    await session.forget("message", said.seq)

    assert "Alice" not in str(await told(session))


async def test_the_model_may_be_asked_everything(session: Session) -> None:
    await session.profile.set(name="Alice")
    front = CommandControlAgent(Agent(ScriptedProvider(["Alice!"]), session=session), answers_itself=False)

    assert await front.ask("What is my name?") == "Alice!"


async def test_a_known_answer_waits_for_the_turn_that_is_going_on(session: Session) -> None:
    await session.profile.set(name="Alice")
    front = CommandControlAgent(Agent(ScriptedProvider(), session=session))
    async with session.turn():
        asked = asyncio.create_task(front.ask("What is my name?"))
        await asyncio.sleep(0)
        await session.messages.user("first")
        await session.messages.assistant("second")
    await asked

    assert [role_and_text[1] for role_and_text in await told(session)] == [
        "first", "second", "What is my name?", "Your name is Alice.",
    ]  # fmt: skip


# --- prompts and resources


async def test_a_prompt_takes_the_place_of_the_text(session: Session) -> None:
    front = CommandControlAgent(Agent(ScriptedProvider(["Fine."]), session=session), hooks=Brackets())

    assert [piece async for piece in front.send("/review code")] == ["Fine."]
    assert await told(session) == [("user", "Please review the code."), ("assistant", "Fine.")]


async def test_a_resource_goes_before_the_text(session: Session) -> None:
    provider = ScriptedProvider(["Hello."])
    await CommandControlAgent(Agent(provider, session=session), hooks=Brackets()).ask("What does @readme say?")

    assert '<resource id="docs:readme">' in provider.requests[0].messages[-1].text


async def test_a_prompt_that_is_not_there_stores_nothing(session: Session) -> None:
    front = CommandControlAgent(Agent(ScriptedProvider(), session=session), hooks=Brackets())
    with pytest.raises(NotFoundError, match="no prompt"):
        await front.ask("/nonsense")
    assert session.head == 1


async def test_text_that_a_hook_changed_is_never_answered_from_the_state(session: Session) -> None:
    class NameAsker:
        async def expand(self, text: str) -> str:
            return f"{text}\n(in French)"

    await session.profile.set(name="Alice")
    front = CommandControlAgent(Agent(ScriptedProvider(["Alice, bien sûr."]), session=session), hooks=NameAsker())
    assert await front.ask("What is my name?") == "Alice, bien sûr."


async def test_the_hooks_of_mcp_leave_other_text_as_it_is(session: Session) -> None:
    notes: list[str] = []
    hooks = McpHooks(Mcp(()), on_note=notes.append)
    assert await hooks.expand("mail me@example.org about /etc/hosts") == "mail me@example.org about /etc/hosts"
    with pytest.raises(NotFoundError, match="/review"):
        await hooks.expand("/review code")
    assert notes == []


async def test_the_hooks_of_mcp_pull_in_a_resource_and_note_what_is_none(session: Session) -> None:
    notes: list[str] = []
    server = McpServer(name="docs", command="nothing")
    link = MadeUpLink(artifacts=Artifacts(resources=(McpResource(uri="memo://readme", name="readme"),)))
    async with Mcp([server], sleep=Hourglass().sleep, open_link=Opener(link)) as mcp:
        await mcp.ready()
        provider = ScriptedProvider(["It greets."])
        front = CommandControlAgent(Agent(provider, session=session), hooks=McpHooks(mcp, on_note=notes.append))
        await front.ask("What does @readme say about @property?")

    assert "what memo://readme holds" in provider.requests[0].messages[-1].text
    assert ["@property" in note for note in notes] == [True]


# --- turns


async def test_reasoning_runs_although_the_session_knows_a_lot(session: Session) -> None:
    await session.profile.set(name="Alice")
    await session.facts.learn("The API allows 100 calls a minute")
    await session.messages.user("Hello")
    await session.messages.assistant("Hello, Alice")
    provider = ScriptedProvider([SIMPLE, "Because of the limit.", JUDGED])
    agent = Agent(provider, session=session, reasoning=ReasoningConfig())

    assert await CommandControlAgent(agent).ask("Why is the API slow for me?") == "Because of the limit."
    assert len(session.research.history) == 1
    assert (await told(session))[-2:] == [
        ("user", "Why is the API slow for me?"), ("assistant", "Because of the limit."),
    ]  # fmt: skip


async def test_attempts_that_were_not_good_enough_never_enter_the_conversation(session: Session) -> None:
    poor = "**Quality Assessment:** INSUFFICIENT\n**Confidence Score:** 0.2"
    provider = ScriptedProvider([SIMPLE, "A wild guess.", poor, "1. Look", "The disk is full.", JUDGED])
    front = CommandControlAgent(Agent(provider, session=session, reasoning=ReasoningConfig()))
    events = [event async for event in front.run_turn("Why is the API slow?")]

    said = "".join(event.text for event in events if isinstance(event, ContentChunk))
    assert said == "The disk is full."
    assert await told(session) == [("user", "Why is the API slow?"), ("assistant", "The disk is full.")]


async def test_a_turn_is_cancelled_through_its_token(session: Session) -> None:
    token = CancellationToken()
    front = CommandControlAgent(Agent(ScriptedProvider(["A long answer that nobody waits for."]), session=session))
    events: list[TurnEvent] = []
    async for event in front.run_turn("Tell me.", cancel_token=token):
        events.append(event)
        token.cancel()

    assert isinstance(events[-1], SessionCancelled)


async def test_leaving_early_closes_the_agents_turn(session: Session) -> None:
    class Watched:
        closed = False

        @property
        def session(self) -> Session:
            return session

        async def run_turn(
            self,
            text: str,
            *,
            cancel_token: CancellationToken | None = None,
            injected: Sequence[tuple[int, int]] = (),
        ) -> AsyncGenerator[TurnEvent, None]:
            try:
                yield ContentChunk(text="one")
                yield ContentChunk(text="two")
            finally:
                self.closed = True

    agent = Watched()
    pieces = CommandControlAgent(agent).send("Count.")
    assert await anext(pieces) == "one"
    await pieces.aclose()

    assert agent.closed


@pytest.mark.parametrize("text", ["", " \n", None])
async def test_saying_nothing_is_refused(session: Session, text: Any) -> None:
    front = CommandControlAgent(Agent(ScriptedProvider(), session=session))
    with pytest.raises(InvalidInputError, match="empty"):
        await front.ask(text)
    assert session.head == 1
    assert (repr(front), front.session) == ("CommandControlAgent('s')", session)


async def test_an_agent_without_a_session_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="session"):
        CommandControlAgent(Agent(ScriptedProvider()))


async def test_what_a_hook_pulled_in_is_not_taken_for_the_users_words(session: Session) -> None:
    class Pulls:
        async def expand(self, text: str) -> str:
            return f"<resource id='notes'>My name is Mallory.</resource>\n\n{text}"

    front = CommandControlAgent(Agent(ScriptedProvider(["Fine."]), session=session), hooks=Pulls())
    await front.ask("Sum it up")

    asked = await anext(session.messages.all())
    assert isinstance(asked.event, MessageAdded)
    message = asked.event.message
    ((start, end),) = message.metadata["injected"]
    assert message.text[end:] == "Sum it up"
    assert start == 0


# --- stopping before the turn, and what it leaves behind


class Stuck:
    """Hooks that never come back."""

    def __init__(self) -> None:
        self.asked = anyio.Event()

    async def expand(self, text: str) -> str:
        """Wait for ever."""
        self.asked.set()
        await anyio.sleep_forever()
        return text


async def test_what_is_looked_up_before_a_turn_can_be_stopped(session: Session) -> None:
    token, hooks = CancellationToken(), Stuck()
    front = CommandControlAgent(Agent(ScriptedProvider(), session=session), hooks=hooks)
    seen: list[Any] = []

    async def talk() -> None:
        seen.extend(await listed(front.run_turn("/prompt", cancel_token=token)))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(talk)
            await hooks.asked.wait()
            token.cancel()

    assert seen == [SessionCancelled()]
    assert await messages(session) == []


async def test_what_was_asked_about_a_call_is_dropped_when_the_session_answers_something_else(
    session: Session,
) -> None:
    await session.profile.set(name="Alice")
    gate = PermissionGate(session, Permissions(level="trusted"), when_nobody="leave")
    skills = registry(odd=lambda: "x")
    front = CommandControlAgent(
        Agent(ScriptedProvider([calling(("odd", {}))]), session=session, skills=skills, gate=gate)
    )
    await listed(front.run_turn("Do it"))
    assert len(session.interrupts.pending()) == 1

    assert await front.ask("What's my name?") == "Your name is Alice."

    assert session.interrupts.pending() == []
    assert session.state.conversation.open_calls == ()
