"""The index in a SQLite file: it can be thrown away, keeps no trace of what was forgotten, and ranks few documents."""

import logging
import random
import stat
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sojourn.errors import ClosedError, CorruptError, EmbeddingError, InvalidInputError, MissingExtraError
from sojourn.memory.index import sqlite_matching, sqlite_vectors
from sojourn.memory.index.document import Part, Where
from sojourn.memory.index.sqlite_file import SCHEMA_VERSION
from sojourn.memory.index.sqlite_index import SqliteIndex
from sojourn.memory.index.sqlite_matching import expression
from sojourn.model.ids import DEFAULT_TENANT, Seq, SessionId
from tests.memory.index_talk import (
    EVERYWHERE,
    MODEL,
    embed,
    fact,
    holding,
    key,
    learn,
    matching,
    near,
    number_of,
    tell,
    unit,
)

pytestmark = pytest.mark.anyio
SECRET = "quetzalcoatlus"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "search.db"


def opened(path: Path | None) -> SqliteIndex:
    return SqliteIndex(path, tenant=DEFAULT_TENANT)


def bytes_of(path: Path) -> bytes:
    """Return all that lies beside *path* on the disk, in one case."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir())).lower()


def write_over(path: Path, damage: bytes, *, at: int = 0) -> None:
    before = path.read_bytes()
    path.write_bytes(before[:at] + damage + before[at + len(damage) :])


def rewrite(path: Path, sql: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(sql)


# --- the file


async def test_the_file_is_its_owners_alone(path: Path) -> None:
    async with opened(path) as index:
        await tell(index, "a giraffe")

        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_an_index_of_another_version_is_made_anew(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with opened(path) as index:
        await tell(index, "a giraffe")
    rewrite(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")

    with caplog.at_level(logging.WARNING):
        async with opened(path) as index:
            assert await index.sessions() == []
            await tell(index, "an okapi")
            assert await matching(index, "okapi") == ["an okapi"]

    assert f"{path} is made anew: it has schema {SCHEMA_VERSION + 1}" in caplog.text


@pytest.mark.parametrize(
    "damage", [b"\xff" * 100, b"nothing that SQLite knows" * 400, b"SQLite format 3\0" + b"\7" * 9000]
)
async def test_a_damaged_index_is_made_anew(damage: bytes, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with opened(path) as index:
        await tell(index, "a giraffe")
    write_over(path, damage)

    with caplog.at_level(logging.WARNING):
        async with opened(path) as index:
            assert await index.sessions() == []
            await tell(index, "an okapi")
            assert await matching(index, "okapi") == ["an okapi"]

    assert "is made anew" in caplog.text


async def test_damage_that_is_found_later_is_mended_by_opening_again(path: Path) -> None:
    async with opened(path) as index:
        await tell(index, *(f"giraffe number {number}" for number in range(2000)))
    write_over(path, b"\xff" * 500_000, at=4096 * 30)  # behind the schema, which opening looks at

    async with opened(path) as index:
        with pytest.raises(CorruptError):
            await index.match(["giraffe"], EVERYWHERE, 10)
    async with opened(path) as index:
        assert await index.sessions() == []
        await tell(index, "an okapi")
        assert await matching(index, "okapi") == ["an okapi"]


async def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    rewrite(path, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    before = bytes_of(path)

    with pytest.raises(CorruptError, match="is no search index"):
        await opened(path).__aenter__()

    assert bytes_of(path) == before


async def test_a_closed_index_says_so(path: Path) -> None:
    async with opened(path) as index:
        pass

    with pytest.raises(ClosedError):
        await index.sessions()


async def test_an_index_can_be_opened_again(path: Path) -> None:
    index = opened(path)
    async with index:
        await tell(index, "a giraffe")
        await embed(index, {"a giraffe": unit(1, 0)})
        assert await near(index, 1, 0) == ["a giraffe"]
    async with index:
        assert await matching(index, "giraffe") == ["a giraffe"]
        assert await near(index, 1, 0) == ["a giraffe"]


async def test_a_stretch_that_ends_before_it_begins_is_refused() -> None:
    async with opened(None) as index:
        with pytest.raises(InvalidInputError):
            await index.add(key(), after=Seq(3), through=Seq(2))

        assert await index.sessions() == []


# --- no trace


async def test_no_byte_of_what_was_forgotten_stays(path: Path) -> None:
    async with opened(path) as index:
        await tell(
            index, *(f"message {number} about rivers" for number in range(50)), f"I saw a {SECRET}_bone at 東京湾"
        )
        await learn(index, fact(f"The user saw a {SECRET}.", evidence=(51,)))
        await tell(index, *(f"message {number} about hills" for number in range(50)))
        assert SECRET.encode() in bytes_of(path)

        await index.forget(SessionId("s"), [51])

        assert SECRET.encode() not in bytes_of(path)
        assert "京湾".encode() not in bytes_of(path)
        assert await matching(index, SECRET) == []
        assert await holding(index, "東京湾") == []


async def test_no_byte_of_a_dropped_session_stays(path: Path) -> None:
    async with opened(path) as index:
        await tell(index, "a giraffe")
        await tell(index, *(f"a {SECRET} {number}" for number in range(20)), owner=key("gone", user_id="pachyderm"))
        await learn(index, fact(f"There is a {SECRET}."), owner=key("gone", user_id="pachyderm"))

        await index.drop_session(SessionId("gone"))

        assert SECRET.encode() not in bytes_of(path)
        assert b"pachyderm" not in bytes_of(path)
        assert await matching(index, "giraffe") == ["a giraffe"]


async def test_no_word_of_many_forgotten_messages_stays(path: Path) -> None:
    """Words that stand first on a page of FTS5's tree are kept in its inner pages too."""
    letters = random.Random(3)
    words = ["".join(letters.choices("bcdfghjklmnpqrstvwxz", k=12)) for _ in range(3000)]
    async with opened(path) as index:
        for start in range(0, 3000, 100):
            await tell(index, *(f"{words[start + i]} {words[(start + i) * 7 % 3000]}" for i in range(100)))
        forgotten = range(1, 3001, 3)

        await index.forget(SessionId("s"), forgotten)

        kept = {
            word
            for place in range(3000)
            if place + 1 not in forgotten
            for word in (words[place], words[place * 7 % 3000])
        }
        left = bytes_of(path)
        assert [word for word in {*words} - kept if word.encode() in left] == []
        assert await matching(index, words[1]) != []


