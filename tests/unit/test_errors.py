"""The error tree: drawn as it is, known to the outside, and each error tells its reader what to do."""

import re
from collections.abc import Iterator

import pytest

from sojourn import errors
from sojourn.errors import OUTSIDE, ForksExistError, Outside, SojournError, outside


def _descend(cls: type[SojournError], depth: int = 0) -> Iterator[tuple[int, type[SojournError]]]:
    yield depth, cls
    for child in cls.__subclasses__():
        yield from _descend(child, depth + 1)


ERRORS = [cls for _, cls in _descend(SojournError)]


def make(cls: type[SojournError], detail: str = "session=s") -> SojournError:
    return ForksExistError("s", ("a", "b")) if cls is ForksExistError else cls(detail)


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    drawn = [
        (len(indent) // 4, name)
        for indent, name in re.findall(r"^    ([ │├└─]*)(\w+Error)\b", errors.__doc__ or "", re.MULTILINE)
    ]

    assert drawn == [(depth, cls.__name__) for depth, cls in _descend(SojournError)]


def test_every_error_lives_in_the_one_module() -> None:
    assert {cls.__module__ for cls in ERRORS} == {"sojourn.errors"}


@pytest.mark.parametrize("cls", ERRORS)
def test_an_errors_docstring_is_a_sentence_for_its_reader(cls: type[SojournError]) -> None:
    sentence = cls.__doc__ or ""

    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) <= 120


@pytest.mark.parametrize("cls", ERRORS)
def test_an_error_says_its_sentence_and_what_it_is_about(cls: type[SojournError]) -> None:
    error = make(cls)

    assert str(error).startswith(cls.__doc__ or "")
    assert error.detail in str(error)
    assert "session=s" in str(error)


def test_an_error_without_detail_is_just_its_sentence() -> None:
    assert str(errors.BusyError()) == errors.BusyError.__doc__


@pytest.mark.parametrize("cls", ERRORS)
def test_every_error_has_codes_for_the_outside(cls: type[SojournError]) -> None:
    nearest = next(ancestor for ancestor in cls.__mro__ if ancestor in OUTSIDE)

    assert outside(make(cls)) == OUTSIDE[nearest]


def test_codes_come_from_the_nearest_ancestor() -> None:
    assert outside(errors.SessionNotFoundError("x")) == OUTSIDE[errors.NotFoundError]
    assert outside(errors.LockedError("x")) == OUTSIDE[errors.LockedError]
    assert outside(errors.LeaseLostError("x")) == OUTSIDE[errors.ConflictError]
    assert outside(errors.ClosedError("x")) == OUTSIDE[errors.StoreError]


@pytest.mark.parametrize(("cls", "codes"), OUTSIDE.items())
def test_codes_are_in_the_ranges_of_their_protocols(cls: type[SojournError], codes: Outside) -> None:
    assert 400 <= codes.http <= 599
    assert -32768 <= codes.rpc <= -32000
    assert codes.ws == 4000 + codes.http
    assert 1 <= codes.exit <= 5


def test_exit_codes_keep_their_meaning() -> None:
    by_exit = {code: {cls for cls in ERRORS if outside(make(cls)).exit == code} for code in (2, 3, 4, 5)}

    assert errors.InvalidEventError in by_exit[2]
    assert by_exit[3] == {errors.NotFoundError, errors.SessionNotFoundError}
    assert {errors.ConflictError, errors.LockedError, errors.BusyError} <= by_exit[4]
    assert by_exit[5] == {errors.CorruptError, errors.NewerVersionError}


def test_errors_of_input_and_lookup_are_also_pythons_own() -> None:
    assert issubclass(errors.InvalidInputError, ValueError)
    assert issubclass(errors.NotFoundError, LookupError)


def test_the_refusal_to_purge_names_the_forks() -> None:
    error = ForksExistError("s", ("a", "b"))

    assert error.forks == ("a", "b")
    assert "session=s forks=a, b" in str(error)
