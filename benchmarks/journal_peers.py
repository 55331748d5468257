"""The session layers of agent frameworks, each used as its documentation shows, with its defaults.

They are told to trace nothing; `refuse_network` makes sure that none of them talks to anybody.
"""

import importlib
import logging
import os
import sys
import time
import uuid
import warnings
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from contestant import RECENT, SESSION, Contestant, stock_checkpoint, stock_durability
from turn import MODEL, batches, make_turn

_QUIET: Final = {
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGCHAIN_CALLBACKS_BACKGROUND": "false",
    "OTEL_SDK_DISABLED": "true",
    "GRPC_VERBOSITY": "NONE",
}
_OUTSIDE: Final = {"socket.connect", "socket.getaddrinfo", "socket.sendto"}
_APP: Final[dict[str, Any]] = {"app_name": "benchmark", "user_id": "user"}


def load_peers() -> list[Contestant]:
    """Import the peers, silenced, and return them."""
    silence()
    return [OpenAI(), AdvancedOpenAI(), Adk(), LangGraph()]


def silence() -> None:
    """Let no peer trace, warn or talk to anybody; call it before one is imported."""
    os.environ.update(_QUIET)
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    refuse_network()


def refuse_network() -> None:
    """Make every attempt to reach another machine an error, for the rest of the process."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _OUTSIDE:
            raise RuntimeError(f"a benchmark stays on its machine: {event} {arguments}")

    sys.addaudithook(refuse)


class LiveOpenAI:
    """A session of the OpenAI Agents SDK."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def prepare(self, number: int) -> list[dict[str, Any]]:
        turn = make_turn(number)
        return [{"role": "user", "content": turn.user}, {"role": "assistant", "content": turn.assistant}]

    async def append(self, turn: list[dict[str, Any]]) -> None:
        await self._session.add_items(turn)

    async def last_messages(self, limit: int) -> int:
        return len(await self._session.get_items(limit=limit))

    async def close(self) -> None:
        self._session.close()


class OpenAI:
    """`SQLiteSession` of openai-agents."""

    name = "openai SQLiteSession"

    def __init__(self) -> None:
        from agents import SQLiteSession

        self._make = SQLiteSession
        self.about = f"WAL, synchronous={stock_durability('wal')} (Python's default); stores no usage"

    async def fill(self, path: Path, turns: int) -> None:
        session = self._make(SESSION, path)
        live = LiveOpenAI(session)
        for batch in batches(turns, size=500):
            items: list[Any] = []
            for turn in batch:
                items += [{"role": "user", "content": turn.user}, {"role": "assistant", "content": turn.assistant}]
            await session.add_items(items)
        await live.close()

    async def open(self, path: Path) -> LiveOpenAI:
        live = LiveOpenAI(self._make(SESSION, path))
        await live.last_messages(RECENT)
        return live

    def checkpoint(self, path: Path) -> None:
        stock_checkpoint(path)


class LiveAdvancedOpenAI(LiveOpenAI):
    """A session of the OpenAI Agents SDK that also keeps branches and usage."""

    def prepare(self, number: int) -> Any:
        from agents import RunContextWrapper, Usage

        turn = make_turn(number)
        usage = Usage(
            requests=1,
            input_tokens=turn.input_tokens,
            output_tokens=turn.output_tokens,
            total_tokens=turn.input_tokens + turn.output_tokens,
        )
        # What Runner.run() returns has more in it, of which store_run_usage() reads nothing.
        return super().prepare(number), SimpleNamespace(context_wrapper=RunContextWrapper(context=None, usage=usage))

    async def append(self, turn: Any) -> None:
        items, result = turn
        await self._session.add_items(items)
        await self._session.store_run_usage(result)


class AdvancedOpenAI:
    """`AdvancedSQLiteSession` of openai-agents."""

    name = "openai AdvancedSQLiteSession"

    def __init__(self) -> None:
        from agents.extensions.memory import AdvancedSQLiteSession

        self._make = AdvancedSQLiteSession
        self.about = f"WAL, synchronous={stock_durability('wal')} (Python's default); usage in a second transaction"

    async def fill(self, path: Path, turns: int) -> None:
        live = await self.open(path)
        for number in range(turns):
            await live.append(live.prepare(number))
        await live.close()

    async def open(self, path: Path) -> LiveAdvancedOpenAI:
        live = LiveAdvancedOpenAI(self._make(session_id=SESSION, db_path=path, create_tables=True))
        await live.last_messages(RECENT)
        return live

    def checkpoint(self, path: Path) -> None:
        stock_checkpoint(path)


