"""Who the user is: `session.profile`."""

from collections.abc import Iterable, Mapping
from typing import Any

from sojourn.engine.inputs import MAX_NAME, check_ratio, check_text
from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError
from sojourn.model.events import ProfileFieldRemoved, ProfileUpdated
from sojourn.model.profile import LISTS, MAX_AGE, MAX_ITEMS, MAX_VALUE, SCALARS, UserProfile


class Profile:
    """Sets and clears what is known about the user. If the profile is not kept, all of it stays in memory."""

    def __init__(self, session: Live) -> None:
        self._session = session

    def __call__(self) -> UserProfile:
        """Return the profile now."""
        return self._session.state.user_profile

    async def set(
        self,
        field: str | None = None,
        value: Any = None,
        *,
        confidence: float = 0.8,
        source: str = "user",
        causes: Iterable[int] = (),
        **fields: Any,
    ) -> UserProfile:
        """Set fields, `set("name", "Ada")` or `set(name="Ada", age=36)`: a list grows, any other field is replaced.

        Raises:
            InvalidInputError: a field is unknown, or its value is empty, too long or of another type.
        """
        given = fields if field is None else {field: value, **fields}
        if not given:
            raise InvalidInputError("name a field of the profile and its value")
        for name, item in given.items():
            _check_field(name)
            if not item:
                raise InvalidInputError(f"{name} cannot be set to {item!r:.50}; to clear it, remove it")
        return await self.update(given, confidence=confidence, source=source, causes=causes)

    async def update(
        self,
        fields: Mapping[str, Any],
        *,
        confidence: float = 0.8,
        source: str = "user",
        causes: Iterable[int] = (),
    ) -> UserProfile:
        """Set several fields at once; those without a value are left as they are.

        What a model extracted may hold anything: hand it through `sojourn.model.profile.accepted_fields` first.

        Raises:
            InvalidInputError: a field is unknown, or its value is too long or of another type.
        """
        if not isinstance(fields, Mapping):
            raise InvalidInputError(f"the profile is updated with a dict of fields, got {fields!r:.50}")
        for name in fields:
            _check_field(name)
        given = {name: _checked(name, value) for name, value in fields.items() if value}
        event = ProfileUpdated(
            fields=given,
            confidence=check_ratio(confidence, "the profile's confidence"),
            source=check_text(source, "the profile's source", most=MAX_NAME),
        )
        if given:
            await self._session.append(event, causes=causes)
        return self()

    async def remove(self, field: str, value: Any = None, *, causes: Iterable[int] = ()) -> UserProfile:
        """Clear a field, or take one *value* out of a list; what is not there needs no removing.

        Raises:
            InvalidInputError: the field is unknown.
        """
        _check_field(field)
        if self().holds(field, value):
            await self._session.append(ProfileFieldRemoved(field=field, value=value), causes=causes)
        return self()


def _check_field(name: str) -> None:
    if name not in SCALARS and name not in LISTS:
        raise InvalidInputError(f"the profile has no field {name!r:.50}: use one of {', '.join((*SCALARS, *LISTS))}")


def _checked(name: str, value: Any) -> Any:
    if name == "age":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_AGE:
            raise InvalidInputError(f"age is a whole number from 1 to {MAX_AGE}, got {value!r:.50}")
        return value
    if name in SCALARS:
        return check_text(value, name, most=MAX_VALUE)
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or len(items) > MAX_ITEMS:
        raise InvalidInputError(f"{name} is a text or a list of at most {MAX_ITEMS} texts, got {value!r:.50}")
    return [check_text(item, f"each of {name}", most=MAX_VALUE) for item in items]
