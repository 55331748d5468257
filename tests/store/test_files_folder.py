"""The files store: what lies where, in which form, with which rights, and what a person may change."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from sojourn.errors import (
    AlreadyExistsError,
    CorruptError,
    InvalidInputError,
    NewerVersionError,
    SojournError,
)
from sojourn.model import events as ev
from sojourn.model.message import Message, ToolCall
from sojourn.store import Durability, open_store
from sojourn.store.files.names import document_name, folder_name, id_of_folder, key_of_document
from sojourn.store.files.store import FilesStore
from sojourn.store.protocol import Store
from sojourn.testing import FakeClock
from sojourn.testing.factories import ODD_TEXTS, PROVIDER_JSON, noted, said

ODD_IDS = [
    "a", "A", "aB", "Ab", "con", "CON", "con.txt", "nul", "com1", "lpt9.log", "a.", "a..", "a.b", "0", "x" * 128,
    "X" * 128, "a-b", "a_b",
]  # fmt: skip
ODD_KEYS = [
    "", ".", "..", "../..", "/etc/passwd", "a/b", "a:b", "a__b", "a\0b", "con", "CON", "key", "Key", "KEY", "a.", " ",
    "a~b", "%41", "A", "%", "x" * 5000, "x" * 5001, "ß" * 300, "é", "e\u0301", ".hidden", ".lock", "lock", *ODD_TEXTS,
]  # fmt: skip

REFUSED = """
import asyncio, os, sys
from pathlib import Path
from sojourn.errors import SojournError
from sojourn.store import open_store
from sojourn.store.files.store import FilesStore
from sojourn.testing.factories import said

root, rights = Path(sys.argv[1]), sys.argv[2]

def everything():
    return sorted(str(path.relative_to(root)) + str(path.stat().st_mtime_ns) for path in root.rglob("*"))

async def use():
    store = open_store(f"files:{root}")
    async with store:
        print("opened", (await store.get_session("s")).header.head, len(await store.read("s")))
        await store.append("s", [said("more")])

async def make():
    async with open_store(f"files:{root}") as store:
        await store.create_session("s")
        await store.append("s", [said("hello")])

root.mkdir(mode=0o755)
if rights != "empty":
    asyncio.run(make())
before = everything()
for path in (root, *root.rglob("*")):
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    path.chmod(0o500 if path.is_dir() else 0o400)
if rights == "none":
    root.chmod(0o000)
if os.geteuid() == 0:
    os.setuid(65534)
try:
    asyncio.run(use())
except SojournError as error:
    print(type(error).__name__, len(str(error).splitlines()))
