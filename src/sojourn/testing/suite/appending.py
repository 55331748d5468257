"""Appending: all or none, in order, once."""

from collections.abc import Sequence

import anyio

from sojourn.errors import ConflictError, InvalidEventError, LeaseLostError
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import Event, TopicChanged, UnknownEvent, VariableSet
from sojourn.model.ids import Seq
from sojourn.model.message import Message
from sojourn.store.protocol import Receipt, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import NEWER_TOPIC, ODD_TEXTS, PROVIDER_JSON, UNKNOWN, noted, one_of_each, said
from sojourn.testing.fingerprint import read_all
from sojourn.testing.suite.check import on_store


async def _events(store: Store, session_id: str = "s") -> list[Event]:
    return [entry.event for entry in (await read_all(store, session_id))[1:]]


@on_store
async def an_append_tells_where_its_entries_stand(store: Store) -> None:
    await store.create_session("s")
    one = await store.append("s", [said("a")])
    two = await store.append("s", [said("b"), said("c")])
    expect_equal((one.first, one.last, two.first, two.last), (2, 2, 3, 4), "the places")
    expect_equal((await store.get_session("s")).header.head, 4, "the head")


@on_store
async def the_receipt_holds_the_entries_that_a_read_gives_back(store: Store) -> None:
    await store.create_session("s")
    receipt = await store.append("s", [said("a"), Draft(event=noted(1), causes=(Seq(1),))])
    read = await store.read("s", after=1)
    expect_equal(list(receipt.entries), read, "what the receipt holds")
    expect_equal({entry.at for entry in read}, {receipt.at}, "the time of the entries")


@on_store
async def seqs_count_up_without_gaps(store: Store) -> None:
    await store.create_session("s")
    for size in (1, 3, 2, 1):
        await store.append("s", [noted(number) for number in range(size)])
    expect_equal([entry.seq for entry in await store.read("s")], list(range(1, 9)), "the seqs")


@on_store
async def several_events_of_one_append_keep_their_order(store: Store) -> None:
    await store.create_session("s")
    events: list[Event] = [noted(1), said("a"), noted(2), said("b")]
    await store.append("s", events)
    expect_equal(await _events(store), events, "the events")


@on_store
async def a_thousand_events_fit_into_one_append(store: Store) -> None:
    await store.create_session("s")
    events = [noted(number) for number in range(1000)]
    receipt = await store.append("s", events)
    expect_equal((receipt.first, receipt.last), (2, 1001), "the places")
    expect_equal(await _events(store), events, "the events")


@on_store
async def every_kind_of_event_is_read_back_as_it_was(store: Store) -> None:
    await store.create_session("s")
    events = one_of_each()
    await store.append("s", events)
    expect_equal(await _events(store), events, "the events")


@on_store
async def text_of_any_characters_is_kept(store: Store) -> None:
    await store.create_session("s")
    events: list[Event] = [said(text) for text in ODD_TEXTS]
    events += [VariableSet(name="v", value={text: [text]}) for text in ODD_TEXTS]
    await store.append("s", events)
    expect_equal(await _events(store), events, "the events")
    messages = [entry.event for entry in await store.last_messages("s", limit=100)]
    expect_equal(messages, events[: len(ODD_TEXTS)], "the messages")


@on_store
async def provider_json_is_kept_to_the_letter(store: Store) -> None:
    await store.create_session("s")
    message = Message(role="assistant", content="x").with_raw(PROVIDER_JSON)
    await store.append("s", [said(), type(said())(message=message)])
    [entry] = await store.last_messages("s", limit=1)
    expect(PROVIDER_JSON in entry.payload, "the provider's JSON stands in the payload as it came")
    expect_equal(entry.event, type(said())(message=message), "the event")


@on_store
async def an_unknown_kind_is_kept_to_the_letter(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [UNKNOWN])
    entry = (await store.read("s"))[1]
    expect_equal(entry.event, UNKNOWN, "the event")
    expect_equal(entry.payload, bytes(UNKNOWN.payload).decode(), "the payload")


@on_store
async def unknown_fields_are_kept_to_the_letter(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [NEWER_TOPIC])
    entry = (await store.read("s"))[1]
    expect_equal(entry.event, TopicChanged(topic="sheep"), "the event")
    expect_equal(entry.payload, bytes(NEWER_TOPIC.payload).decode(), "the payload")


