"""Sentences: what a text falls into when only some of it can be kept."""

import re
from typing import Final

LONGEST: Final = 320
"""A sentence that is longer is shortened: it is a listing, a log, or several."""
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_END: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]{0,2}\s+(?=[^\sa-z])|(?<=[。！？])")
_MARK: Final = re.compile(r"^(?:[-*•+>#|]+|\d{1,3}[.)])\s+")
_SHORT_FORMS: Final = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|Mr|Mrs|Ms|Dr|St|fig)\.|\b[A-Z]\.)$")
_EMPHASIS: Final = re.compile(r"\*\*(.+?)\*\*|__(.+?)__")
_WORDY: Final = re.compile(r"[^\W\d_]")


def sentences(text: str) -> list[str]:
    """Return the sentences of *text* in order, each on one line; blocks of code are left out."""
    found: list[str] = []
    for line in _CODE.sub("\n", text).splitlines():
        plain = _EMPHASIS.sub(lambda match: match[1] or match[2], _MARK.sub("", line.strip())).strip()
        if plain and _WORDY.search(plain):
            found += _split(plain)
    return [shortened(one) for one in found]


def shortened(text: str) -> str:
    """Return *text* on one line, of at most so many characters, ended at a word."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    head, _, _ = line[: LONGEST - 1].rpartition(" ")
    return f"{head or line[: LONGEST - 1]}…"


def _split(line: str) -> list[str]:
    parts: list[str] = []
    for part in _END.split(line):
        if parts and _SHORT_FORMS.search(parts[-1]):
            parts[-1] += f" {part}"
        elif part.strip():
            parts.append(part.strip())
    return parts
