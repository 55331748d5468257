"""A session is named by its id, a piece of it, its title, or as the one used last; what is unclear is told."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sojourn.desk.references import find
from sojourn.engine.pointer import pointer_key
from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.model.events import SessionArchived, SessionCreated, SessionSuperseded, SessionTrashed
from sojourn.model.ids import check_session_id
from sojourn.store import Store, open_store
from sojourn.testing.clock import FakeClock
from tests.cli.typed import Type

PROJECT = "p"


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    """Four sessions, the last one begun last."""
    async with open_store("memory:", clock=FakeClock(tick=1.0)) as opened:
        for session_id, title in (
            ("alpha-0001", "Trip to Lisbon"),
            ("alpha-0002", "Trip to Porto"),
            ("beta-1001", "日本語"),
            ("beta-1003", "Trip to Lisbon, again"),
        ):
            await opened.create_session(session_id, SessionCreated(title=title, project=PROJECT))
        yield opened


async def named(store: Store, reference: str) -> str:
    return (await find(store, reference, project=PROJECT)).session_id


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reference", "session_id"),
    [
        ("alpha-0001", "alpha-0001"),
        ("-0002", "alpha-0002"),
        ("1003", "beta-1003"),
        ("  beta-1001 ", "beta-1001"),
        ("trip to PORTO", "alpha-0002"),
        ("日本語", "beta-1001"),
        ("@last", "beta-1003"),
        ("@-1", "beta-1003"),
        ("@-2", "beta-1001"),
        ("@-4", "alpha-0001"),
    ],
)
async def test_a_session_goes_by_many_names(store: Store, reference: str, session_id: str) -> None:
    assert await named(store, reference) == session_id


@pytest.mark.anyio
async def test_the_pointer_says_which_was_last_and_the_others_follow_it(store: Store) -> None:
    await store.documents.save(pointer_key(PROJECT), {"session_id": "alpha-0002"})

    assert [await named(store, f"@-{number}") for number in (1, 2, 3, 4)] == [
        "alpha-0002",
        "beta-1003",
        "beta-1001",
        "alpha-0001",
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("pointer", [{"session_id": "gone"}, {"session_id": 7}, {"session_id": "../x"}, {"other": 1}])
async def test_a_pointer_that_leads_nowhere_is_passed_over(store: Store, pointer: dict[str, object]) -> None:
    await store.documents.save(pointer_key(PROJECT), pointer)

    assert await named(store, "@last") == "beta-1003"


@pytest.mark.anyio
async def test_what_is_archived_is_found_by_name_and_not_counted(store: Store) -> None:
    await store.append("beta-1003", [SessionArchived()])

    assert await named(store, "1003") == "beta-1003"
    assert await named(store, "@last") == "beta-1001"


@pytest.mark.anyio
async def test_an_id_wins_over_a_title_that_is_written_like_it(store: Store) -> None:
    await store.create_session("other-1", SessionCreated(title="beta-1001"))

    assert await named(store, "beta-1001") == "beta-1001"


@pytest.mark.anyio
async def test_several_are_told_apart_by_their_ids(store: Store) -> None:
    with pytest.raises(InvalidInputError, match="'alpha' names 2 sessions") as told:
        await find(store, "alpha")

    assert told.value.__notes__ == ["alpha-0002  Trip to Porto", "alpha-0001  Trip to Lisbon"]


@pytest.mark.anyio
async def test_many_are_counted(store: Store) -> None:
    for number in range(7):
        await store.create_session(f"gamma-{number}", SessionCreated(title="Same"))

    with pytest.raises(InvalidInputError) as told:
        await find(store, "same")

    assert len(told.value.__notes__) == 6
    assert told.value.__notes__[-1] == "and 2 more"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reference", "near"),
    [("Lisbon", {"alpha-0001", "beta-1003"}), ("Trip to Portu", {"alpha-0002", "alpha-0001"})],
)
async def test_what_is_not_found_is_told_with_what_is_near(store: Store, reference: str, near: set[str]) -> None:
    with pytest.raises(SessionNotFoundError, match=f"no session is called '{reference}'") as told:
        await find(store, reference)

    assert near <= {note.split()[0] for note in told.value.__notes__}


@pytest.mark.anyio
async def test_where_nothing_is_near_it_is_told_what_lists_them(store: Store) -> None:
    with pytest.raises(SessionNotFoundError) as told:
        await find(store, "zebra")
    with pytest.raises(SessionNotFoundError) as thrown:
        await find(store, "zebra", among="trash")

    assert told.value.__notes__ == ["sojourn ls --all lists what there is"]
    assert thrown.value.__notes__ == ["sojourn ls --trash lists what there is"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("words", "session_id"),
    [("porto", "alpha-0002"), ("to Port", "alpha-0002"), ("日本", "beta-1001"), ("again", "beta-1003")],
)
async def test_words_of_a_title_name_it_where_no_other_has_them(store: Store, words: str, session_id: str) -> None:
    assert await named(store, words) == session_id
    with pytest.raises(SessionNotFoundError):
        await find(store, words, whole=True)


@pytest.mark.anyio
@pytest.mark.parametrize("words", ["orto", "por", "a(gain", "gain"])
async def test_pieces_of_a_word_name_nothing(store: Store, words: str) -> None:
    with pytest.raises(SessionNotFoundError):
        await find(store, words)


@pytest.mark.anyio
async def test_words_of_what_was_rewound_name_what_goes_on_in_its_place(store: Store) -> None:
    await store.create_session("later", SessionCreated(title="Trip to Porto"))
    await store.append("alpha-0002", [SessionSuperseded(by=check_session_id("later"))])

    assert await named(store, "porto") == "later"


@pytest.mark.anyio
@pytest.mark.parametrize("reference", ["", "   ", "@", "@-0", "@-5", "@first", "@-99999999", "abc", "../up", "\x00"])
async def test_what_names_nothing_is_refused(store: Store, reference: str) -> None:
    with pytest.raises((InvalidInputError, SessionNotFoundError)):
        await find(store, reference, project=PROJECT)


@pytest.mark.anyio
async def test_the_trash_is_another_place(store: Store) -> None:
    await store.append("beta-1001", [SessionTrashed()])

    with pytest.raises(SessionNotFoundError) as told:
        await find(store, "beta-1001")
    assert told.value.__notes__[0] == "beta-1001 is in the trash: sojourn restore takes it out"
    assert (await find(store, "1001", among="trash")).session_id == "beta-1001"
    with pytest.raises(SessionNotFoundError, match="alpha-0001"):
        await find(store, "alpha-0001", among="trash")


@pytest.mark.anyio
async def test_in_the_trash_the_last_is_what_was_thrown_away_last(store: Store) -> None:
    await store.append("beta-1001", [SessionTrashed()])
    await store.append("alpha-0001", [SessionTrashed()])

    found = [(await find(store, f"@-{number}", project=PROJECT, among="trash")).session_id for number in (1, 2)]

    assert found == ["alpha-0001", "beta-1001"]
    for reference in ("@-0", "@-3"):
        with pytest.raises(SessionNotFoundError, match="2 sessions in the trash"):
            await find(store, reference, among="trash")


@pytest.mark.anyio
async def test_a_title_does_not_name_what_was_rewound_and_an_id_does(store: Store) -> None:
    await store.create_session("later", SessionCreated(title="Trip to Porto"))
    await store.append("alpha-0002", [SessionSuperseded(by=check_session_id("later"))])

    assert await named(store, "Trip to Porto") == "later"
    assert await named(store, "alpha-0002") == "alpha-0002"


def test_every_command_says_which_it_may_have_been(folder: Path, type_: Type) -> None:
    type_("new", "Trip to Lisbon", "--session-id", "trip-0001")
    type_("new", "Trip to Porto", "--session-id", "trip-0002")

    for words in (("show",), ("fork",), ("tree",), ("tag",), ("archive",), ("delete",), ("rename", "--", "trip", "x")):
        reference = () if "--" in words else ("trip",)
        told = type_(*words, *reference)
        assert told.code == 2, words
        assert "trip-0001  Trip to Lisbon" in told.err
        assert "trip-0002  Trip to Porto" in told.err

    unknown = type_("show", "Lisbao", "--json")
    assert unknown.code == 3
    assert unknown.error["message"] == "no session is called 'Lisbao'"
    unclear = type_("forget", "session", "Lisbon", "--json")
    assert unclear.code == 3
    assert unclear.error["hint"] == "trip-0001  Trip to Lisbon"


def test_the_first_command_in_an_empty_place_says_that_it_is_empty(folder: Path, type_: Type) -> None:
    assert type_("show").err.splitlines()[-1] == "error: there is no session in this project"
    assert type_("restore", "@last").err.splitlines()[-1] == "error: there is no session in the trash"
