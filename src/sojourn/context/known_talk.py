"""A talk that grows from context to context: what was found valid of it once is not looked at again."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sojourn.context.costs import Costs
from sojourn.context.talk import Group, Line, flat, groups
from sojourn.context.tokens import TokenCounter
from sojourn.context.validity import is_valid, made_valid

_BEGINNINGS: Final = 8


class _Valid(NamedTuple):
    """Lines that are valid as they are, their groups, and the calls in them."""

    lines: list[Line]
    groups: list[Group]
    called: frozenset[str]

    def begins(self, lines: list[Line]) -> bool:
        return lines[: len(self.lines)] == self.lines

    def admits(self, lines: Sequence[Line]) -> bool:
        """Tell whether the talk is still valid with *lines* behind it, as they are."""
        last = self.lines[-1].message.role if self.lines else None
        return is_valid(lines, called=self.called, begun=last not in (None, "system"), after_tool=last == "tool")


_NOTHING: Final = _Valid([], [], frozenset())


class KnownTalk:
    """What is known of a talk, and what its messages cost. Lives for one context, or as long as its counter.

    Whatever it is asked about mostly begins as something did before; then only what is new is looked at.
    """

    def __init__(self, counter: TokenCounter) -> None:
        """Count with *counter*."""
        self.costs = Costs(counter)
        self._talks: dict[int, _Valid] = {}  # by the first line of each

    def groups(self, lines: Sequence[Line]) -> Sequence[Group]:
        """Return the groups of the valid talk that *lines* make, and remember them."""
        given = [*lines]
        known = self._beginning(given)
        new = given[len(known.lines) :]
        if not known.admits(new):
            return groups(made_valid(given))
        if new:
            called = known.called.union(call.id for line in new for call in line.message.tool_calls)
            known = _Valid(given, [*known.groups, *groups(new)], called)
            if len(self._talks) >= _BEGINNINGS:
                self._talks.clear()
            self._talks[id(given[0])] = known
        return known.groups

    def valid_talk(self, lines: Sequence[Line]) -> list[Line]:
        """Return the valid talk that *lines* make, and remember it."""
        return flat(self.groups(lines))

    def made_valid(self, lines: Sequence[Line]) -> list[Line]:
        """Return *lines* as a talk that every provider accepts."""
        given = [*lines]
        known = self._beginning(given)
        return given if known.admits(given[len(known.lines) :]) else made_valid(given)

    def _beginning(self, lines: list[Line]) -> _Valid:
        """Return what is known of how *lines* begin."""
        known = self._talks.get(id(lines[0]), _NOTHING) if lines else _NOTHING
        return known if known.begins(lines) else _NOTHING
