"""Who the user is, field by field, each with how sure we are, where it came from and which entry said so."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.bounded import with_newest
from sojourn.model.entry import Entry
from sojourn.model.events import ProfileFieldRemoved, ProfileUpdated
from sojourn.model.ids import Seq
from sojourn.model.value import Value

SCALARS: Final = (
    "name", "age", "location", "occupation", "expertise_level", "communication_style", "current_project",
)  # fmt: skip
LISTS: Final = ("programming_languages", "frameworks", "interests", "project_tech_stack")
MAX_ITEMS: Final = 50
MAX_VALUE: Final = 10_000
"""Characters in one value."""
MAX_AGE: Final = 150
MAX_FORMER: Final = 50
"""Values that are remembered after they were replaced or removed."""

_LINES: Final = (
    ("name", "User's name: {}"),
    ("age", "Age: {}"),
    ("location", "Location: {}"),
    ("occupation", "Occupation: {}"),
    ("expertise_level", "Technical expertise: {}"),
    ("programming_languages", "Familiar with: {}"),
    ("frameworks", "Frameworks: {}"),
    ("interests", "Interests: {}"),
    ("current_project", "Current project: {}"),
    ("project_tech_stack", "Project stack: {}"),
    ("communication_style", "Prefers {} communication"),
)


class FieldOrigin(Value, frozen=True, kw_only=True):
    """How a field came to have its value."""

    confidence: float
    source: str
    seq: Seq
    at: datetime | None = None


class FormerValue(Value, frozen=True, kw_only=True):
    """A value that a field had, from when to when, and the entry that ended it."""

    field: str
    value: str | int
    valid_from: datetime | None
    valid_to: datetime
    seq: Seq


class UserProfile(Value, frozen=True, kw_only=True):
    """What is known about the user. A list field holds at most 50 items, each once, whatever its case."""

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
    former: tuple[FormerValue, ...] = ()
    updated_at: datetime | None = None

    @property
    def confidence_scores(self) -> dict[str, float]:
        """How sure we are of each field that is known."""
        return {name: origin.confidence for name, origin in self.origins.items()}

    def has_information(self) -> bool:
        """Tell whether any field is known."""
        return any(getattr(self, name) for name in (*SCALARS, *LISTS))

    def to_context_text(self) -> str:
        """Return all that is known, a line for each field, for a model to read."""
        lines = []
        for name, line in _LINES:
            value = getattr(self, name)
            if value:
                text = ", ".join(value) if isinstance(value, tuple) else str(value)
                lines.append(line.format(" ".join(text.split())))
        return "\n".join(lines)

    def update_from_dict(self, data: Mapping[str, Any], *, origin: FieldOrigin, at: datetime) -> "UserProfile":
        """Return the profile with what `accepted_fields` takes of *data*: lists grow, scalars are replaced."""
        changes: dict[str, Any] = {}
        former = self.former
        for name, value in accepted_fields(data).items():
            changes[name] = _grown(getattr(self, name), value) if name in LISTS else value
            if name in SCALARS and self.holds(name) and not self.holds(name, value):
                former = self._with_former(former, name, getattr(self, name), at=at, seq=origin.seq)
        if not changes:
            return self
        origins = {**self.origins, **dict.fromkeys(changes, replace(origin, at=at))}
        return replace(self, **changes, origins=origins, former=former, updated_at=at)

    def apply(self, entry: Entry) -> "UserProfile":
        """Return the profile after *entry*."""
        match entry.event:
            case ProfileUpdated(fields=fields, confidence=confidence, source=source):
                origin = FieldOrigin(confidence=confidence, source=source, seq=entry.seq)
                return self.update_from_dict(fields, origin=origin, at=entry.at)
            case ProfileFieldRemoved(field=field, value=value) if self.holds(field, value):
                return self._removed(field, value, entry)
            case _:
                return self

    def holds(self, field: str, value: Any = None) -> bool:
        """Tell whether *field* is known and, if a value is given, has or contains it; case does not matter."""
        if field not in SCALARS and field not in LISTS:
            return False
        known = getattr(self, field)
        if not known or value is None:
            return bool(known)
        return any(_same(item, value) for item in (known if field in LISTS else (known,)))

    def held_before(self, field: str, value: Any) -> bool:
        """Tell whether *field* had this value until it was replaced or removed."""
        return any(one.field == field and _same(one.value, value) for one in self.former)

    def history(self, field: str) -> tuple[FormerValue, ...]:
        """Return the values that *field* had before, newest first."""
        return tuple(one for one in reversed(self.former) if one.field == field)

    def _with_former(
        self, former: tuple[FormerValue, ...], field: str, value: Any, *, at: datetime, seq: Seq
    ) -> tuple[FormerValue, ...]:
        origin = self.origins.get(field)
        ended = FormerValue(field=field, value=value, valid_from=origin.at if origin else None, valid_to=at, seq=seq)
        return (*former, ended)[-MAX_FORMER:]

    def _removed(self, field: str, value: Any, entry: Entry) -> "UserProfile":
        kept: tuple[str, ...] = ()
        known = getattr(self, field)
        if field in LISTS and value is not None:
            kept = tuple(item for item in known if not _same(item, value))
        former = self.former
        for item in known if field in LISTS else (known,):
            if item not in kept:
                former = self._with_former(former, field, item, at=entry.at, seq=entry.seq)
        origins = {name: origin for name, origin in self.origins.items() if name != field or kept}
        changes: dict[str, Any] = {field: kept if field in LISTS else None}
        return replace(self, **changes, origins=origins, former=former, updated_at=entry.at)


def accepted_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a profile takes of *data*, such as a model's idea of the user, in the types of its fields.

    Left out are unknown fields, the profile's own book-keeping among them, and values that are empty, too long or of
    another type.
    """
    accepted: dict[str, Any] = {}
    for name, value in data.items():
        if not value:
            continue
        if name in LISTS:
            items = value if isinstance(value, list | tuple) else (value,)
            taken: Any = tuple(text for text in map(_text, items) if text)
        elif name == "age":
            taken = _age(value)
        elif name in SCALARS:
            taken = _text(value)
        else:
            continue
        if taken:
            accepted[name] = taken
    return accepted


def _text(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip() if isinstance(value, str) or abs(value) < 10**15 else ""
    return text if 0 < len(text) <= MAX_VALUE else None


def _age(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 3:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_AGE else None


def _grown(items: tuple[str, ...], new: Iterable[str]) -> tuple[str, ...]:
    for text in new:
        if not any(_same(item, text) for item in items):
            items = with_newest(items, text, limit=MAX_ITEMS)
    return items


def _same(one: Any, other: Any) -> bool:
    return str(one).casefold() == str(other).casefold()
