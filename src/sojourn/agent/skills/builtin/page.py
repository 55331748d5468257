"""As much of a long text as a model is shown at once, and what it is told about the rest."""

from typing import Final

MAX_CHARS: Final = 28_000
"""A little less than what a model is shown of any result, so that what is cut here is not cut again."""


def middle_out(text: str, *, most: int = MAX_CHARS) -> str:
    """Return *text* without its middle if it is longer than *most* characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def first_lines(lines: list[str], *, most: int = MAX_CHARS) -> list[str]:
    """Return as many of *lines* from the first as fit into *most* characters, but at least one, cut if it must be."""
    room = most
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return lines[:place] or [f"{line[:most]} [... {len(line) - most:,} characters of this line left out ...]"]
    return lines