@on_store
async def a_draft_keeps_its_causes(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said(), noted(1)])
    drafts = [Draft(event=noted(2), causes=(Seq(2), Seq(3))), Draft(event=noted(3), causes=(Seq(4),))]
    await store.append("s", drafts)
    expect_equal([entry.causes for entry in await store.read("s")], [(), (), (), (2, 3), (4,)], "the causes")


@on_store
async def a_cause_must_stand_before_its_effect(store: Store) -> None:
    await store.create_session("s")
    for cause in (2, 3, 99):
        with expect_raises(InvalidEventError):
            await store.append("s", [Draft(event=noted(1), causes=(Seq(cause),))])
    expect_equal((await store.get_session("s")).header.head, 1, "the head")


@on_store
async def an_append_with_one_bad_event_writes_nothing(store: Store) -> None:
    await store.create_session("s")
    with expect_raises(InvalidEventError):
        await store.append("s", [said("good"), VariableSet(name="v", value=float("nan")), said("good")])
    expect_equal([entry.seq for entry in await store.read("s")], [1], "the entries")


@on_store
async def an_append_at_the_expected_head_goes_through(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("a")], expected=1)
    await store.append("s", [said("b")], expected=2)
    expect_equal(await _events(store), [said("a"), said("b")], "the events")


@on_store
async def an_append_behind_or_before_the_head_is_a_conflict(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("a")])
    for expected in (0, 1, 3, 1_000):
        with expect_raises(ConflictError):
            await store.append("s", [said("b")], expected=expected)
    expect_equal(await _events(store), [said("a")], "the events")


@on_store
async def of_many_writers_at_one_head_exactly_one_wins(store: Store) -> None:
    await store.create_session("s")
    outcomes: list[str] = []

    async def write(number: int) -> None:
        try:
            await store.append("s", [noted(number)], expected=1)
            outcomes.append("won")
        except ConflictError:
            outcomes.append("lost")

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(write, number)
    expect_equal(sorted(outcomes), ["lost"] * 7 + ["won"], "the outcomes")
    expect_equal((await store.get_session("s")).header.head, 2, "the head")


@on_store
async def concurrent_appends_are_all_kept_and_never_mixed(store: Store) -> None:
    await store.create_session("s")
    receipts: dict[int, Receipt] = {}

    async def write(number: int) -> None:
        receipts[number] = await store.append("s", [noted(number), noted(number)])

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(write, number)
    stored = await read_all(store, "s")
    for number, receipt in receipts.items():
        placed = [entry.event for entry in stored[receipt.first - 1 : receipt.last]]
        expect_equal(placed, [noted(number)] * 2, "the events at the receipt's place")
    expect_equal(len(stored), 41, "the number of entries")


@on_store
async def the_same_key_gives_the_first_receipt_and_writes_nothing(store: Store) -> None:
    await store.create_session("s")
    first = await store.append("s", [said("a"), said("b")], key="k")
    await store.append("s", [said("c")])
    again = await store.append("s", [said("a"), said("b")], key="k")
    expect_equal((again.first, again.last, again.at), (first.first, first.last, first.at), "the second receipt")
    expect_equal((first.repeated, again.repeated, again.entries), (False, True, ()), "what they say of repetition")
    expect_equal(await _events(store), [said("a"), said("b"), said("c")], "the events")


@on_store
async def a_retry_with_its_key_ignores_that_the_head_moved(store: Store) -> None:
    await store.create_session("s")
    first = await store.append("s", [said("a")], expected=1, key="k")
    again = await store.append("s", [said("a")], expected=1, key="k")
    expect_equal((again.first, again.repeated), (first.first, True), "the second receipt")


@on_store
async def a_key_that_failed_can_be_used_again(store: Store) -> None:
    await store.create_session("s")
    with expect_raises(ConflictError):
        await store.append("s", [said("a")], expected=7, key="k")
    receipt = await store.append("s", [said("a")], expected=1, key="k")
    expect_equal((receipt.first, receipt.repeated), (2, False), "the receipt")


