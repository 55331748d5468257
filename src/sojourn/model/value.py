"""What all stored values have in common: frozen, keyword-only, and turned into JSON by msgspec alone."""

from typing import Any, Self

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value that is stored or sent. It never changes; a changed one is another value.

    Values cannot form circles, so the garbage collector is told not to look at them (`gc=False`).
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types: dicts, lists, strings, numbers, booleans, None."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild the value that `to_dict` turned into *data*; unknown keys are ignored.

        Raises:
            msgspec.ValidationError: a field has the wrong type or range.
        """
        return msgspec.json.decode(msgspec.json.encode(data), type=cls)
