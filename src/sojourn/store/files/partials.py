"""`partial.json`: text that is being streamed, and after which entry, so that a late clearing spares a new text."""

from datetime import datetime

import msgspec

from sojourn.store.files.disk import read_file
from sojourn.store.files.folders import SessionFolder


class StoredPartial(msgspec.Struct, frozen=True, kw_only=True):
    """The text, when it was last written, and the session's last entry then."""

    text: str
    updated_at: datetime
    head: int


def read_partial(folder: SessionFolder) -> StoredPartial | None:
    """Return the partial text; None if there is none.

    A file that cannot be read is what a power cut leaves of a text that nobody promised to keep.
    """
    data = read_file(folder.partial)
    try:
        return None if data is None else msgspec.json.decode(data, type=StoredPartial)
    except (msgspec.MsgspecError, UnicodeError):
        return None