async def test_the_vectors_of_what_was_forgotten_are_gone(path: Path) -> None:
    async with opened(path) as index:
        await tell(index, "a giraffe", "an okapi")
        await embed(index, {"a giraffe": unit(1, 0), "an okapi": unit(0.9, 0.1)})
        assert await near(index, 1, 0) == ["a giraffe", "an okapi"]

        await index.forget(SessionId("s"), [1])

        assert await near(index, 1, 0) == ["an okapi"]
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchall() == [(1,)]


# --- words


def test_few_documents_are_ranked_however_common_the_words() -> None:
    words = [(100, '"a"'), (30_000, '"b"'), (300_000, '"c"'), (600_000, '"d"'), (990_000, '"e"')]

    asked = expression(words, 1_000_000, share=1, limit=200)

    assert asked.expression == '("a" OR "b") AND ("a" OR "b" OR "c" OR "c")'


def test_in_a_small_part_of_the_index_every_word_counts() -> None:
    asked = expression([(100, '"a"'), (300_000, '"b"')], 1_000_000, share=0.01, limit=200)

    assert asked.expression == '"a" OR "b"'
    assert not asked.rest


def test_common_words_alone_are_asked_for_together() -> None:
    asked = expression([(300_000, '"a"'), (300_000, '"b"'), (400_000, '"c"')], 1_000_000, share=1, limit=200)

    assert asked.expression == '("a" AND "b" AND "c") AND ("a" OR "b" OR "c")'


def test_words_in_nearly_every_document_are_asked_for_if_there_are_no_others() -> None:
    assert expression([(99, '"a"'), (100, '"b"')], 100, share=1, limit=10).expression == '"a" OR "b"'


async def test_the_best_are_the_same_when_few_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    said = random.Random(5)
    words = [f"word{number}" for number in range(60)]
    weights = [1 / (number + 1) for number in range(60)]
    async with opened(None) as index:
        await tell(index, *(" ".join(said.choices(words, weights, k=12)) for _ in range(2000)))
        question = ["word4", "word6", "word55"]
        before = await index.match(question, EVERYWHERE, 20)

        monkeypatch.setattr(sqlite_matching, "MIN_RANKED", 300)
        after = await index.match(question, EVERYWHERE, 20)

    assert [one.number for one in after] == [one.number for one in before]
    assert [one.score for one in after] == pytest.approx([one.score for one in before])


