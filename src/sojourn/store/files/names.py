"""Names of folders and files. No two ids or keys share one, on any file system, and none leads out of its folder.

A file system may fold case, refuse a final dot, or keep names like `con` for itself. An id or key that could suffer
from that gets a name with a mark that no plain one has: `~` and a hash, which keep what a person reads in front.
"""

import hashlib
import re
from typing import Final
from urllib.parse import unquote_to_bytes

from sojourn.errors import InvalidSessionIdError
from sojourn.model.ids import check_session_id

_HASH_DIGITS: Final = 16
_MOST_BYTES: Final = 120
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_SUFFIX: Final = ".json"


def folder_name(checked_id: str) -> str:
    """Return the name of the folder for a session's or tenant's id, which was checked."""
    name = f"_{checked_id}" if _DEVICES.fullmatch(checked_id) else checked_id
    if checked_id != checked_id.lower() or checked_id.endswith("."):
        return f"{name}~{_hash(checked_id.encode())}"
    return name


def id_of_folder(name: str) -> str | None:
    """Return the id whose folder is called *name*; None if it is no id's."""
    try:
        found = check_session_id(name.partition("~")[0].removeprefix("_"))
    except InvalidSessionIdError:
        return None
    return found if folder_name(found) == name else None


def document_name(key: bytes) -> str:
    """Return the name of the file for the document under *key*."""
    name = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in key)
    if name.startswith(".") or _DEVICES.fullmatch(name):
        name = f"%{ord(name[0]):02x}{name[1:]}"
    if not name or len(name) > _MOST_BYTES or name != name.lower():
        name = f"{name[:_MOST_BYTES]}~{_hash(key)}"
    return name + _SUFFIX


def key_of_document(name: str) -> bytes | None:
    """Return the key that a document's file name spells; None if only the file itself can tell."""
    stem = name.removesuffix(_SUFFIX)
    return None if "~" in stem else unquote_to_bytes(stem)


def is_document(name: str) -> bool:
    """Tell whether a file of this name holds a document."""
    return name.endswith(_SUFFIX) and not name.startswith(".")


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:_HASH_DIGITS]
