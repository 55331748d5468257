"""Variables in the arguments of a call."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.agent.skills import variables
from sojourn.errors import InvalidInputError

KNOWN: dict[str, Any] = {"x": 10, "rows": [{"a": 1}], "name": "Ada", "none": None, "my var": "spaced", "größe": 3}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("$x", 10),
        ("${x}", 10),
        ("$rows", [{"a": 1}]),
        ("$none", None),
        ("${my var}", "spaced"),
        ("$größe", 3),
        ("x", "x"),
        ("name", "name"),
        ("Dear $name, $x of ${rows}.", 'Dear Ada, 10 of [{"a":1}].'),
        ("$none!", "null!"),
        ("$names", "$names"),
        ("${name}s", "Adas"),
        ("$other ${other} $5 $ $", "$other ${other} $5 $ $"),
        ("$$x", "$x"),
        ("$${x} and $$name", "${x} and $name"),
        ("$$other $$ costs $$5, kill $$", "$$other $$ costs $$5, kill $$"),
        ("$x$x", "1010"),
        ("", ""),
    ],
)
def test_a_reference_gets_the_value_and_anything_else_stays(written: str, meant: object) -> None:
    assert variables.with_values({"a": written}, KNOWN) == {"a": meant}


def test_values_are_put_into_nested_lists_and_objects_but_not_into_keys() -> None:
    written = {"deep": [{"$x": ["$x", 1, None, True, {"to": "$name"}]}]}

    assert variables.with_values(written, KNOWN) == {"deep": [{"$x": [10, 1, None, True, {"to": "Ada"}]}]}


def test_in_a_literal_argument_only_the_whole_is_a_reference() -> None:
    written = {"script": "echo $x $$x", "whole": "$x", "words": ["echo", "$x", "a $x"], "free": "echo $x"}
    filled = variables.with_values(written, KNOWN, literal=("script", "whole", "words"))

    assert filled == {"script": "echo $x $$x", "whole": 10, "words": ["echo", 10, "a $x"], "free": "echo 10"}


def test_values_are_copies() -> None:
    known = {"rows": [{"a": 1}]}
    written: dict[str, Any] = {"rows": "$rows", "own": [1]}
    filled = variables.with_values(written, known)
    filled["rows"][0]["a"] = 2
    filled["own"].append(2)

    assert known == {"rows": [{"a": 1}]}
    assert written["own"] == [1]


def test_what_was_put_in_is_not_looked_at_again() -> None:
    assert variables.with_values({"a": "$x and $y"}, {"x": "$y", "y": "$x"}) == {"a": "$y and $x"}


@pytest.mark.parametrize("written", ["$x" * 5_000, ["$x"] * 5_000])
def test_a_few_letters_cannot_become_more_than_fits(written: object) -> None:
    with pytest.raises(InvalidInputError, match="longer than 4,000,000 characters"):
        variables.with_values({"a": written}, {"x": "y" * 1_000})


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_without_variables_nothing_changes(written: object) -> None:
    assert variables.with_values({"a": written}, {}) == {"a": written}


def test_arguments_for_the_agent_are_taken_out() -> None:
    written = {"path": "p", "_parallel": True, "_output": "x", "deep": {"_kept": 1}}
    own, internal = variables.split_arguments(written)
    own["deep"]["_kept"] = 2

    assert own == {"path": "p", "deep": {"_kept": 2}}
    assert internal == {"_parallel": True, "_output": "x"}
    assert variables.stripped(written) == {"path": "p", "deep": {"_kept": 1}}


def test_the_result_goes_to_a_variable_that_can_be_referred_to() -> None:
    assert variables.output_name({}) is None
    assert variables.output_name({"_output": None}) is None
    assert variables.output_name({"_output": "rows_2"}) == "rows_2"
    for bad in ("", "$x", "a b", "1a", "x" * 201, 5, ["x"], "a\n"):
        with pytest.raises(InvalidInputError, match="a variable's name is"):
            variables.output_name({"_output": bad})
