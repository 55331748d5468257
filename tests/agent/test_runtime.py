"""A runtime: lines come in, answers go out, hooks look, pipes change, listeners hear, and conversations last."""

from pathlib import Path
from typing import Any

import anyio
import pytest

import sojourn
from sojourn.agent.agent import Agent
from sojourn.agent.runtime.bus import CONSOLE, RuntimeBus
from sojourn.agent.runtime.component import AgentComponent
from sojourn.agent.runtime.payload import InputReceived, Payload, payload_of
from sojourn.agent.runtime.runtime import AsyncRuntime
from sojourn.engine.conversations import CLI_SESSION, ConversationSession
from sojourn.errors import AlreadyExistsError, InvalidInputError, ModelError, NotFoundError, SojournError
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.agent_kit import calling, registry, said

pytestmark = pytest.mark.anyio


class Keyboard:
    """Gives lines, and then ends."""

    name, kind = "keyboard", "input"
    targets: tuple[str, ...] | None = None

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.started = self.stopped = False

    async def start(self) -> None:
        self.started = True

    async def stop(self) -> None:
        self.stopped = True

    async def read_line(self) -> str | None:
        return self._lines.pop(0) if self._lines else None

    async def input(self, text: Any, inputs: dict[str, Any], session: ConversationSession | None) -> Any:
        raise NotImplementedError


class Part:
    """A component that does what a function does."""

    def __init__(self, name: str, kind: str, function: Any, targets: tuple[str, ...] | None = None) -> None:
        self.name, self.kind, self.targets, self._function = name, kind, targets, function

    async def input(self, text: Any, inputs: dict[str, Any], session: ConversationSession | None) -> Any:
        return self._function(text)


def remembers(request: ModelRequest) -> str:
    """Answer with the name that stands anywhere in the talk."""
    talk = " ".join(message.text for message in request.messages)
    return "Your name is Alice." if "Alice" in talk else "I do not know your name."


async def test_lines_are_answered_until_exit_and_each_is_recorded_once() -> None:
    shown: list[str] = []
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app, console=shown.append)
        keyboard = Keyboard("My name is Alice", "", "What is my name?", "Sure?", "exit", "never read")
        agent = AgentComponent("agent", Agent(ScriptedProvider(otherwise=remembers)))
        await runtime.start([keyboard, agent])

        assert shown == ["Your name is Alice."] * 3
        assert keyboard.started
        assert keyboard.stopped
        session = await app.sessions.open(CLI_SESSION)
        messages = await said(session)
        assert [message.role for message in messages] == ["user", "assistant"] * 3
        assert messages[2].text == "What is my name?"


async def test_a_semicolon_ends_the_input_and_a_restart_goes_on_with_the_conversation(tmp_path: Path) -> None:
    shown: list[str] = []
    for lines in (["I am Alice", ";"], ["Who am I?", ";"]):
        async with sojourn.open(tmp_path / "s.db") as app:
            runtime = AsyncRuntime(app, console=shown.append)
            agent = AgentComponent("agent", Agent(ScriptedProvider(otherwise=remembers)))
            await runtime.start([Keyboard(*lines), agent])

    assert shown == ["Your name is Alice.", "Your name is Alice."]


async def test_a_turn_that_fails_is_reported_and_the_input_goes_on() -> None:
    errors: list[SojournError] = []
    shown: list[str] = []
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app, console=shown.append, on_error=errors.append)
        provider = ScriptedProvider([ModelError("gone"), "back"])
        await runtime.start([Keyboard("one", "two"), AgentComponent("agent", Agent(provider))])

        assert [type(error) for error in errors] == [ModelError]
        assert shown == ["back"]
        assert [m.text for m in await said(await app.sessions.open(CLI_SESSION))] == ["one", "two", "back"]


async def test_what_an_agent_thinks_and_does_is_told_on_the_bus() -> None:
    told: list[tuple[str, Any]] = []
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app)
        for kind in ("agent.thought", "agent.action", "tool.call", "tool.observation", "agent.response"):
            runtime.bus.register_hook(kind, lambda payload: told.append((payload.kind, payload)))
        calls = calling(("echo", {"text": "a"}), text="Let me see.")
        skills = registry(echo=lambda text: f"{text}!")
        agent = AgentComponent("agent", Agent(ScriptedProvider([calls, "Done."]), skills=skills))
        await runtime.start([Keyboard("go"), agent])

        assert [kind for kind, _ in told] == [
            "agent.thought", "agent.action", "tool.call", "tool.observation", "agent.response",
        ]  # fmt: skip
        assert told[0][1].thought == "Let me see."
        assert told[2][1].args == {"text": "a"}
        assert told[3][1].observation == "a!"
        assert {payload.session_id for _, payload in told} == {CLI_SESSION}


