"""Conversations that remember, as the woodwork design describes them: the objects, the store of a runtime, the rules.

The design's agent is played by a small one with a made-up model, which can only answer from its prompt.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn import ScriptedProvider, Session, SkillRegistry, open_store
from sojourn.agent.runtime.component import AgentComponent
from sojourn.context.validity import problems
from sojourn.engine.app import Sojourn
from sojourn.engine.conversations import CLI_SESSION, MAX_PROMPT, Conversations, ConversationSession
from sojourn.engine.session import SessionOptions
from sojourn.errors import AlreadyExistsError, InvalidInputError, LockedError, ModelError, SessionNotFoundError
from sojourn.model import events as ev
from sojourn.model.ids import Seq
from sojourn.model.message import Message, ToolCall
from sojourn.providers.protocol import ModelRequest
from sojourn.store.protocol import Store
from sojourn.testing.clock import FakeClock
from tests.agent.agent_kit import calling

pytestmark = pytest.mark.anyio

HALF_AN_HOUR = 30 * 60

Model = Callable[[str, dict[str, Any]], str]


class Agent:
    """The design's agent: it thinks with a function of prompt and variables, and remembers by a conversation."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.prompts: list[str] = []

    async def input(self, query: str, *, session: ConversationSession | None = None) -> str:
        if session is None:
            return self._think(query, {})
        async with session.turn(query) as turn:
            turn.answer = self._think(turn.prompt, turn.variables)
        return turn.answer

    def _think(self, prompt: str, variables: dict[str, Any]) -> str:
        self.prompts.append(prompt)
        return self._model(prompt, variables)


def attentive(prompt: str, variables: dict[str, Any]) -> str:
    """Answer from the prompt and the variables alone."""
    query = prompt.rpartition("User: ")[2]
    if setting := re.fullmatch(r"Set variable (\w+) to (\d+)", query):
        variables[setting[1]] = int(setting[2])
        return f"{setting[1]} is set."
    if asked := re.fullmatch(r"What is (\w+)\?", query):
        return f"It is {variables.get(asked[1], 'unknown')}."
    if query == "What's my name?":
        named = re.search(r"My name is (\w+)", prompt)
        return f"You are {named[1]}." if named else "I do not know."
    if query == "Configure server":
        return "Which port should I use?"
    if "Which port should I use?" in prompt:
        return f"Configured: {query}."
    return "Noted."


@pytest.fixture
async def store(clock: FakeClock, anyio_backend: str) -> AsyncIterator[Store]:
    async with open_store("memory:", clock=clock) as opened:
        yield opened


@pytest.fixture
def conversations(store: Store, clock: FakeClock) -> Conversations:
    return Conversations(store, options=SessionOptions(clock=clock))


def said(session: ConversationSession) -> list[tuple[str, str]]:
    return [(turn["role"], turn["content"]) for turn in session.conversation_history]


# --- the design's own tests


