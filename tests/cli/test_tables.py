"""Tables fit the terminal: what matters less goes first, then the text at the end is cut."""

import pytest

from sojourn.cli.tables import Column, table

COLUMNS = (
    Column("no", number=True),
    Column("size", number=True, may_go=True),
    Column("kind", may_go=True),
    Column("text"),
)
ROWS = [["1", "2.6k", "note", "a short text"], ["12", "44M", "letter", "a text that is much longer than the other one"]]


def test_numbers_stand_right_and_texts_left() -> None:
    assert table(COLUMNS, ROWS) == [
        "no  size  kind    text",
        " 1  2.6k  note    a short text",
        "12   44M  letter  a text that is much longer than the other one",
    ]


def test_where_there_is_no_room_columns_go_the_last_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "52")
    assert table(COLUMNS, ROWS)[2] == "12   44M  a text that is much longer than the other…"

    monkeypatch.setenv("COLUMNS", "30")
    assert table(COLUMNS, ROWS)[2] == "12  a text that is much longe…"


def test_columns_without_a_cell_are_left_out_and_without_rows_there_is_no_table() -> None:
    assert table(COLUMNS, [["1", "", "", "x"]]) == ["no  text", " 1  x"]
    assert table(COLUMNS, []) == []


def test_wide_characters_take_two_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")

    assert table((Column("name"), Column("text")), [["日本", "x"], ["ab", "日本語日本語日本語"]]) == [
        "name  text",
        "日本  x",
        "ab    日本語日本語…",
    ]
