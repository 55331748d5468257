"""Operations on the partial text of a stream."""

from datetime import datetime

import msgspec

from sojourn.model.ids import SessionId
from sojourn.store.files.partials import StoredPartial, read_partial
from sojourn.store.files.shelf import Shelf
from sojourn.store.protocol import Partial


def save(shelf: Shelf, session_id: SessionId, text: str, *, at: datetime) -> None:
    """Keep the streamed text so far."""
    with shelf.locked(session_id) as folder:
        partial = StoredPartial(text=text, updated_at=at, head=shelf.look(session_id).row.header.head)
        data = msgspec.json.format(msgspec.json.encode(partial), indent=2)
        shelf.disk.replace(folder.partial, data + b"\n")


def find(shelf: Shelf, session_id: SessionId) -> Partial | None:
    """Return the streamed text, or None."""
    with shelf.locked(session_id) as folder:
        shelf.look(session_id)  # a crash may have come between an append and the clearing it stands for
        partial = read_partial(folder)
    return None if partial is None else Partial(text=partial.text, updated_at=partial.updated_at)
