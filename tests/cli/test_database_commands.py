"""The database is looked at, asked, copied, made anew and tidied from the command line."""

import asyncio
import io
from pathlib import Path

import apsw
import pytest

import sojourn
from sojourn.desk.columns import width
from sojourn.testing.postgres import fresh_schema
from tests.cli.typed import Type

QUIET = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)


def kept(location: str | Path, *titles: str) -> None:
    """Keep a session of two messages under each of *titles*; the last one has a fork."""

    async def keep() -> None:
        async with sojourn.open(location, settings=QUIET) as app:
            for title in titles:
                session = await app.sessions.create(title.lower(), title=title)
                await session.messages.user(f"Tell me about {title}")
                await session.messages.assistant("\x1b[31mno\nsecond line")
            await app.sessions.fork(titles[-1].lower(), "fork")

    asyncio.run(keep())


@pytest.fixture
def database(folder: Path) -> Path:
    (folder / "home").mkdir()
    kept(folder / "home" / "sojourn.db", "Apples", "Pears")
    return folder / "home" / "sojourn.db"


@pytest.fixture
def damaged(database: Path) -> Path:
    connection = apsw.Connection(str(database))
    connection.execute(
        "UPDATE journal SET payload = replace(payload, 'me', 'us') WHERE session_id = 'apples' AND seq = 2"
    )
    connection.close()
    return database


