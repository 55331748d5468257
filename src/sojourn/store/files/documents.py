"""Operations on documents by key: one readable file each, which a person may edit.

The default tenant's document `current_session` also stands in the plain file `DIR/current_session`, and what a person
writes there counts.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from sojourn.errors import CorruptError, InvalidSessionIdError
from sojourn.model.ids import check_session_id
from sojourn.store.files.disk import Disk, make_folder, read_file
from sojourn.store.files.folders import TenantFolder
from sojourn.store.files.locks import hold
from sojourn.store.files.names import document_name, is_document, key_of_document

_POINTER: Final = b"current_session"


class _Document(msgspec.Struct):
    key: str
    data: dict[str, Any]


def save(home: TenantFolder, key: bytes, text: str, disk: Disk) -> None:
    """Store a document, given as JSON text."""
    make_folder(home.documents)
    plain = msgspec.json.encode({"key": key.decode(), "data": msgspec.Raw(text)})
    with hold(home.documents / ".lock"):
        disk.replace(home.documents / document_name(key), msgspec.json.format(plain, indent=2) + b"\n")
        disk.settle_folder(home.documents)
        if home.pointer is not None and key == _POINTER:
            _point(home.pointer, msgspec.json.decode(text), disk)


def load(home: TenantFolder, key: bytes) -> dict[str, Any] | None:
    """Return a document, or None."""
    document = read_document(home.documents / document_name(key), key)
    if home.pointer is None or key != _POINTER:
        return document
    pointed = _pointed(home.pointer)
    return document if pointed is None else {**(document or {}), "session_id": pointed}


def delete(home: TenantFolder, key: bytes, disk: Disk) -> None:
    """Remove a document if it is there."""
    if home.pointer is not None and key == _POINTER:
        home.pointer.unlink(missing_ok=True)
    path = home.documents / document_name(key)
    if path.exists():
        with hold(home.documents / ".lock"):
            path.unlink(missing_ok=True)
            disk.settle_folder(home.documents)


def list_keys(home: TenantFolder, prefix: bytes) -> list[str]:
    """Return the keys that begin with *prefix*, sorted."""
    keys = {_key_of(path) for path in document_files(home)}
    if home.pointer is not None and _pointed(home.pointer) is not None:
        keys.add(_POINTER)
    return [key.decode() for key in sorted(keys) if key.startswith(prefix)]


def document_files(home: TenantFolder) -> list[Path]:
    """Return the files of all documents."""
    if not home.documents.is_dir():
        return []
    return sorted(path for path in home.documents.iterdir() if is_document(path.name))


def read_document(path: Path, key: bytes | None = None) -> dict[str, Any] | None:
    """Return the document in *path*, which must be that of *key* if one is given; None if there is no such file.

    Raises:
        CorruptError: the file is not a document.
    """
    data = read_file(path)
    if data is None:
        return None
    document = _decode(path, data)
    if key is not None and document.key.encode() != key:
        raise CorruptError(f"{path} holds the document {document.key!r:.100}; rename the file or correct its key")
    return document.data


def _key_of(path: Path) -> bytes:
    key = key_of_document(path.name)
    return _decode(path, path.read_bytes()).key.encode() if key is None else key


def _decode(path: Path, data: bytes) -> _Document:
    try:
        return msgspec.json.decode(data, type=_Document)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise CorruptError(f"{path}: {error}") from error


def _point(pointer: Path, document: dict[str, Any], disk: Disk) -> None:
    try:
        session_id = check_session_id(document.get("session_id", ""))
    except InvalidSessionIdError:
        pointer.unlink(missing_ok=True)
        return
    disk.replace(pointer, f"{session_id}\n".encode())


def _pointed(pointer: Path) -> str | None:
    data = read_file(pointer)
    return (data.decode("utf-8", "replace").strip() or None) if data else None
