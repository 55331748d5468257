"""The agents of other frameworks, each used as its documentation shows, with its defaults and a stub for a model."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from agent_contestant import Contestant
from agent_talk import INSTRUCTIONS, TOOL, TOOL_ABOUT, Said, Turn, history
from contestant import stock_durability
from journal_peers import silence

LIMIT: Final = 200
"""Of so many items the limited session reminds its model: about what a context of 32,000 tokens holds."""
_CHARACTERS_PER_TOKEN: Final = 4


def load_peers() -> list[Contestant]:
    """Import the peers, silenced, and return them."""
    silence()
    return [OpenAI(limit=None), OpenAI(limit=LIMIT), LangGraph()]


# --- openai-agents


class LiveOpenAI:
    """An agent of the OpenAI Agents SDK, and its session."""

    def __init__(self, path: Path, session_id: str, *, tools: bool, limit: int | None) -> None:
        from agents import Agent, FunctionTool, RunConfig, Runner, SessionSettings, SQLiteSession

        self._found: dict[str, str] = {}
        self._model = _stub_openai_model()
        self.session = SQLiteSession(session_id, path)
        skills: list[Any] = [_openai_tool(FunctionTool, self._found)] if tools else []
        self._agent: Any = Agent(name="agent", instructions=INSTRUCTIONS, model=self._model, tools=skills)
        settings = None if limit is None else SessionSettings(limit=limit)
        self._config = RunConfig(tracing_disabled=True, session_settings=settings)
        self._run = Runner.run

    def prepare(self, turn: Turn) -> str:
        self._model.tell(turn)
        self._found.clear()
        self._found.update(turn.found)
        return turn.question

    async def ask(self, question: str) -> str:
        result = await self._run(self._agent, question, session=self.session, run_config=self._config)
        return str(result.final_output)

    async def settle(self) -> None:
        """Do nothing: it does everything in the turn."""

    async def count(self) -> tuple[int, int]:
        items: list[Any] = await self.session.get_items()
        kinds = [item.get("type") or item.get("role") for item in items]
        return kinds.count("user"), kinds.count("function_call_output")


class OpenAI:
    """`Runner.run` of openai-agents with a `SQLiteSession`."""

    def __init__(self, *, limit: int | None) -> None:
        self._limit = limit
        self._sessions: list[Any] = []
        shown = "all of the history" if limit is None else f"the last {limit} items"
        self.name = "openai-agents" if limit is None else f"openai-agents, last {limit}"
        self.about = f"Runner.run, SQLiteSession, WAL, synchronous={stock_durability('wal')}; its model gets {shown}"

    async def open(self, folder: Path, *, messages: int, tools: bool, copies: int) -> list[LiveOpenAI]:
        path = folder / f"{self.name}-{messages}-{tools}.db"
        found = [LiveOpenAI(path, f"session-{copy}", tools=tools, limit=self._limit) for copy in range(copies)]
        self._sessions += [one.session for one in found]
        items = [_item(said) for said in history(messages)]
        for one in found:
            await one.session.add_items(items)
        return found

    async def close(self) -> None:
        for session in self._sessions:
            session.close()


def _item(said: Said) -> Any:
    if said.kind == "call":
        arguments = f'{{"subject": "{said.text}"}}'
        return {"type": "function_call", "call_id": said.call, "name": TOOL, "arguments": arguments}
    if said.kind == "result":
        return {"type": "function_call_output", "call_id": said.call, "output": said.text}
    return {"role": said.kind, "content": said.text}


def _openai_tool(make: Any, found: dict[str, str]) -> Any:
    from pydantic import TypeAdapter

    arguments = TypeAdapter(dict[str, str])

    async def look_up(_: Any, text: str) -> str:
        return found[arguments.validate_json(text)["subject"]]

    schema = {
        "type": "object",
        "properties": {"subject": {"type": "string"}},
        "required": ["subject"],
        "additionalProperties": False,
    }
    return make(name=TOOL, description=TOOL_ABOUT, params_json_schema=schema, on_invoke_tool=look_up)


def _stub_openai_model() -> Any:
    """Return a model that says at once what it was told to say."""
    from agents import Model, ModelResponse, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Stub(Model):
        def tell(self, turn: Turn) -> None:
            calls: list[Any] = [
                ResponseFunctionToolCall(
                    type="function_call", call_id=name, name=TOOL, arguments=f'{{"subject": "{subject}"}}'
                )
                for name, subject in turn.calls
            ]
            text = ResponseOutputText(type="output_text", text=turn.answer, annotations=[])
            answer: Any = ResponseOutputMessage(
                id="msg", type="message", role="assistant", status="completed", content=[text]
            )
            self._replies = [calls, [answer]] if calls else [[answer]]
            self._tokens = len(turn.answer) // _CHARACTERS_PER_TOKEN

        async def get_response(self, *args: Any, **settings: Any) -> ModelResponse:  # noqa: ARG002
            usage = Usage(requests=1, input_tokens=1_000, output_tokens=self._tokens, total_tokens=1_000 + self._tokens)
            return ModelResponse(output=self._replies.pop(0), usage=usage, response_id=None)

        def stream_response(self, *args: Any, **settings: Any) -> Any:
            raise NotImplementedError("nobody streams here")

    return Stub()


# --- LangGraph


class LiveLangGraph:
    """A thread of LangGraph's prebuilt ReAct agent."""

    def __init__(self, saver: Any, thread: str, *, tools: bool) -> None:
        from langchain_core.messages import HumanMessage
        from langchain_core.tools import tool
        from langgraph.prebuilt import create_react_agent

        self._found: dict[str, str] = {}
        self._human = HumanMessage
        self._model = _stub_chat_model()

        def look_up(subject: str) -> str:
            return self._found[subject]

        skills = [tool(TOOL, description=TOOL_ABOUT)(look_up)] if tools else []
        self.graph: Any = create_react_agent(self._model, skills, prompt=INSTRUCTIONS, checkpointer=saver)
        self.config: Any = {"configurable": {"thread_id": thread}}

    def prepare(self, turn: Turn) -> Any:
        self._model.replies.clear()
        self._model.replies.extend(_replies(turn))
        self._found = turn.found
        return self._human(turn.question)

    async def ask(self, question: Any) -> str:
        return str(self.graph.invoke({"messages": [question]}, self.config)["messages"][-1].content)

    async def settle(self) -> None:
        """Do nothing: it does everything in the turn."""

    async def count(self) -> tuple[int, int]:
        kinds = [message.type for message in self.graph.get_state(self.config).values["messages"]]
        return kinds.count("human"), kinds.count("tool")


