"""Which sessions are wanted: those of this project or all, where they were put, in which order, with which words."""

from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from sojourn.model.header import SessionHeader
from sojourn.store.protocol import SessionQuery

Scope = Literal["project", "all"]
Place = Literal["active", "archived", "trash"]
Sort = Literal["updated", "created", "cost"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
PLACES: Final[tuple[Place, ...]] = get_args(Place)
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)

PAGE: Final = 100
"""Sessions that are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the person has chosen on the screen. *project* is the one that he is in."""

    project: str
    scope: Scope = "project"
    place: Place = "active"
    sort: Sort = "updated"
    text: str = ""

    def query(self) -> SessionQuery:
        """Return how the store is asked for it."""
        trashed = self.place == "trash"
        return SessionQuery(
            project=self.project if self.scope == "project" else None,
            text=self.text or None,
            archived=None if trashed else self.place == "archived",
            trashed=trashed,
            limit=PAGE,
        )

    def holds(self, header: SessionHeader) -> bool:
        """Tell whether a session belongs here, whatever its title."""
        if self.scope == "project" and header.project != self.project:
            return False
        if self.place == "trash":
            return header.trashed_at is not None
        return header.trashed_at is None and (header.archived_at is not None) == (self.place == "archived")

    def next_scope(self) -> "View":
        """Return the same in the other scope."""
        return replace(self, scope=SCOPES[(SCOPES.index(self.scope) + 1) % len(SCOPES)])

    def next_place(self) -> "View":
        """Return the same from the next place."""
        return replace(self, place=PLACES[(PLACES.index(self.place) + 1) % len(PLACES)])

    def next_sort(self) -> "View":
        """Return the same in the next order."""
        return replace(self, sort=SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])
