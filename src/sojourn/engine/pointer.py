"""The document that points at the session used last, and at the one that was talked in last."""

from collections.abc import Mapping
from typing import Any, Final

CURRENT: Final = "current_session"
"""Its key; with a project, `current_session/PROJECT`."""
TALKED_IN: Final = "talked_in"
"""In the document: the session that was talked in, where the one used last was only asked something in passing."""


def pointer_key(project: str | None) -> str:
    """Return the key of the pointer of *project*, or of the one that belongs to no project."""
    return CURRENT if project is None else f"{CURRENT}/{project}"


def talked_in(pointer: Mapping[str, Any] | None) -> str:
    """Return the session that was talked in last, by what *pointer* says; empty if there is none."""
    named = pointer.get(TALKED_IN, pointer.get("session_id")) if pointer else None
    return named if isinstance(named, str) else ""
