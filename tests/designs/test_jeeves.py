"""Working memory by session id, as the Jeeves design documents it: service, adapter, prompt context, SQL view.

Every test runs on every store.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sojourn import Session, open_store
from sojourn.engine.app import Sojourn
from sojourn.engine.bus import StateChanged
from sojourn.engine.inputs import FOCUS_TYPES
from sojourn.engine.state_adapter import (
    EntityRef,
    FocusState,
    FocusType,
    SessionStateAdapter,
    WorkingMemory,
    focus_type_of,
)
from sojourn.engine.state_record import SessionStateRecord
from sojourn.engine.state_service import SessionStateService
from sojourn.errors import (
    AlreadyExistsError,
    ClosedError,
    InvalidInputError,
    InvalidSessionIdError,
    SessionNotFoundError,
    SojournError,
)
from sojourn.model import events as ev
from sojourn.store.protocol import Store
from sojourn.testing import Backend
from sojourn.testing.clock import FakeClock
from sojourn.testing.postgres import fresh_schema

pytestmark = pytest.mark.anyio

FIELDS = {
    "session_id", "user_id", "focus_type", "focus_id", "focus_context", "referenced_entities", "short_term_memory",
    "turn_count", "created_at", "updated_at",
}  # fmt: skip
EARLIER = datetime(2029, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)


@pytest.fixture
async def store(backend: Backend, tmp_path: Path, clock: FakeClock, anyio_backend: str) -> AsyncIterator[Store]:
    async with backend.make_store(tmp_path, clock) as opened:
        yield opened


@pytest.fixture
def service(store: Store) -> SessionStateService:
    return SessionStateService(store)


@pytest.fixture
def adapter(store: Store) -> SessionStateAdapter:
    return SessionStateAdapter(store)


async def kinds(store: Store, session_id: str) -> list[str]:
    return [ev.kind_of(entry.event) for entry in await store.read(session_id)]


# --- the design's own examples


async def test_basic_session_management(service: SessionStateService) -> None:
    state = await service.get_or_create(session_id="sess-123", user_id="user-456")
    await service.update_focus(
        session_id="sess-123", focus_type="task", focus_id="task-789", focus_context={"title": "Code review"}
    )
    await service.record_entity_reference(
        session_id="sess-123", entity_type="task", entity_id="task-789", entity_title="Code review"
    )

    assert (state.session_id, state.user_id, state.focus_type, state.turn_count) == (
        "sess-123", "user-456", "general", 0,
    )  # fmt: skip
    now = await service.get("sess-123")
    assert now is not None
    assert (now.focus_type, now.focus_id, now.focus_context) == ("task", "task-789", {"title": "Code review"})
    assert now.referenced_entities == [
        {"type": "task", "id": "task-789", "title": "Code review", "referenced_at": "2030-01-01T00:00:00Z"}
    ]


async def test_using_the_protocol_adapter(adapter: SessionStateAdapter) -> None:
    memory = await adapter.get_or_create("sess-123", "user-456")

    assert memory.focus.focus_type is FocusType.GENERAL
    assert memory.turn_count == 0
    assert memory.referenced_entities == []

    focus = FocusState(focus_type=FocusType.TASK, focus_id="task-789")
    assert await adapter.update_focus("sess-123", focus) is True
    assert (await adapter.get_or_create("sess-123", "user-456")).focus == focus


async def test_context_for_prompts(service: SessionStateService) -> None:
    await service.get_or_create("sess-123", "user-456")
    for _ in range(5):
        await service.on_user_turn("sess-123", "and then?")
    await service.update_focus("sess-123", "task", "task-789", {"title": "Code review"})
    for number in range(1, 8):
        await service.record_entity_reference("sess-123", "task", f"task-{number}", f"Task {number}")
    await service.update_memory("sess-123", "User discussed code review workflow")

    assert await service.get_context_for_prompt("sess-123") == {
        "turn_count": 5,
        "focus": {"type": "task", "id": "task-789", "context": {"title": "Code review"}},
        "recent_entities": [{"type": "task", "id": f"task-{n}", "title": f"Task {n}"} for n in range(3, 8)],
        "conversation_summary": "User discussed code review workflow",
    }


# --- the record


async def test_a_record_has_the_ten_fields_and_survives_its_dict_form(service: SessionStateService) -> None:
    await service.get_or_create("s", "u")
    await service.update_focus("s", "task", "t1", {"deep": {"er": [1, None]}})
    await service.record_entity_reference("s", "person", "1")
    record = await service.update_memory("s", "short")

    assert record is not None
    plain = record.to_dict()
    assert set(plain) == FIELDS
    assert SessionStateRecord.from_dict(json.loads(json.dumps(plain))) == record
    assert record.created_at == datetime(2030, 1, 1, tzinfo=UTC)


async def test_a_record_is_read_from_a_dict_with_gaps() -> None:
    record = SessionStateRecord.from_dict({
        "session_id": "s", "user_id": "u", "focus_context": None, "referenced_entities": None, "what": "ever",
    })  # fmt: skip

    assert (record.turn_count, record.focus_context, record.referenced_entities) == (0, {}, [])
    for wrong in ({}, {"session_id": 7}, {"session_id": "s", "turn_count": "many"}):
        with pytest.raises(InvalidInputError):
            SessionStateRecord.from_dict(wrong)


async def test_a_record_is_a_copy(service: SessionStateService) -> None:
    await service.get_or_create("s", "u")
    record = await service.update_focus("s", "task", "t1", {"list": [1]})
    assert record is not None
    record.focus_context["list"].append(2)
    record.turn_count = 99

    again = await service.get("s")
    assert again is not None
    assert (again.focus_context, again.turn_count) == ({"list": [1]}, 0)


# --- begin and find


async def test_getting_twice_begins_once(service: SessionStateService, store: Store, clock: FakeClock) -> None:
    first = await service.get_or_create("s", "u")
    clock.advance(seconds=60)
    again = await service.get_or_create("s", "u")

    assert first == again
    assert await kinds(store, "s") == ["session_created"]


async def test_many_who_begin_a_session_at_once_get_the_same_one(service: SessionStateService, store: Store) -> None:
    records = await asyncio.gather(*(service.get_or_create("s", "u") for _ in range(10)))

    assert all(record == records[0] for record in records)
    assert await kinds(store, "s") == ["session_created"]


async def test_ids_need_not_be_uuids_but_must_be_ids(service: SessionStateService) -> None:
    """The design's schema says UUID, and each of its examples is `sess-123`."""
    assert (await service.get_or_create("sess-123", "u")).session_id == "sess-123"
    for wrong in ("", "../x", "a b"):
        with pytest.raises(InvalidSessionIdError):
            await service.get(wrong)
    with pytest.raises(InvalidInputError):
        await service.get_or_create("s", "")


