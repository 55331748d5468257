"""Writing a message in the person's own editor: the one that `VISUAL` or `EDITOR` names."""

import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from typing import Final

import anyio

from sojourn.errors import InvalidInputError

_USUAL: Final = ("nano", "vim", "vi")


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """Return the command that opens the person's editor, or one that is usually there.

    Raises:
        InvalidInputError: there is none, or what is named cannot be read.
    """
    named = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if not named:
        usual = next(filter(None, map(shutil.which, _USUAL)), None)
        if usual is None:
            raise InvalidInputError("there is no editor: name one in EDITOR")
        return [usual]
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise InvalidInputError(f"the editor {named!r:.100} cannot be read: {error}") from error
    if shutil.which(words[0]) is None:
        raise InvalidInputError(f"there is no editor {words[0]!r:.100}: name another one in EDITOR")
    return words


async def edited(text: str, command: list[str]) -> str:
    """Let the person change *text*, and return what became of it. The terminal is the editor's meanwhile.

    The text lies in a file that only the person can read, and that is gone afterwards.

    Raises:
        InvalidInputError: the editor failed, or left something that is no text; the message is as before.
    """
    number, name = tempfile.mkstemp(prefix="sojourn-", suffix=".md")
    path = anyio.Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        done = await anyio.run_process([*command, name], stdin=None, stdout=None, stderr=None, check=False)
        if done.returncode:
            raise InvalidInputError(f"the editor ended with {done.returncode}: the message is as before")
        return (await path.read_text(encoding="utf-8")).removesuffix("\n")
    except (OSError, UnicodeError) as error:
        raise InvalidInputError(f"the message could not be edited: {error}"[:300]) from error
    finally:
        with anyio.CancelScope(shield=True):
            await path.unlink(missing_ok=True)
