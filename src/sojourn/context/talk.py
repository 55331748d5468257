"""A talk in the order in which it was held, and which of its messages belong together.

A call of tools and their results are one group: no provider accepts one without the other, so nothing may come between
them and nothing may cut them apart.
"""

from collections.abc import Iterable

from sojourn.model.ids import Seq
from sojourn.model.message import Message
from sojourn.model.value import Value


class Line(Value, frozen=True, kw_only=True):
    """A message and the entry that it stands in; one that Sojourn made up has none."""

    message: Message
    seq: Seq | None = None


Group = tuple[Line, ...]
"""A message alone, or a call of tools with its results."""


def groups(lines: Iterable[Line]) -> list[Group]:
    """Put together what belongs together. Results follow their call at once, as in any valid talk."""
    found: list[list[Line]] = []
    open_calls: set[str] = set()
    for line in lines:
        if line.message.role == "tool" and line.message.tool_call_id in open_calls:
            found[-1].append(line)
            open_calls.discard(line.message.tool_call_id)
            continue
        found.append([line])
        open_calls = {call.id for call in line.message.tool_calls} if line.message.tool_calls else set()
    return [tuple(group) for group in found]


def flat(talk: Iterable[Group]) -> list[Line]:
    """Return the lines of all groups."""
    return [line for group in talk for line in group]
