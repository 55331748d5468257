"""A talk in memory that fits a model: for programs that hold their messages themselves and keep no session.

It is the same window, the same repair of calls and results, and the same counting as a session's contexts have.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, get_args, runtime_checkable

import msgspec

from sojourn.context.builder import RESERVE, UNKNOWN_WINDOW
from sojourn.context.inputs import Strategy
from sojourn.context.known_talk import KnownTalk
from sojourn.context.talk import Line, flat, groups
from sojourn.context.tokens import CharacterCounter, TokenCounter, count_message
from sojourn.context.tool_results import shown
from sojourn.context.validity import made_valid
from sojourn.context.window import recent_window
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import Message, ToolCall


class ToolOutcome(Protocol):
    """What a tool returned: an output, or an error."""

    @property
    def output(self) -> str: ...

    @property
    def error(self) -> str: ...


class ContextLog(Protocol):
    """Writes down for people what is said. Whatever it returns is not looked at."""

    def log_system(self, content: str) -> object: ...

    def log_user(self, content: str) -> object: ...

    def log_assistant(self, content: str, tool_calls: Sequence[ToolCall] = ()) -> object: ...

    def log_tool_result(self, tool_call_id: str, name: str, result: ToolOutcome | str) -> object: ...


@runtime_checkable
class MarksDropped(Protocol):
    """A log whose messages have numbers, and that can note which the model does not see any more."""

    def mark_dropped(self, message_ids: Iterable[int]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    error: str
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextConfig:
    """How much a model takes, how much of that is left for its answer, and which messages go first.

    Raises:
        InvalidInputError: the numbers leave no room, or the strategy is unknown.
    """

    max_tokens: int = UNKNOWN_WINDOW
    reserve_tokens: int = RESERVE
    truncation_strategy: Strategy = "oldest_first"

    def __post_init__(self) -> None:
        for name in ("max_tokens", "reserve_tokens"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InvalidInputError(f"{name} is a number of tokens from 0, got {value!r:.50}")
        if self.max_tokens <= self.reserve_tokens:
            raise InvalidInputError(
                f"max_tokens {self.max_tokens:,} must be more than reserve_tokens {self.reserve_tokens:,}"
            )
        if self.truncation_strategy not in get_args(Strategy):
            allowed = ", ".join(get_args(Strategy))
            raise InvalidInputError(f"truncation_strategy {self.truncation_strategy!r:.50}: use one of {allowed}")

    @property
    def available(self) -> int:
        """Tokens for everything but the answer."""
        return self.max_tokens - self.reserve_tokens


class ContextManager:
    """The messages of one agent, and the part of them that fits its model. Lives as long as the agent."""

    def __init__(
        self,
        config: ContextConfig | None = None,
        logger: ContextLog | None = None,
        *,
        token_counter: TokenCounter | None = None,
    ) -> None:
        """Use *config*; *logger* writes down what is added, *token_counter* counts it."""
        self.config = config or ContextConfig()
        self._logger = logger
        self._counter: TokenCounter = token_counter or CharacterCounter()
        self._system = ""
        self._tools: list[dict[str, Any]] = []
        self._messages: list[Message] = []
        self._numbers: dict[int, int] = {}  # of the messages that are in the log's context, by their place

    def __repr__(self) -> str:
        return f"ContextManager({len(self._messages)} messages)"

    @property
    def messages(self) -> list[Message]:
        """Everything that was added, whether it fits or not; a copy."""
        return list(self._messages)

    @property
    def system_prompt(self) -> str:
        """The instructions."""
        return self._system

    def set_system_prompt(self, prompt: str) -> None:
        """Begin every talk with these instructions."""
        self._system = prompt
        if self._logger is not None:
            self._logger.log_system(prompt)

    def set_tool_definitions(self, tools: Iterable[Mapping[str, Any]]) -> None:
        """Count these definitions, which are sent beside the messages."""
        self._tools = [dict(tool) for tool in tools]

    def get_tool_definitions(self) -> list[dict[str, Any]] | None:
        """Return the definitions; None if there are none."""
        return [dict(tool) for tool in self._tools] or None

    def add_user_message(self, content: str) -> None:
        """Add what the user said."""
        self.add_message(Message(role="user", content=content))

    def add_assistant_message(self, content: str, tool_calls: Iterable[ToolCall] = ()) -> None:
        """Add what the model said, and which tools it called."""
        self.add_message(Message(role="assistant", content=content, tool_calls=tuple(tool_calls)))

    def add_tool_result(self, tool_call_id: str, name: str, result: ToolOutcome | str) -> None:
        """Add what a tool returned: its error, if it failed, else its output."""
        error = "" if isinstance(result, str) else result.error
        output = result if isinstance(result, str) else result.output
        message = Message(role="tool", content=error or output, tool_call_id=tool_call_id, name=name, error=bool(error))
        log = self._logger
        self._add(message, None if log is None else log.log_tool_result(tool_call_id, name, result))

    def add_message(self, message: Message) -> None:
        """Add a message as it is, with its thinking and whatever else its provider wants back."""
        self._add(message, None if self._logger is None else _logged(self._logger, message))

    def _add(self, message: Message, number: object) -> None:
        """Add a message that the log knows by *number*, if it has one."""
        if isinstance(number, int):
            self._numbers[len(self._messages)] = number
        self._messages.append(message)

    def clear_messages(self) -> None:
        """Forget what was said; the instructions and the tools stay."""
        self._messages.clear()
        self._drop(self._numbers)

    def build_messages(self) -> list[Message]:
        """Return the instructions, and of the talk what fits: valid for every provider.

        A call and its results go or stay together. The last of them stay in any case: if they are too long, they are
        cut in the middle; if there is no room at all, they stay as they are.
        """
        # A line's place stands in for its seq, to see which messages were left out.
        lines = [Line(message=shown(message), seq=Seq(place)) for place, message in enumerate(self._messages, 1)]
        talk = groups(made_valid(lines))
        room = self.config.available - self._fixed()
        window = recent_window(
            talk,
            room,
            KnownTalk(self._counter),
            strategy=self.config.truncation_strategy,
        )
        kept = window.lines or made_valid(flat(talk[-1:]))
        seen = {line.seq - 1 for line in kept if line.seq is not None}
        self._drop([place for place in self._numbers if place not in seen])
        system = [Message(role="system", content=self._system)] if self._system else []
        return [*system, *[line.message for line in kept]]

    def _drop(self, places: Iterable[int]) -> None:
        """Tell the log which messages the model does not see any more."""
        numbers = [self._numbers.pop(place) for place in tuple(places)]
        log: object = self._logger
        if numbers and isinstance(log, MarksDropped):
            log.mark_dropped(numbers)

    def get_token_usage(self) -> dict[str, int]:
        """Return what everything costs: system, tools, messages, total; and the limits: budget, available."""
        spoken = sum(count_message(self._counter, message) for message in self._messages)
        system, tools = self._system_tokens(), self._tool_tokens()
        return {
            "system": system,
            "tools": tools,
            "messages": spoken,
            "total": system + tools + spoken,
            "budget": self.config.max_tokens,
            "available": self.config.available,
        }

    def is_over_budget(self) -> bool:
        """Tell whether not everything fits: something will be left out."""
        usage = self.get_token_usage()
        return usage["total"] > usage["available"]

    def _fixed(self) -> int:
        return self._system_tokens() + self._tool_tokens()

    def _system_tokens(self) -> int:
        return count_message(self._counter, Message(role="system", content=self._system)) if self._system else 0

    def _tool_tokens(self) -> int:
        return self._counter.count(msgspec.json.encode(self._tools).decode()) if self._tools else 0


def _logged(logger: ContextLog, message: Message) -> object:
    """Write *message* down, and return what the log says to that: its number, if it has one."""
    match message.role:
        case "user":
            return logger.log_user(message.text)
        case "assistant":
            return logger.log_assistant(message.text, message.tool_calls)
        case "tool":
            result: ToolOutcome | str = _Failed(error=message.text) if message.error else message.text
            return logger.log_tool_result(message.tool_call_id or "", message.name or "", result)
        case "system":
            return logger.log_system(message.text)