async def test_1_1_create_session(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test-123")

    assert session.id == "test-123"
    assert len(session.conversation_history) == 0
    assert len(session.workflow_variables) == 0
    assert session.current_prompt == ""


async def test_1_2_add_conversation_turns(conversations: Conversations, clock: FakeClock) -> None:
    session = await conversations.get_or_create("test")
    clock.advance(seconds=5)
    await session.add_turn("user", "Hello")
    await session.add_turn("assistant", "Hi there")

    assert len(session.conversation_history) == 2
    assert session.conversation_history[0]["role"] == "user"
    assert session.conversation_history[1]["content"] == "Hi there"
    assert session.conversation_history[0]["timestamp"] == clock.now().timestamp()
    assert session.last_activity == session.created_at + 5


async def test_2_1_get_or_create_session(conversations: Conversations) -> None:
    session1 = await conversations.get_or_create("sess-1")
    session2 = await conversations.get_or_create("sess-1")

    assert session1.id == session2.id
    assert session1 is session2


async def test_2_2_multiple_sessions_are_isolated(conversations: Conversations) -> None:
    session1 = await conversations.get_or_create("sess-1")
    session2 = await conversations.get_or_create("sess-2")
    await session1.add_turn("user", "Message 1")
    await session2.add_turn("user", "Message 2")
    async with session1.turn("more") as turn:
        turn.variables["x"] = 1

    assert said(session1) == [("user", "Message 1"), ("user", "more")]
    assert said(session2) == [("user", "Message 2")]
    assert session2.workflow_variables == {}


async def test_3_1_an_agent_without_a_session_remembers_nothing() -> None:
    agent = Agent(attentive)
    await agent.input("My name is Alice")

    assert await agent.input("What's my name?") == "I do not know."
    assert agent.prompts[1] == "What's my name?"


async def test_3_2_an_agent_with_a_session_maintains_context(conversations: Conversations) -> None:
    agent = Agent(attentive)
    session = await conversations.get_or_create("test")
    await agent.input("My name is Alice", session=session)
    result = await agent.input("What's my name?", session=session)

    assert "Alice" in result
    assert said(session) == [
        ("user", "My name is Alice"),
        ("assistant", "Noted."),
        ("user", "What's my name?"),
        ("assistant", "You are Alice."),
    ]


async def test_3_3_an_agent_preserves_workflow_variables(conversations: Conversations) -> None:
    agent = Agent(attentive)
    session = await conversations.get_or_create("test")
    await agent.input("Set variable x to 10", session=session)

    assert session.workflow_variables == {"x": 10}
    assert "10" in await agent.input("What is x?", session=session)


async def test_4_1_full_conversation_flow_records_each_turn_once(conversations: Conversations) -> None:
    """The design's loop records the user's words before it hands them over; its agent may be called without a loop."""
    agent = Agent(attentive)
    session = await conversations.get_or_create("cli")
    await session.add_turn("user", "My favorite color is blue")
    await agent.input("My favorite color is blue", session=session)
    await session.add_turn("user", "What's my favorite color?")
    await agent.input("What's my favorite color?", session=session)

    assert [role for role, _ in said(session)] == ["user", "assistant", "user", "assistant"]


async def test_4_2_a_question_is_an_answer_and_the_next_turn_answers_it(conversations: Conversations) -> None:
    agent = Agent(attentive)
    session = await conversations.get_or_create("test")

    assert await agent.input("Configure server", session=session) == "Which port should I use?"
    assert await agent.input("Port 8080", session=session) == "Configured: Port 8080."


# --- the running prompt


async def test_the_prompt_holds_the_agents_own_answers(conversations: Conversations) -> None:
    """The original left them out: the model saw "Port 8080" and not its own question."""
    agent = Agent(attentive)
    session = await conversations.get_or_create("test")
    await agent.input("Configure server", session=session)
    await agent.input("Port 8080", session=session)

    assert agent.prompts == [
        "Configure server",
        "Configure server\n\nAssistant: Which port should I use?\n\nUser: Port 8080",
    ]
    assert session.current_prompt == agent.prompts[1] + "\n\nAssistant: Configured: Port 8080."


async def test_what_a_summary_stands_for_is_in_the_prompt_as_the_summary(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    for number in range(3):
        await session.add_turn("user", f"question {number}")
        await session.add_turn("assistant", f"answer {number}")
    through = Seq(session.session.head - 1)
    await session.session.append(ev.Compacted(summary="They counted.", through=through, kept=1))
    await session.refresh()

    assert session.current_prompt == (
        "Summary of previous context: They counted. Continue reasoning from here.\n\nAssistant: answer 2"
    )
    assert said(session) == [("assistant", "answer 2")]
    await session.session.append(ev.CompactionUndone(kept=6))
    await session.refresh()
    assert len(said(session)) == 6


async def test_the_prompt_never_outgrows_its_limit(conversations: Conversations, store: Store) -> None:
    session = await conversations.get_or_create("test")
    for number in range(5):
        await session.add_turn("user", f"{number}" * (MAX_PROMPT // 4))
    reopened = await Conversations(store).get_or_create("test")
    await session.add_turn("user", "x" * (MAX_PROMPT + 1))

    assert [content[0] for _, content in said(reopened)] == ["1", "2", "3", "4"]
    assert len(said(session)) == 1


async def test_only_words_of_user_and_assistant_are_turns(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    messages = session.session.messages
    await messages.system("Be kind")
    await messages.user("List the files")
    await messages.assistant(tool_calls=[ToolCall(id="c1", name="ls")])
    await messages.tool("c1", "a.py")
    await messages.assistant("There is a.py.")
    await session.refresh()

    assert said(session) == [("user", "List the files"), ("assistant", "There is a.py.")]


@pytest.mark.parametrize(("role", "content"), [("system", "x"), ("robot", "x"), ("user", " "), ("assistant", "")])
async def test_a_turn_that_makes_no_sense_is_refused(conversations: Conversations, role: str, content: str) -> None:
    session = await conversations.get_or_create("test")
    with pytest.raises(InvalidInputError):
        await session.add_turn(role, content)

    assert said(session) == []


# --- turns that fail, variables that are copies


async def test_a_failing_turn_corrupts_neither_variables_nor_prompt(conversations: Conversations) -> None:
    def failing(prompt: str, variables: dict[str, Any]) -> str:
        variables["list"].append("half done")
        variables["x"] = "half done"
        raise ZeroDivisionError

    session = await conversations.get_or_create("test")
    async with session.turn("begin", inputs={"list": [1]}) as turn:
        turn.answer = "begun"
    with pytest.raises(ZeroDivisionError):
        await Agent(failing).input("go on", session=session)

    assert session.workflow_variables == {"list": [1]}
    assert session.current_prompt == "begin\n\nAssistant: begun\n\nUser: go on"
    assert await Agent(attentive).input("go on", session=session) == "Noted."
    assert [role for role, _ in said(session)] == ["user", "assistant"] * 2


async def test_a_cancelled_turn_keeps_what_the_user_said(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    reached = asyncio.Event()

    async def work() -> None:
        async with session.turn("wait") as turn:
            turn.variables["x"] = 1
            reached.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(work())
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (said(session), session.workflow_variables, session.in_turn) == ([("user", "wait")], {}, False)


async def test_variables_are_copies_and_only_what_a_turn_changed_is_written(
    conversations: Conversations, store: Store
) -> None:
    session = await conversations.get_or_create("test")
    given = {"deep": {"er": [1]}, "same": 1, "gone": 1}
    async with session.turn("one", inputs=given) as turn:
        given["deep"] = "aliased"
    session.workflow_variables["deep"]["er"].append(2)
    async with session.turn("two") as turn:
        del turn.variables["gone"]
        turn.variables["deep"]["er"].append(3)

    assert session.workflow_variables == {"deep": {"er": [1, 3]}, "same": 1}
    written = [
        entry for entry in await store.read("test") if isinstance(entry.event, ev.VariableSet | ev.VariableRemoved)
    ]
    assert [entry.event.name for entry in written[3:]] == ["deep", "gone"]  # type: ignore[union-attr]  # see above
    assert all(entry.causes for entry in written)


async def test_answer_and_variables_are_one_append(conversations: Conversations, store: Store) -> None:
    """A variable that cannot be stored takes the answer with it: there is no half-recorded turn."""
    session = await conversations.get_or_create("test")

    async def work() -> None:
        async with session.turn("go") as turn:
            turn.answer = "done"
            turn.variables["x"] = object()

    with pytest.raises(InvalidInputError):
        await work()

    assert said(session) == [("user", "go")]
    assert session.workflow_variables == {}


async def test_two_turns_of_one_conversation_do_not_mix(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    async with session.turn("one"):
        with pytest.raises(LockedError):
            async with session.turn("two"):
                pass

    assert said(session) == [("user", "one")]


async def test_words_recorded_at_once_are_each_heard_once(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    await asyncio.gather(*(session.add_turn("user", str(number)) for number in range(20)))

    assert sorted(int(content) for _, content in said(session)) == list(range(20))


# --- the runtime's store


async def test_the_command_line_has_a_conversation_of_its_own(conversations: Conversations) -> None:
    """A scripted loop as in the design: three lines and `exit`, three turns of each."""
    agent = Agent(attentive)
    session = await conversations.get_or_create()
    for line in ("My name is Alice", "Hm", "What's my name?", "exit"):
        if line in ("exit", ";"):
            break
        await agent.input(line, session=session)

    assert session.id == CLI_SESSION == "cli_session"
    assert [role for role, _ in said(session)] == ["user", "assistant"] * 3
    assert said(session)[-1] == ("assistant", "You are Alice.")


async def test_tasks_that_open_a_conversation_at_once_get_one_object(conversations: Conversations) -> None:
    opened = await asyncio.gather(*(conversations.get_or_create("s") for _ in range(10)))

    assert all(one is opened[0] for one in opened)
    assert len(conversations) == 1


async def test_idle_conversations_leave_memory_and_come_back_from_disk(
    conversations: Conversations, store: Store, clock: FakeClock
) -> None:
    idle = await conversations.get_or_create("idle")
    async with idle.turn("remember", inputs={"x": 1}) as turn:
        turn.answer = "yes"
    busy = await conversations.get_or_create("busy")
    clock.advance(seconds=HALF_AN_HOUR - 1)
    await busy.add_turn("user", "still here")
    assert await conversations.close_idle() == 0
    clock.advance(seconds=1)

    assert await conversations.close_idle() == 1
    assert await conversations.get_or_create("busy") is busy
    again = await conversations.get_or_create("idle")
    assert again is not idle
    assert (again.conversation_history, again.workflow_variables) == (idle.conversation_history, {"x": 1})
    assert await store.find_session("idle") is not None


async def test_idle_conversations_leave_without_being_told(conversations: Conversations, clock: FakeClock) -> None:
    await conversations.get_or_create("one")
    clock.advance(seconds=HALF_AN_HOUR)
    await conversations.get_or_create("two")

    assert len(conversations) == 1


async def test_a_conversation_in_a_turn_is_not_idle(conversations: Conversations, clock: FakeClock) -> None:
    session = await conversations.get_or_create("s")
    async with session.turn("a long one") as turn:
        clock.advance(seconds=10 * HALF_AN_HOUR)
        assert await conversations.close_idle() == 0
        turn.answer = "at last"

    assert await conversations.close_idle() == 0
    assert await conversations.get_or_create("s") is session


async def test_a_conversation_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with open_store(path) as store, Conversations(store) as conversations:
        session = await conversations.get_or_create("s")
        await Agent(attentive).input("My name is Alice", session=session)
        await Agent(attentive).input("Set variable x to 10", session=session)
        before = (session.conversation_history, session.current_prompt, session.created_at, session.last_activity)

    async with open_store(path) as store, Conversations(store) as conversations:
        session = await conversations.get_or_create("s")
        assert (session.conversation_history, session.current_prompt) == before[:2]
        assert (session.created_at, session.last_activity) == before[2:]
        assert await Agent(attentive).input("What's my name?", session=session) == "You are Alice."
        assert await Agent(attentive).input("What is x?", session=session) == "It is 10."


async def test_what_another_process_said_is_heard(conversations: Conversations, store: Store) -> None:
    here = await conversations.get_or_create("s")
    there = await Conversations(store).get_or_create("s")
    await there.add_turn("user", "from elsewhere")
    await here.add_turn("assistant", "heard")

    assert said(here) == [("user", "from elsewhere"), ("assistant", "heard")]
    assert await conversations.get_or_create("s") is here


async def test_what_was_forgotten_is_gone_from_the_prompt(conversations: Conversations, store: Store) -> None:
    session = await conversations.get_or_create("s")
    async with session.turn("my password is hunter2") as turn:
        turn.variables["password"] = "hunter2"
        turn.answer = "Noted."
    secret = (await store.last_messages("s"))[0].seq
    await store.redact("s", [secret])
    await conversations.get_or_create("s")
    await session.add_turn("user", "what did I say?")

    assert "hunter2" not in session.current_prompt
    assert session.workflow_variables == {}


async def test_two_browsers_with_two_ids_share_nothing_and_one_that_returns_goes_on(
    conversations: Conversations,
) -> None:
    """The original gave all of them the id `api_session`, and so one conversation."""
    agent = Agent(attentive)
    await agent.input("My name is Alice", session=await conversations.get_or_create("ws-1", user_id="alice"))
    await agent.input("My name is Bob", session=await conversations.get_or_create("ws-2", user_id="bob"))

    back = await conversations.get_or_create("ws-1", user_id="alice")
    assert await agent.input("What's my name?", session=back) == "You are Alice."
    for user_id in ("bob", "eve"):
        with pytest.raises(SessionNotFoundError):
            await conversations.get_or_create("ws-1", user_id=user_id)
    await conversations.close()
    with pytest.raises(SessionNotFoundError):
        await conversations.get_or_create("ws-1", user_id="bob")


async def test_a_conversation_in_the_trash_is_not_continued(conversations: Conversations, store: Store) -> None:
    await conversations.get_or_create("s")
    await store.append("s", [ev.SessionTrashed()])
    with pytest.raises(AlreadyExistsError, match="in the trash"):
        await conversations.get_or_create("s")
    await store.purge_session("s")

    assert said(await conversations.get_or_create("s")) == []


async def test_a_purged_conversation_begins_anew(conversations: Conversations, store: Store) -> None:
    session = await conversations.get_or_create("s")
    await session.add_turn("user", "gone")
    await store.purge_session("s")

    assert said(await conversations.get_or_create("s")) == []


async def test_conversations_of_an_app_are_its_live_sessions(store: Store, clock: FakeClock) -> None:
    async with Sojourn(open_store("memory:", clock=clock), clock=clock) as app:
        conversations = Conversations(app)
        session = await conversations.get_or_create("s")
        live = await app.sessions.open("s")
        await Agent(attentive).input("hi", session=session)
        rewound = await app.sessions.rewind("s", at=1)

        assert session.session is live
        assert live.state.conversation.message_count == 2
        again = await conversations.get_or_create("s")
        assert (again.id, said(again)) == (rewound.id, [])


async def test_a_long_history_is_read_page_by_page(conversations: Conversations, store: Store) -> None:
    session = await Session.create(store, "s")
    messages = [ev.MessageAdded(message=Message(role="user", content=str(number))) for number in range(350)]
    await session.append(*messages)

    assert [content for _, content in said(await conversations.get_or_create("s"))] == [str(n) for n in range(350)]


# --- the design's tests with the real agent, a model that can only read its prompt, and the real runtime


def reads_its_prompt(request: ModelRequest) -> str | Message:
    """Play the design's model: it sets a variable when told to, asks for what is missing, and reads what it sees."""
    talk = "\n".join(f"{message.role}: {message.text}" for message in request.messages)
    asked = next(message.text for message in reversed(request.messages) if message.role == "user")
    if request.messages[-1].role == "tool":
        return "Done."
    if asked == "Set variable x to 10":
        return calling(("set_variable", {"name": "x", "value": 10}))
    if asked == "What is x?":
        return calling(("show", {"value": "$x"}))
    if asked == "Configure server":
        return "Which port should it use?"
    if "Which port should it use?" in talk and "8080" in asked:
        return "Configured the server on port 8080."
    name = re.search(r"[Mm]y name is (\w+)", talk)
    return f"Your name is {name[1]}." if name else "I do not know."


def variable_skills(session: Session) -> SkillRegistry:
    skills = SkillRegistry()

    @skills.skill
    async def set_variable(name: str, value: Any) -> str:
        """Set a variable."""
        await session.variables.set(name, value)
        return "set"

    @skills.skill
    async def show(value: Any) -> Any:
        """Show a value."""
        shown.append(value)
        return value

    shown.clear()
    return skills


shown: list[Any] = []


async def test_3_1_the_real_agent_without_a_session_remembers_nothing() -> None:
    agent = sojourn.Agent(ScriptedProvider(otherwise=reads_its_prompt))

    assert await agent.input("My name is Alice") == "Your name is Alice."
    assert await agent.input("What's my name?") == "I do not know."


async def test_3_2_the_real_agent_with_a_session_maintains_context(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    agent = sojourn.Agent(ScriptedProvider(otherwise=reads_its_prompt))
    await agent.input("My name is Alice", session=session)

    assert "Alice" in await agent.input("What's my name?", session=session)
    assert [turn["role"] for turn in session.conversation_history] == ["user", "assistant"] * 2


async def test_3_3_the_real_agent_preserves_workflow_variables(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    agent = sojourn.Agent(ScriptedProvider(otherwise=reads_its_prompt), skills=variable_skills(session.session))
    await agent.input("Set variable x to 10", session=session)
    assert session.workflow_variables["x"] == 10

    await agent.input("What is x?", session=session)
    assert shown == [10]


async def test_4_1_a_turn_that_was_recorded_by_the_caller_is_not_recorded_again(conversations: Conversations) -> None:
    session = await conversations.get_or_create("cli")
    agent = sojourn.Agent(ScriptedProvider(["Noted.", "Blue."]))
    for said in ("My favorite color is blue", "What's my favorite color?"):
        await session.add_turn("user", said)
        await agent.input(said, session=session)

    assert [turn["content"] for turn in session.conversation_history] == [
        "My favorite color is blue", "Noted.", "What's my favorite color?", "Blue.",
    ]  # fmt: skip


async def test_4_2_the_real_agent_asks_by_answering(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    agent = sojourn.Agent(ScriptedProvider(otherwise=reads_its_prompt))

    assert "?" in await agent.input("Configure server", session=session)
    assert "8080" in await agent.input("Port 8080", session=session)


async def test_inputs_are_variables_and_the_callers_values_are_not_touched(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    given = {"x": [1, 2]}
    agent = sojourn.Agent(ScriptedProvider(otherwise=reads_its_prompt), skills=variable_skills(session.session))
    await agent.input("What is x?", given, session=session)
    shown[0].append(3)

    assert given == {"x": [1, 2]}
    assert session.workflow_variables == {"x": [1, 2]}


async def test_an_error_keeps_what_the_turn_did_and_the_next_one_goes_on(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    call = calling(("set_variable", {"name": "x", "value": 10}))
    provider = ScriptedProvider([call, ModelError("gone"), "x is set."])
    agent = sojourn.Agent(provider, skills=variable_skills(session.session))
    with pytest.raises(ModelError):
        await agent.input("Set variable x to 10", session=session)
    await session.refresh()

    assert session.workflow_variables == {"x": 10}
    assert await agent.input("Is it set?", session=session) == "x is set."
    assert problems(provider.requests[-1].messages) == []


async def test_a_malformed_action_is_told_to_the_model_and_raises_nothing(conversations: Conversations) -> None:
    session = await conversations.get_or_create("test")
    malformed = Message(role="assistant", tool_calls=(ToolCall(id="c1", name="show", arguments_text="{not json"),))
    agent = sojourn.Agent(ScriptedProvider([malformed, "Sorry."]), skills=variable_skills(session.session))

    assert await agent.input("Show it", session=session) == "Sorry."


async def test_a_pipe_that_drops_everything_keeps_the_conversation() -> None:
    async with sojourn.open("memory:") as app:
        runtime = sojourn.AsyncRuntime(app)
        runtime.bus.register_pipe("input.received", lambda payload: {"input": payload.input})

        class Line:
            name, kind, targets = "line", "input", None

            async def input(self, text: Any, inputs: dict[str, Any], session: ConversationSession | None) -> None:
                return None

        agent = sojourn.Agent(ScriptedProvider(otherwise=reads_its_prompt))
        runtime.bus.register_component(Line())
        runtime.bus.register_component(AgentComponent("agent", agent))
        runtime.bus.configure_routing()
        session = await runtime.get_or_create_session()
        await runtime.process_user_input("My name is Alice", "line", session)

        assert await runtime.process_user_input("What's my name?", "line", session) == "Your name is Alice."
        assert session.id == CLI_SESSION


async def test_a_prompt_over_the_limit_is_summarised_by_itself() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        answer = "The harbour office opens at nine and closes at five, every day of the week. " * 8
        settings = sojourn.AgentSettings(context_tokens=3_000)
        agent = sojourn.Agent(ScriptedProvider(otherwise=lambda _: answer), session=session, app=app, settings=settings)
        for number in range(20):
            await agent.input(f"Question {number}?", session=session)

        assert session.state.conversation.compactions > 0
        assert session.state.working_set.summary
