"""`metadata.json`: a session's row, as lists show it, and how far the files beside it have followed the journal."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

import msgspec

from sojourn.model.events import TitleSource
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.store.files.disk import read_file
from sojourn.store.files.folders import SessionFolder
from sojourn.store.files.line import Origin
from sojourn.store.files.sealed import is_whole
from sojourn.store.protocol import SessionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the derived files are: the journal's length that they know, and what `receipts.jsonl` holds."""

    journal_bytes: int
    receipts: int = 0
    receipts_through: int = 0


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """The file's fields, in the order in which a person reads them."""

    session_id: SessionId
    title: str | None
    created_at: datetime
    last_updated: datetime
    message_count: int
    token_count: int
    cost_micros: int
    tags: tuple[str, ...]
    user_id: str | None
    project: str | None
    title_source: TitleSource | None
    parent: SessionId | None
    forked_from: SessionId | None
    forked_at: Seq | None
    superseded_by: SessionId | None
    archived_at: datetime | None
    trashed_at: datetime | None
    head: Seq
    epoch: int
    base: SessionId | None
    base_seq: int
    quarantined: str | None
    journal_bytes: int
    receipts: int
    receipts_through: int

    @classmethod
    def of(cls, row: SessionRow, origin: Origin, progress: Progress) -> Self:
        """Return the metadata of a session."""
        header = row.header
        return cls(
            session_id=header.session_id,
            title=header.title,
            created_at=header.created_at,
            last_updated=header.updated_at,
            message_count=header.message_count,
            token_count=header.total_tokens,
            cost_micros=header.cost_micros,
            tags=header.tags,
            user_id=header.user_id,
            project=header.project,
            title_source=header.title_source,
            parent=header.parent,
            forked_from=header.forked_from,
            forked_at=header.forked_at,
            superseded_by=header.superseded_by,
            archived_at=header.archived_at,
            trashed_at=header.trashed_at,
            head=header.head,
            epoch=row.epoch,
            base=origin.base,
            base_seq=origin.base_seq,
            quarantined=row.quarantined,
            journal_bytes=progress.journal_bytes,
            receipts=progress.receipts,
            receipts_through=progress.receipts_through,
        )

    @property
    def row(self) -> SessionRow:
        """The session's row."""
        header = SessionHeader(
            session_id=self.session_id,
            head=self.head,
            created_at=self.created_at,
            updated_at=self.last_updated,
            user_id=self.user_id,
            project=self.project,
            title=self.title,
            title_source=self.title_source,
            tags=self.tags,
            parent=self.parent,
            forked_from=self.forked_from,
            forked_at=self.forked_at,
            superseded_by=self.superseded_by,
            archived_at=self.archived_at,
            trashed_at=self.trashed_at,
            message_count=self.message_count,
            total_tokens=self.token_count,
            cost_micros=self.cost_micros,
        )
        return SessionRow(header=header, epoch=self.epoch, quarantined=self.quarantined)

    @property
    def origin(self) -> Origin:
        """What the journal's first line says."""
        return Origin(self.base, self.base_seq, self.epoch)


_decoder = msgspec.json.Decoder(Metadata)


def read_metadata(folder: SessionFolder, session_id: SessionId) -> Metadata | None:
    """Return the session's metadata; None if the file is missing, damaged, edited or another session's."""
    data = read_file(folder.metadata)
    if data is None or not is_whole(data):
        return None
    try:
        found = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return found if found.session_id == session_id else None