async def test_nothing_but_an_unknown_session_is_none_false_or_empty(
    service: SessionStateService, adapter: SessionStateAdapter, store: Store
) -> None:
    """Every call is made of an unknown session, of one in the trash, and of a store that is closed."""
    await service.get_or_create("trashed", "u")
    await service.delete("trashed")
    for session_id in ("unknown", "trashed"):
        assert await service.get(session_id) is None
        assert await service.update_focus(session_id, "task", "t") is None
        assert await service.clear_focus(session_id) is None
        assert await service.record_entity_reference(session_id, "task", "t") is None
        assert await service.add_referenced_entity(session_id, "task", "t") is None
        assert await service.on_user_turn(session_id, "hi") is None
        assert await service.increment_turn(session_id) is None
        assert await service.update_memory(session_id, "m") is None
        assert await service.update_short_term_memory(session_id, "m") is None
        assert await service.get_context_for_prompt(session_id) == {}
        assert await service.should_summarize(session_id) is False
        assert await service.delete(session_id) is False
        assert await adapter.update_focus(session_id, FocusState()) is False
        assert await adapter.add_entity_reference(session_id, EntityRef(entity_type="t", entity_id="i")) is False
        assert await adapter.delete(session_id) is False
    assert await service.get_by_user("u") == []
    await store.close()
    for attempt in (
        service.get("s"),
        service.get_by_user("u"),
        service.delete("s"),
        service.increment_turn("s"),
        service.get_context_for_prompt("s"),
        service.should_summarize("s"),
        service.ensure_initialized(),
        adapter.save("s", WorkingMemory(session_id="s", user_id="u")),
        adapter.get_active_sessions("u"),
    ):
        with pytest.raises(ClosedError):
            await attempt


