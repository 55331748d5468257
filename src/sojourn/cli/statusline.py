"""`sojourn statusline`: a session in one line, for a status bar that asks often.

What such a bar hands over on stdin is the JSON that Claude Code gives to its status line; tmux and others hand over
nothing. Everything is read, nothing is changed, and the large table of models is not loaded twice.
"""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.reading import piped_in
from sojourn.desk.config import load_config
from sojourn.desk.references import short
from sojourn.desk.windows import find_window
from sojourn.desk.wording import count, money, one_line
from sojourn.engine.loading import load_state
from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.model.events import UsageRecorded
from sojourn.model.header import SessionHeader
from sojourn.model.state import SessionState
from sojourn.store.protocol import Order, Store

_MOST: Final = 1_000_000
_LOOKED_AT: Final = 200
"""Entries at the end of a session in which the last call of a model is looked for."""
_TITLE: Final = 40
_THOUSAND: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bar:
    """What a status bar hands over: all of it may be missing."""

    session_id: str | None = None
    folder: Path | None = None
    model_id: str | None = None
    model_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Status:
    """What is told of a session."""

    state: SessionState
    model: str | None
    tokens: int | None
    window: int | None


@click.command("statusline")
@click.option(
    "--session", "-s", "reference", metavar="SESSION", help="This session; the last of the project by default."
)
@on_store
async def statusline(place: Place, *, reference: str | None) -> Result:
    """Print one line about a session: the model, how full its context is, what it cost, how many facts it holds.

    It takes the JSON that Claude Code hands to a status line on stdin, and finds the project and the session by it.
    """
    bar = _read(await asyncio.to_thread(piped_in, _MOST))
    there = place if bar.folder is None else Place(place.location, bar.folder)
    async with there.store() as store:
        header = await _found(there, store, reference, bar)
        status = await _status(store, header, there.folder) if header is not None else None
    return Result(data=_data(status, bar, there), lines=[_line(status, bar)])


def _read(text: str) -> _Bar:
    import msgspec  # noqa: PLC0415 - most status bars hand over nothing

    if not text:
        return _Bar()
    try:
        given = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInputError("what is piped in is no JSON, as a status bar hands it over") from error
    if not isinstance(given, dict):
        raise InvalidInputError("what is piped in is no JSON object, as a status bar hands it over")
    workspace, model = _table(given, "workspace"), _table(given, "model")
    folder = _text(workspace, "project_dir") or _text(workspace, "current_dir") or _text(given, "cwd")
    return _Bar(
        session_id=_text(given, "session_id"),
        folder=Path(folder) if folder is not None and Path(folder).is_dir() else None,
        model_id=_text(model, "id") or _text(given, "model"),
        model_name=_text(model, "display_name"),
    )


def _table(given: dict[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name)
    return value if isinstance(value, dict) else {}


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) and value else None


async def _found(place: Place, store: Store, reference: str | None, bar: _Bar) -> SessionHeader | None:
    """Return the session that is named, or that the bar is about if it is kept here, else the last of the project."""
    if reference is not None:
        return await place.find(store, reference)
    for name in (bar.session_id, "@last"):
        if name is None:
            continue
        try:
            return await place.find(store, name, whole=True)
        except (SessionNotFoundError, InvalidInputError):
            continue  # it is another program's session, or there is none yet
    return None


async def _status(store: Store, header: SessionHeader, folder: Path) -> _Status:
    state = (await load_state(store, header.session_id)).state
    entries = await store.read(header.session_id, limit=_LOOKED_AT, order=Order.NEWEST_FIRST)
    calls = (entry.event for entry in entries if isinstance(entry.event, UsageRecorded))
    last = next((call for call in calls if call.purpose == "conversation"), None)
    if last is None:
        return _Status(state=state, model=None, tokens=None, window=None)
    tokens = last.input_tokens + last.cache_read_tokens + last.cache_creation_tokens + last.output_tokens
    return _Status(
        state=state, model=last.model, tokens=tokens, window=await asyncio.to_thread(_window, last.model, folder)
    )


def _window(model: str | None, folder: Path) -> int | None:
    if model is None:
        return None
    return find_window(model, os.environ, load_config(os.environ, folder).config.prices)


def _line(status: _Status | None, bar: _Bar) -> str:
    if status is None:
        return " · ".join([*([bar.model_name or bar.model_id or ""] if bar.model_id else []), "no session yet"])
    state = status.state
    facts = len(state.knowledge_base.facts)
    parts = [status.model or "", _fill(status), money(state.header.cost_micros)]
    parts += [count(facts, "fact")] if facts else []
    parts += [one_line(state.title, _TITLE) if state.title else short(state.session_id)]
    return " · ".join(part for part in parts if part)


def _fill(status: _Status) -> str:
    if status.tokens is None:
        return ""
    if status.window:
        return f"{status.tokens / status.window:.0%}"
    return f"{status.tokens / _THOUSAND:.1f}k tokens" if status.tokens >= _THOUSAND else f"{status.tokens} tokens"


def _data(status: _Status | None, bar: _Bar, place: Place) -> dict[str, Any]:
    """Return the fields that a status line of Claude Code knows, and ours beside them."""
    folder = str(place.folder)
    data: dict[str, Any] = {
        "session_id": None,
        "cwd": folder,
        "workspace": {"current_dir": folder, "project_dir": folder},
        "model": {"id": bar.model_id, "display_name": bar.model_name or bar.model_id},
    }
    if status is None:
        return data
    state, model = status.state, status.model or bar.model_id
    share = None
    if status.window and status.tokens is not None:
        share = round(100 * status.tokens / status.window, 1)
    return data | {
        "session_id": state.session_id,
        "session_name": state.title,
        "model": {"id": model, "display_name": model},
        "cost": {"total_cost_usd": state.header.cost_micros / 1_000_000, "total_cost_micros": state.header.cost_micros},
        "context_window": {
            "current_usage": status.tokens,
            "context_window_size": status.window,
            "used_percentage": share,
            "remaining_percentage": None if share is None else max(0.0, round(100 - share, 1)),
        },
        "facts": len(state.knowledge_base.facts),
        "messages": state.header.message_count,
    }
