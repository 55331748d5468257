"""What no store lets in: input that could not be stored, or not be found again."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from sojourn.errors import InvalidEventError, InvalidInputError
from sojourn.model.codec import refuse_non_finite
from sojourn.model.entry import Draft
from sojourn.model.events import (
    Forgotten,
    SessionCreated,
    SessionForked,
    SessionRenamed,
    SessionTagged,
    UnknownEvent,
    kind_of,
)
from sojourn.model.header import HOUSEKEEPING

MAX_EVENTS: Final = 1000
_OWN: Final = SessionCreated | SessionForked | Forgotten


def check_drafts(drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Return *drafts* if they may be appended: 1 to 1,000, and none of a kind that only the store writes."""
    if not 1 <= len(drafts) <= MAX_EVENTS:
        raise InvalidInputError(f"an append has 1 to {MAX_EVENTS} events, got {len(drafts)}")
    for draft in drafts:
        event = draft.event
        if isinstance(event, _OWN):
            raise InvalidEventError(f"{kind_of(event)}: only the store itself writes this kind")
        if isinstance(event, HOUSEKEEPING | UnknownEvent):
            check_row_texts(event)
    return drafts


def check_row_texts(event: SessionCreated | HOUSEKEEPING | UnknownEvent) -> None:
    """Refuse texts that would not fit into a session's row, where every database must be able to hold them."""
    match event:
        case SessionCreated():
            texts = (event.user_id, event.title, event.project, *event.tags)
        case SessionRenamed():
            texts = (event.title,)
        case SessionTagged():
            texts = event.added
        case UnknownEvent():
            texts = (event.kind,)
        case _:
            texts = ()
    for text in texts:
        if text is not None:
            check_text(text, f"{kind_of(event)}: {text!r:.100}")


def check_text(text: str, what: str) -> str:
    """Return *text* if it can be stored everywhere: UTF-8, without NUL."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{what} is not valid Unicode: {error}") from error
    if "\0" in text:
        raise InvalidInputError(f"{what} holds a NUL character")
    return text


def encode_key(key: str) -> bytes:
    """Return a document's key as bytes; any characters but lone surrogates."""
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
    except (TypeError, UnicodeError, RecursionError, InvalidEventError) as error:
        raise InvalidInputError(f"the document is not JSON: {error}") from error