async def test_common_words_fill_up_what_rare_ones_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_matching, "MIN_RANKED", 3)
    async with opened(None) as index:
        await tell(index, "a rare okapi", *(f"tall giraffe {number}" for number in range(8)))
        await tell(index, *(f"giraffe {number}" for number in range(2)), *(f"nothing {number}" for number in range(30)))

        found = await matching(index, "rare", "tall", "giraffe", limit=9)

    assert found == ["a rare okapi", *(f"tall giraffe {number}" for number in reversed(range(8)))]


async def test_what_few_ranked_documents_leave_out_is_looked_for_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_matching, "MIN_RANKED", 3)
    async with opened(None) as index:
        await tell(index, "a rare giraffe", role="assistant")
        await tell(index, *(f"giraffe {number}" for number in range(6)))
        await tell(index, *(f"nothing {number}" for number in range(9)))

        found = await matching(index, "rare", "giraffe", where=Where(everyone=True, roles=("user",)))

    assert set(found) == {f"giraffe {number}" for number in range(6)}


async def test_the_documents_of_many_sessions_are_told_by_their_numbers() -> None:
    async with opened(None) as index:
        for number in range(12):
            owner = key(f"s{number}", user_id="ada" if number % 2 else "bob")
            await tell(index, f"giraffe number {number}", owner=owner)
        parts = tuple(Part(session_id=SessionId(f"s{number}")) for number in range(7))

        assert len(await matching(index, "giraffe", where=Where(user_id="ada"), limit=50)) == 6
        assert len(await matching(index, "giraffe", where=Where(parts=parts), limit=50)) == 7


async def test_a_word_that_is_new_in_a_large_index_is_found_at_once() -> None:
    async with opened(None) as index:
        await tell(index, *(f"talk of the day {number}" for number in range(12_000)))
        assert await matching(index, "giraffe", "talk", limit=1) != []

        await tell(index, "a giraffe")

        assert await matching(index, "giraffe") == ["a giraffe"]
        assert await index.frequencies(["giraffe", "talk", "nobody"]) == (12_001, [1, 12_000, 0])


# --- vectors


async def test_without_numpy_words_are_found_and_vectors_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = unit(1, 0)
    async with opened(None) as index:
        await tell(index, "a giraffe")
        number = await number_of(index, "a giraffe")
        monkeypatch.setitem(sys.modules, "numpy", None)

        assert await matching(index, "giraffe") == ["a giraffe"]
        assert [one.number for one in await index.without_vectors(MODEL, 10)] == [number]
        assert await index.drop_vectors(except_models=()) == 0
        with pytest.raises(MissingExtraError, match="embeddings"):
            await index.add_vectors(MODEL, [(number, rows)])
        with pytest.raises(MissingExtraError, match="embeddings"):
            await index.nearest(MODEL, rows[0], EVERYWHERE, 10)
        with pytest.raises(MissingExtraError, match="embeddings"):
            await index.similarities(MODEL, rows[0], [number])
        with pytest.raises(MissingExtraError, match="embeddings"):
            await index.closest_vectors(MODEL, rows[0], [number])


async def test_vectors_that_another_process_adds_are_found(path: Path) -> None:
    async with opened(path) as mine, opened(path) as theirs:
        await tell(mine, "north", "east", "south")
        await embed(mine, {"north": unit(0, 1)})
        assert await near(theirs, 0, 1) == ["north"]

        await embed(mine, {"east": unit(1, 0)})
        await embed(theirs, {"south": unit(0, -1)})

        assert await near(theirs, 0, 1) == await near(mine, 0, 1) == ["north", "east", "south"]


async def test_vectors_of_a_dropped_model_are_not_found_under_its_name_again(path: Path) -> None:
    async with opened(path) as index:
        await tell(index, "north", "east")
        await embed(index, {"north": unit(0, 1), "east": unit(1, 0)})
        assert await near(index, 0, 1) == ["north", "east"]

        assert await index.drop_vectors(except_models=()) == 2
        await embed(index, {"east": unit(1, 0, 0)})

        assert await near(index, 0, 1, 0) == ["east"]
        with pytest.raises(EmbeddingError):
            await near(index, 0, 1)


async def test_the_copy_in_memory_is_read_anew_when_much_of_it_is_gone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_vectors, "_AT_ONCE", 2)
    async with opened(path) as index:
        await tell(index, *(f"message {number}" for number in range(20)))
        await embed(index, {f"message {number}": unit(number, 1) for number in range(20)})
        assert len(await near(index, 1, 0, limit=50)) == 20

        await index.forget(SessionId("s"), range(1, 16))

        assert set(await near(index, 1, 0, limit=50)) == {f"message {number}" for number in range(15, 20)}
        assert index._nearest is not None
        [copy] = index._nearest._copies.values()
        assert len(copy.table) == 5
