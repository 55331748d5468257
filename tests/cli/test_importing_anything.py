"""Whatever is in a file: it is imported without an accident, and leaves a store that is whole."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn.clock import SystemClock
from sojourn.desk.importing.bundles import BundleKeeper
from sojourn.desk.importing.finding import Writer
from sojourn.desk.importing.importer import Imported, import_files
from sojourn.desk.importing.keeping import TalkKeeper
from sojourn.errors import SojournError
from sojourn.store import Store, open_store
from sojourn.testing.factories import NEWER_TOPIC, UNKNOWN, make_journal, one_of_each
from tests.cli.foreign_sessions import claude_talk, codex_talk

pytestmark = pytest.mark.anyio

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
WRITERS: list[Writer] = ["claude-code", "codex", "sojourn"]


async def _imported(store: Store, path: Path, writer: Writer) -> Imported:
    async def nowhere(_: str | None) -> None:
        return None

    talks = TalkKeeper(store, now=SystemClock().now(), project_of=nowhere, dry_run=False)
    bundles = BundleKeeper(store, dry_run=False, new_ids=False)
    return await import_files([path], writer=writer, talks=talks, bundles=bundles)


async def _expect_no_harm(data: bytes, writer: Writer) -> None:
    """Import *data* twice: the store stays whole, and the second time adds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "4f1d6c1e-9a57-4c3c-8a43-0d3a5f0c9b11.jsonl"
        path.write_bytes(data)
        async with open_store("memory:") as store:
            first = await _imported(store, path, writer)
            assert all(isinstance(one.error, SojournError) for one in first.failed)
            assert (await store.check()).ok
            heads = [(row.header.session_id, row.header.head) for row in (await store.list_sessions()).rows]
            again = await _imported(store, path, writer)
            assert again.messages() == 0
            assert [(row.header.session_id, row.header.head) for row in (await store.list_sessions()).rows] == heads


@pytest.mark.parametrize("writer", WRITERS)
@settings(max_examples=60)
@given(data=st.binary(max_size=300))
async def test_any_bytes_do_no_harm(writer: Writer, data: bytes) -> None:
    await _expect_no_harm(data, writer)


def _keys(lines: list[dict[str, Any]]) -> list[str]:
    found: set[str] = set()
    for line in lines:
        found |= line.keys() | (line.get("payload") or line.get("message") or {}).keys()
    return sorted(found)


CLAUDE = [line for line in claude_talk().lines if isinstance(line, dict)]
CODEX = [line for line in codex_talk().lines if isinstance(line, dict)]


@st.composite
def damaged(draw: st.DrawFn, lines: list[dict[str, Any]]) -> bytes:
    """Return lines in any order, some of them twice, in which something was replaced by anything."""
    chosen = draw(st.lists(st.sampled_from(lines), max_size=8))
    written = []
    for line in chosen:
        changed = json.loads(json.dumps(line))
        place = draw(st.sampled_from([changed, changed.get("payload") or changed.get("message") or changed]))
        for name in draw(st.lists(st.sampled_from(_keys(lines)), max_size=2)):
            place[name] = draw(JSON | st.sampled_from(["u1", "a1", "a5", "msg_1", "t1", True]))
        text = json.dumps(changed)
        written.append(draw(st.sampled_from([text, text, text, text[: len(text) // 2]])))
    return "\n".join(written).encode(errors="replace")


@settings(max_examples=150)
@given(data=damaged(CLAUDE))
async def test_damaged_lines_of_claude_code_do_no_harm(data: bytes) -> None:
    await _expect_no_harm(data, "claude-code")


@settings(max_examples=150)
@given(data=damaged(CODEX))
async def test_damaged_lines_of_codex_do_no_harm(data: bytes) -> None:
    await _expect_no_harm(data, "codex")


def _saved() -> dict[str, Any]:
    """Return a session as it is saved, with something of everything."""
    entries = make_journal([*one_of_each(), UNKNOWN, NEWER_TOPIC], session_id="s")
    written = [
        {"seq": one.seq, "at": one.at.isoformat(), "causes": list(one.causes), "event": json.loads(one.payload),
         "version": one.version}
        for one in entries
    ]  # fmt: skip
    return {"format": "sojourn-session", "version": 1, "session_id": "s", "entries": written}


SAVED = _saved()


@st.composite
def damaged_saved(draw: st.DrawFn) -> bytes:
    """Return a saved session in which something was replaced by anything."""
    changed = json.loads(json.dumps(SAVED))
    for _ in range(draw(st.integers(1, 3))):
        entry = draw(st.sampled_from(changed["entries"]))
        place = draw(st.sampled_from([changed, entry, entry.get("event")]))
        if isinstance(place, dict) and place:
            odd = st.sampled_from(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-01-01", 2**70, "../x"])
            place[draw(st.sampled_from(sorted(place)))] = draw(JSON | odd)
        if not isinstance(changed["entries"], list) or not changed["entries"]:
            break
        changed["entries"] = [one for one in changed["entries"] if isinstance(one, dict)] or [{}]
    return json.dumps(changed).encode(errors="replace")


@settings(max_examples=200)
@given(data=damaged_saved())
async def test_damaged_exports_do_no_harm(data: bytes) -> None:
    await _expect_no_harm(data, "sojourn")
