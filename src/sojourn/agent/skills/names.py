"""What a skill may be called: every model's maker accepts such names."""

import hashlib
import re
from typing import Any, Final

from sojourn.errors import InvalidInputError

MAX_NAME: Final = 64
_NAME: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}")
_REFUSED: Final = re.compile(r"[^A-Za-z0-9_-]")
_MARK: Final = 8
"""Letters that tell shortened names apart."""


def check_skill_name(name: Any, what: str = "a skill's name") -> str:
    """Return *name* if a skill can be called so.

    Raises:
        InvalidInputError: it cannot.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInputError(f"{what} is 1 to {MAX_NAME} letters, digits, _ or -, got {name!r:.100}")
    return name


def fitting_name(name: str) -> str:
    """Return *name* as a skill can be called: without what is not allowed, and not too long."""
    fitting = _REFUSED.sub("_", name)
    if name and len(fitting) <= MAX_NAME:
        return fitting
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{fitting[: MAX_NAME - _MARK - 1]}_{mark}"


def qualified_name(source: str, name: str) -> str:
    """Return how a skill is reached by the name of its source, too."""
    return fitting_name(f"{source}__{name}")
