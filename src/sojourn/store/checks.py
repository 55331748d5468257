"""What no store lets in: input that could not be stored, or not be found again."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import msgspec

from sojourn.errors import InvalidEventError, InvalidInputError, TooLargeError
from sojourn.model.codec import CODEC, MAX_EVENT_BYTES, refuse_non_finite
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import (
    KINDS,
    Event,
    EventBase,
    Forgotten,
    SessionCreated,
    SessionForked,
    SessionMoved,
    SessionRenamed,
    SessionSuperseded,
    SessionTagged,
    UnknownEvent,
    kind_of,
)
from sojourn.model.header import HOUSEKEEPING
from sojourn.model.ids import check_session_id
from sojourn.store.protocol import Claim, Lease

MAX_EVENTS: Final = 1000
UNFINISHED: Final = "text was streamed there that no message holds"
"""Why a turn is not taken: whoever takes it must say what becomes of the text."""
_OWN: Final = SessionCreated | SessionForked | Forgotten
_PLAIN: Final = frozenset(KINDS.values()) - {*get_args(_OWN), *get_args(HOUSEKEEPING)}
"""Kinds that anybody may append as they are."""


def check_events(events: Sequence[Event | Draft]) -> Sequence[Event | Draft]:
    """Return *events* if they may be appended: 1 to 1,000, and none of a kind that only the store writes."""
    if not 1 <= len(events) <= MAX_EVENTS:
        raise InvalidInputError(f"an append has 1 to {MAX_EVENTS} events, got {len(events)}")
    for item in events:
        if type(item) not in _PLAIN:
            _check_item(item)
    return events


def _check_item(item: Event | Draft) -> None:
    """Check a draft with its causes, or an event that is not everybody's to append."""
    event = item.event if isinstance(item, Draft) else item
    if not isinstance(event, EventBase | UnknownEvent):
        raise InvalidEventError(f"{item!r:.100} is not an event")
    if type(event) not in _PLAIN:
        _check_special(event)
    for cause in item.causes if isinstance(item, Draft) else ():
        if type(cause) is not int or cause < 1:
            raise InvalidEventError(f"{kind_of(event)}: a cause is the seq of an earlier entry, not {cause!r:.100}")


def _check_special(event: Event) -> None:
    if isinstance(event, UnknownEvent) and event.kind in KINDS:
        event = CODEC.encode(event).event  # a known kind, to the letter: it will be read as what it is
    if isinstance(event, _OWN):
        raise InvalidEventError(f"{kind_of(event)}: only the store itself writes this kind")
    if isinstance(event, HOUSEKEEPING | UnknownEvent):
        check_row_texts(event)


def check_journal(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return *entries*, a journal from elsewhere, if each of them might have been appended here."""
    for entry in entries:
        if isinstance(entry.event, SessionCreated | HOUSEKEEPING | UnknownEvent):
            check_row_texts(entry.event)
        if len(entry.payload.encode()) > MAX_EVENT_BYTES:
            raise TooLargeError(f"entry {entry.seq}: the limit is {MAX_EVENT_BYTES:,} bytes")
    return entries


def check_more(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return *entries* from elsewhere, with which a journal is to go on, if there are not too many at once."""
    if len(entries) > MAX_EVENTS:
        raise InvalidInputError(f"a journal goes on with at most {MAX_EVENTS} entries at once, got {len(entries)}")
    return check_journal(entries)


def check_payloads(payloads: Mapping[int, str]) -> dict[int, str]:
    """Return other contents for entries, by their places, each in one line, if they are not too large."""
    for seq, payload in payloads.items():
        if len(payload.encode()) > MAX_EVENT_BYTES:
            raise TooLargeError(f"entry {seq}: the limit is {MAX_EVENT_BYTES:,} bytes")
    try:
        return {seq: msgspec.json.format(payload, indent=-1) for seq, payload in payloads.items()}
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InvalidEventError(f"what is to be written is not JSON: {error}") from error


def check_row_texts(event: SessionCreated | HOUSEKEEPING | UnknownEvent) -> None:
    """Refuse texts that would not fit into a session's row, where every database must be able to hold them."""
    match event:
        case SessionCreated():
            texts = (event.user_id, event.title, event.project, *event.tags)
            if event.parent is not None:
                check_session_id(event.parent)
        case SessionRenamed():
            texts = (event.title,)
        case SessionTagged():
            texts = event.added
        case SessionMoved():
            texts = (event.project,)
        case SessionSuperseded():
            texts = (check_session_id(event.by),)
        case UnknownEvent():
            texts = (event.kind,)
        case _:
            texts = ()
    what = "a kind" if isinstance(event, UnknownEvent) else kind_of(event)
    for text in texts:
        if text is not None:
            check_text(text, f"{what}: {text!r:.100}")


def check_text(text: str, what: str) -> str:
    """Return *text* if it can be stored everywhere: UTF-8, without NUL."""
    if not isinstance(text, str):
        raise InvalidInputError(f"{what} is not text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{what} is not valid Unicode: {error}") from error
    if "\0" in text:
        raise InvalidInputError(f"{what} holds a NUL character")
    return text


def check_lease(holder: str, ttl: float) -> None:
    """Refuse a lease without a holder, or for a time that is none."""
    if not holder:
        raise InvalidInputError("a lease needs a holder")
    check_text(holder, f"the holder {holder!r:.100}")
    if not 0 <= ttl < math.inf:
        raise InvalidInputError(f"a lease needs a ttl of 0 or more seconds, got {ttl}")


def check_turn(lease: Lease | Claim | None, *, key: str | None, release: bool) -> None:
    """Refuse to take a turn twice, or to give back one that is not held."""
    if isinstance(lease, Claim):
        check_lease(lease.holder, lease.ttl)
        if key is not None or release:
            raise InvalidInputError("an append that takes the turn has no idempotency key, and does not give it back")
    elif release and lease is None:
        raise InvalidInputError("an append gives back the lease that it names, and this one names none")


def encode_key(key: str) -> bytes:
    """Return a document's key as bytes; any characters but lone surrogates."""
    if not isinstance(key, str):
        raise InvalidInputError(f"a key is text, got {type(key).__name__}")
    try:
        return key.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"the key is not valid Unicode: {error}") from error


def encode_document(data: dict[str, Any]) -> str:
    """Return *data* as JSON text.

    Raises:
        InvalidInputError: it is not a JSON object.
    """
    if not isinstance(data, dict):
        raise InvalidInputError(f"a document is a dict, got {type(data).__name__}")
    try:
        refuse_non_finite(data, "document")
        return msgspec.json.encode(data).decode()
    except InvalidEventError as error:
        raise InvalidInputError(f"the document is not JSON: {error.detail}") from error
    except (TypeError, UnicodeError, RecursionError) as error:
        raise InvalidInputError(f"the document is not JSON: {error}") from error
