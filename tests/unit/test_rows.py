"""Rows of a journal, where they lie, and pages of sessions."""

import zlib
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.errors import CorruptError, InvalidInputError
from sojourn.model.entry import Draft
from sojourn.model.events import UnknownEvent
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.store.lineage import Link, Segment, segments
from sojourn.store.listing import cursor_after, cursor_start
from sojourn.store.rows import (
    JournalRow,
    damage,
    derived_from,
    make_entry,
    make_row,
    make_tombstone,
    micros,
    moment,
    prepare,
    read_entries,
    read_entry,
    read_messages,
)
from sojourn.testing.factories import NEW_YEAR, noted, said

S = SessionId("s")
LAST_EXACT = micros(datetime(2242, 1, 1, tzinfo=UTC))


def row(seq: int, *causes: int) -> JournalRow:
    [prepared] = prepare([Draft(event=noted(seq), causes=tuple(map(Seq, causes)))])
    return make_row(prepared, seq=seq, at=micros(NEW_YEAR))


@given(st.integers(0, LAST_EXACT))
def test_a_time_is_kept_to_the_microsecond(at: int) -> None:
    assert micros(moment(at)) == at


def test_a_row_is_read_as_the_entry_that_was_promised() -> None:
    [prepared] = prepare([Draft(event=said("é\0"), causes=(Seq(1), Seq(2)))])
    promised = make_entry(prepared, S, seq=3, at=NEW_YEAR)

    assert read_entry(make_row(prepared, seq=3, at=micros(NEW_YEAR)), S) == promised


@pytest.mark.parametrize(
    "change",
    [{"seq": 9}, {"at": 9}, {"kind": "x"}, {"version": 9}, {"causes": None}, {"causes": "[1]"}, {"payload": "{}"}],
)
def test_a_change_to_any_part_of_a_row_is_damage(change: dict[str, Any]) -> None:
    changed = row(4, 1, 2)._replace(**change)

    assert damage(row(4, 1, 2)) is None
    assert damage(changed) == "the entry does not match its checksum"
    with pytest.raises(CorruptError, match=f"session=s entry={changed.seq}: the entry does not match its checksum"):
        read_entry(changed, S)


def test_a_missing_row_is_named() -> None:
    rows = [row(3), row(4), row(6)]

    with pytest.raises(CorruptError, match="session=s entry=5: the entry is missing"):
        read_entries(rows, S, follows=2)
    with pytest.raises(CorruptError, match="session=s entry=2: the entry is missing"):
        read_entries(rows, S, follows=1)
    assert len(read_entries(rows, S)) == 3


