"""Reading a docstring: what a function is good for, and what each of its parameters means."""

import inspect
import re
from itertools import pairwise
from typing import Final, NamedTuple

_SECTION: Final = re.compile(r"(Args|Arguments|Parameters|Returns|Yields|Raises)\s*:\s*")
_ABOUT_PARAMETERS: Final = frozenset({"Args", "Arguments", "Parameters"})
_PARAMETER: Final = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


class Docstring(NamedTuple):
    """A docstring taken apart."""

    description: str
    """What stands before the first section."""
    parameters: dict[str, str]
    """What `Args:` says about each parameter, on one line."""


def read_docstring(text: str | None) -> Docstring:
    """Take apart a docstring in Google's style; what follows no style is all description."""
    lines = inspect.cleandoc(text or "").splitlines()
    starts = [place for place, line in enumerate(lines) if _SECTION.fullmatch(line)]
    description = "\n".join(lines[: starts[0]] if starts else lines).strip()
    parameters: dict[str, str] = {}
    for start, end in pairwise([*starts, len(lines)]):
        if lines[start].rstrip(": ") in _ABOUT_PARAMETERS:
            parameters |= _parameters(lines[start + 1 : end])
    return Docstring(description, parameters)


def _parameters(lines: list[str]) -> dict[str, str]:
    """Return what is said of each parameter; lines that are further in than a name go on with what is said of it."""
    said: dict[str, list[str]] = {}
    name, margin = "", -1
    for line in lines:
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        if depth == 0:
            break  # the description goes on below the section
        found = _PARAMETER.fullmatch(line.strip())
        if found and (margin < 0 or depth <= margin):
            name, margin = found[1], depth
            said[name] = [found[2]]
        elif name:
            said[name].append(line.strip())
    return {name: " ".join(" ".join(words).split()) for name, words in said.items()}
