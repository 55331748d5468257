"""Stored text cannot act on the terminal of whoever reads it."""

import json

import pytest

from sojourn.cli.output import write_json
from sojourn.desk.visible import safe


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]52;c;ZXZpbA==\x07", "\\x1b]52;c;ZXZpbA==\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("over\rwritten", "over\\x0dwritten"),
        ("back\x08", "back\\x08"),
        ("\u202eevil", "\\u{202e}evil"),
        ("zero\u200bwidth", "zero\\u{200b}width"),
        ("\U000e0041tag", "\\u{e0041}tag"),
        ("nul\x00", "nul\\x00"),
    ],
)
def test_control_and_invisible_characters_are_made_visible(hostile: str, shown: str) -> None:
    assert safe(hostile) == shown


@pytest.mark.parametrize("plain", ["hello", "two\nlines\twide", "Überraschung 日本語 🎉", ""])
def test_ordinary_text_is_left_alone(plain: str) -> None:
    assert safe(plain) == plain


def test_json_holds_the_same_text_and_cannot_act_either(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = '\x1b[2J \x9b31m \u202eevil \U000e0041 plain 日本語 🎉 "quoted" \\ \x7f'

    write_json("test", {"text": hostile})
    written = capsys.readouterr().out

    assert json.loads(written)["data"] == {"text": hostile}
    assert written.removesuffix("\n").isprintable()
    assert "日本語 🎉" in written
