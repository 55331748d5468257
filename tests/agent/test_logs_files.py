"""A log's folder: which files there are, what they are called, and who may read them."""

import itertools
import logging
import re
import shutil
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sojourn.agent.logs.config import SESSION_ID, LogConfig, LogStream
from sojourn.agent.logs.logger import SessionLogger
from sojourn.errors import AccessError, AlreadyExistsError, ClosedError, CorruptError, InvalidInputError
from sojourn.testing.clock import FakeClock

NOON = datetime(2024, 1, 7, 14, 30, 52, tzinfo=UTC)
ALWAYS = {"session.db", "context.md"}


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def config(folder: Path, **settings: object) -> LogConfig:
    return LogConfig(base_dir=folder / "logs", clock=FakeClock(now=NOON), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("streams", "more"),
    [
        (LogStream.NONE, set()),
        (LogStream.CONTEXT, set()),
        (LogStream.VERBOSE, {"verbose.md"}),
        (LogStream.RAW, {"raw.jsonl"}),
        (LogStream.CONTEXT | LogStream.VERBOSE, {"verbose.md"}),
        (LogStream.CONTEXT | LogStream.RAW, {"raw.jsonl"}),
        (LogStream.VERBOSE | LogStream.RAW, {"verbose.md", "raw.jsonl"}),
        (LogStream.ALL, {"verbose.md", "raw.jsonl"}),
    ],
)
def test_each_stream_has_its_files_and_the_messages_are_always_there(
    tmp_path: Path, streams: LogStream, more: set[str]
) -> None:
    with SessionLogger(config(tmp_path, streams=streams)) as logger:
        logger.log_user("hello")
        logger.log_thinking("hm")
        logger.log_raw_chunk({"a": 1})
        while_open = {name for name in files(logger.session_dir) if not name.startswith("session.db-")}

    assert while_open == files(logger.session_dir) == ALWAYS | more


def test_only_the_messages_are_logged_unless_more_is_asked_for() -> None:
    assert LogConfig().streams is LogStream.CONTEXT
    assert LogStream.CONTEXT | LogStream.VERBOSE | LogStream.RAW == LogStream.ALL


@pytest.mark.parametrize("mode", ["repl", "serve", "agent"])
def test_a_folder_is_called_after_the_time_the_mode_and_six_digits(tmp_path: Path, mode: str) -> None:
    with SessionLogger(config(tmp_path, mode=mode, new_hex=lambda: "a1b2c3")) as logger:
        assert logger.session_id == f"2024-01-07_143052_{mode}_a1b2c3"
        assert logger.session_dir == tmp_path / "logs" / logger.session_id


def test_two_logs_of_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    digits = itertools.chain(["aaaaaa", "aaaaaa", "aaaaaa", "bbbbbb"])
    settings = config(tmp_path, new_hex=lambda: next(digits))
    with SessionLogger(settings) as first, SessionLogger(settings) as second:
        assert first.session_id.endswith("_aaaaaa")
        assert second.session_id.endswith("_bbbbbb")


def test_the_digits_are_random_unless_they_are_handed_in(tmp_path: Path) -> None:
    with SessionLogger(config(tmp_path)) as first, SessionLogger(config(tmp_path)) as second:
        assert SESSION_ID.fullmatch(first.session_id)
        assert SESSION_ID.fullmatch(second.session_id)
        assert first.session_id != second.session_id


def test_the_default_folder_lies_where_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SessionLogger(LogConfig()) as logger:
        assert logger.session_dir.resolve().parent == tmp_path / ".sojourn" / "logs"
        assert files(logger.session_dir) >= ALWAYS


# --- nested logs


def test_the_log_of_a_subagent_is_nested_and_says_that_it_is_an_agents(tmp_path: Path) -> None:
    with SessionLogger(config(tmp_path, streams=LogStream.ALL)) as parent, parent.create_child_logger() as child:
        child.log_user("dig")

        assert child.session_dir.parent == parent.session_dir
        assert re.fullmatch(r"subagent_[0-9a-f]{6}", child.session_dir.name)
        assert SESSION_ID.fullmatch(child.session_id)
        assert "_agent_" in child.session_id
        assert child.session_id.endswith(child.session_dir.name.removeprefix("subagent_"))
        assert child.folder.storage.get_metadata("parent_id") == parent.session_id
        assert child.config.streams is LogStream.ALL
        assert parent.get_context_messages() == []


def test_a_subagents_name_is_honoured(tmp_path: Path) -> None:
    with SessionLogger(config(tmp_path)) as parent, parent.create_child_logger("digger-1.0") as child:
        assert child.session_dir == parent.session_dir / "subagent_digger-1.0"
        with pytest.raises(AlreadyExistsError):
            parent.create_child_logger("digger-1.0")
        with child.create_child_logger("deeper") as grandchild:
            assert grandchild.session_dir.parent == child.session_dir
            assert grandchild.info.parent_id == child.session_id


