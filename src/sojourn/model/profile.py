"""Who the user is, field by field, each with how sure we are, where it came from and which entry said so."""

from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.bounded import with_new
from sojourn.model.entry import Entry
from sojourn.model.events import ProfileFieldRemoved, ProfileUpdated
from sojourn.model.ids import Seq
from sojourn.model.value import Value

SCALARS: Final = (
    "name", "age", "location", "occupation", "expertise_level", "communication_style", "current_project",
)  # fmt: skip
LISTS: Final = ("programming_languages", "frameworks", "interests", "project_tech_stack")
MAX_ITEMS: Final = 50


class FieldOrigin(Value, frozen=True, kw_only=True):
    """How a field came to have its value."""

    confidence: float
    source: str
    seq: Seq


class UserProfile(Value, frozen=True, kw_only=True):
    """What is known about the user. A list field holds at most 50 items; falsy and unknown fields are ignored."""

    name: str | None = None
    age: int | None = None
    location: str | None = None
    occupation: str | None = None
    expertise_level: str | None = None
    programming_languages: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    interests: tuple[str, ...] = ()
    communication_style: str | None = None
    current_project: str | None = None
    project_tech_stack: tuple[str, ...] = ()
    origins: dict[str, FieldOrigin] = {}
    updated_at: datetime | None = None

    def has_information(self) -> bool:
        """Tell whether any field is known."""
        return any(getattr(self, name) for name in (*SCALARS, *LISTS))

    def apply(self, entry: Entry) -> "UserProfile":
        """Return the profile after *entry*."""
        match entry.event:
            case ProfileUpdated() as updated:
                return self._updated(updated, entry)
            case ProfileFieldRemoved(field=field, value=value) if field in SCALARS or field in LISTS:
                return self._removed(field, value, entry)
            case _:
                return self

    def _updated(self, event: ProfileUpdated, entry: Entry) -> "UserProfile":
        origin = FieldOrigin(confidence=event.confidence, source=event.source, seq=entry.seq)
        changes: dict[str, Any] = {}
        for name, value in event.fields.items():
            if not value:
                continue
            if name in LISTS:
                items = getattr(self, name)
                for item in value if isinstance(value, list | tuple) else (value,):
                    items = with_new(items, str(item), limit=MAX_ITEMS)
                changes[name] = items
            elif name == "age":
                if isinstance(value, int) and not isinstance(value, bool):
                    changes[name] = value
            elif name in SCALARS:
                changes[name] = str(value)
        origins = {**self.origins, **dict.fromkeys(changes, origin)}
        return replace(self, **changes, origins=origins, updated_at=entry.at) if changes else self

    def _removed(self, field: str, value: Any, entry: Entry) -> "UserProfile":
        kept = tuple(item for item in getattr(self, field) if item != value) if field in LISTS and value else ()
        origins = {name: origin for name, origin in self.origins.items() if name != field or kept}
        changes: dict[str, Any] = {field: kept if field in LISTS else None}
        return replace(self, **changes, origins=origins, updated_at=entry.at)
