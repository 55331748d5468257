"""What people and other programs read of a session: `state.json`, `working.json` and `full.json`. Pure functions."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded
from sojourn.model.state import SNAPSHOT_VERSION, SessionState
from sojourn.store.files.sealed import is_whole, seal

RECENT_MESSAGES: Final = 20
_MOST_CHARACTERS: Final = 2000


def state_file(state: SessionState) -> bytes:
    """Return `state.json`: a few totals on top, then the whole state, from which a session is resumed."""
    return seal(
        {
            "created_at": state.created_at,
            "updated_at": state.updated_at,
            "tokens_used": state.working_set.token_budget.used,
            "runs": state.turn_count,
            "version": SNAPSHOT_VERSION,
            "state": state,
        }
    )


class _StateFile(msgspec.Struct):
    version: int
    state: msgspec.Raw


def read_state(data: bytes | None) -> SessionState | None:
    """Return the state in a `state.json`; None if the file is missing, damaged, edited or of another version."""
    if data is None or not is_whole(data):
        return None
    try:
        found = msgspec.json.decode(data, type=_StateFile)
        return msgspec.json.decode(found.state, type=SessionState) if found.version == SNAPSHOT_VERSION else None
    except (msgspec.MsgspecError, UnicodeError):
        return None


def working_file(state: SessionState, recent: Iterable[dict[str, Any]]) -> bytes:
    """Return `working.json`: the few things that every context should hold, and the last messages."""
    working = state.working_set
    plain = {
        "summary": working.summary,
        "pinned_facts": working.pinned_facts,
        "decisions": [decision.text for decision in working.decisions],
        "open_tasks": [task.text for task in working.open_tasks],
        "files_touched": [file.path for file in working.files_touched],
        "recent_messages": list(recent),
        "token_budget": {"used": working.token_budget.used, "limit": working.token_budget.limit},
    }
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def recent_messages(entries: Iterable[Entry]) -> deque[dict[str, Any]]:
    """Return the last messages among *entries* as `working.json` shows them: plain text, shortened if it is long."""
    shown: deque[dict[str, Any]] = deque(maxlen=RECENT_MESSAGES)
    for entry in entries:
        if isinstance(entry.event, MessageAdded):
            text = entry.event.message.text
            short = text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"
            shown.append({"seq": entry.seq, "role": entry.event.message.role, "content": short})
    return shown


def full_file(state: SessionState, entries: Iterable[Entry]) -> Iterator[bytes]:
    """Give the pieces of `full.json`: every message with role, content and what else it has, and the variables."""
    yield b'{\n  "messages": ['
    separator = b"\n    "
    for entry in entries:
        if isinstance(entry.event, MessageAdded):
            message = msgspec.structs.replace(entry.event.message, raw=msgspec.UNSET)
            plain = {"role": message.role, "content": message.content, **message.to_dict()}
            yield separator + msgspec.json.encode({**plain, "seq": entry.seq, "at": entry.at})
            separator = b",\n    "
    context = msgspec.json.format(msgspec.json.encode(state.variables.values), indent=2).replace(b"\n", b"\n  ")
    yield b'\n  ],\n  "context": %b\n}\n' % context