root.chmod(0o700)
print("changed" if everything() != before else "unchanged")
"""


def open_files(root: Path) -> Store:
    return open_store(f"files:{root}", durability=Durability.RELAXED, clock=FakeClock(tick=1.0))


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def contents(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


# --- shapes


@pytest.mark.anyio
async def test_a_session_lies_in_files_that_people_and_programs_can_read(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("session-abc123", ev.SessionCreated(title="Rename", tags=("work",)))
        await store.append(
            "session-abc123",
            [
                ev.TurnStarted(turn_id="t1"),
                said("Rename the package"),
                ev.MessageAdded(message=Message(role="assistant", content="Done", model="m").with_raw(PROVIDER_JSON)),
                ev.MessageAdded(message=Message(role="assistant", tool_calls=(ToolCall(id="c", name="ls"),))),
                ev.SummaryUpdated(text="Brief overview"),
                ev.FactPinned(text="20 tools implemented"),
                ev.DecisionMade(text="Using HITL"),
                ev.TaskOpened(task_id="t", text="Fix LSP errors"),
                ev.FileTouched(path="/home/x/pyproject.toml"),
                ev.VariableSet(name="mode", value="session_key"),
                ev.TokenBudgetSet(limit=100_000),
                ev.UsageRecorded(input_tokens=15_000, output_tokens=234),
            ],
        )
    folder = tmp_path / "sessions" / "session-abc123"

    assert read_json(folder / "working.json") == {
        "summary": "Brief overview",
        "pinned_facts": ["20 tools implemented"],
        "decisions": ["Using HITL"],
        "open_tasks": ["Fix LSP errors"],
        "files_touched": ["/home/x/pyproject.toml"],
        "recent_messages": [
            {"seq": 3, "role": "user", "content": "Rename the package"},
            {"seq": 4, "role": "assistant", "content": "Done"},
            {"seq": 5, "role": "assistant", "content": ""},
        ],
        "token_budget": {"used": 15_234, "limit": 100_000},
    }
    state, metadata = read_json(folder / "state.json"), read_json(folder / "metadata.json")
    assert (state["created_at"], state["tokens_used"], state["runs"]) == ("2030-01-01T00:00:00Z", 15_234, 1)
    assert {name: metadata[name] for name in ("session_id", "title", "tags", "message_count", "token_count")} == {
        "session_id": "session-abc123", "title": "Rename", "tags": ["work"], "message_count": 3, "token_count": 15_234,
    }  # fmt: skip
    assert metadata["last_updated"] > metadata["created_at"]
    full = read_json(folder / "full.json")
    assert full["context"] == {"mode": "session_key"}
    assert [(message["role"], message["content"]) for message in full["messages"]] == [
        ("user", "Rename the package"), ("assistant", "Done"), ("assistant", ""),
    ]  # fmt: skip
    assert full["messages"][2]["tool_calls"] == [{"id": "c", "name": "ls"}]


@pytest.mark.anyio
async def test_the_journal_is_one_line_of_json_per_append_with_every_event_to_the_letter(tmp_path: Path) -> None:
    message = Message(role="assistant", content="hi").with_raw(PROVIDER_JSON)
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        await store.append("s", [noted(1), ev.MessageAdded(message=message)], key="k")
        payloads = [entry.payload for entry in await store.read("s")]
    lines = (tmp_path / "sessions" / "s" / "journal.jsonl").read_text().splitlines()

    assert [(line["first"], line["last"], line.get("key")) for line in map(json.loads, lines)] == [
        (1, 1, None), (2, 3, "k"),
    ]  # fmt: skip
    assert all(
        f'"event":{payload}' in line for payload, line in zip(payloads, [lines[0], lines[1], lines[1]], strict=True)
    )
    assert PROVIDER_JSON in lines[1]
    assert json.loads(lines[1])["entries"][0]["at"] == "2030-01-01T00:00:01Z"


@pytest.mark.anyio
async def test_a_payload_that_is_no_plain_object_comes_back_to_the_letter(tmp_path: Path) -> None:
    odd = ev.UnknownEvent(kind="dream", payload=Raw(b' {"kind":"dream"} '))
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        [written] = (await store.append("s", [odd])).entries
        [read] = await store.read("s", after=1)

    assert read.payload == written.payload


@pytest.mark.anyio
async def test_the_transcript_is_written_when_asked_for_and_when_the_store_closes(tmp_path: Path) -> None:
    store = FilesStore(tmp_path, tenant=open_files(tmp_path).tenant, durability=Durability.FULL, clock=FakeClock())
    async with store:
        await store.create_session("s")
        await store.append("s", [said(f"message {number}") for number in range(900)])
        await store.append("s", [said(f"message {number}") for number in range(900, 1500)])
        assert not (tmp_path / "sessions" / "s" / "full.json").exists()
        asked = read_json(await store.write_full("s"))
        await store.append("s", [said("the end")])

    assert [message["content"] for message in asked["messages"]] == [f"message {number}" for number in range(1500)]
    assert read_json(tmp_path / "sessions" / "s" / "full.json")["messages"][-1]["content"] == "the end"


@pytest.mark.anyio
async def test_long_messages_are_shortened_in_the_working_set_alone(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        await store.append("s", [said("x" * 100_000)])
    folder = tmp_path / "sessions" / "s"

    assert len(read_json(folder / "working.json")["recent_messages"][0]["content"]) < 3000
    assert len(read_json(folder / "full.json")["messages"][0]["content"]) == 100_000


# --- names


@pytest.mark.parametrize("session_id", ODD_IDS)
def test_a_folders_name_tells_whose_it_is_and_is_safe_everywhere(session_id: str) -> None:
    name = folder_name(session_id)

    assert id_of_folder(name) == session_id
    assert len(name) < 200
    assert not name.endswith(".")
    assert name.partition(".")[0].lower() not in {"con", "nul", "com1", "lpt9"}
    assert {"/", "\\", ":"}.isdisjoint(name)


def test_no_two_ids_or_keys_share_a_name_even_if_case_is_ignored() -> None:
    folders = {folder_name(session_id).casefold() for session_id in ODD_IDS}
    files = {document_name(key.encode()).casefold() for key in ODD_KEYS}

    assert len(folders) == len(set(ODD_IDS))
    assert len(files) == len(set(ODD_KEYS))


def test_folders_of_others_are_nobodys() -> None:
    assert [id_of_folder(name) for name in ("_a", "a~", "A", "a~0", ".lock", ".new-1", "~", "_")] == [None] * 8


@pytest.mark.anyio
async def test_sessions_with_odd_ids_live_side_by_side(tmp_path: Path) -> None:
    ids = sorted(set(ODD_IDS))
    async with open_files(tmp_path / "root") as store:
        for session_id in ids:
            await store.create_session(session_id)
            await store.append(session_id, [said(session_id)])
    async with open_files(tmp_path / "root") as store:
        found = {row.header.session_id for row in (await store.list_sessions()).rows}
        texts = [(await store.last_messages(session_id))[0].event for session_id in ids]

    assert found == set(ids)
    assert texts == [said(session_id) for session_id in ids]
    assert names_in(tmp_path) == ["root"]


@pytest.mark.anyio
async def test_other_tenants_have_folders_of_their_own(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        await store.for_tenant("acme").create_session("s")
        await store.for_tenant("ACME").documents.save("k", {})
        report = await store.check()

    assert report.sessions == 2
    assert sorted(path.name.partition("~")[0] for path in (tmp_path / "tenants").iterdir()) == ["ACME", "acme"]
    assert (tmp_path / "tenants" / "acme" / "sessions" / "s" / "journal.jsonl").exists()


@pytest.mark.anyio
async def test_a_folder_that_is_no_session_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "sessions" / "notes"
    mine.mkdir(parents=True)
    (mine / "todo.txt").write_text("buy milk")

    async with open_files(tmp_path) as store:
        assert (await store.list_sessions()).rows == ()
        assert await store.find_session("notes") is None
        with pytest.raises(AlreadyExistsError):
            await store.create_session("notes")
        assert (await store.check()).ok

    assert [path.name for path in mine.iterdir()] == ["todo.txt"]


# --- documents


@pytest.mark.anyio
async def test_any_key_finds_its_document_again(tmp_path: Path) -> None:
    keys = sorted(set(ODD_KEYS))
    async with open_files(tmp_path / "root") as store:
        for key in keys:
            await store.documents.save(key, {"is": key})
    async with open_files(tmp_path / "root") as store:
        assert await store.documents.list_keys() == keys
        assert [await store.documents.load(key) for key in keys] == [{"is": key} for key in keys]
        assert await store.documents.list_keys("x" * 5000) == ["x" * 5000, "x" * 5001]
        for key in keys:
            await store.documents.delete(key)
        assert await store.documents.list_keys() == []

    assert names_in(tmp_path) == ["root"]
    assert all(len(os.fsencode(document_name(key.encode()))) <= 255 for key in keys)
    assert key_of_document(document_name(b"user:42")) == b"user:42"


@pytest.mark.anyio
async def test_a_document_is_a_file_that_a_person_may_edit(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.documents.save("settings", {"theme": "dark"})
        path = tmp_path / "documents" / "settings.json"
        assert read_json(path) == {"key": "settings", "data": {"theme": "dark"}}
        path.write_text('{"key": "settings", "data": {"theme": "light"}}')
        edited = await store.documents.load("settings")
        path.write_text("{")
        with pytest.raises(CorruptError, match=r"settings\.json"):
            await store.documents.load("settings")
        report = await store.check()

    assert edited == {"theme": "light"}
    assert ["settings.json" in problem.what for problem in report.problems] == [True]


@pytest.mark.anyio
async def test_the_current_session_is_a_plain_file_that_a_person_may_edit(tmp_path: Path) -> None:
    pointer = tmp_path / "current_session"
    async with open_files(tmp_path) as store:
        await store.documents.save("current_session", {"session_id": "a", "since": 1})
        assert pointer.read_text() == "a\n"
        pointer.write_text("b")
        assert await store.documents.load("current_session") == {"session_id": "b", "since": 1}
        await store.for_tenant("acme").documents.save("current_session", {"session_id": "c"})
        assert pointer.read_text() == "b"
        await store.documents.save("current_session", {"no": "id"})
        assert not pointer.exists()
        pointer.write_text("by hand\n")
        assert await store.documents.load("current_session") == {"no": "id", "session_id": "by hand"}
        await store.documents.delete("current_session")
        assert not await store.documents.exists("current_session")
        pointer.write_text("d")
        assert await store.documents.list_keys("current") == ["current_session"]


# --- rights, and folders that are not a store's


@pytest.mark.anyio
async def test_only_their_owner_may_read_the_files(tmp_path: Path) -> None:
    async with open_files(tmp_path / "root") as store:
        await store.create_session("s")
        await store.append("s", [said()], key="k")
        await store.fork_session("s", "f")
        await store.save_partial("s", "text")
        await store.acquire_lease("s", "me")
        await store.documents.save("current_session", {"session_id": "s"})
        await store.for_tenant("acme").create_session("s")
        await store.backup(tmp_path / "copy")

    for root in (tmp_path / "root", tmp_path / "copy"):
        for path in (root, *root.rglob("*")):
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize(
    ("rights", "expected"),
    [
        ("none", ["AccessError 1", "unchanged"]),
        ("empty", ["AccessError 1", "unchanged"]),
        ("read only", ["opened 2 2", "AccessError 1", "unchanged"]),
    ],
)
def test_a_folder_without_the_rights_is_refused_and_left_as_it_is(rights: str, expected: list[str]) -> None:
    with tempfile.TemporaryDirectory() as parent:  # below tmp_path nobody else may go
        Path(parent).chmod(0o755)
        command = [sys.executable, "-c", REFUSED, f"{parent}/root", rights]
        run = subprocess.run(command, capture_output=True, text=True, check=False)

    assert run.stdout.splitlines() == expected, run.stderr


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("config", "error"),
    [
        ('{"format": "sojourn-files", "version": 2}', NewerVersionError),
        ('{"theme": "dark"}', InvalidInputError),
        ('{"format": "sojourn-files"}', InvalidInputError),
        ("[]", CorruptError),
        ("{", CorruptError),
        ("", CorruptError),
    ],
)
async def test_a_folder_that_is_not_ours_to_use_is_left_as_it_is(
    tmp_path: Path, config: str, error: type[SojournError]
) -> None:
    (tmp_path / "config.json").write_text(config)
    (tmp_path / ".lock").touch()
    before = contents(tmp_path)

    with pytest.raises(error, match=r"config\.json"):
        async with open_files(tmp_path):
            pass

    assert contents(tmp_path) == before


@pytest.mark.anyio
async def test_a_file_in_place_of_the_folder_is_an_access_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")

    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(SojournError, match="permissions"):
            async with open_files(path):
                pass
