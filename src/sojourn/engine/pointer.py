"""The document that points at the session used last."""

from typing import Final

CURRENT: Final = "current_session"
"""Its key; with a project, `current_session/PROJECT`."""


def pointer_key(project: str | None) -> str:
    """Return the key of the pointer of *project*, or of the one that belongs to no project."""
    return CURRENT if project is None else f"{CURRENT}/{project}"
