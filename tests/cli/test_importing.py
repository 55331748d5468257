"""Sessions come in from other programs and other Sojourns: whole, once, and whatever is in the files."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn.desk.importing.claude_code import part_id
from tests.cli.foreign_sessions import CLAUDE_ID, CODEX_ID, ClaudeFile, CodexFile, claude_talk, codex_talk, write_lines
from tests.cli.typed import Type


def entries(type_: Type, reference: str) -> list[dict[str, Any]]:
    """Return the journal of a session."""
    lines = type_("export", reference, "-f", "jsonl", "--no-redact").out.splitlines()
    return [json.loads(line) for line in lines[1:]]


def messages(type_: Type, reference: str) -> list[dict[str, Any]]:
    return [entry["event"]["message"] for entry in entries(type_, reference) if "message" in entry["event"]]


def usages(type_: Type, reference: str) -> list[dict[str, Any]]:
    return [one["event"] for one in entries(type_, reference) if one["event"]["kind"] == "usage_recorded"]


def header(type_: Type, reference: str) -> dict[str, Any]:
    found: dict[str, Any] = type_("show", reference, "--json").data["session"]
    return found


def everything(type_: Type) -> list[tuple[str, int]]:
    listed = type_("ls", "--all", "--agents", "-n", "1000", "--json").data["sessions"]
    return sorted((session["session_id"], session["head"]) for session in listed)


# --- Claude Code


def test_a_session_of_claude_code_comes_whole(anywhere: Path, type_: Type) -> None:
    claude_talk().written(anywhere / "claude")
    told = type_("import", str(anywhere / "claude"))

    assert told.code == 0
    assert "2 sessions, 10 messages, 1 line not understood" in told.err
    said = messages(type_, CLAUDE_ID)
    talk = "user user assistant tool tool assistant user assistant"
    assert [one["role"] for one in said] == talk.split()
    kept = header(type_, CLAUDE_ID)
    assert (kept["title"], kept["title_source"]) == ("Login on iOS", "agent")
    assert kept["created_at"].startswith("2026-03-01T09:01")
    assert kept["updated_at"].startswith("2026-03-01T09:1")


def test_the_blocks_of_an_answer_are_one_message_with_all_that_was_sent(folder: Path, type_: Type) -> None:
    type_("import", str(claude_talk().written(folder)))
    said = messages(type_, CLAUDE_ID)
    answer, first, second = said[2:5]

    thinking, text = answer["content"]
    assert (thinking["text"], thinking["signature"]) == ("cookies, surely", "signed")
    assert text["text"] == "I look at two files."
    assert [call["name"] for call in answer["tool_calls"]] == ["Read", "Bash"]
    assert [block["type"] for block in answer["raw"]["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert answer["metadata"]["imported"]["lines"] == ["a1", "a2", "a3", "a4"]
    assert (first["tool_call_id"], first["name"], first.get("error", False)) == ("t1", "Read", False)
    assert (second["tool_call_id"], second["name"], second["error"]) == ("t2", "Bash", True)
    assert said[-2]["content"][1]["media_type"] == "image/png"


def test_usage_is_counted_once_for_each_answer(folder: Path, type_: Type) -> None:
    type_("import", str(claude_talk().written(folder)))

    used = usages(type_, CLAUDE_ID)
    assert len(used) == 3
    assert used[0]["model"] == "claude-sonnet-4-5"
    tokens = [used[0][name] for name in ("input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens")]
    assert tokens == [10, 20, 30, 40]


def test_a_compaction_stays_one(folder: Path, type_: Type) -> None:
    type_("import", str(claude_talk().written(folder)))

    journal = entries(type_, CLAUDE_ID)
    [(place, compacted)] = [
        (entry["seq"], entry["event"]) for entry in journal if entry["event"]["kind"] == "compacted"
    ]
    assert compacted["summary"] == "They found that SameSite is missing."
    assert compacted["through"] == place - 1
    assert "They found" not in json.dumps(messages(type_, CLAUDE_ID))


def test_what_a_subagent_said_is_nested_under_its_caller(folder: Path, type_: Type) -> None:
    type_("import", str(claude_talk().written(folder)))

    nested = header(type_, part_id(CLAUDE_ID, "ag1"))
    assert nested["parent"] == CLAUDE_ID
    assert [one["content"] for one in messages(type_, part_id(CLAUDE_ID, "ag1"))] == ["find the cookie", "in auth.py"]


def test_what_was_said_after_going_back_is_a_fork_that_takes_over(anywhere: Path, type_: Type) -> None:
    file = ClaudeFile()
    file.user("u1", "one")
    a1 = file.answer("a1", "m1", {"type": "text", "text": "answer one"})
    file.user("u2", "two")
    file.answer("a2", "m2", {"type": "text", "text": "answer two"})
    file.user("u3", "another two", after=a1)
    file.answer("a3", "m3", {"type": "text", "text": "another answer"})
    type_("import", str(file.written(anywhere)))

    fork = part_id(CLAUDE_ID, "u3")
    assert [one["content"] for one in messages(type_, CLAUDE_ID)] == ["one", "answer one", "two", "answer two"]
    assert [one["content"] for one in messages(type_, fork)] == ["one", "answer one", "another two", "another answer"]
    assert header(type_, fork)["forked_from"] == CLAUDE_ID
    assert header(type_, CLAUDE_ID)["superseded_by"] == fork
    assert [session for session, _ in everything(type_)] == [fork]
    own = [one for one in entries(type_, fork) if one["seq"] > header(type_, fork)["forked_at"]]
    assert sum(one["event"]["kind"] == "usage_recorded" for one in own) == 1


def test_a_file_that_is_imported_again_adds_nothing_and_one_that_grew_the_rest(anywhere: Path, type_: Type) -> None:
    whole = claude_talk()
    path = whole.written(anywhere)
    lines = path.read_text().splitlines(keepends=True)
    for end in range(1, len(lines) + 1):
        path.write_text("".join(lines[:end]))
        type_("import", str(path))
        before = everything(type_)
        again = type_("import", str(path))
        assert everything(type_) == before, end
        assert "0 messages" in again.err
    texts = ["login is broken on the iphone", "SameSite is missing.", "Done."]
    grown = json.dumps(messages(type_, CLAUDE_ID))
    assert all(grown.count(json.dumps(text)) >= 1 for text in texts)
    assert len(usages(type_, CLAUDE_ID)) == 3


def test_a_session_that_went_on_here_is_left_as_it_is(folder: Path, type_: Type) -> None:
    file = claude_talk()
    type_("import", str(file.written(folder)))
    _say_here(folder, CLAUDE_ID, "go on")
    before = everything(type_)
    file.user("u9", "said elsewhere")

    told = type_("import", str(file.written(folder)))
    assert everything(type_) == before
    assert "it went on here" in told.out


def _say_here(folder: Path, session_id: str, text: str) -> None:
    async def say() -> None:
        quiet = sojourn.Settings(learning="off", embeddings="off")
        async with sojourn.open(folder / "home" / "sojourn.db", settings=quiet) as app:
            await (await app.sessions.open(session_id)).messages.user(text)

    asyncio.run(say())


# --- Codex


def test_a_session_of_codex_comes_whole(anywhere: Path, type_: Type) -> None:
    codex_talk().written(anywhere)
    write_lines(
        anywhere / "session_index.jsonl",
        [
            {"id": CODEX_ID, "thread_name": "Old name", "updated_at": "x"},
            {"id": CODEX_ID, "thread_name": "Failing test", "updated_at": "y"},
            {"id": CODEX_ID, "thread_name": "", "updated_at": "z"},
        ],
    )
    told = type_("import", str(anywhere / "sessions"), "--json").data

    assert [(one["session_id"], one["action"], one["messages"]) for one in told["sessions"]] == [(CODEX_ID, "added", 6)]
    said = messages(type_, CODEX_ID)
    assert [one["role"] for one in said] == ["system", "user", "user", "assistant", "tool", "assistant"]
    answer = said[3]
    assert answer["content"] == [{"type": "thinking", "text": "look first"}]
    assert answer["tool_calls"] == [{"id": "call_1", "name": "shell", "arguments": {"command": ["pytest"]}}]
    assert answer["raw"]["items"][0]["encrypted_content"] == "gAAA"
    assert (said[4]["name"], said[4]["content"]) == ("shell", "1 failed")
    kept = header(type_, CODEX_ID)
    assert (kept["title"], kept["title_source"]) == ("Failing test", "user")


def test_usage_that_codex_tells_twice_is_counted_once(folder: Path, type_: Type) -> None:
    type_("import", str(codex_talk().written(folder)))

    used = [(one["input_tokens"], one["cache_read_tokens"], one["model"]) for one in usages(type_, CODEX_ID)]
    assert used == [(60, 40, "gpt-5.1"), (110, 40, "gpt-5.1")]


def test_a_rollout_grows_line_by_line(folder: Path, type_: Type) -> None:
    path = codex_talk().written(folder)
    lines = path.read_text().splitlines(keepends=True)
    for end in range(1, len(lines) + 1):
        path.write_text("".join(lines[:end]))
        type_("import", str(path))
        before = everything(type_)
        type_("import", str(path))
        assert everything(type_) == before, end
    assert [one["role"] for one in messages(type_, CODEX_ID)].count("tool") == 1
    assert len(usages(type_, CODEX_ID)) == 2


def test_a_fork_of_codex_shares_what_its_parent_said(folder: Path, type_: Type) -> None:
    codex_talk().written(folder)
    fork = codex_talk("019a6f3e-ffff-7abc-9def-0123456789ab", forked_from_id=CODEX_ID)
    fork.said("user", "and the other test?")
    fork.said("assistant", "It is fine.")
    fork.used(400, 150)
    fork.written(folder)
    type_("import", str(folder / "sessions"))

    kept = header(type_, fork.session_id)
    assert kept["forked_from"] == CODEX_ID
    own = [one["event"] for one in entries(type_, fork.session_id) if one["seq"] > kept["forked_at"] + 1]
    assert [event["kind"] for event in own] == ["message_added", "message_added", "usage_recorded"]


# --- another Sojourn


def _elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOJOURN_STORE", str(folder / "elsewhere.db"))


def test_sessions_move_to_another_sojourn_to_the_letter(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_("import", str(claude_talk().written(folder / "claude")))
    type_("fork", CLAUDE_ID, "--at", "5", "--name", "try jwt")
    type_("tag", CLAUDE_ID, "web")
    exported = type_("export", "--all", "-f", "json", "--no-redact", "-o", str(folder / "out"), "--json").data["files"]
    before = {one["session_id"]: entries(type_, one["session_id"]) for one in exported}
    [fork] = [one["session_id"] for one in exported if one["session_id"] not in {CLAUDE_ID, part_id(CLAUDE_ID, "ag1")}]
    _elsewhere(folder, monkeypatch)

    assert type_("import", str(folder / "out")).code == 0
    assert {session_id: entries(type_, session_id) for session_id in before} == before
    assert fork in type_("tree", CLAUDE_ID, "--json").out
    again = type_("import", str(folder / "out"))
    assert "0 sessions, 0 messages, 3 sessions here already" in again.err


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_an_export_that_has_grown_adds_the_rest(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    session_id = type_("new", "A talk").lines[0]
    type_("export", session_id, "-f", form, "-o", "one", "--no-redact")
    type_("tag", session_id, "later")
    type_("export", session_id, "-f", form, "-o", "two", "--no-redact")
    _elsewhere(folder, monkeypatch)

    assert type_("import", "one", "--json").data["sessions"][0]["action"] == "added"
    assert type_("import", "two", "--json").data["sessions"][0]["action"] == "grown"
    assert header(type_, session_id)["tags"] == ["later"]
    assert type_("import", "one", "--json").data["sessions"][0]["action"] == "same"


def test_a_session_that_differs_is_left_or_taken_beside(folder: Path, type_: Type) -> None:
    session_id = type_("new", "A talk").lines[0]
    type_("tag", session_id, "mine")
    type_("export", session_id, "-f", "json", "-o", "one")
    text = Path("one").read_text()
    Path("one").write_text(text.replace('"mine"', '"theirs"'))

    left = type_("import", "one", "--json").data["sessions"]
    assert left[0]["action"] == "left"
    assert header(type_, session_id)["tags"] == ["mine"]
    [beside] = type_("import", "one", "--new-ids", "--json").data["sessions"]
    assert beside["session_id"] != session_id
    assert header(type_, beside["session_id"])["tags"] == ["theirs"]


def test_new_ids_keep_forks_together(folder: Path, type_: Type) -> None:
    session_id = type_("new", "A talk").lines[0]
    type_("fork", session_id)
    type_("export", "--all", "-f", "json", "-o", "out")
    came = type_("import", "out", "--new-ids", "--json").data["sessions"]

    headers = [header(type_, one["session_id"]) for one in came]
    [fork] = [one for one in headers if one["forked_from"]]
    assert fork["forked_from"] in {one["session_id"] for one in headers}
    assert len(everything(type_)) == 4


# --- what else there may be


def test_a_dry_run_tells_and_stores_nothing(folder: Path, type_: Type) -> None:
    told = type_("import", str(claude_talk().written(folder)), "--dry-run")

    assert told.code == 0
    assert "2 sessions" in told.err
    assert "nothing was stored" in told.err
    assert not (folder / "home").exists()


def test_sessions_go_to_the_project_of_their_folder_or_to_another(folder: Path, type_: Type) -> None:
    type_("import", str(ClaudeFile(cwd=str(folder / "work")).written(folder)))
    file = ClaudeFile(cwd=str(folder / "work"))
    file.user("u1", "here")
    type_("import", str(file.written(folder)))
    other = CodexFile()
    other.said("user", "there")
    type_("import", str(other.written(folder)), "--project", str(folder / "work"))

    assert {one["session_id"] for one in type_("ls", "--json").data["sessions"]} == {CLAUDE_ID, CODEX_ID}
    assert type_("import", str(other.written(folder)), "--project", "nowhere").code == 1


def test_hostile_files_are_bounded_and_stop_no_other(folder: Path, type_: Type) -> None:
    place = folder / "in"
    good = claude_talk().written(place)
    (place / "link.jsonl").symlink_to(good)
    (place / "loop").symlink_to(place)
    os.mkfifo(place / "pipe.jsonl")
    (place / "deep.jsonl").write_bytes(b'{"a":' * 100_000 + b"\n" + b'{"type":"user","uuid":"x","sessionId":"y"}\n')
    (place / "binary.jsonl").write_bytes(os.urandom(5_000))
    (place / "empty.json").write_bytes(b"")
    write_lines(
        place / "..%2f..%2fetc.jsonl",
        [
            {"type": "user", "uuid": "\x1b[2J", "sessionId": "../../etc", "cwd": "\0", "timestamp": "9999-99-99",
             "parentUuid": "\x1b[2J", "message": {"role": "user", "content": "\x1b[2J evil \u202e"}},
            {"type": "custom-title", "customTitle": "\x1b]0;x\x07 \0 title", "sessionId": "../../etc"},
        ],
    )  # fmt: skip
    told = type_("import", str(place))

    assert "\x1b" not in told.out + told.err
    assert CLAUDE_ID in [session for session, _ in everything(type_)]
    assert len(everything(type_)) == 3
    assert type_("doctor").code == 0


def test_a_line_without_end_is_skipped_without_being_held(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sojourn.desk.importing.line_file.MAX_LINE", 10_000)
    file = ClaudeFile()
    file.user("u1", "before")
    file.user("u2", "x" * 50_000)
    file.user("u3", "after", after="u1")
    told = type_("import", str(file.written(folder)))

    assert "1 line not understood" in told.err
    assert [one["content"] for one in messages(type_, CLAUDE_ID)] == ["before", "after"]


def test_nothing_to_import_is_said(folder: Path, type_: Type) -> None:
    (folder / "empty").mkdir()
    assert type_("import", str(folder / "empty")).code == 2
    assert type_("import", str(folder / "nowhere")).code == 3
    assert type_("import").code == 2
    (folder / "notes.jsonl").write_text('{"a":1}\n')
    told = type_("import", str(folder / "notes.jsonl"))
    assert told.code == 2
    assert "no sessions that are known here" in told.err


def test_subagents_without_names_are_told_apart(folder: Path, type_: Type) -> None:
    file = ClaudeFile()
    file.user("u1", "find both")
    for name in ("x", "y"):
        file.user(f"{name}1", f"find {name}", isSidechain=True, after=None)
        file.answer(
            f"{name}2", f"m{name}", {"type": "text", "text": f"found {name}"}, isSidechain=True, after=f"{name}1"
        )
    type_("import", str(file.written(folder)))

    for name in ("x", "y"):
        nested = part_id(CLAUDE_ID, f"{name}1")
        assert [one["content"] for one in messages(type_, nested)] == [f"find {name}", f"found {name}"]
        assert header(type_, nested)["title"] == f"Find {name}"


def test_what_another_program_keeps_is_found_by_its_name(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    claude_talk().written(folder / ".claude" / "projects")
    codex_talk().written(folder / ".codex")

    assert type_("import", "--from", "claude-code", "--json").data["messages"] == 10
    assert type_("import", "--from", "codex", "--json").data["messages"] == 6


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


RESUMED = "00000000-9a57-4c3c-8a43-0d3a5f0c9b11"


def test_lines_that_say_nothing_hold_the_talk_together(folder: Path, type_: Type) -> None:
    file = ClaudeFile()
    file.user("u1", "one")
    file._add("progress", "p1", data={})
    a1 = file.answer("a1", "m1", _text("answer"))
    file.user("u2", "two")
    file._add("attachment", "p2", attachment={}, after=a1)
    file.user("u3", "another two")
    type_("import", str(file.written(folder)))

    assert [one["content"] for one in messages(type_, CLAUDE_ID)] == ["one", "answer", "two"]
    assert [one["content"] for one in messages(type_, part_id(CLAUDE_ID, "u3"))] == ["one", "answer", "another two"]


def test_a_talk_that_was_resumed_in_a_copy_shares_what_was_copied(folder: Path, type_: Type) -> None:
    first, again = ClaudeFile(), ClaudeFile(RESUMED)
    for file in (first, again):
        file.user("u1", "one")
        file.answer("a1", "m1", _text("answer"))
    again.user("u2", "two")
    again.note({"type": "custom-title", "customTitle": "Resumed", "sessionId": RESUMED})
    again.written(folder / "in")
    os.utime(first.written(folder / "in"), (0, 0))
    type_("import", str(folder / "in"))

    kept = header(type_, RESUMED)
    assert kept["forked_from"] == CLAUDE_ID
    assert [one["content"] for one in messages(type_, RESUMED)] == ["one", "answer", "two"]
    own = [one["event"]["kind"] for one in entries(type_, RESUMED) if one["seq"] > kept["forked_at"]]
    assert own == ["session_forked", "session_renamed", "message_added"]
    assert kept["title"] == "Resumed"


def test_a_file_that_uses_the_names_of_anothers_lines_does_not_get_its_words(folder: Path, type_: Type) -> None:
    first, again = ClaudeFile(), ClaudeFile(RESUMED)
    first.user("u1", "mine")
    again.user("u1", "another's")
    again.user("u2", "two")
    again.written(folder / "in")
    os.utime(first.written(folder / "in"), (0, 0))
    type_("import", str(folder / "in"))

    assert header(type_, RESUMED)["forked_from"] is None
    assert [one["content"] for one in messages(type_, RESUMED)] == ["another's", "two"]


@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_talk_that_goes_on_in_another_file_goes_on_from_it(folder: Path, type_: Type, *, is_compacted: bool) -> None:
    first = ClaudeFile()
    first.user("u1", "one")
    a1 = first.answer("a1", "m1", _text("answer"))
    again = ClaudeFile(RESUMED)
    again.lines.append("")  # it was written later
    if is_compacted:
        again._add("system", "b1", subtype="compact_boundary", logicalParentUuid=a1, after=None)
        again.user("c1", "a summary", isCompactSummary=True)
        again.user("u2", "two")
    else:
        again.user("u2", "two", after=a1)
    first.written(folder / "in")
    again.written(folder / "in")
    type_("import", str(folder / "in"))

    assert header(type_, RESUMED)["forked_from"] == CLAUDE_ID
    assert [one["content"] for one in messages(type_, RESUMED)] == ["one", "answer", "two"]
    again_told = type_("import", str(folder / "in"))
    assert "0 messages, 2 sessions here already" in again_told.err


def test_other_files_of_a_folder_are_left_alone(folder: Path, type_: Type) -> None:
    claude_talk().written(folder / "in")
    (folder / "in" / "sessions-index.json").write_text('{"version":1,"entries":[]}')
    told = type_("import", str(folder / "in"))

    assert (told.code, "1 file without sessions left alone" in told.err) == (0, True)


def test_a_compaction_of_codex_is_found_where_the_program_puts_it(folder: Path, type_: Type) -> None:
    file = CodexFile()
    file.said("user", "hello")
    kept = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in ("a", "b")
    ]
    file.add("compacted", message="", replacement_history=kept)
    file.said("user", "go on")
    type_("import", str(file.written(folder)))

    kinds = [one["event"]["kind"] for one in entries(type_, CODEX_ID)]
    assert kinds[-3:] == ["message_added", "compacted", "message_added"]
    assert entries(type_, CODEX_ID)[-2]["event"]["summary"] == "b"


def test_a_session_is_named_by_the_beginning_of_its_id_in_spite_of_its_parts(folder: Path, type_: Type) -> None:
    type_("import", str(claude_talk().written(folder)))

    assert header(type_, CLAUDE_ID[:8])["session_id"] == CLAUDE_ID
    assert header(type_, CLAUDE_ID[-8:])["session_id"] == CLAUDE_ID
