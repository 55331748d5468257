"""What a check says about a store. Not `assert`: under `python -O` every store would pass."""

from collections.abc import Iterator
from contextlib import contextmanager

from sojourn.errors import SojournError


def expect(condition: object, what: str) -> None:
    """Fail unless *condition* holds; *what* says what should be so."""
    if not condition:
        raise AssertionError(f"expected that {what}")


def expect_equal(actual: object, wanted: object, what: str = "the result") -> None:
    """Fail unless *actual* equals *wanted*."""
    if actual != wanted:
        raise AssertionError(f"{what} is {actual!r:.1000}, expected {wanted!r:.1000}")


class Caught:
    """The error that was expected, once it was raised."""

    error: SojournError


@contextmanager
def expect_raises(kind: type[SojournError]) -> Iterator[Caught]:
    """Fail unless the block raises *kind* exactly: not a parent, not a child, nor an error of another library."""
    caught = Caught()
    try:
        yield caught
    except SojournError as error:
        if type(error) is not kind:
            raise AssertionError(f"raised {type(error).__name__}, expected {kind.__name__}: {error}") from error
        caught.error = error
    else:
        raise AssertionError(f"nothing was raised, expected {kind.__name__}")