async def test_hooks_see_the_payload_before_the_pipes_and_listeners_after_them() -> None:
    seen: dict[str, str] = {}
    shown: list[str] = []

    def hook(payload: InputReceived) -> None:
        seen["hook"] = payload.input

    async def pipe(payload: InputReceived) -> dict[str, Any]:
        return {"input": payload.input.upper(), "session_id": payload.session_id}

    async def listener(payload: InputReceived) -> None:
        seen["listener"] = payload.input

    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app, console=shown.append)
        runtime.bus.register_hook("input.received", hook)
        runtime.bus.register_pipe("input.received", lambda _: None)
        runtime.bus.register_pipe("input.received", pipe)
        runtime.bus.register_event("input.received", listener)
        provider = ScriptedProvider(["ok"])
        await runtime.start([Keyboard("hello"), AgentComponent("agent", Agent(provider))])

        assert seen == {"hook": "hello", "listener": "HELLO"}
        assert provider.requests[0].messages[-1].text == "HELLO"
        stats = runtime.get_stats()
        assert (stats["hooks"], stats["pipes"], stats["listeners"], stats["hooks_executed"]) == (1, 2, 1, 1)


async def test_a_hook_a_pipe_and_a_listener_that_fail_stop_nobody() -> None:
    def broken(payload: Payload) -> None:
        raise RuntimeError("no")

    bus = RuntimeBus()
    for register in (bus.register_hook, bus.register_pipe, bus.register_event):
        register("x", broken)

    async with bus:
        payload = await bus.emit("x", {"n": 1})

    assert payload.data == {"n": 1}
    assert payload.timestamp is not None


async def test_answers_go_from_component_to_component() -> None:
    kept: list[str] = []
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app)
        shout = Part("shout", "tool", lambda text: text.upper(), targets=("screen",))
        screen = Part("screen", "output", kept.append)
        agent = AgentComponent("agent", Agent(ScriptedProvider(["quiet"])), targets=("shout",))
        await runtime.start([Keyboard("hi"), agent, shout, screen])

        assert kept == ["QUIET"]


async def test_a_component_that_fails_does_not_end_the_runtime() -> None:
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app)
        broken = Part("screen", "output", lambda _: 1 / 0)
        provider = ScriptedProvider(["one", "two"])
        await runtime.start([Keyboard("a", "b"), AgentComponent("agent", Agent(provider)), broken])

        assert len(provider.requests) == 2


async def test_routes_are_inferred_or_said_and_a_wrong_one_is_refused() -> None:
    bus = RuntimeBus()
    bus.register_component(Keyboard())
    bus.register_component(AgentComponent("agent", Agent(ScriptedProvider())))
    assert bus.configure_routing() == {"keyboard": ("agent",), "agent": (CONSOLE,)}

    with pytest.raises(AlreadyExistsError):
        bus.register_component(Keyboard())
    bus.register_component(Part("lost", "tool", str, targets=("nobody",)))
    with pytest.raises(InvalidInputError, match="there is no component nobody"):
        bus.configure_routing()


async def test_components_that_go_round_in_a_circle_are_refused() -> None:
    bus = RuntimeBus()
    for name, target in (("a", "b"), ("b", "c"), ("c", "a")):
        bus.register_component(Part(name, "tool", str, targets=(target,)))

    with pytest.raises(InvalidInputError, match="a -> b -> c -> a"):
        bus.configure_routing()


async def test_two_conversations_share_nothing_and_one_id_is_one_object() -> None:
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app)
        provider = ScriptedProvider(otherwise=remembers)
        runtime.bus.register_component(Keyboard())
        runtime.bus.register_component(AgentComponent("agent", Agent(provider)))
        runtime.bus.configure_routing()
        one, two = await runtime.get_or_create_session("one"), await runtime.get_or_create_session("two")

        assert await runtime.get_or_create_session("one") is one
        assert await runtime.process_user_input("I am Alice", "keyboard", one) == "Your name is Alice."
        assert await runtime.process_user_input("Who am I?", "keyboard", two) == "I do not know your name."
        assert len(one.conversation_history) == 2
        with pytest.raises(NotFoundError):
            await runtime.process_user_input("hi", "nobody", one)


async def test_stop_ends_a_runtime_that_has_no_input() -> None:
    async with sojourn.open("memory:") as app:
        runtime = AsyncRuntime(app)
        screen = Part("screen", "output", str)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(runtime.start, [screen])
                while not runtime.get_stats()["running"]:
                    await anyio.lowlevel.checkpoint()
                await runtime.stop()

        assert not runtime.get_stats()["running"]


def test_a_payload_says_what_is_missing_and_an_unknown_kind_keeps_everything() -> None:
    assert InputReceived(input="x").validate() == ["input.received: session_id is missing"]
    assert payload_of("something.else", {"a": 1}).data == {"a": 1}
    with pytest.raises(InvalidInputError, match=r"input\.received"):
        payload_of("input.received", {"input": 5})