async def test_another_users_session_is_not_found(
    service: SessionStateService, adapter: SessionStateAdapter, store: Store
) -> None:
    await service.get_or_create("s", "ada")
    await service.update_memory("s", "secret")
    for attempt in (
        service.get_or_create("s", "eve"),
        adapter.get_or_create("s", "eve"),
        service.upsert(SessionStateRecord(session_id="s", user_id="eve", short_term_memory="mine now")),
    ):
        with pytest.raises(SessionNotFoundError) as caught:
            await attempt
        assert "ada" not in str(caught.value)
    assert await adapter.save("s", WorkingMemory(session_id="s", user_id="eve", turn_count=7)) is False
    await service.delete("s")
    with pytest.raises(SessionNotFoundError):
        await service.get_or_create("s", "eve")

    assert await service.get_by_user("eve") == []
    assert await kinds(store, "s") == ["session_created", "short_term_memory_updated", "session_trashed"]


async def test_a_session_without_a_user_is_everybodys(service: SessionStateService, store: Store) -> None:
    await Session.create(store, "s")

    assert (await service.get_or_create("s", "ada")).user_id is None


# --- focus


async def test_clearing_the_focus_clears_type_id_and_context(service: SessionStateService) -> None:
    """The original took an empty context for "not given", and kept the old one."""
    await service.get_or_create("s", "u")
    await service.update_focus("s", "task", "t1", {"title": "Review"})
    cleared = await service.clear_focus("s")

    assert cleared is not None
    assert (cleared.focus_type, cleared.focus_id, cleared.focus_context) == ("general", None, {})


async def test_a_new_focus_keeps_nothing_of_the_old_one(service: SessionStateService) -> None:
    await service.get_or_create("s", "u")
    await service.update_focus("s", "task", "t1", {"title": "Review"})
    changed = await service.update_focus("s", "planning")

    assert changed is not None
    assert (changed.focus_type, changed.focus_id, changed.focus_context) == ("planning", None, {})


@pytest.mark.parametrize("focus_type", sorted(FOCUS_TYPES))
async def test_every_documented_type_of_focus_is_taken(focus_type: str) -> None:
    async with open_store("memory:") as store:
        service = SessionStateService(store)
        await service.get_or_create("s", "u")
        changed = await service.update_focus("s", focus_type)

        assert changed is not None
        assert changed.focus_type == focus_type


@pytest.mark.parametrize(
    ("word", "focus_type"),
    [
        (None, FocusType.GENERAL),
        ("general", FocusType.GENERAL),
        ("task", FocusType.TASK),
        ("exploration", FocusType.EXPLORATION),
        ("exploring", FocusType.EXPLORATION),
        ("entity", FocusType.ENTITY),
        ("journal", FocusType.ENTITY),
        ("fact", FocusType.ENTITY),
        ("message", FocusType.ENTITY),
        ("clarification", FocusType.CLARIFICATION),
        ("planning", FocusType.GENERAL),
        ("whatever", FocusType.GENERAL),
    ],
)
async def test_a_stored_type_of_focus_is_read_as_the_nearest_one(word: str | None, focus_type: FocusType) -> None:
    assert focus_type_of(word) is focus_type


@pytest.mark.parametrize(
    ("focus_type", "focus_id", "context"),
    [
        ("nonsense", None, None),
        ("task", "x" * 201, None),
        ("task", None, {"x": object()}),
        ("task", None, {"x": "y" * 20_001}),
    ],
)
async def test_a_focus_that_makes_no_sense_is_refused_and_changes_nothing(
    service: SessionStateService, store: Store, focus_type: str, focus_id: str | None, context: dict[str, Any] | None
) -> None:
    await service.get_or_create("s", "u")
    with pytest.raises(InvalidInputError):
        await service.update_focus("s", focus_type, focus_id, context)

    assert await kinds(store, "s") == ["session_created"]


# --- entities


async def test_the_last_twenty_entities_are_kept_without_repetition(service: SessionStateService, store: Store) -> None:
    await service.get_or_create("s", "u")
    for number in range(1, 26):
        await service.add_referenced_entity("s", "task", str(number))
    before = await kinds(store, "s")
    record = await service.add_referenced_entity("s", "task", "25", "now with a title")

    assert record is not None
    assert [entity["id"] for entity in record.referenced_entities] == [str(number) for number in range(6, 26)]
    assert await kinds(store, "s") == before


