"""How deep a value may be nested."""

from typing import Any

import pytest

from sojourn.errors import InvalidEventError
from sojourn.model.codec import CODEC, MAX_DEPTH
from sojourn.model.events import VariableSet


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"x": value}
    return value


def test_a_value_as_deep_as_allowed_comes_back() -> None:
    event = VariableSet(name="x", value=nested(MAX_DEPTH - 2))

    assert CODEC.encode(event).event == event


@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 500])
def test_a_deeper_value_is_refused(levels: int) -> None:
    with pytest.raises(InvalidEventError, match="levels deep"):
        CODEC.encode(VariableSet(name="x", value=nested(levels)))


def test_a_wide_value_is_not_deep() -> None:
    event = VariableSet(name="x", value=[[i] for i in range(10_000)])

    assert CODEC.encode(event).event == event