def test_the_path_is_all_that_is_printed(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    assert type_("db", "path").out == f"{folder / 'home' / 'sojourn.db'}\n"

    monkeypatch.setenv("SOJOURN_STORE", "files:~/kept")
    monkeypatch.setenv("HOME", "/home/ada")
    assert type_("db", "path", "--json").data == {
        "path": "/home/ada/kept", "kind": "files", "location": "files:~/kept",
    }  # fmt: skip
    assert type_("db", "path", "--store", "postgresql://ada:secret@host/db").out == "postgresql://host/db\n"


def test_what_is_kept_is_counted_and_what_forks_share_only_once(anywhere: Path, type_: Type) -> None:
    files = anywhere / "kept"
    (anywhere / "home").mkdir()
    kept(f"files:{files}", "Apples", "Pears")
    kept(anywhere / "home" / "sojourn.db", "Apples", "Pears")

    counted = type_("db", "stats", "--json").data
    told = type_("db", "stats")

    assert (counted["sessions"], counted["messages"], counted["entries"]) == (3, 4, 7)
    assert counted["bytes"]["total"] > counted["bytes"]["data"] > 0
    assert [one["message_count"] for one in counted["largest"]] == [2, 2, 2]
    assert "messages  4" in told.lines
    assert any(line.startswith("room      ") and "index" in line for line in told.lines)


def test_a_store_that_is_not_there_is_empty_and_is_not_made(folder: Path, type_: Type) -> None:
    assert type_("db", "stats", "--json").data["sessions"] == 0
    for words in (("query", "SELECT 1"), ("backup", "copy.db"), ("rebuild",), ("vacuum",)):
        refused = type_("db", *words, "--json")
        assert (refused.code, refused.error["kind"]) == (3, "NotFoundError"), words
        assert refused.answer["command"] == f"db {words[0]}"
    assert not (folder / "home").exists()


# --- query


def test_sql_is_answered_for_people_for_pipes_and_for_programs(
    database: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT session_id, id, content FROM messages ORDER BY session_id, id"

    piped = type_("db", "query", sql)
    monkeypatch.setenv("COLUMNS", "40")
    seen = type_("db", "query", sql)
    data = type_("db", "query", sql, "--json").data

    assert piped.lines[:2] == ["session_id\tid\tcontent", "apples\t2\tTell me about Apples"]
    assert piped.lines[2] == "apples\t3\t\\x1b[31mno second line"
    assert seen.lines[1] == "apples      2   Tell me about Apples"
    assert max(map(width, seen.lines)) <= 40
    assert data["columns"] == ["session_id", "id", "content"]
    assert data["rows"][1] == ["apples", 3, "\x1b[31mno\nsecond line"]


def test_rows_beyond_the_limit_are_mentioned(database: Path, type_: Type) -> None:
    told = type_("db", "query", "SELECT seq FROM journal", "-n", "2")

    assert len(told.lines) == 3
    assert "more than 2 rows" in told.err


def test_sql_may_come_from_stdin(database: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT count(*) AS n\nFROM sessions;\n"))

    assert type_("db", "query", "-").lines == ["n", "3"]


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_sql_that_is_no_text_is_refused(
    database: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, errors: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT '\xff'"), "utf-8", errors))

    told = type_("db", "query", "-")

    assert told.code == 2
    assert "no text" in told.err


@pytest.mark.parametrize(
    "sql", ["DELETE FROM journal", "SELECT", "SELECT nothing FROM nowhere", "", "SELECT 1; SELECT 2"]
)
def test_anything_else_is_one_sentence_and_changes_nothing(database: Path, type_: Type, sql: str) -> None:
    before = database.read_bytes()

    refused = type_("db", "query", sql)

    assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1)
    assert database.read_bytes() == before


def test_files_say_what_they_have_instead_of_sql(folder: Path, type_: Type) -> None:
    kept(f"files:{folder / 'kept'}", "Apples")

    refused = type_("db", "query", "SELECT 1", "--store", f"files:{folder / 'kept'}")

    assert refused.code == 2
    assert "journal.jsonl" in refused.err


def test_postgres_is_asked_counted_and_tidied_like_the_others(folder: Path, type_: Type, postgres_url: str) -> None:
    with fresh_schema(postgres_url) as url:
        kept(url, "Apples")

        assert type_("db", "query", "SELECT count(*) FROM messages", "--store", url).lines == ["count", "2"]
        assert type_("db", "query", "DELETE FROM journal", "--store", url).code == 2
        counted = type_("db", "stats", "--store", url, "--json").data
        assert (counted["sessions"], counted["bytes"]["index"] > 0) == (2, True)
        assert type_("db", "vacuum", "--store", url).code == 0
        assert type_("db", "backup", str(folder / "copy.db"), "--store", url).code == 0
    assert type_("db", "stats", "--store", str(folder / "copy.db"), "--json").data["messages"] == 2


# --- backup, rebuild, vacuum


def test_a_backup_is_read_back_and_never_replaces_anything(anywhere: Path, type_: Type) -> None:
    type_("new", "Apples", "--session-id", "apples")
    target = anywhere / "new" / "copy"

    made = type_("db", "backup", str(target))
    again = type_("db", "backup", str(target), "--json")

    assert (made.code, made.out) == (0, f"{target}\n")
    assert "read back and whole" in made.err
    assert (again.code, again.error["kind"]) == (4, "AlreadyExistsError")
    place = f"files:{target}" if target.is_dir() else str(target)
    assert type_("show", "apples", "--store", place).lines[0] == "Apples"


def test_a_damaged_store_is_copied_as_it_is_and_said_to_be_damaged(damaged: Path, type_: Type) -> None:
    made = type_("db", "backup", str(damaged.with_name("copy.db")))

    assert (made.code, made.out) == (5, f"{damaged.with_name('copy.db')}\n")
    assert "the copy is made" in made.err
    assert type_("show", "pears", "--store", str(damaged.with_name("copy.db"))).code == 0


def test_what_is_derived_is_made_anew(database: Path, type_: Type) -> None:
    connection = apsw.Connection(str(database))
    connection.execute("UPDATE sessions SET title = 'wrong', message_count = 99 WHERE session_id = 'apples'")
    connection.close()
    database.with_name("sojourn.db.index").unlink()

    assert type_("db", "rebuild", "--json").data == {"sessions": 3, "indexed": 3}
    assert type_("show", "apples", "--json").data["session"]["title"] == "Apples"
    assert "[2]" in type_("search", "apples", "--all").out


def test_a_damaged_session_is_named_and_the_others_are_made_anew(damaged: Path, type_: Type) -> None:
    told = type_("db", "rebuild")
    found = type_("search", "Pears", "--all")

    assert told.code == 5
    assert "session=apples" in told.err
    assert "all but the damaged ones" in told.out
    assert "Tell me about Pears" in found.out


def test_room_that_was_left_is_given_back(database: Path, type_: Type) -> None:
    async def fill() -> None:
        async with sojourn.open(database, settings=QUIET) as app:
            session = await app.sessions.create("large")
            await session.messages.user("word " * 200_000)
            await app.sessions.delete("large")
            await app.sessions.purge("large")

    asyncio.run(fill())
    before = database.stat().st_size

    told = type_("db", "vacuum", "--json").data

    assert database.stat().st_size < before / 2
    assert told["after"] < told["before"]
    assert type_("doctor").code == 0


def test_files_leave_no_gaps_and_say_so(folder: Path, type_: Type) -> None:
    kept(f"files:{folder / 'kept'}", "Apples")

    assert type_("db", "vacuum", "--store", f"files:{folder / 'kept'}").code == 2
