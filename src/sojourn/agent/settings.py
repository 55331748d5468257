"""How an agent behaves: one frozen value, made by whoever makes the agent."""

from dataclasses import dataclass
from typing import Final, Literal

from sojourn.context.inputs import Mode
from sojourn.errors import InvalidInputError

WhenBusy = Literal["wait", "refuse"]
MAX_ITERATIONS: Final = 10
MAX_PARALLEL: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """Settings of an agent.

    Raises:
        InvalidInputError: a number is too small.

    Attributes:
        max_iterations: how often the model is asked in one turn before the turn is stopped.
        max_parallel: how many tools of one batch run at once.
        max_tokens: how long one answer may be; None is the provider's own choice.
        temperature: how freely the model chooses its words; None is its own.
        thinking: how many tokens the model may think before it speaks, if it can; None is its own choice.
        context_tokens: what a context may cost; None takes what fits the model's window.
        context_mode: how much of the state a context offers.
        retrieve: look for old messages, and for facts of other sessions, before the model is asked.
        compact: summarise older messages when they fill the context, if the agent has an app.
        when_busy: what a second turn does while one is going on: it waits, or is refused.
        partial_seconds: how often streamed text is saved, at the least.
        partial_characters: after how much new streamed text it is saved, at the least.
    """

    max_iterations: int = MAX_ITERATIONS
    max_parallel: int = MAX_PARALLEL
    max_tokens: int | None = None
    temperature: float | None = None
    thinking: int | None = None
    context_tokens: int | None = None
    context_mode: Mode = "auto"
    retrieve: bool = True
    compact: bool = True
    when_busy: WhenBusy = "wait"
    partial_seconds: float = 0.5
    partial_characters: int = 2_048

    def __post_init__(self) -> None:
        """Refuse numbers with which no turn could end well.

        Raises:
            InvalidInputError: a number is too small.
        """
        for name in ("max_iterations", "max_parallel", "partial_characters"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidInputError(f"{name} is a number from 1, got {value!r:.50}")
        for name in ("max_tokens", "context_tokens", "thinking"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InvalidInputError(f"{name} is a number of tokens from 1, or None, got {value!r:.50}")