class LiveAdk:
    """A session of Google's Agent Development Kit."""

    def __init__(self, service: Any, session: Any) -> None:
        from google.adk.events.event import Event
        from google.adk.sessions.base_session_service import GetSessionConfig
        from google.genai import types

        self._service, self._session = service, session
        self._event, self._types, self._config = Event, types, GetSessionConfig

    def prepare(self, number: int) -> list[Any]:
        turn, types, invocation = make_turn(number), self._types, str(uuid.uuid4())
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=turn.input_tokens,
            candidates_token_count=turn.output_tokens,
            total_token_count=turn.input_tokens + turn.output_tokens,
        )
        return [
            self._event(
                invocation_id=invocation,
                author="user",
                content=types.Content(role="user", parts=[types.Part(text=turn.user)]),
            ),
            self._event(
                invocation_id=invocation,
                author="agent",
                content=types.Content(role="model", parts=[types.Part(text=turn.assistant)]),
                usage_metadata=usage,
            ),
        ]

    async def append(self, turn: list[Any]) -> None:
        for event in turn:
            event.timestamp = time.time()
            await self._service.append_event(self._session, event)

    async def last_messages(self, limit: int) -> int:
        config = self._config(num_recent_events=limit)
        found = await self._service.get_session(**_APP, session_id=SESSION, config=config)
        return len(found.events)

    async def close(self) -> None:
        await self._service.close()


class Adk:
    """`SqliteSessionService` of google-adk."""

    name = "adk SqliteSessionService"

    def __init__(self) -> None:
        from google.adk.sessions.base_session_service import GetSessionConfig
        from google.adk.sessions.sqlite_session_service import SqliteSessionService

        self._make, self._recent = SqliteSessionService, GetSessionConfig(num_recent_events=RECENT)
        self.about = (
            f"rollback journal, synchronous={stock_durability('delete')} (Python's default); an event at a time"
        )

    async def fill(self, path: Path, turns: int) -> None:
        service = self._make(str(path))
        live = LiveAdk(service, await service.create_session(**_APP, session_id=SESSION))
        for number in range(turns):
            await live.append(live.prepare(number))
        await live.close()

    async def open(self, path: Path) -> LiveAdk:
        service = self._make(str(path))
        return LiveAdk(service, await service.get_session(**_APP, session_id=SESSION, config=self._recent))

    def checkpoint(self, path: Path) -> None:
        stock_checkpoint(path)


class LiveLangGraph:
    """A thread of a LangGraph graph whose one node gives the prepared answer."""

    def __init__(self, path: Path) -> None:
        from langchain_core.messages import AIMessage, HumanMessage
        from langgraph.checkpoint.sqlite import SqliteSaver
        from langgraph.graph import END, START, MessagesState, StateGraph

        self._human, self._ai = HumanMessage, AIMessage
        self._resources = ExitStack()
        saver = self._resources.enter_context(SqliteSaver.from_conn_string(str(path)))
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda _: {"messages": [self._answer]})
        graph.add_edge(START, "model")
        graph.add_edge("model", END)
        self._graph = graph.compile(checkpointer=saver)
        self._config: Any = {"configurable": {"thread_id": SESSION}}
        self._answer: Any = None

    def prepare(self, number: int) -> tuple[Any, Any]:
        turn = make_turn(number)
        usage: Any = {
            "input_tokens": turn.input_tokens,
            "output_tokens": turn.output_tokens,
            "total_tokens": turn.input_tokens + turn.output_tokens,
        }
        answer = self._ai(turn.assistant, usage_metadata=usage, response_metadata={"model_name": MODEL})
        return self._human(turn.user), answer

    async def append(self, turn: tuple[Any, Any]) -> None:
        question, self._answer = turn
        self._graph.invoke({"messages": [question]}, self._config)

    async def last_messages(self, limit: int) -> int:
        return len(self._graph.get_state(self._config).values["messages"][-limit:])

    async def close(self) -> None:
        self._resources.close()


class LangGraph:
    """`SqliteSaver` of LangGraph under a `MessagesState` graph."""

    name = "langgraph SqliteSaver"

    def __init__(self) -> None:
        for module in ("langgraph.checkpoint.sqlite", "langgraph.graph"):
            importlib.import_module(module)  # here, so that no measurement pays for it
        self.about = f"MessagesState, one stub node; WAL, synchronous={stock_durability('wal')} (Python's default)"

    async def fill(self, path: Path, turns: int) -> None:
        live = LiveLangGraph(path)
        for number in range(turns):
            await live.append(live.prepare(number))
        await live.close()

    async def open(self, path: Path) -> LiveLangGraph:
        live = LiveLangGraph(path)
        await live.last_messages(RECENT)
        return live

    def checkpoint(self, path: Path) -> None:
        stock_checkpoint(path)
