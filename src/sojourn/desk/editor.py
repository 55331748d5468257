"""The editor that a person likes: the one that `VISUAL` or `EDITOR` names, or one that is usually there."""

import shlex
import shutil
from collections.abc import Mapping
from typing import Final

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
