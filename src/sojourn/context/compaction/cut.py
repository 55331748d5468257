"""Which messages are summarised and which stay: whole groups, the newest, and never an instruction.

A call and its results are never cut apart. What is kept begins with the user where that costs little, since a talk that
begins with an answer says less than one that begins with its question.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sojourn.context.talk import Group, Line, flat, groups
from sojourn.context.tokens import TokenCounter, count_message
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.value import Value

THRESHOLD: Final = 15_000
"""Tokens of a talk beyond which it is made shorter."""
KEEP: Final = 20
"""Messages that stay as they are."""
WINDOW_SHARE: Final = 0.9
"""A talk that fills so much of a model's window is made shorter."""
_LARGE: Final = 2
"""The kept messages are too large if they alone exceed the threshold's half..."""
_SHARE: Final = 4
"""... and then only those stay that cost a quarter of it."""
_QUESTION_SHARE: Final = 8
"""A kept talk may cost so much more, an eighth of the threshold, to begin with the user."""


class Cut(Value, frozen=True, kw_only=True):
    """A talk cut in two: *old* is to be summarised, *kept* stays; *instructions* stood in the old part, word for word.

    Attributes:
        old_tokens: what the old part costs, with its instructions.
        kept_tokens: what stays costs.
        through: the last entry that does not stay; None if nothing is old.
    """

    old: tuple[Line, ...] = ()
    kept: tuple[Line, ...] = ()
    instructions: tuple[str, ...] = ()
    old_tokens: int = 0
    kept_tokens: int = 0
    through: Seq | None = None

    @property
    def tokens(self) -> int:
        """What the whole talk costs."""
        return self.old_tokens + self.kept_tokens


def threshold_for(window: int | None, *, reserve: int = 2_000) -> int:
    """Return from where on a talk is made shorter for a model with this *window*; *reserve* is for its answer."""
    return THRESHOLD if window is None else max(1, int((window - reserve) * WINDOW_SHARE))


def what_to_compact(
    lines: Sequence[Line],
    counter: TokenCounter,
    *,
    threshold: int = THRESHOLD,
    keep: int = KEEP,
    force: bool = False,
    stays_from: Seq | None = None,
) -> Cut:
    """Cut a talk: the newest *keep* messages stay, or, if these are too large, the newest groups that are not.

    At least one group stays. With *force*, a talk of no more than *keep* messages is cut as well. Whatever stands at or
    after entry *stays_from* stays.

    Raises:
        InvalidInputError: the threshold or the number of messages is no such number.
    """
    if threshold < 1 or keep < 1:
        raise InvalidInputError(f"a threshold and a number of messages are at least 1, got {threshold} and {keep}")
    talk = groups(lines)
    costs = [sum(count_message(counter, line.message) for line in group) for group in talk]
    count = _newest(talk, keep)
    if sum(costs[len(talk) - count :]) > threshold / _LARGE:
        count = _within(costs, threshold // _SHARE)
    elif force and count == len(talk):
        count = _within(costs, sum(costs) // _SHARE)
    start = _from_the_user(talk, costs, len(talk) - count, room=threshold // _QUESTION_SHARE)
    start = _before_late_results(talk, start)
    if stays_from is not None:
        start = min(start, next((place for place, one in enumerate(talk) if _reaches(one, stays_from)), start))
    return _made(talk, costs, start)


def in_parts(lines: Sequence[Line], counter: TokenCounter, most: int | None, *, line_most: int) -> Iterator[list[Line]]:
    """Yield *lines* in order, in parts of whole groups that cost at most *most* tokens each; a larger group alone.

    No line counts for more than *line_most*: whoever reads it is shown no more of it.
    """
    part: list[Line] = []
    spent = 0
    for group in groups(lines):
        cost = sum(min(count_message(counter, line.message), line_most) for line in group)
        if part and most is not None and spent + cost > most:
            yield part
            part, spent = [], 0
        part += group
        spent += cost
    if part:
        yield part


def _newest(talk: Sequence[Group], keep: int) -> int:
    """Return how many groups, from the end, hold the newest *keep* messages."""
    messages = 0
    for count, group in enumerate(reversed(talk)):
        if messages >= keep:
            return count
        messages += len(group)
    return len(talk)


def _within(costs: Sequence[int], room: int) -> int:
    """Return how many groups, from the end, cost at most *room*; at least one."""
    spent = 0
    for count, cost in enumerate(reversed(costs)):
        spent += cost
        if spent > room:
            return max(count, 1)
    return len(costs)


def _from_the_user(talk: Sequence[Group], costs: Sequence[int], start: int, *, room: int) -> int:
    """Return the place of the user's message before *start*, if what lies between costs at most *room*."""
    spent = 0
    for place in range(start, 0, -1):
        if talk[place : place + 1] and talk[place][0].message.role == "user":
            return place
        spent += costs[place - 1]
        if spent > room:
            break
    return start


def _before_late_results(talk: Sequence[Group], start: int) -> int:
    """Return *start*, or the place before it of a call whose result came late and stays."""
    called = {call.id: place for place, group in enumerate(talk[:start]) for call in group[0].message.tool_calls}
    late = (group[0].message.tool_call_id or "" for group in talk[start:] if group[0].message.role == "tool")
    return min((called[name] for name in late if name in called), default=start)


def _reaches(group: Iterable[Line], seq: Seq) -> bool:
    return any(line.seq is not None and line.seq >= seq for line in group)


def _made(talk: Sequence[Group], costs: Sequence[int], start: int) -> Cut:
    gone = flat(talk[:start])
    said = tuple(line for line in gone if line.message.role != "system")
    if not said:  # instructions alone are no history
        return Cut(kept=tuple(flat(talk)), kept_tokens=sum(costs))
    told = [line.message.text.strip() for line in gone if line.message.role == "system"]
    return Cut(
        old=said,
        kept=tuple(flat(talk[start:])),
        instructions=tuple(dict.fromkeys(text for text in told if text)),
        old_tokens=sum(costs[:start]),
        kept_tokens=sum(costs[start:]),
        through=max((line.seq for line in gone if line.seq is not None), default=None),
    )