async def test_entities_survive_the_way_through_the_adapter(adapter: SessionStateAdapter) -> None:
    """The original wrote type, id and title, and read other names: every entity came back unknown."""
    await adapter.get_or_create("s", "u")
    entity = EntityRef(
        entity_type="task", entity_id="t1", label="Review", reference_context="asked about it", referenced_at=EARLIER
    )

    assert await adapter.add_entity_reference("s", entity) is True
    assert (await adapter.get_or_create("s", "u")).referenced_entities == [entity]


@pytest.mark.parametrize(
    "entity",
    [
        EntityRef(entity_type="", entity_id="t"),
        EntityRef(entity_type="task", entity_id="x" * 201),
        EntityRef(entity_type="task", entity_id="t", referenced_at=datetime(2030, 1, 1)),  # noqa: DTZ001 - what is refused
    ],
)
async def test_an_entity_that_makes_no_sense_is_refused(adapter: SessionStateAdapter, entity: EntityRef) -> None:
    await adapter.get_or_create("s", "u")
    with pytest.raises(InvalidInputError):
        await adapter.add_entity_reference("s", entity)
    with pytest.raises(InvalidInputError):
        await adapter.save("new", WorkingMemory(session_id="new", user_id="u", referenced_entities=[entity]))

    assert await adapter.get_active_sessions("u") == ["s"]


# --- turns and summaries


async def test_a_summary_is_due_at_every_fifth_turn_and_not_before_the_first(service: SessionStateService) -> None:
    await service.get_or_create("s", "u")
    due = [0] if await service.should_summarize("s") else []
    for turn in range(1, 12):
        await service.on_user_turn("s", "hi")
        if await service.should_summarize("s"):
            due.append(turn)

    assert due == [5, 10]
    assert await service.should_summarize("s", 11) is True
    with pytest.raises(InvalidInputError):
        await service.should_summarize("s", 0)


async def test_turns_counted_at_once_are_all_counted(service: SessionStateService, store: Store) -> None:
    """The original read, added one and wrote: of two at once, one was lost."""
    await service.get_or_create("s", "u")
    other = SessionStateService(store)
    await asyncio.gather(*(one.increment_turn("s") for one in (service, other) for _ in range(25)))

    record = await service.get("s")
    assert record is not None
    assert record.turn_count == 50


async def test_turns_of_the_session_itself_and_turns_held_elsewhere_are_counted_together(
    service: SessionStateService, store: Store
) -> None:
    session = await Session.create(store, "s")
    async with session.turn():
        await session.messages.user("hi")
    record = await service.increment_turn("s")
    async with session.turn():
        pass

    assert record is not None
    assert (record.turn_count, session.state.turn_count) == (2, 3)
    assert session.state.conversation.open_calls == ()


async def test_an_empty_summary_removes_it(service: SessionStateService) -> None:
    await service.get_or_create("s", "u")
    await service.update_short_term_memory("s", "they talked")
    await service.update_short_term_memory("s", "")

    assert await service.get_context_for_prompt("s") == {
        "turn_count": 0,
        "focus": {"type": "general", "id": None, "context": {}},
    }


# --- handing a record back


async def test_an_upsert_is_one_append_of_what_differs(service: SessionStateService, store: Store) -> None:
    record = await service.get_or_create("s", "u")
    record.focus_type, record.focus_id = "task", "t1"
    record.referenced_entities += [{"type": "task", "id": "1"}, {"type": "task", "id": "2", "title": "Two"}]
    record.short_term_memory = "short"
    record.turn_count = 3
    stored = await service.upsert(record)
    again = await service.upsert(record)

    assert await kinds(store, "s") == [
        "session_created", "focus_changed", "entity_referenced", "entity_referenced", "short_term_memory_updated",
        "user_turn_counted",
    ]  # fmt: skip
    assert len({entry.at for entry in (await store.read("s"))[1:]}) == 1
    assert stored == again
    assert (stored.focus_id, stored.short_term_memory, stored.turn_count) == ("t1", "short", 3)
    assert [entity["title"] for entity in stored.referenced_entities] == [None, "Two"]


async def test_an_upsert_begins_a_session_that_does_not_exist(service: SessionStateService) -> None:
    stored = await service.upsert(SessionStateRecord(session_id="s", user_id="u", turn_count=12, focus_type=None))

    assert (stored.user_id, stored.turn_count, stored.focus_type) == ("u", 12, "general")
    assert await service.get("s") == stored


