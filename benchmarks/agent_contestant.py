"""What the agent benchmark asks of everyone it compares: an agent with a history, and a turn of it.

The model is a stub that says at once what the turn has in store, and the tool returns what it finds there. What
remains is the framework's own work: reading the history, calling the model, running tools, and storing what happened.
"""

from pathlib import Path
from typing import Any, Protocol

from agent_talk import Turn


class Live(Protocol):
    """An agent with a conversation that is open."""

    def prepare(self, turn: Turn) -> Any:
        """Let the model and the tool say what *turn* has in store; return what the user says. This is not timed."""
        ...

    async def ask(self, question: Any) -> str:
        """Run the turn and return the answer, once all of it is stored."""
        ...

    async def settle(self) -> None:
        """Wait for what goes on behind the turn."""
        ...

    async def count(self) -> tuple[int, int]:
        """Return how many questions, and how many results of tools, are stored."""
        ...


class Contestant(Protocol):
    """A framework, set up in one way."""

    name: str
    about: str
    """How it was set up, and what it does less than the others."""

    async def open(self, folder: Path, *, messages: int, tools: bool, copies: int) -> list[Live]:
        """Open so many agents, each with its own conversation of so many messages, all in one file."""
        ...

    async def close(self) -> None:
        """Release all files."""
        ...
