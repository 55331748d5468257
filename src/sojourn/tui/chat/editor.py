"""Writing a message in the person's own editor."""

import os
import tempfile

import anyio

from sojourn.errors import InvalidInputError


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
