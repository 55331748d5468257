"""The recent messages that a context holds: a stretch that ends now, in whole groups.

As long as the stretch still fits, it begins where it began in the context before, so that the provider finds what it
was sent before in its cache. When it must move, it moves by a good part of the room at once.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sojourn.context.cutting import cut_lines
from sojourn.context.inputs import Strategy
from sojourn.context.known_talk import KnownTalk
from sojourn.context.talk import Group, Line, flat
from sojourn.context.validity import CONTINUED, made_valid
from sojourn.model.ids import Seq
from sojourn.model.message import Message

LEAST: Final = 0.4
"""A stretch that fills less of the room begins earlier again: it was made for less room."""


class Window(NamedTuple):
    """Messages that fit, as a valid talk, and where the stretch of recent ones begins."""

    lines: list[Line]
    begins: Seq | None = None


def recent_window(
    talk: Sequence[Group],
    capacity: int,
    known: KnownTalk,
    *,
    strategy: Strategy = "oldest_first",
    begins: Seq | None = None,
    fill: float = 1.0,
) -> Window:
    """Return the newest of what was said that cost at most *capacity* tokens.

    Args:
        talk: what was said, oldest first: the groups of a valid talk.
        capacity: tokens in all.
        known: says what messages cost, and what of the talk is valid.
        strategy: with "middle_out" the first group stays too, and what is left out lies between.
        begins: where the stretch began in the context before.
        fill: how much of the room is filled when it must begin elsewhere; what is left lets it stay there for long.
    """
    if not talk or capacity <= 0:
        return Window([])
    costs = known.costs
    whole = flat(talk)
    if costs.of(whole) <= capacity:
        return Window(whole, _first_seq(talk))
    each = costs.of_groups(talk)
    first: list[Group] = []
    if strategy == "middle_out" and each[0] + each[-1] <= capacity and len(talk) > 1:
        first, talk, each, capacity = [talk[0]], talk[1:], each[1:], capacity - each[0]
    start = _start(talk, each, capacity, begins, fill)
    room = capacity + costs.of(flat(first))
    for number in range(start, len(talk)):  # what is made up for the provider costs a little, too
        shown = known.valid_talk(flat([*first, *talk[number:]]))
        if costs.of(shown) <= room:
            return Window(shown, _first_seq(talk[number:]))
    begins_with_user = talk[-1][0].message.role == "user"
    made_up = 0 if begins_with_user else costs.of([Line(message=Message(role="user", content=CONTINUED))])
    cut = cut_lines(talk[-1], capacity - made_up, costs.counter)
    return Window(made_valid(flat([*first, tuple(cut)])), _first_seq(talk[-1:])) if cut is not None else Window([])


def _start(talk: Sequence[Group], costs: Sequence[int], capacity: int, begins: Seq | None, fill: float) -> int:
    """Return the number of the first group to keep; how many there are, if not even the last fits."""
    known = next((number for number, group in enumerate(talk) if begins is not None and group[0].seq == begins), None)
    if known is not None and (0 if known == 0 else capacity * LEAST) <= sum(costs[known:]) <= capacity:
        return known
    room = int(capacity * fill)
    start, spent = len(talk), 0
    while start > 0 and spent + costs[start - 1] <= (room if start < len(talk) else capacity):
        start -= 1
        spent += costs[start]
    # A talk that begins with the user needs nothing made up before it.
    return next((number for number in range(start, len(talk)) if talk[number][0].message.role == "user"), start)


def _first_seq(talk: Sequence[Group]) -> Seq | None:
    return next((line.seq for group in talk for line in group if line.seq is not None), None)