async def test_an_upsert_undoes_nothing_that_others_did_meanwhile(service: SessionStateService) -> None:
    mine = await service.get_or_create("s", "u")
    await service.update_focus("s", "task", "theirs")
    await service.record_entity_reference("s", "task", "theirs")
    await service.increment_turn("s")
    mine.short_term_memory = "mine"
    mine.turn_count += 1
    stored = await service.upsert(mine)

    assert (stored.focus_id, stored.short_term_memory, stored.turn_count) == ("theirs", "mine", 2)
    assert [entity["id"] for entity in stored.referenced_entities] == ["theirs"]


async def test_records_handed_back_at_once_count_every_turn(
    service: SessionStateService, adapter: SessionStateAdapter
) -> None:
    await service.get_or_create("s", "u")

    async def work(number: int) -> None:
        memory = await adapter.get_or_create("s", "u")
        memory.turn_count += 1
        memory.referenced_entities.append(EntityRef(entity_type="task", entity_id=str(number)))
        assert await adapter.save("s", memory)

    await asyncio.gather(*(work(number) for number in range(10)))
    memory = await adapter.get_or_create("s", "u")
    assert memory.turn_count == 10
    assert {entity.entity_id for entity in memory.referenced_entities} == {str(number) for number in range(10)}


async def test_a_record_can_be_handed_back_again_and_again(service: SessionStateService) -> None:
    record = await service.get_or_create("s", "u")
    for _ in range(3):
        record.turn_count += 1
        await service.upsert(record)

    assert (await service.get_or_create("s", "u")).turn_count == 3


async def test_counted_turns_are_not_taken_back(service: SessionStateService) -> None:
    await service.upsert(SessionStateRecord(session_id="s", user_id="u", turn_count=5))
    stored = await service.upsert(SessionStateRecord(session_id="s", user_id="u", turn_count=2))

    assert stored.turn_count == 5


@pytest.mark.parametrize(
    "changes",
    [
        {"focus_type": "nonsense"},
        {"turn_count": -1},
        {"turn_count": True},
        {"short_term_memory": "x" * 100_001},
        {"referenced_entities": [{"id": "no type"}]},
        {"referenced_entities": [{"type": "task", "id": "t", "referenced_at": "yesterday"}]},
        {"session_id": "../x"},
    ],
)
async def test_a_record_that_makes_no_sense_begins_nothing(
    service: SessionStateService, changes: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInputError):
        await service.upsert(SessionStateRecord(**{"session_id": "s", "user_id": "u", **changes}))

    assert await service.get_by_user("u") == []


async def test_a_working_memory_is_saved_and_read_back_whole(adapter: SessionStateAdapter, clock: FakeClock) -> None:
    memory = WorkingMemory(
        session_id="s",
        user_id="u",
        focus=FocusState(
            focus_type=FocusType.EXPLORATION, focus_id="f", focus_label="The cellar", focus_context={"dark": True}
        ),
        referenced_entities=[
            EntityRef(entity_type="task", entity_id="1", label="One", reference_context="why", referenced_at=EARLIER),
            EntityRef(entity_type="file", entity_id="2", referenced_at=EARLIER + timedelta(microseconds=1)),
        ],
        turn_count=4,
        short_term_context="So far",
        created_at=clock.now(),
        updated_at=clock.now(),
    )

    assert await adapter.save("s", memory) is True
    assert await adapter.get_or_create("s", "u") == memory


async def test_a_finer_type_of_focus_survives_a_save_that_does_not_change_it(
    service: SessionStateService, adapter: SessionStateAdapter
) -> None:
    await service.get_or_create("s", "u")
    await service.update_focus("s", "journal", "j1")
    memory = await adapter.get_or_create("s", "u")
    assert memory.focus.focus_type is FocusType.ENTITY
    memory.turn_count += 1
    await adapter.save("s", memory)

    record = await service.get("s")
    assert record is not None
    assert (record.focus_type, record.turn_count) == ("journal", 1)


async def test_a_state_is_saved_to_its_own_session_only(adapter: SessionStateAdapter) -> None:
    with pytest.raises(InvalidInputError):
        await adapter.save("other", WorkingMemory(session_id="s", user_id="u"))
    with pytest.raises(InvalidInputError):
        await adapter.save("s", WorkingMemory(session_id="s", focus=FocusState(focus_type="nonsense")))  # type: ignore[arg-type]  # what is refused

    assert await adapter.get_active_sessions("u") == []


