"""The shape of a summary: a few headings with what belongs under them, the same whoever writes it.

So what one summariser wrote, another can go on from, and what was decided stays told apart from what was only said.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, get_args

from sojourn.context.cutting import cut_middle
from sojourn.context.tokens import TokenCounter

Heading = Literal["Goal", "Decided", "Known", "Open", "Also"]
HEADINGS: Final[tuple[Heading, ...]] = get_args(Heading)
INSTRUCTIONS: Final = "Instructions, word for word:"
"""Under this line stand instructions that were given in the part of the talk that is summarised."""
_BETWEEN: Final = "\n---\n"


class Parts(NamedTuple):
    """A summary taken apart: what was said, and the instructions that go with it unchanged."""

    text: str
    instructions: tuple[str, ...] = ()


def written(prose: str, points: Mapping[Heading, Iterable[str]]) -> str:
    """Return a summary: the prose, then each heading with its points."""
    blocks = [prose.strip()] if prose.strip() else []
    for heading in HEADINGS:
        listed = [" ".join(point.split()) for point in points.get(heading, ())]
        if shown := [f"- {point}" for point in listed if point]:
            blocks.append("\n".join((f"{heading}:", *shown)))
    return "\n".join(blocks)


def read_points(text: str) -> tuple[list[str], list[tuple[Heading, str]]]:
    """Return the lines of prose in a summary, and its points with their headings."""
    prose: list[str] = []
    points: list[tuple[Heading, str]] = []
    heading: Heading | None = None
    for raw in text.splitlines():
        line = raw.strip()
        named = next((one for one in HEADINGS if line == f"{one}:"), None)
        if named is not None:
            heading = named
        elif heading is not None and line.startswith("- "):
            points.append((heading, line[2:]))
        elif line:
            heading = None
            prose.append(line)
    return prose, points


def bounded(text: str, max_tokens: int, counter: TokenCounter) -> str:
    """Return *text* in at most *max_tokens*: points go first, from the least important heading, the oldest of each."""
    if counter.count(text) <= max_tokens:
        return text
    prose, points = read_points(text)
    said = "\n".join(prose)
    while points:
        least = max(HEADINGS.index(heading) for heading, _ in points)
        place = next(at for at, (heading, _) in enumerate(points) if HEADINGS.index(heading) == least)
        del points[place]
        shorter = written(said, _grouped(points))
        if counter.count(shorter) <= max_tokens:
            return shorter
    return cut_middle(said or text, max_tokens, counter)


def with_instructions(text: str, instructions: Iterable[str]) -> str:
    """Return the summary with *instructions* behind it, each once and word for word."""
    told = tuple(dict.fromkeys(instructions))
    return f"{text}\n\n{INSTRUCTIONS}\n{_BETWEEN.join(told)}" if told else text


def taken_apart(summary: str) -> Parts:
    """Return a summary without its instructions, and these."""
    text, found, told = summary.partition(f"\n\n{INSTRUCTIONS}\n")
    return Parts(text, tuple(told.split(_BETWEEN))) if found else Parts(summary)


def _grouped(points: Iterable[tuple[Heading, str]]) -> dict[Heading, list[str]]:
    found: dict[Heading, list[str]] = {}
    for heading, point in points:
        found.setdefault(heading, []).append(point)
    return found
