"""How far an agent is trusted, and with whom it may share that."""

from typing import Final, Literal

Level = Literal["yolo", "trusted", "sandboxed"]
"""From everything to little.

*yolo*: everything runs, nothing is asked. *trusted*: reading is free, the rest is asked about and stays within the
allowed paths. *sandboxed*: files within the allowed paths, read and written without asking; no commands, nothing else.
"""

CEILINGS: Final[dict[Level, tuple[Level, ...]]] = {
    "yolo": ("trusted", "sandboxed"),
    "trusted": ("sandboxed",),
    "sandboxed": (),
}
"""The levels that an agent can give to one that it starts: always less than its own."""

MAX_DEPTH: Final = 5
"""How many agents deep one may start another."""
