"""A talk that grows from context to context: what was found valid of it once is not looked at again."""

from collections.abc import Sequence

from sojourn.context.costs import Costs
from sojourn.context.talk import Group, Line, groups
from sojourn.context.tokens import TokenCounter
from sojourn.context.validity import is_valid, made_valid


class KnownTalk:
    """What is known of a talk, and what its messages cost. Lives for one context, or as long as its counter.

    Whatever it is asked about mostly begins as the talk did before; then only what is new is looked at.
    """

    def __init__(self, counter: TokenCounter) -> None:
        """Count with *counter*."""
        self.costs = Costs(counter)
        self._lines: list[Line] = []  # valid as they are
        self._groups: list[Group] = []
        self._called: set[str] = set()

    def groups(self, lines: Sequence[Line]) -> Sequence[Group]:
        """Return the groups of the valid talk that *lines* make, and remember them."""
        given = [*lines]
        if not self._begins(given):
            self._lines, self._groups, self._called = [], [], set()
        new = given[len(self._lines) :]
        if not self._admits(new):
            return groups(made_valid(given))
        if new:
            self._lines, self._groups = given, [*self._groups, *groups(new)]
            self._called.update(call.id for line in new for call in line.message.tool_calls)
        return self._groups

    def made_valid(self, lines: Sequence[Line]) -> list[Line]:
        """Return *lines* as a talk that every provider accepts."""
        given = [*lines]
        known = self._begins(given) and self._admits(given[len(self._lines) :])
        return given if known else made_valid(given)

    def _begins(self, lines: list[Line]) -> bool:
        return lines[: len(self._lines)] == self._lines

    def _admits(self, lines: Sequence[Line]) -> bool:
        """Tell whether the talk is still valid with *lines* behind it, as they are."""
        last = self._lines[-1].message.role if self._lines else None
        return is_valid(lines, called=self._called, begun=last not in (None, "system"), after_tool=last == "tool")