@on_store
async def a_key_counts_for_one_session_only(store: Store) -> None:
    await store.create_session("s")
    await store.create_session("t")
    await store.append("s", [said("a")], key="k")
    receipt = await store.append("t", [said("b")], key="k")
    expect_equal((receipt.repeated, await _events(store, "t")), (False, [said("b")]), "the other session's append")


@on_store
async def a_key_may_be_long_and_odd(store: Store) -> None:
    await store.create_session("s")
    for key in ("k" * 1_000, "Key", "key", "é", "a/b:c__d' \n", ""):
        first = await store.append("s", [said()], key=key)
        again = await store.append("s", [said()], key=key)
        expect_equal((first.repeated, again.repeated, again.first), (False, True, first.first), f"for key {key!r:.20}")


@on_store
async def one_key_under_concurrency_is_written_once(store: Store) -> None:
    await store.create_session("s")
    receipts: list[Receipt] = []

    async def write() -> None:
        receipts.append(await store.append("s", [said("a"), said("b")], key="k"))

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(write)
    expect_equal({(receipt.first, receipt.last) for receipt in receipts}, {(2, 3)}, "the places")
    expect_equal(sum(not receipt.repeated for receipt in receipts), 1, "the number of first receipts")
    expect_equal(await _events(store), [said("a"), said("b")], "the events")


@on_store
async def an_append_with_the_lease_in_force_goes_through(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "me")
    await store.append("s", [said("a")], lease=lease)
    expect_equal(await _events(store), [said("a")], "the events")


@on_store
async def an_append_with_an_old_holders_lease_is_refused(store: Store) -> None:
    await store.create_session("s")
    old = await store.acquire_lease("s", "one", ttl=0)
    await store.acquire_lease("s", "two")
    with expect_raises(LeaseLostError):
        await store.append("s", [said("late")], lease=old)
    expect_equal(await _events(store), [], "the events")


@on_store
async def an_append_without_a_lease_is_free_to_anyone(store: Store) -> None:
    await store.create_session("s")
    await store.acquire_lease("s", "one")
    await store.append("s", [said("a")])
    expect_equal(await _events(store), [said("a")], "the events")


@on_store
async def an_append_clears_the_partial_text_if_asked(store: Store) -> None:
    await store.create_session("s")
    await store.save_partial("s", "hel")
    await store.append("s", [noted(1)])
    kept = await store.find_partial("s")
    await store.append("s", [said("hello")], clear_partial=True)
    expect_equal(kept.text if kept else None, "hel", "the text before")
    expect_equal(await store.find_partial("s"), None, "the text after")


@on_store
async def a_refused_append_leaves_the_partial_text(store: Store) -> None:
    await store.create_session("s")
    await store.save_partial("s", "hel")
    with expect_raises(ConflictError):
        await store.append("s", [said("hello")], expected=9, clear_partial=True)
    kept = await store.find_partial("s")
    expect_equal(kept.text if kept else None, "hel", "the text")


@on_store
async def a_cancelled_append_is_there_whole_or_not_at_all(store: Store) -> None:
    await store.create_session("s")
    for patience in range(12):

        async def write(number: int = patience) -> None:
            await store.append("s", [noted(number), noted(number), noted(number)])

        async with anyio.create_task_group() as group:
            group.start_soon(write)
            for _ in range(patience):
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
    await store.append("s", [said("still usable")])
    events = await _events(store)
    numbers = [event.topic for event in events if isinstance(event, TopicChanged)]
    expect_equal(events[-1], said("still usable"), "the last event")
    expect_equal([numbers.count(number) for number in set(numbers)], [3] * len(set(numbers)), "the copies of each")


@on_store
async def the_row_follows_the_journal(store: Store) -> None:
    await store.create_session("s")
    events: Sequence[Event | UnknownEvent] = one_of_each()
    receipt = await store.append("s", events)
    entries: list[Entry] = await read_all(store, "s")
    row = await store.get_session("s")
    header = row.header
    expect_equal(header.head, receipt.last, "the head")
    expect_equal(header.updated_at, entries[-1].at, "the last activity")
    expect_equal((header.message_count, header.total_tokens, header.cost_micros), (2, 37, 5), "the totals")
    expect_equal((header.title, header.tags, header.superseded_by), ("A title", ("work", "ß"), "other"), "the rest")