class LangGraph:
    """LangGraph's prebuilt ReAct agent with `SqliteSaver`."""

    name = "langgraph"

    def __init__(self) -> None:
        self._opened = ExitStack()
        self.about = (
            f"create_react_agent, invoke, SqliteSaver, WAL, synchronous={stock_durability('wal')}; its model gets all"
            " of the history"
        )

    async def open(self, folder: Path, *, messages: int, tools: bool, copies: int) -> list[LiveLangGraph]:
        from langgraph.checkpoint.sqlite import SqliteSaver

        path = str(folder / f"{self.name}-{messages}-{tools}.db")
        saver = self._opened.enter_context(SqliteSaver.from_conn_string(path))
        found = [LiveLangGraph(saver, f"thread-{copy}", tools=tools) for copy in range(copies)]
        for one in found:
            said = [_chat_message(said) for said in history(messages)]
            one.graph.update_state(one.config, {"messages": said}, as_node="agent")
        return found

    async def close(self) -> None:
        self._opened.close()


def _replies(turn: Turn) -> list[Any]:
    from langchain_core.messages import AIMessage

    usage: Any = {"input_tokens": 1_000, "output_tokens": 100, "total_tokens": 1_100}
    calls: Any = [{"name": TOOL, "args": {"subject": subject}, "id": name} for name, subject in turn.calls]
    answer = AIMessage(turn.answer, usage_metadata=usage)
    return [AIMessage("", tool_calls=calls, usage_metadata=usage), answer] if calls else [answer]


def _chat_message(said: Said) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    if said.kind == "call":
        return AIMessage("", tool_calls=[{"name": TOOL, "args": {"subject": said.text}, "id": said.call}])
    if said.kind == "result":
        return ToolMessage(said.text, tool_call_id=said.call, name=TOOL)
    return HumanMessage(said.text) if said.kind == "user" else AIMessage(said.text)


def _stub_chat_model() -> Any:
    """Return a chat model that says at once what it was told to say."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.outputs import ChatGeneration, ChatResult
    from pydantic import Field

    class Stub(BaseChatModel):
        replies: list[Any] = Field(default_factory=list)

        @property
        def _llm_type(self) -> str:
            return "stub"

        def bind_tools(self, tools: Any, **settings: Any) -> Any:  # noqa: ARG002
            return self

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **settings: Any) -> ChatResult:  # noqa: ARG002
            return ChatResult(generations=[ChatGeneration(message=self.replies.pop(0))])

    return Stub()