@pytest.mark.parametrize("name", ["", ".", "..", "../up", "a/b", "a\\b", "a b", "a\n", "-a", "x" * 63, "é"])
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with SessionLogger(config(tmp_path)) as parent:
        before = files(parent.session_dir)
        with pytest.raises(InvalidInputError):
            parent.create_child_logger(name)
        assert files(parent.session_dir) == before


def test_a_mode_or_digits_that_are_unknown_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="repl, serve, agent"):
        config(tmp_path, mode="../x")
    with pytest.raises(InvalidInputError, match="LogStream"):
        config(tmp_path, streams=3)
    with pytest.raises(InvalidInputError, match="six hexadecimal"):
        SessionLogger(config(tmp_path, new_hex=lambda: "../../x"))
    assert not (tmp_path / "logs").exists() or not files(tmp_path / "logs")


# --- whose they are


def test_only_the_owner_can_read_a_log(tmp_path: Path) -> None:
    with SessionLogger(config(tmp_path, streams=LogStream.ALL)) as logger, logger.create_child_logger() as child:
        logger.log_user("hello")
        child.log_user("hello")
        for path in (tmp_path / "logs").rglob("*"):
            expected = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == expected, path
        assert stat.S_IMODE((tmp_path / "logs").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["context.md", "verbose.md", "raw.jsonl", "session.db"])
def test_a_link_in_the_place_of_a_file_is_never_followed(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    with SessionLogger(config(tmp_path, streams=LogStream.ALL)) as logger:
        logger.log_user("hello")
    place = logger.session_dir / name
    shutil.copy(place, victim)
    before = victim.read_bytes()
    place.unlink()
    place.symlink_to(victim)

    if name in {"context.md", "verbose.md"}:  # they are made of the database, so the link is replaced
        with SessionLogger.reopen(logger.session_dir, config(tmp_path, streams=LogStream.ALL)) as again:
            again.log_user("more")
            again.log_thinking("more")
        assert not place.is_symlink()
    else:
        with pytest.raises((AccessError, CorruptError)):
            SessionLogger.reopen(logger.session_dir, config(tmp_path, streams=LogStream.ALL))
    assert victim.read_bytes() == before


def test_a_folder_that_is_a_link_is_no_log(tmp_path: Path) -> None:
    with SessionLogger(config(tmp_path)) as logger:
        logger.log_user("hello")
    (tmp_path / "link").symlink_to(logger.session_dir)
    with pytest.raises(CorruptError):
        SessionLogger.reopen(tmp_path / "link")


def test_logs_may_lie_behind_a_link_that_the_user_made(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "logs").symlink_to(tmp_path / "disk")
    with SessionLogger(config(tmp_path)) as logger:
        assert logger.log_user("hello") == 1
    assert files(tmp_path / "disk" / logger.session_id) == ALWAYS


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    with pytest.raises(AccessError, match="logs"):
        SessionLogger(config(tmp_path))


# --- trouble


def test_a_removed_folder_is_reported_once_and_breaks_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SessionLogger(config(tmp_path, streams=LogStream.ALL)) as logger:
        assert logger.log_user("hello") == 1
        shutil.rmtree(logger.session_dir)
        with caplog.at_level(logging.WARNING):
            assert logger.log_user("still here") == 0
            logger.log_raw_chunk({"a": 1})
            logger.log_timing("turn", 1.0)
            logger.mark_compacted([1], 2)
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert str(logger.session_dir) in caplog.text


def test_a_text_that_cannot_be_written_is_made_up_for_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SessionLogger(config(tmp_path)) as logger:
        text = logger.session_dir / "context.md"
        logger.log_user("one")
        text.unlink()
        text.mkdir()  # nobody can write into a folder as if it were a file
        with caplog.at_level(logging.WARNING):
            assert [logger.log_user("two"), logger.log_user("three")] == [2, 3]
        assert len(caplog.records) == 1
        text.rmdir()
        logger.log_user("four")

        assert [text.read_text().count(word) for word in ("one", "two", "three", "four")] == [1, 1, 1, 1]


def test_closing_twice_is_fine_and_a_closed_log_takes_nothing(tmp_path: Path) -> None:
    logger = SessionLogger(config(tmp_path, streams=LogStream.ALL))
    logger.close()
    logger.close()
    with pytest.raises(ClosedError):
        logger.log_user("too late")
    with pytest.raises(ClosedError):
        logger.get_context_messages()
