"""Where everything lies.

DIR/config.json                 what this folder is
DIR/current_session             the id of the session in use, for people and scripts
DIR/sessions/<id>/              a session of the default tenant
DIR/documents/<key>.json        a document of the default tenant
DIR/tenants/<tenant>/...        the same for every other tenant
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sojourn.model.ids import DEFAULT_TENANT, SessionId, TenantId
from sojourn.store.files.names import folder_name, id_of_folder

PENDING: Final = "."
"""How names begin that are nobody's: locks, folders that are being made or removed, unfinished files."""


class SessionFolder:
    """The folder of one session, and the names of the files in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = path / "lock"
        self.journal = path / "journal.jsonl"
        self.index = path / "index.jsonl"
        self.receipts = path / "receipts.jsonl"
        self.metadata = path / "metadata.json"
        self.state = path / "state.json"
        self.working = path / "working.json"
        self.full = path / "full.json"
        self.partial = path / "partial.json"
        self.lease = path / "lease.json"
        self.snapshots = path / "snapshots"


class TenantFolder:
    """The folder of one tenant; it comes into being with its first session or document."""

    def __init__(self, root: Path, tenant: TenantId) -> None:
        path = root if tenant == DEFAULT_TENANT else root / "tenants" / folder_name(tenant)
        self.tenant = tenant
        self.sessions = path / "sessions"
        self.documents = path / "documents"
        self.structure_lock = self.sessions / ".lock"
        self.forgetting = self.sessions / ".forgetting.json"
        self.pointer = root / "current_session" if tenant == DEFAULT_TENANT else None

    def session(self, session_id: SessionId) -> SessionFolder:
        """Return the session's folder, whether or not it exists."""
        return SessionFolder(self.sessions / folder_name(session_id))

    def session_ids(self) -> Iterator[SessionId]:
        """Give the id of each session that has a journal here, sorted."""
        for name in sorted(_names(self.sessions)):
            session_id = id_of_folder(name)
            if session_id is not None and (self.sessions / name / "journal.jsonl").is_file():
                yield SessionId(session_id)


def tenant_folders(root: Path) -> Iterator[TenantFolder]:
    """Give the folder of every tenant that has one."""
    yield TenantFolder(root, DEFAULT_TENANT)
    for name in sorted(_names(root / "tenants")):
        tenant = id_of_folder(name)
        if tenant is not None and tenant != DEFAULT_TENANT:
            yield TenantFolder(root, TenantId(tenant))


def _names(path: Path) -> list[str]:
    try:
        return [entry.name for entry in path.iterdir() if not entry.name.startswith(PENDING)]
    except FileNotFoundError:
        return []
