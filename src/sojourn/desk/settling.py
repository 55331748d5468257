"""Settling something for good: one value in a person's configuration, written whole or not at all."""

from pathlib import Path
from typing import Any

import anyio.to_thread

from sojourn.desk.config import read_text
from sojourn.desk.config_text import with_value
from sojourn.desk.settings_known import checked
from sojourn.engine.new_file import new_file
from sojourn.errors import AccessError
from sojourn.store.filesystem import create_private_folder


async def settle(path: tuple[str, ...], value: Any, *, file: Path) -> None:
    """Set the setting at *path* to *value* in *file*, and leave every other line as it is.

    Raises:
        InvalidInputError: there is no such setting, it cannot be that, or the file cannot be changed in one place.
        AccessError: the file cannot be read or written.
    """
    text = await anyio.to_thread.run_sync(read_text, file)
    await write_config(file, with_value(text, path, checked(path, value), file=file))


async def write_config(file: Path, text: str) -> None:
    """Let *file* hold *text*; only its owner may read it.

    Raises:
        AccessError: it cannot be written.
    """
    place = await anyio.to_thread.run_sync(file.resolve)  # who keeps it elsewhere, behind a link, keeps it there
    try:
        await anyio.to_thread.run_sync(create_private_folder, place.parent)
    except OSError as error:
        raise AccessError(f"{place.parent}: {error.strerror or error}") from error
    async with new_file(place, replace=True) as opened:
        await opened.write(text.encode())