# --- lists and ends


async def test_active_sessions_are_the_users_own_newest_first_at_most_ten(
    adapter: SessionStateAdapter, service: SessionStateService, clock: FakeClock
) -> None:
    """The original asked a table that does not exist, and swallowed the error: the list was always empty."""
    for number in range(12):
        clock.advance(seconds=4000)
        await adapter.get_or_create(f"s{number}", "ada" if number % 6 else "eve")
    clock.advance(seconds=4000)
    await service.increment_turn("s1")

    assert await adapter.get_active_sessions("ada") == ["s1", *(f"s{n}" for n in (11, 10, 9, 8, 7, 5, 4, 3, 2))]
    assert await adapter.get_active_sessions("eve") == ["s6", "s0"]
    assert await adapter.get_active_sessions("ada", limit=2) == ["s1", "s11"]
    assert await adapter.get_active_sessions("nobody") == []
    with pytest.raises(InvalidInputError):
        await adapter.get_active_sessions("ada", limit=0)


async def test_a_users_states_come_newest_first_without_the_trash(
    service: SessionStateService, store: Store, clock: FakeClock
) -> None:
    for name in ("old", "gone", "archived", "new"):
        clock.advance(seconds=4000)
        await service.get_or_create(name, "u")
    await service.delete("gone")
    await store.append("archived", [ev.SessionArchived()])

    assert [record.session_id for record in await service.get_by_user("u")] == ["new", "archived", "old"]
    assert [record.session_id for record in await service.get_by_user("u", limit=1)] == ["new"]
    assert await service.list_active("u") == ["new", "old"]


async def test_all_of_a_users_states_are_listed_however_many() -> None:
    async with open_store("memory:") as store:
        for number in range(205):
            await store.create_session(f"s{number}", ev.SessionCreated(user_id="u"))

        assert len(await SessionStateService(store).get_by_user("u")) == 205


async def test_a_session_is_deleted_once_and_can_be_restored(service: SessionStateService, store: Store) -> None:
    """The original returned True for a session that never existed."""
    assert await service.delete("never") is False
    await service.get_or_create("s", "u")
    await service.update_memory("s", "kept")

    assert [await service.delete("s"), await service.delete("s")] == [True, False]
    with pytest.raises(AlreadyExistsError, match="in the trash"):
        await service.get_or_create("s", "u")
    await store.append("s", [ev.SessionRestored()])
    assert (await service.get_or_create("s", "u")).short_term_memory == "kept"


async def test_of_two_who_delete_at_once_one_did(service: SessionStateService, store: Store) -> None:
    await service.get_or_create("s", "u")

    assert sorted(await asyncio.gather(*(service.delete("s") for _ in range(5)))) == [False] * 4 + [True]
    assert (await kinds(store, "s")).count("session_trashed") == 1


# --- the documented table


VIEW = "SELECT user_id, focus_type, focus_id, referenced_entities, short_term_memory, turn_count FROM session_state"


async def fill(store: Store) -> None:
    service = SessionStateService(store)
    await service.get_or_create("s", "u")
    await service.update_focus("s", "task", "t1")
    await service.record_entity_reference("s", "task", "1", "One", referenced_at=EARLIER)
    await service.record_entity_reference("s", "task", "2")
    await service.increment_turn("s")
    session = await Session.open(store, "s")
    async with session.turn():
        pass
    await service.upsert(SessionStateRecord(session_id="s", user_id="u", focus_id="t2", turn_count=40))


def check_row(row: tuple[Any, ...]) -> None:
    user_id, focus_type, focus_id, entities, memory, turns = row
    assert (user_id, focus_type, focus_id, memory, turns) == ("u", "general", "t2", None, 40)
    assert (json.loads(entities) if isinstance(entities, str) else entities) == [
        {"type": "task", "id": "1", "title": "One", "referenced_at": "2029-05-06T07:08:09.123456Z"},
        {"type": "task", "id": "2", "title": None, "referenced_at": "2030-01-01T00:00:00.000Z"},
    ]


