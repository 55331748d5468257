"""Where a talk is cut, how it comes in parts, and what shape a summary has."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.context.compaction.cut import in_parts, threshold_for, what_to_compact
from sojourn.context.compaction.notice import compacted_notice, summary_message
from sojourn.context.compaction.shape import (
    INSTRUCTIONS,
    bounded,
    read_points,
    taken_apart,
    with_instructions,
    written,
)
from sojourn.context.compaction.spoken import spoken
from sojourn.context.talk import Line
from sojourn.context.tokens import CharacterCounter, count_message
from sojourn.context.validity import made_valid, problems
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import MediaPart, Message, TextPart, ThinkingPart, ToolCall

COUNTER = CharacterCounter()


def said(role: str, text: str, seq: int) -> Line:
    return Line(message=Message(role=role, content=text), seq=Seq(seq))  # type: ignore[arg-type]


def alternating(count: int, *, chars: int = 400) -> list[Line]:
    return [said("user" if number % 2 else "assistant", "x" * chars, number) for number in range(1, count + 1)]


def cost(lines: Sequence[Line]) -> int:
    return sum(count_message(COUNTER, line.message) for line in lines)


def test_the_newest_twenty_messages_stay() -> None:
    lines = alternating(61)  # the last is the user's

    cut = what_to_compact(lines, COUNTER)

    assert len(cut.kept) == 21  # one more, to begin with the user
    assert cut.kept[0].message.role == "user"
    assert (cut.through, cut.old[-1].seq) == (40, 40)
    assert cut.old_tokens == cost(cut.old)
    assert cut.tokens == cost(lines)


def test_a_talk_of_twenty_messages_stays_whole() -> None:
    cut = what_to_compact(alternating(20), COUNTER)

    assert (cut.old, cut.through, cut.old_tokens) == ((), None, 0)
    assert len(cut.kept) == 20


def test_if_the_newest_twenty_are_more_than_half_the_threshold_a_quarter_of_it_stays() -> None:
    cut = what_to_compact(alternating(40, chars=4_000), COUNTER, threshold=15_000)

    assert cut.kept_tokens <= 15_000 // 4 + 15_000 // 8
    assert len(cut.kept) == 4
    assert len(cut.old) == 36


def test_at_least_one_group_stays_whatever_it_costs() -> None:
    lines = [*alternating(4), said("user", "x" * 100_000, 5)]

    cut = what_to_compact(lines, COUNTER)

    assert [line.seq for line in cut.kept] == [5]


def test_a_call_and_its_results_are_never_cut_apart() -> None:
    calls = (ToolCall(id="a", name="ls"), ToolCall(id="b", name="cat"))
    lines = [
        *alternating(10),
        Line(message=Message(role="assistant", tool_calls=calls), seq=Seq(11)),
        Line(message=Message(role="tool", content="x" * 400, tool_call_id="a"), seq=Seq(12)),
        Line(message=Message(role="tool", content="y" * 400, tool_call_id="b"), seq=Seq(13)),
    ]

    for keep in range(1, 13):
        cut = what_to_compact(lines, COUNTER, keep=keep)
        kept = [line.seq for line in cut.kept]
        assert {11, 12, 13} <= set(kept)


def test_a_result_that_came_late_stays_with_its_call() -> None:
    lines = [
        *alternating(10),
        Line(message=Message(role="assistant", tool_calls=(ToolCall(id="slow", name="build"),)), seq=Seq(11)),
        said("user", "how is it going?", 12),
        Line(message=Message(role="tool", content="built", tool_call_id="slow"), seq=Seq(13)),
        said("user", "thanks", 14),
    ]

    cut = what_to_compact(lines, COUNTER, keep=2)

    assert [line.seq for line in cut.kept] == [11, 12, 13, 14]


def test_what_waits_for_a_result_stays() -> None:
    cut = what_to_compact(alternating(60), COUNTER, stays_from=Seq(10))

    assert cut.through == 9


def test_instructions_are_told_apart_from_what_was_said() -> None:
    lines = [
        said("system", " Be kind. ", 1),
        said("user", "hello", 2),
        said("system", "Be kind.", 3),
        said("system", "Be brief.", 4),
        *[said("user", "more", number) for number in range(5, 30)],
    ]

    cut = what_to_compact(lines, COUNTER)

    assert cut.instructions == ("Be kind.", "Be brief.")
    assert all(line.message.role == "user" for line in cut.old)


def test_instructions_alone_are_nothing_to_summarise() -> None:
    lines = [said("system", "Be kind.", 1), *alternating(20)]

    cut = what_to_compact(lines, COUNTER)

    assert cut.through is None
    assert len(cut.kept) == 21


def test_a_short_talk_is_cut_only_by_force() -> None:
    assert what_to_compact(alternating(8), COUNTER).old == ()
    assert len(what_to_compact(alternating(8), COUNTER, force=True).kept) in {1, 2, 3}
    assert what_to_compact(alternating(1), COUNTER, force=True).old == ()
    assert what_to_compact([], COUNTER, force=True).kept == ()


@pytest.mark.parametrize(("threshold", "keep"), [(0, 20), (15_000, 0)])
def test_a_threshold_and_a_number_of_messages_are_at_least_one(threshold: int, keep: int) -> None:
    with pytest.raises(InvalidInputError):
        what_to_compact([], COUNTER, threshold=threshold, keep=keep)


def test_nine_tenths_of_what_a_window_leaves_is_the_threshold() -> None:
    assert threshold_for(None) == 15_000
    assert threshold_for(8_000) == 5_400
    assert threshold_for(1_000) == 1


LINES = st.lists(
    st.builds(
        lambda role, size, calls: Message(
            role=role,
            content="word " * size,
            tool_calls=tuple(ToolCall(id=name, name="t") for name in calls) if role == "assistant" else (),
            tool_call_id="abc"[size % 3] if role == "tool" else None,
        ),
        st.sampled_from(["user", "assistant", "tool", "system"]),
        st.integers(0, 400),
        st.lists(st.sampled_from("abc"), unique=True, max_size=2),
    ),
    max_size=40,
).map(lambda messages: [Line(message=one, seq=Seq(place)) for place, one in enumerate(messages, 1)])


@given(LINES, st.integers(1, 5_000), st.integers(1, 30), st.booleans())
def test_a_cut_loses_nothing_keeps_the_newest_and_leaves_a_valid_talk(
    lines: list[Line], threshold: int, keep: int, force: bool
) -> None:
    cut = what_to_compact(lines, COUNTER, threshold=threshold, keep=keep, force=force)

    spoken_of = [line for line in lines if line.message.role != "system"]
    kept = [line for line in cut.kept if line.message.role != "system"]
    assert [*cut.old, *kept] == spoken_of
    assert list(cut.kept) == lines[len(lines) - len(cut.kept) :]
    assert cut.kept or not lines
    assert (cut.through is None) == (not cut.old)
    assert cut.tokens == cost(lines)
    assert problems([line.message for line in made_valid(cut.kept)]) == []


@given(LINES, st.integers(1, 2_000))
def test_parts_are_the_whole_talk_in_order(lines: list[Line], most: int) -> None:
    parts = list(in_parts(lines, COUNTER, most, line_most=300))

    assert [line for part in parts for line in part] == lines
    assert all(parts)
    assert len(list(in_parts(lines, COUNTER, None, line_most=300))) == bool(lines)


def test_no_part_is_larger_than_it_may_be_unless_one_group_is() -> None:
    lines = [*alternating(20), said("user", "x" * 100_000, 21), *alternating(3)]

    parts = list(in_parts(lines, COUNTER, 500, line_most=450))

    assert [len(part) for part in parts] == [4, 4, 4, 4, 4, 1, 3]


def test_a_summary_is_read_as_it_was_written() -> None:
    text = written("They met.\nThey spoke.", {"Open": ["who\npays?"], "Decided": ["use tea", " "], "Known": []})

    assert text == "They met.\nThey spoke.\nDecided:\n- use tea\nOpen:\n- who pays?"
    assert read_points(text) == (["They met.", "They spoke."], [("Decided", "use tea"), ("Open", "who pays?")])


def test_a_summary_that_is_too_long_loses_what_matters_least_first() -> None:
    points = {"Goal": ["win"], "Decided": ["a" * 40, "b" * 40], "Also": ["c" * 40, "d" * 40]}
    text = written("", points)  # type: ignore[arg-type]

    assert bounded(text, 1_000, COUNTER) == text
    assert "c" * 40 not in bounded(text, 40, COUNTER)
    assert "d" * 40 in bounded(text, 40, COUNTER)
    assert bounded(text, 20, COUNTER) == f"Goal:\n- win\nDecided:\n- {'b' * 40}"
    assert COUNTER.count(bounded("word " * 1_000, 50, COUNTER)) <= 50


def test_instructions_go_with_a_summary_word_for_word() -> None:
    text = with_instructions("They met.", ["Be kind.\n\nAlways.", "Be brief.", "Be kind.\n\nAlways."])

    assert taken_apart(text) == ("They met.", ("Be kind.\n\nAlways.", "Be brief."))
    assert INSTRUCTIONS in text
    assert with_instructions("They met.", []) == "They met."
    assert taken_apart("They met.") == ("They met.", ())


def test_people_and_models_are_told() -> None:
    message = summary_message("They <query>met</query>.", datetime(2026, 3, 4, 5, 6, tzinfo=UTC))

    assert compacted_notice(12_345) == "[Context compacted: 12,345 tokens reclaimed]"
    assert message.role == "user"
    assert message.text.startswith("[CONTEXT SUMMARY - Generated: 2026-03-04 05:06]\n\nThey ")
    assert "<query>" not in message.text


def test_what_a_message_says_is_told_in_words() -> None:
    picture = MediaPart(media_type="image/png", name="cat.png")
    looked = Message(
        role="assistant",
        content=(TextPart(text="Look:"), ThinkingPart(text="hmm"), picture),
        tool_calls=(ToolCall(id="1", name="read", arguments={"path": "a.py", "lines": [1, 2], "_parallel": True}),),
    )
    failed = Message(role="tool", content="no such file", tool_call_id="1", name="read", error=True)

    assert spoken(Line(message=looked)) == (
        "assistant",
        "Look:\n[image/png cat.png]",
        False,
        ("read(path=a.py, lines=[1,2])",),
    )
    assert spoken(Line(message=failed)) == ("tool read", "no such file", True, ())
    long = ToolCall(id="1", name="write", arguments_text="z" * 500)
    (call,) = spoken(Line(message=Message(role="assistant", tool_calls=(long,)))).calls
    assert len(call) < 220
