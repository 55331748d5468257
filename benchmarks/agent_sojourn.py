"""Sojourn in the agent benchmark: an `Agent` in a session on SQLite, durable at every step."""

import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from agent_talk import INSTRUCTIONS, MODEL, TOOL, TOOL_ABOUT, Said, Turn, history

import sojourn
from sojourn import Settings, Sojourn
from sojourn.agent.agent import Agent
from sojourn.agent.settings import AgentSettings
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.context.tokens import CHARACTERS_PER_TOKEN
from sojourn.engine.session import Session
from sojourn.memory.embeddings.wordllama import WordLlamaEmbedder
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ContentDelta, ModelRequest, RawLog, StreamComplete, StreamEvent, ToolCallStarted

PLAIN: Final = "Sojourn"
STREAMED: Final = "Sojourn, streamed"
WINDOW: Final = 200_000
"""What the stub says that it can take; a context for it has at most 32,000 tokens, as for all large models."""
PIECE: Final = 12
"""Characters in a piece of streamed text."""


class StubModel:
    """Says at once, or in pieces, what it was told to say.

    Attributes:
        first_at: when it handed out its first piece of text.
        asked_at: when it was asked first in this turn.
    """

    takes_tools = True
    window = WINDOW
    model = MODEL
    name = f"{MODEL}@nowhere"

    def __init__(self, *, pieces: bool) -> None:
        self._pieces = pieces
        self._replies: list[Message] = []
        self._read = 0
        self.first_at: float | None = None
        self.asked_at: float | None = None

    def tell(self, *replies: Message, read: int) -> None:
        """Say these next, and that so many tokens were read for it."""
        self._replies = [*replies]
        self._read = read
        self.first_at = self.asked_at = None

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        if self.asked_at is None:
            self.asked_at = time.perf_counter()
        complete = await self.complete(request, raw_log=raw_log)
        text = complete.message.text
        size = PIECE if self._pieces else max(len(text), 1)
        for start in range(0, len(text), size):
            if self.first_at is None:
                self.first_at = time.perf_counter()
            yield ContentDelta(text=text[start : start + size])
        for index, call in enumerate(complete.message.tool_calls):
            yield ToolCallStarted(index=index, id=call.id, name=call.name)
        yield complete

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:  # noqa: ARG002
        message = self._replies.pop(0)
        usage = Usage(
            model=MODEL,
            input_tokens=self._read,
            output_tokens=len(message.text) // CHARACTERS_PER_TOKEN + 1,
        )
        return StreamComplete(message=message, usage=usage, stop="tools" if message.tool_calls else "end")

    async def close(self) -> None:
        """Do nothing: it holds nothing."""


class LiveSojourn:
    """An agent in its session."""

    def __init__(self, app: Sojourn, session: Session, settings: AgentSettings, *, tools: bool, pieces: bool) -> None:
        self._app = app
        self._session = session
        self._found: dict[str, str] = {}
        self.model = StubModel(pieces=pieces)
        skills = SkillRegistry()

        async def look_up(subject: str) -> str:
            return self._found[subject]

        look_up.__doc__ = TOOL_ABOUT
        skills.register(look_up)
        self.agent = Agent(
            self.model,
            session=session,
            skills=skills if tools else None,
            instructions=INSTRUCTIONS,
            app=app,
            settings=settings,
        )

    def prepare(self, turn: Turn) -> str:
        replies = [Message(role="assistant", content=turn.answer, model=MODEL)]
        if turn.calls:
            calls = tuple(ToolCall(id=name, name=TOOL, arguments={"subject": subject}) for name, subject in turn.calls)
            replies.insert(0, Message(role="assistant", tool_calls=calls, model=MODEL))
        # About what it will be shown. A real model counts, too, but not on this machine.
        shown = self.agent.last_context
        self.model.tell(*replies, read=shown.tokens.count if shown is not None else 0)
        self._found = turn.found
        return turn.question

    async def ask(self, question: str) -> str:
        return await self.agent.ask(question)

    async def settle(self) -> None:
        await self._app.background.drain()

    async def count(self) -> tuple[int, int]:
        conversation = self._session.state.conversation
        return conversation.user_messages, conversation.tool_messages


class SojournAgent:
    """The contestant that this benchmark is about."""

    def __init__(self, name: str, about: str, settings: AgentSettings, *, learns: bool, pieces: bool = False) -> None:
        self.name = name
        self.about = about
        self._settings = settings
        self._learns = learns
        self._pieces = pieces
        self._opened = AsyncExitStack()

    async def open(self, folder: Path, *, messages: int, tools: bool, copies: int) -> list[LiveSojourn]:
        path = folder / f"{self.name}-{messages}-{tools}.db"
        settings = Settings(
            keep_profile="yes",
            learning="hybrid" if self._learns else "off",
            summarise_turns_every=5 if self._settings.compact else None,
        )
        embedders = [WordLlamaEmbedder()] if self._settings.retrieve else []
        app = await self._opened.enter_async_context(sojourn.open(path, settings=settings, embedders=embedders))
        said = [_message(one) for one in history(messages)]
        sessions = [await app.ingest(said, user_id="somebody") for _ in range(copies)]
        await app.background.drain()
        await app.memory.embed()
        return [LiveSojourn(app, one, self._settings, tools=tools, pieces=self._pieces) for one in sessions]

    async def close(self) -> None:
        await self._opened.aclose()


def _message(said: Said) -> Message:
    if said.kind == "call":
        call = ToolCall(id=said.call, name=TOOL, arguments={"subject": said.text})
        return Message(role="assistant", tool_calls=(call,), model=MODEL)
    if said.kind == "result":
        return Message(role="tool", content=said.text, tool_call_id=said.call, name=TOOL)
    return Message(role=said.kind, content=said.text, model=MODEL if said.kind == "assistant" else None)


def contestants() -> list[SojournAgent]:
    """Return Sojourn as it is compared with others, and as it is used."""
    alone = AgentSettings(retrieve=False, compact=False)
    durable = "SQLite, WAL, synchronous=FULL; a context of at most 32,000 tokens"
    in_pieces = f"the same, its answer in pieces of {PIECE} characters"
    return [
        SojournAgent(PLAIN, f"{durable}; neither searches nor learns, as the others", alone, learns=False),
        SojournAgent(STREAMED, in_pieces, alone, learns=False, pieces=True),
        SojournAgent(
            f"{PLAIN}, retrieval",
            "looks for old messages, by words and by meaning",
            AgentSettings(compact=False),
            learns=False,
        ),
        SojournAgent(f"{PLAIN}, learning", "learns by rules behind the turn", alone, learns=True),
        SojournAgent(f"{PLAIN}, default settings", "searches, learns and compacts", AgentSettings(), learns=True),
    ]
