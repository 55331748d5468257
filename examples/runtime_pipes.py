"""An agent between pipes: lines come in, hooks look, pipes change, and answers go to whoever takes them.

    python examples/runtime_pipes.py                       # three lines of its own
    python examples/runtime_pipes.py --model local "Hello" "What did I say?"

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

import sojourn
from sojourn import AgentComponent, ConversationSession, ModelRequest
from sojourn.agent.runtime.payload import AgentResponse, InputReceived


class Lines:
    """Where input comes from: a keyboard, a socket, or, as here, a list."""

    name, kind = "lines", "input"
    targets: tuple[str, ...] | None = None  # the runtime knows: input goes to the first agent

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)

    async def read_line(self) -> str | None:
        """Return the next line; None when there are no more. `exit` and `;` end the input, too."""
        return self._lines.pop(0) if self._lines else None

    async def input(self, text: Any, inputs: dict[str, Any], session: ConversationSession | None) -> None:
        """Take nothing: it only gives."""


class Screen:
    """Where answers go."""

    name, kind = "screen", "output"
    targets: tuple[str, ...] | None = ()

    async def input(self, text: Any, _inputs: dict[str, Any], session: ConversationSession | None) -> None:
        """Show the answer; *session* is the conversation that it is given in."""
        print(f"answer in {session.id if session else 'no conversation'}: {text}")


def seen(payload: InputReceived) -> None:
    """See what comes in, and change nothing."""
    print(f"input:  {payload.input!r}")


def without_card(payload: InputReceived) -> InputReceived:
    """Change what comes in, before the agent sees it."""
    words = ["[card number]" if word.isdigit() and len(word) > 12 else word for word in payload.input.split()]
    return replace(payload, input=" ".join(words))


def shouted(payload: AgentResponse) -> AgentResponse:
    """Change what goes out."""
    return replace(payload, response=f"{payload.response}".upper())


async def talk(model: sojourn.Provider, lines: Sequence[str]) -> None:
    async with sojourn.open("memory:") as app:
        runtime = sojourn.AsyncRuntime(app)
        runtime.bus.register_hook("input.received", seen)
        runtime.bus.register_pipe("input.received", without_card)
        runtime.bus.register_pipe("agent.response", shouted)
        agent = AgentComponent("agent", sojourn.Agent(model, app=app))
        await runtime.start([Lines(lines), agent, Screen()])

        stats = runtime.get_stats()
        print(f"{stats['events_emitted']} events, {stats['routes_processed']} routes")
    await model.close()


def scripted() -> sojourn.Provider:
    """Play the model's part: it says back what it heard first and last."""

    def answer(request: ModelRequest) -> str:
        heard = [message.text for message in request.messages if message.role == "user"]
        return f"first I heard {heard[0]!r}, and now {heard[-1]!r}"

    return sojourn.ScriptedProvider(otherwise=answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="*", default=["hello", "my card is 4111111111111111", "thanks", "exit"])
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol, ollama:NAME or local")
    given = parser.parse_args()
    try:
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        asyncio.run(talk(model, given.lines))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