def message_row(seq: int, *causes: int, text: str = "é\0") -> JournalRow:
    [prepared] = prepare([Draft(event=said(text), causes=tuple(map(Seq, causes)))])
    return make_row(prepared, seq=seq, at=micros(NEW_YEAR) + seq // 2)


def as_messages(rows: list[JournalRow]) -> list[tuple[Any, ...]]:
    return [(row.seq, row.at, row.version, row.causes, row.payload, row.crc) for row in rows]


def resealed(row: JournalRow) -> JournalRow:
    """Return *row* with the checksum that fits what it says."""
    text = "|".join(map(str, row[:6]))
    return row._replace(crc=zlib.crc32(text.encode()))


def test_messages_are_read_as_the_entries_that_they_are() -> None:
    from_the_future = resealed(message_row(7)._replace(version=9))
    rows = [message_row(3), message_row(4, 1, 2), message_row(6), from_the_future]

    entries = read_messages(as_messages(rows), S)

    assert entries == read_entries(rows, S)
    assert [entry.causes for entry in entries] == [(), (1, 2), (), ()]
    assert isinstance(entries[-1].event, UnknownEvent)


@pytest.mark.parametrize("causes", [(), (1, 2)], ids=["ordinary", "derived"])
@pytest.mark.parametrize(
    "change", [{"seq": 9}, {"at": 9}, {"version": 9}, {"causes": "[1]"}, {"payload": "{}"}, {"crc": 9}]
)
def test_a_change_to_any_part_of_a_message_is_damage(causes: tuple[int, ...], change: dict[str, Any]) -> None:
    changed = message_row(4, *causes)._replace(**change)

    with pytest.raises(CorruptError, match=f"session=s entry={changed.seq}: the entry does not match its checksum"):
        read_messages(as_messages([message_row(3), changed]), S)


def test_causes_that_were_lost_are_damage() -> None:
    with pytest.raises(CorruptError, match="session=s entry=4: the entry does not match its checksum"):
        read_messages(as_messages([message_row(4, 1, 2)._replace(causes=None)]), S)


def test_a_row_that_is_whole_but_no_event_is_named() -> None:
    strange = resealed(message_row(4)._replace(payload='{"kind":"message_added","message":7}'))
    told = "session=s entry=4: a stored message_added cannot be read: Expected `object`"

    with pytest.raises(CorruptError, match=told):
        read_entries([message_row(3), strange], S)
    with pytest.raises(CorruptError, match=told):
        read_messages(as_messages([message_row(3), strange]), S)


def test_a_tombstone_keeps_place_time_and_kind_and_nothing_else() -> None:
    tombstone = make_tombstone(row(4, 1))

    assert (tombstone.seq, tombstone.at, tombstone.causes) == (4, micros(NEW_YEAR), None)
    assert tombstone.payload == '{"kind":"forgotten","was":"topic_changed"}'
    assert damage(tombstone) is None


def test_what_is_derived_is_found_at_any_remove() -> None:
    rows = [row(2), row(3, 2), row(4, 1), row(5, 3, 4), row(6, 5)]

    assert derived_from(rows, {2}) == {2, 3, 5, 6}
    assert derived_from(rows, {1}) == {1, 4, 5, 6}
    assert derived_from(rows, {6}) == {6}


# --- lineage


@st.composite
def chains(draw: st.DrawFn) -> list[Link]:
    """Draw a session and its bases; each stores the entry that the one before it was forked after."""
    cuts = sorted(draw(st.sets(st.integers(1, 12), max_size=5)), reverse=True)
    return [Link(SessionId(f"s{depth}"), base_seq) for depth, base_seq in enumerate([*cuts, 0])]


@given(chains(), st.integers(0, 15), st.integers(0, 16))
def test_segments_lead_from_each_entry_to_the_session_that_stores_it(
    chain: list[Link], after: int, before: int
) -> None:
    found = segments(chain, after=after, before=before)

    stored = [(part.owner, seq) for part in found for seq in range(part.first, part.last + 1)]
    assert stored == [
        (next(link.session_id for link in chain if seq > link.base_seq), seq) for seq in range(after + 1, before)
    ]


def test_a_chain_of_three_is_read_in_three_parts() -> None:
    chain = [Link(SessionId("c"), 8), Link(SessionId("b"), 5), Link(SessionId("a"), 0)]

    assert segments(chain, after=2, before=11) == [
        Segment(SessionId("a"), 3, 5),
        Segment(SessionId("b"), 6, 8),
        Segment(SessionId("c"), 9, 10),
    ]
    assert segments(chain, after=5, before=7) == [Segment(SessionId("b"), 6, 6)]
    assert segments(chain, after=10, before=11) == []


# --- cursors


def test_a_cursor_leads_back_to_where_its_page_ended() -> None:
    header = SessionHeader(session_id=SessionId("a_b_c"), head=Seq(1), created_at=NEW_YEAR, updated_at=NEW_YEAR)

    assert cursor_start(cursor_after(header)) == (micros(NEW_YEAR), "a_b_c")


@pytest.mark.parametrize("cursor", ["", "x", "_", "1_", "_s", "-1_s", "1.5_s", "٣_s", f"{2**80}_s", "1_../x"])
def test_a_cursor_that_no_page_gave_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="is not one that a page gave"):
        cursor_start(cursor)
