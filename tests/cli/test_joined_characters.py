"""Characters that are joined with their neighbours: they are shown as they were written, and what hides is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.desk.columns import fit, width
from sojourn.desk.visible import safe

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize("text", [FAMILY, "می\u200cخواهم", "क्\u200dष", "\U0001f44b\U0001f3fd", "❤️\u200d🔥"])
def test_what_joins_the_characters_of_a_script_stays(text: str) -> None:
    assert safe(f"a {text} b") == f"a {text} b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass\u200dword", "pass\\u{200d}word"),
        ("\u200dfirst", "\\u{200d}first"),
        ("last\u200c", "last\\u{200c}"),
        ("你\u200d\u200d好", "你\\u{200d}\\u{200d}好"),
        ("你\u200d\u202e好", "你\u200d\\u{202e}好"),
    ],
)
def test_what_only_hides_is_made_visible(text: str, expected: str) -> None:
    assert safe(text) == expected


@given(st.text(alphabet=st.sampled_from("ab \u200c\u200d\u202e\x1b你👩🏽é\u0301")))
def test_nothing_moves_the_cursor_and_nothing_is_lost(text: str) -> None:
    shown = safe(text)

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert (
        shown.replace("\\u{200d}", "\u200d")
        .replace("\\u{200c}", "\u200c")
        .replace("\\u{202e}", "\u202e")
        .replace("\\x1b", "\x1b")
        == text
    )


@pytest.mark.parametrize(
    ("text", "columns"), [(FAMILY, 2), ("\U0001f44b\U0001f3fd", 2), ("می\u200cخواهم", 7), ("\U0001f3fd", 2), ("é", 1)]
)
def test_what_is_joined_takes_the_columns_of_one(text: str, columns: int) -> None:
    assert width(text) == columns


def test_a_family_is_not_torn_apart() -> None:
    assert fit(FAMILY + "abc", 4) == FAMILY + "a…"
    assert fit("a" + FAMILY, 2) == "a…"
