"""Opens a folder as a store: says what it is, refuses what it is not, and finishes what a crash left undone."""

from pathlib import Path
from typing import Any, Final

import msgspec

from sojourn.errors import BusyError, CorruptError, InvalidInputError, NewerVersionError
from sojourn.store.files.disk import Disk, make_folder, read_file
from sojourn.store.files.folders import tenant_folders
from sojourn.store.files.locks import hold
from sojourn.store.files.redaction import finish
from sojourn.store.files.shelf import Shelf

FORMAT: Final = "sojourn-files"
VERSION: Final = 1
_ABOUT: Final = (
    "Sessions of Sojourn. In each session's folder journal.jsonl is the truth; the other files are made from it, so "
    "edits to them are lost. Files in documents/ and current_session may be edited."
)


def open_root(root: Path, disk: Disk) -> None:
    """Make *root* a store's folder, unless it is one.

    Raises:
        InvalidInputError: it is another program's folder.
        NewerVersionError: a newer Sojourn wrote it.
        CorruptError: its `config.json` cannot be read.
    """
    make_folder(root)
    path = root / "config.json"
    with hold(root / ".lock"):
        data = read_file(path)
        if data is None:
            text = msgspec.json.encode({"format": FORMAT, "version": VERSION, "about": _ABOUT})
            disk.replace(path, msgspec.json.format(text, indent=2) + b"\n")
            disk.settle_folder(root)
            disk.settle_folder(root.parent)
        else:
            _check_config(path, data)


def tidy(root: Path, disk: Disk) -> None:
    """Carry out what a crash left undone, for each tenant that nobody else is busy with."""
    for home in tenant_folders(root):
        if not home.sessions.is_dir():
            continue
        shelf = Shelf(home, disk)
        try:
            with shelf.structure(alone=True, patience=0):
                finish(shelf)
                shelf.sweep()
        except BusyError:
            continue  # whoever is busy here does it, or the next to open the store


def _check_config(path: Path, data: bytes) -> None:
    try:
        config: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise CorruptError(f"{path}: {error}") from error
    version = config.get("version")
    if config.get("format") != FORMAT or not isinstance(version, int):
        raise InvalidInputError(f"{path} is another program's; choose a folder of its own for the store")
    if version > VERSION:
        raise NewerVersionError(f"{path} says version {version}, this Sojourn knows {VERSION}")
