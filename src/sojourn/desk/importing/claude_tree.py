"""Lines that name the line before them, put into the order in which they were said: the main line, then the forks.

Where a line has several after it, the talk goes on with the one that was written first, and each other one begins a
fork. So a line never changes its place when the file grows. But not all that hangs beside a line is a fork: results of
tools that ran side by side do, too, and so do the blocks of one answer.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sojourn.desk.importing.talk import TalkLine


class Line(NamedTuple):
    """A line of the tree: what it comes after, and what it takes to know where it belongs."""

    at: TalkLine
    before: str | None
    is_aside: bool = False
    answer: str | None = None
    """The id of the answer that it is a block of."""
    is_result: bool = False
    is_said: bool = True
    """Whether it says anything; others only hold the tree together."""


class Branch(NamedTuple):
    """Lines in their order, and the line of an earlier branch that they come after; the first comes after none."""

    lines: list[Line]
    after: str | None = None


class _Below(NamedTuple):
    """What stands at and below a line: a prompt, and the ids of answers, of which two are as good as many."""

    has_prompt: bool
    answers: frozenset[str]

    def says_more(self, answer: str | None) -> bool:
        """Tell whether it is more than results of tools, and blocks of that answer."""
        return self.has_prompt or bool(self.answers - {answer})


def branches(lines: Sequence[Line]) -> list[Branch]:
    """Return the main line, and behind it the forks, each behind the branch that it comes from.

    A line that names no line, or one that is not there, goes on with the main line, and so does one in a circle.
    """
    known = {line.at.id: line for line in lines}
    after, ordered = _tree(known)
    below = _below(known, after, ordered)
    found = [Branch([])]
    # Of each line, which branch it is in, and what was said last before it.
    where: dict[str, tuple[int, str | None]] = dict.fromkeys(after[None], (0, None))
    for name in ordered:
        line = known[name]
        branch, said = where[name]
        if line.is_said:
            found[branch].lines.append(line)
            said = name
        goes_on = False
        for child in after[name]:
            if not below[child].says_more(line.answer):
                where[child] = (branch, said)
            elif not goes_on:
                where[child], goes_on = (branch, said), True
            elif said is None:
                where[child] = (0, None)
            else:
                where[child] = (len(found), said)
                found.append(Branch([], said))
    return [
        Branch(sorted(branch.lines, key=lambda line: line.at.spot), branch.after) for branch in found if branch.lines
    ]


def _tree(known: dict[str, Line]) -> tuple[dict[str | None, list[str]], list[str]]:
    """Return what comes after each line, the first written first, and all lines so that each stands behind its own."""
    after: dict[str | None, list[str]] = defaultdict(list)
    for name, line in sorted(known.items(), key=lambda one: one[1].at.spot):
        after[line.before if line.before in known else None].append(name)
    ordered: list[str] = []
    seen: set[str] = set()
    for name in [*after[None], *known]:  # what no beginning leads to is in a circle, and begins somewhere
        if name in seen:
            continue
        if name not in after[None]:
            after[known[name].before].remove(name)
            after[None].append(name)
        waiting = [name]
        while waiting:
            at = waiting.pop()
            seen.add(at)
            ordered.append(at)
            waiting += reversed(after[at])
    return after, ordered


def _below(known: dict[str, Line], after: dict[str | None, list[str]], ordered: list[str]) -> dict[str, _Below]:
    below: dict[str, _Below] = {}
    for name in reversed(ordered):
        line, children = known[name], [below[child] for child in after[name]]
        answers = {line.answer} if line.answer is not None else set[str]()
        for child in children:
            answers |= child.answers
        below[name] = _Below(
            has_prompt=any(child.has_prompt for child in children)
            or (line.is_said and not line.is_result and line.answer is None),
            answers=frozenset(sorted(answers)[:2]),
        )
    return below
