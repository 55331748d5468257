"""Between events and stored JSON text. The one place where stored bytes are read or written.

Every event has a kind and a version. An old version is lifted by upcasters, one version at a time, when it is read;
what is stored is never rewritten for that. Unknown kinds come back as `UnknownEvent`, to the letter.

Encoding checks: the text is decoded again before it is accepted, so what is stored can be read, has the right types,
and the caller goes on with exactly the value that a later replay will see.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from sojourn.errors import CorruptError, InvalidEventError, TooLargeError
from sojourn.model.events import KINDS, Event, KnownEvent, MessageAdded, UnknownEvent, UsageRecorded, kind_of
from sojourn.model.message import Message

MAX_EVENT_BYTES: Final = 16 * 1024 * 1024
MAX_DEPTH: Final = 100
"""How deep lists and objects may be nested: deeper ones cannot be read from everywhere."""
Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = {}
"""From (kind, version) to the function that lifts such an event, as a dict, to the next version."""

_encoder = msgspec.json.Encoder()
decode_current: Callable[[str | bytes], KnownEvent] = msgspec.json.Decoder(KnownEvent).decode
"""Decode an event of its kind's current version. What it raises is among `UNREADABLE`."""
UNREADABLE: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What decoding raises if a text is not an event."""


class _Named(msgspec.Struct):
    kind: str


class _Letter(msgspec.Struct):
    raw: Raw = Raw()


class _Lettered(msgspec.Struct):
    message: _Letter


_name_decoder = msgspec.json.Decoder(_Named)
_letter_decoder = msgspec.json.Decoder(_Lettered)


class Encoded(msgspec.Struct, frozen=True, gc=False):
    """An event ready to be stored, and the event as it will be read back."""

    kind: str
    version: int
    payload: str
    event: Event


class Codec:
    """Encodes and decodes events. One instance, `CODEC`, serves everybody; tests make others with upcasters."""

    def __init__(
        self, upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS, *, max_bytes: int = MAX_EVENT_BYTES
    ) -> None:
        self._upcasters = upcasters
        self._max_bytes = max_bytes
        self.current = dict.fromkeys(KINDS, 1)
        """The version in which each kind is written today."""
        for kind, version in upcasters:
            self.current[kind] = max(self.current.get(kind, 1), version + 1)

    def encode(self, event: Event) -> Encoded:
        """Return *event* as JSON text on one line.

        Raises:
            InvalidEventError: a value is not JSON of the right type (NaN, a lone surrogate, a string for a number).
            TooLargeError: the text is over the limit.
        """
        kind = kind_of(event)
        try:
            body = bytes(event.payload) if isinstance(event, UnknownEvent) else _encoder.encode(event)
            if len(body) > self._max_bytes:
                raise TooLargeError(f"{kind}: {len(body):,} bytes, the limit is {self._max_bytes:,}")
            plain = _is_plain(event)
            if not plain:
                _check_letter(event)
                if b"\n" in body or b"\r" in body:  # white space in the JSON that others have written
                    body = msgspec.json.format(body, indent=-1)
                if b"null" in body:  # msgspec writes NaN and infinity as null
                    refuse_non_finite(event, kind)
                if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
                    _refuse_deep(body, kind)
            payload = body.decode("utf-8")
            version = self.current.get(kind)
            stored = self.decode(kind, 1, payload) if version is None else decode_current(payload)
            if plain and stored != event:
                refuse_non_finite(event, kind)
        except CorruptError as error:
            raise InvalidEventError(f"{kind}: {error.__cause__}") from error
        except (*UNREADABLE, TypeError, OverflowError) as error:
            raise InvalidEventError(f"{kind}: {error}") from error
        if isinstance(event, UnknownEvent) and kind_in(payload) != kind:
            raise InvalidEventError(f"{kind}: its payload names the kind {kind_in(payload)}")
        return Encoded(kind, version or 1, payload, stored)

    def decode(self, kind: str, version: int, payload: str) -> Event:
        """Return the event stored as *payload*.

        Raises:
            CorruptError: the text is not an event of this kind.
        """
        try:
            current = self.current.get(kind)
            if version == current:
                return decode_current(payload)
            if current is None or version > current:
                msgspec.json.decode(payload, type=Raw)
                return UnknownEvent(kind=kind, payload=Raw(payload))
            return decode_current(_encoder.encode(self._lift(kind, version, payload)))
        except UNREADABLE as error:
            raise CorruptError(f"a stored {kind} cannot be read: {error}") from error

    def _lift(self, kind: str, version: int, payload: str) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(payload)
        letter = _letter_decoder.decode(payload).message.raw if KINDS.get(kind) is MessageAdded else b""
        try:
            while (kind, version) in self._upcasters:
                plain = self._upcasters[kind, version](plain)
                kind, version = plain["kind"], version + 1
            if letter:  # parsing has blurred it: put back what the provider sent
                plain["message"]["raw"] = letter
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise CorruptError(f"a stored {kind} of version {version} cannot be lifted: {error!r}") from error
        return plain


def _is_plain(event: Event) -> bool:
    """Tell whether *event* is a message of nothing but text, or usage: most are, and they come back as they went."""
    if type(event) is not MessageAdded:
        return type(event) is UsageRecorded
    message = event.message
    return (
        type(message) is Message
        and type(message.content) is str
        and message.raw is UNSET
        and not message.metadata
        and not message.tool_calls
    )


def _refuse_deep(body: bytes, kind: str) -> None:
    level: list[Any] = [msgspec.json.decode(body)]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            if isinstance(value, dict | list)
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise InvalidEventError(f"{kind}: it is nested more than {MAX_DEPTH} levels deep")


def _check_letter(event: Event) -> None:
    """Refuse a provider's JSON that is none by itself: it could add fields to the message."""
    raw = getattr(event.message, "raw", None) if isinstance(event, MessageAdded) else None
    if isinstance(raw, Raw):
        msgspec.json.decode(raw, type=Raw)


def kind_in(payload: str) -> str:
    """Return the kind that *payload* names.

    Raises:
        InvalidEventError: it is not a JSON object with a kind.
    """
    try:
        return _name_decoder.decode(payload).kind
    except msgspec.MsgspecError as error:
        raise InvalidEventError(f"a payload without a kind: {error}") from error


def refuse_non_finite(value: Any, where: str) -> None:
    """Raise if NaN or an infinity stands anywhere in *value*: JSON has no such numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidEventError(f"{where}: {value} is not a JSON number")
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            refuse_non_finite(getattr(value, name), f"{where}.{name}")
    elif isinstance(value, Mapping):
        for name, item in value.items():
            refuse_non_finite(item, f"{where}.{name}")
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            refuse_non_finite(item, where)


CODEC: Final = Codec()
