"""Taking in a talk that happened elsewhere: its messages become a session's journal, with the times they were said at.

A message is a `Message`, or a dict as chat formats have it: `role` (user, if it is missing), `content` or `text`, and,
if they are known, who spoke (`name` or `speaker`) and when (`at`, `time` or `timestamp`: a time, ISO 8601, or seconds).
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, get_args

import anyio.lowlevel
import msgspec
from msgspec.structs import replace

from sojourn.errors import InvalidInputError
from sojourn.model.codec import CODEC
from sojourn.model.entry import Entry
from sojourn.model.events import Event, MessageAdded, SessionCreated
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Message, Role
from sojourn.store.protocol import SessionRow, Store

Progress = Callable[[int], None]
"""Called with how many messages were read so far."""
EVERY: Final = 1_000
_TIMES: Final = ("at", "time", "timestamp", "created_at")
_SPEAKERS: Final = ("name", "speaker")
_KNOWN: Final = frozenset({"role", "content", "text", *_TIMES, *_SPEAKERS})


async def ingest(
    store: Store,
    messages: Iterable[Message | Mapping[str, Any]],
    *,
    session_id: SessionId,
    created: SessionCreated,
    now: datetime,
    on_progress: Progress | None = None,
) -> SessionRow:
    """Store *messages* as a new session, all of them or none.

    A message without a time gets that of the one before it; if none has one, *now*.

    Raises:
        InvalidInputError: a message cannot be read; the error says which.
        AlreadyExistsError: the id is taken.
    """
    read: list[tuple[Message, datetime | None]] = []
    for number, message in enumerate(messages, 1):
        read.append(_message(message, number))
        if number % EVERY == 0:
            if on_progress is not None:
                on_progress(number)
            await anyio.lowlevel.checkpoint()  # let others have their turn
    if not read:
        raise InvalidInputError("there are no messages to take in")
    at = next((time for _, time in read if time is not None), now)
    entries = [_entry(session_id, 1, at, created)]
    for seq, (message, time) in enumerate(read, 2):
        at = time or at
        entries.append(_entry(session_id, seq, at, MessageAdded(message=message)))
    row = await store.import_session(session_id, entries)
    if on_progress is not None:
        on_progress(len(read))
    return row


def _entry(session_id: SessionId, seq: int, at: datetime, event: Event) -> Entry:
    encoded = CODEC.encode(event)
    return Entry(
        session_id=session_id,
        seq=Seq(seq),
        at=at,
        event=encoded.event,
        payload=encoded.payload,
        version=encoded.version,
    )


def _message(given: Message | Mapping[str, Any], number: int) -> tuple[Message, datetime | None]:
    if isinstance(given, Message):
        return given, None
    if not isinstance(given, Mapping):
        raise InvalidInputError(f"message {number} is {type(given).__name__}, not a Message or a dict")
    content = given.get("content", given.get("text"))
    role = given.get("role", "user")
    if role not in get_args(Role):
        raise InvalidInputError(f"message {number} has role {role!r:.50}: use one of {', '.join(get_args(Role))}")
    speaker = next((given[key] for key in _SPEAKERS if given.get(key) is not None), None)
    rest = {key: value for key, value in given.items() if key not in _KNOWN}
    try:
        if isinstance(content, str):
            message = Message(role=role, content=content, metadata=rest)
        else:
            message = msgspec.convert({"role": role, "content": content, "metadata": rest}, Message)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"message {number} has a content that cannot be stored: {error}") from error
    if speaker is not None and not isinstance(speaker, str):
        raise InvalidInputError(f"message {number} was said by {speaker!r:.50}, which is no name")
    return replace(message, name=speaker), _time(given, number)


def _time(given: Mapping[str, Any], number: int) -> datetime | None:
    value = next((given[key] for key in _TIMES if given.get(key) is not None), None)
    if value is None:
        return None
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            value = datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInputError(f"message {number} has the time {value!r:.50}: {error}") from error
    if not isinstance(value, datetime):
        raise InvalidInputError(f"message {number} has the time {value!r:.50}; use a datetime, ISO 8601 or seconds")
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
