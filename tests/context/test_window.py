"""The recent messages that fit, and where they begin; and what is cut."""

from collections.abc import Sequence

import hypothesis.strategies as st
import pytest
from hypothesis import given

from sojourn.context.cutting import cut_lines, cut_message, cut_middle
from sojourn.context.known_talk import KnownTalk
from sojourn.context.talk import Line, groups
from sojourn.context.tokens import BpeCounter, CharacterCounter, count_message
from sojourn.context.validity import made_valid
from sojourn.context.window import Window, recent_window
from sojourn.model.ids import Seq
from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ThinkingPart, ToolCall

COUNTER = CharacterCounter()
FAMILY = "👩‍👩‍👧"


def cost(lines: Sequence[Line]) -> int:
    return sum(count_message(COUNTER, line.message) for line in lines)


def talk(count: int) -> list[Line]:
    """Return messages of ten tokens each, the user and the assistant in turn."""
    roles = ("assistant", "user")
    return [
        Line(message=Message(role=roles[seq % 2], content=f"{seq:<24}"), seq=Seq(seq))  # type: ignore[arg-type]
        for seq in range(1, count + 1)
    ]


def window(lines: list[Line], capacity: int, **rest: object) -> Window:
    return recent_window(groups(made_valid(lines)), capacity, KnownTalk(COUNTER), **rest)  # type: ignore[arg-type]


def seqs(found: Window) -> list[int | None]:
    return [line.seq for line in found.lines]


def test_the_newest_that_fit_stay_and_begin_with_the_user() -> None:
    assert seqs(window(talk(10), 1_000)) == list(range(1, 11))
    assert seqs(window(talk(10), 50)) == [7, 8, 9, 10]
    assert window(talk(10), 50).begins == 7
    assert window(talk(10), 0).lines == window([], 50).lines == []


def test_the_beginning_stays_while_it_fits_and_then_moves_by_a_good_part() -> None:
    begins, moved = None, []
    for count in range(10, 60, 2):
        found = window(talk(count), 200, begins=begins, fill=0.75)
        assert cost(found.lines) <= 200
        if found.begins != begins:
            moved.append(len(found.lines))
        begins = found.begins
    assert len(moved) <= 7
    assert all(count <= 15 for count in moved[1:])


def test_a_stretch_that_was_made_for_less_room_grows_again() -> None:
    assert window(talk(40), 300, begins=Seq(37), fill=0.75).begins == 19
    assert window(talk(40), 300, begins=Seq(21), fill=0.75).begins == 21


def test_a_beginning_that_is_not_there_any_more_is_no_obstacle() -> None:
    assert seqs(window(talk(10)[4:], 40, begins=Seq(2)))[-1] == 10


def test_middle_out_keeps_the_first_group_and_the_newest() -> None:
    assert seqs(window(talk(11), 50, strategy="middle_out")) == [1, 9, 10, 11]


def test_calls_and_results_are_never_cut_apart() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="c", name="look"),))
    lines = [
        *talk(2),
        Line(message=call, seq=Seq(3)),
        Line(message=Message(role="tool", content="x" * 40, tool_call_id="c"), seq=Seq(4)),
        *[Line(message=line.message, seq=Seq(4 + number)) for number, line in enumerate(talk(3), 1)],
    ]
    for capacity in range(1, 120):
        kept = set(seqs(window(lines, capacity)))
        assert (3 in kept) == (4 in kept)


def test_a_last_message_that_is_too_long_is_cut() -> None:
    lines = [*talk(2), Line(message=Message(role="user", content="word " * 900), seq=Seq(3))]
    found = window(lines, 60)
    assert seqs(found) == [3]
    assert "characters left out" in found.lines[0].message.text


def test_a_call_whose_arguments_do_not_fit_is_left_out_whole() -> None:
    huge = Message(role="assistant", tool_calls=(ToolCall(id="c", name="write", arguments={"text": "x" * 9_000}),))
    assert window([*talk(1), Line(message=huge, seq=Seq(2))], 100).lines == []


# --- cutting


@given(st.text(max_size=400), st.integers(1, 60))
def test_a_text_that_fits_is_left_alone_and_a_cut_one_fits(text: str, tokens: int) -> None:
    cut = cut_middle(text, tokens, COUNTER)
    if COUNTER.count(text) <= tokens:
        assert cut == text
    elif tokens >= 12:
        assert COUNTER.count(cut) <= tokens
    if cut != text:
        assert "characters left out" in cut


@pytest.mark.parametrize("character", [FAMILY, "🇳🇴", "e\u0301", "👍🏽", "क्षि"])
def test_nothing_is_cut_within_a_character(character: str) -> None:
    for tokens in range(14, 40):
        cut = cut_middle(character * 100, tokens, COUNTER)
        head, tail = cut.split("[...")[0].strip(), cut.split("...]")[1].strip()
        for part in (head, tail):
            assert part == character * (len(part) // len(character))


def test_a_word_is_not_cut_if_a_space_is_near() -> None:
    cut = cut_middle("sailing boats " * 100, 40, COUNTER)
    assert set(cut.split("\n")[0].split()) | set(cut.split("\n")[2].split()) == {"sailing", "boats"}


def test_a_run_without_end_is_cut_quickly() -> None:
    assert BpeCounter().count(cut_middle("a" * 200_000, 50, BpeCounter())) <= 50


def test_media_and_data_that_do_not_fit_go_and_thinking_stays() -> None:
    thought = ThinkingPart(text="hm", signature="s")
    message = Message(
        role="assistant",
        content=(
            thought,
            TextPart(text="word " * 200),
            MediaPart(media_type="image/png", url="u"),
            DataPart(data="x" * 900),
        ),
        tool_calls=(ToolCall(id="c", name="look"),),
    )
    cut = cut_message(message, 80, COUNTER)
    assert cut.content[0] == thought
    assert cut.tool_calls == message.tool_calls
    assert [type(part) for part in cut.content] == [ThinkingPart, TextPart, TextPart, TextPart]


def test_only_the_long_ones_are_cut() -> None:
    lines = [
        Line(message=Message(role="user", content=text), seq=Seq(seq))
        for seq, text in enumerate(("short", "word " * 400, "brief"), 1)
    ]
    cut = cut_lines(lines, 100, COUNTER)
    assert cut is not None
    assert [line.message.text for line in (cut[0], cut[2])] == ["short", "brief"]
    assert 60 < cost(cut) <= 100
    assert cut_lines(lines, 20, COUNTER) is None
