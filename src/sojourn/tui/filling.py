"""How full the model's window is: with what it was sent last, or with what it would be sent next."""

from dataclasses import dataclass

from sojourn.agent.agent import Agent
from sojourn.agent.journal_talk import tokens_of
from sojourn.context.context import Context
from sojourn.desk.figures import amount, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """What a model is sent: a context, and *tools* tokens beside it that describe what it may do.

    *is_guess* says that nothing was sent yet, and that it is what would be. *window* is None if nobody knows it.
    """

    context: Context
    tools: int = 0
    window: int | None = None
    is_guess: bool = False

    @property
    def tokens(self) -> int:
        """What all of it costs."""
        return self.context.tokens.count + self.tools

    @property
    def sign(self) -> str:
        """What stands before a number that is estimated."""
        return "~" if self.is_guess or self.tools or self.context.tokens.certainty == "estimated" else ""

    @property
    def share(self) -> str:
        """How much of the window is full, or how many tokens there are, in a few characters."""
        if not self.window:
            return f"{self.sign}{amount(self.tokens)} tokens"
        return f"{self.sign}{percent(self.tokens, self.window)}"


def filling_of(agent: Agent, context: Context, *, window: int | None, is_guess: bool) -> Filling:
    """Return how full the window is with *context*, which *agent* sends."""
    return Filling(context=context, tools=tokens_of(agent.tools), window=context.window or window, is_guess=is_guess)
