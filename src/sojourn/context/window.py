"""The recent messages that a context holds: a stretch that ends now, in whole groups.

Where it begins moves in steps, not with every turn: as long as it stays, the provider finds what it was sent before in
its cache.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sojourn.context.cutting import cut_middle
from sojourn.context.inputs import Strategy
from sojourn.context.talk import Group, Line, flat, groups
from sojourn.context.tokens import PER_MESSAGE, TokenCounter, count_message
from sojourn.context.validity import made_valid
from sojourn.model.message import Message

STEPS: Final = 4
"""The beginning moves by at least a quarter of the window, or an eighth."""


def recent_window(
    lines: Sequence[Line], capacity: int, counter: TokenCounter, *, strategy: Strategy = "oldest_first", total: int = 0
) -> list[Line]:
    """Return the newest of *lines* that cost at most *capacity* tokens, as a valid talk; at least the last group.

    *total* is how many messages the session has in all; it makes the beginning move in steps. With "middle_out" the
    first group stays too, and what is left out lies between.
    """
    talk = groups(made_valid(lines))
    if not talk or capacity <= 0:
        return []
    costs = [_cost(group, counter) for group in talk]
    if sum(costs) <= capacity:
        return flat(talk)
    kept, spent = 1, costs[-1]
    first = talk[0] if strategy == "middle_out" and len(talk) > 1 and costs[0] + costs[-1] <= capacity else None
    spent += costs[0] if first is not None else 0
    while kept < len(talk) - (first is not None) and spent + costs[-kept - 1] <= capacity:
        kept += 1
        spent += costs[-kept]
    chosen = _from_step(talk[-kept:], total=max(total, len(lines)))
    if costs[-1] > capacity:
        chosen = [_shortened(talk[-1], capacity, counter)]
    return made_valid(flat([*([first] if first is not None else []), *chosen]))


def _from_step(talk: Sequence[Group], *, total: int) -> list[Group]:
    """Return *talk* from its first step on: a message whose number is a multiple of the step."""
    count = sum(len(group) for group in talk)
    step = 1 << max(0, (count // STEPS).bit_length() - 1)
    number = total - count
    found: list[Group] = []
    passed = False
    for group in talk:
        passed = passed or number % step == 0 or (number // step) != ((number + len(group) - 1) // step)
        if passed:
            found.append(group)
        number += len(group)
    return found or list(talk[-1:])


def _cost(group: Group, counter: TokenCounter) -> int:
    return sum(count_message(counter, line.message) for line in group)


def _shortened(group: Group, capacity: int, counter: TokenCounter) -> Group:
    """Return a group whose texts are cut in the middle, so that it fits; its calls stay whole."""
    room = max(1, capacity // len(group) - PER_MESSAGE)
    return tuple(_cut(line, room, counter) for line in group)


def _cut(line: Line, room: int, counter: TokenCounter) -> Line:
    text = line.message.text
    if not text or counter.count(text) <= room:
        return line
    message = Message(
        role=line.message.role,
        content=cut_middle(text, room, counter),
        tool_calls=line.message.tool_calls,
        tool_call_id=line.message.tool_call_id,
        name=line.message.name,
        error=line.message.error,
        partial=line.message.partial,
        model=line.message.model,
    )
    return replace(line, message=message)
