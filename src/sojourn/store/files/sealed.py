"""Readable JSON files that tell when somebody else changed them: the last field is a checksum over what precedes it."""

import re
import zlib
from typing import Final

import msgspec

_END: Final = re.compile(rb',\n  "crc": "([0-9a-f]{8})"\n\}\n\Z')
_END_BYTES: Final = 24


def seal(value: object) -> bytes:
    """Return *value*, an object with at least one field, as indented JSON with its checksum."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)[:-2]
    return text + b',\n  "crc": "%08x"\n}\n' % zlib.crc32(text)


def is_whole(data: bytes) -> bool:
    """Tell whether *data* is as it was sealed."""
    end = _END.search(data, max(0, len(data) - _END_BYTES))
    return end is not None and int(end[1], 16) == zlib.crc32(data[: end.start()])