async def test_the_view_session_state_of_a_sqlite_file_shows_what_the_service_wrote(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with open_store(tmp_path / "s.db", clock=clock) as store:
        await fill(store)
    connection = sqlite3.connect(tmp_path / "s.db")
    try:
        [row] = connection.execute(VIEW)
    finally:
        connection.close()

    check_row(row)


async def test_the_view_session_state_of_postgresql_shows_what_the_service_wrote(
    postgres_url: str, clock: FakeClock
) -> None:
    with fresh_schema(postgres_url) as url:
        async with open_store(url, clock=clock) as store:
            await fill(store)
        with psycopg.connect(url) as connection:
            [row] = connection.execute(VIEW)

    check_row(row)


# --- what it stands on


async def test_an_app_serves_as_well_as_a_store_and_shares_its_live_sessions(
    backend: Backend, tmp_path: Path, clock: FakeClock
) -> None:
    async with Sojourn(backend.make_store(tmp_path, clock), clock=clock) as app:
        await SessionStateService(app).ensure_initialized()
        await SessionStateService(app).get_or_create("s", "u")
        live = await app.sessions.open("s")
        await SessionStateService(app).update_focus("s", "task", "t1")
        await asyncio.gather(*(SessionStateService(app).increment_turn("s") for _ in range(10)))
        memory = await SessionStateAdapter(app, SessionStateService(app.store)).get_or_create("s", "u")

        assert (memory.user_id, memory.focus.focus_id, memory.turn_count) == ("u", "t1", 10)
        assert (live.state.focus_id, live.state.turn_count) == ("t1", 10)
        assert await SessionStateService(app).delete("s") is True
        assert await SessionStateService(app).get("s") is None


async def test_what_the_service_changes_through_an_app_is_news(clock: FakeClock) -> None:
    async with Sojourn(open_store("memory:", clock=clock), clock=clock) as app:
        heard: list[str] = []
        app.news.subscribe(StateChanged, lambda news: heard.append(f"{news.component} {news.details['kind']}"))
        service = SessionStateService(app)
        await service.get_or_create("s", "u")
        await service.increment_turn("s")
        await service.update_focus("s", "task")

        assert heard == ["working_memory user_turn_counted", "working_memory focus_changed"]


@pytest.mark.parametrize("through_app", [True, False])
async def test_a_session_that_was_rewound_is_the_one_it_goes_on_as(
    backend: Backend, tmp_path: Path, clock: FakeClock, *, through_app: bool
) -> None:
    async with Sojourn(backend.make_store(tmp_path, clock), clock=clock) as app:
        service = SessionStateService(app if through_app else app.store)
        await service.get_or_create("old", "u")
        await service.update_memory("old", "a mistake")
        again = await app.sessions.rewind("old", at=1)

        assert (await service.get_or_create("old", "u")).session_id == again.id
        assert [record.session_id for record in await service.get_by_user("u")] == [again.id]
        counted = await service.increment_turn("old")
        assert counted is not None
        assert (counted.turn_count, counted.short_term_memory) == (1, None)


async def test_the_state_outlives_the_process(backend: Backend, tmp_path: Path, clock: FakeClock) -> None:
    if not backend.shared:
        pytest.skip("this storage ends with its store")
    async with backend.make_store(tmp_path, clock) as store:
        await SessionStateService(store).get_or_create("s", "u")
        before = await SessionStateService(store).update_focus("s", "task", "t1", {"a": 1})

    async with backend.make_store(tmp_path, clock) as store:
        assert await SessionStateService(store).get("s") == before


async def test_a_live_session_and_the_service_see_one_state(service: SessionStateService, store: Store) -> None:
    session = await Session.create(store, "s", ev.SessionCreated(user_id="u"))
    await session.focus.set("task", "t1")
    record = await service.record_entity_reference("s", "task", "t1", "One")
    await session.refresh()

    assert record is not None
    assert record.focus_id == "t1"
    assert [mention.title for mention in session.state.referenced_entities] == ["One"]


async def test_questions_and_answers_are_the_sessions_own_and_reach_every_caller(store: Store) -> None:
    """The design hands clarifications over to an interrupt service: here they are in the same journal."""
    asking = await Session.create(store, "s", ev.SessionCreated(user_id="u"))
    raised = await asking.interrupts.clarify("Which file?", request_id="r1")
    answering = await Session.open(store, "s")
    await answering.interrupts.answer(raised.interrupt_id, text="main.py", user_id="u")

    assert (await asking.interrupts.get(raised.interrupt_id)).response == {"text": "main.py"}
    with pytest.raises(SojournError):
        await asking.interrupts.answer(raised.interrupt_id, text="other.py", user_id="u")
