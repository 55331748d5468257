"""The forms that a session can be exported in, and the files that they go into."""

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple

from sojourn.desk.exporting import arrays, bundle
from sojourn.desk.exporting.markdown import markdown
from sojourn.desk.exporting.page import page
from sojourn.desk.exporting.source import Source
from sojourn.desk.references import short
from sojourn.engine.new_file import new_file
from sojourn.model.header import SessionHeader
from sojourn.model.secrets import without_secrets

FormName = Literal["md", "html", "json", "jsonl", "openai", "anthropic"]
_NO_NAME: Final = re.compile(r"[^\w]+", re.ASCII)
_NAME: Final = 40


class ExportForm(NamedTuple):
    """A form: how its files end, what makes it, and whether it shows tools as one likes."""

    suffix: str
    write: Callable[[Source], AsyncIterator[str]]
    has_tools: bool = False


FORMS: Final[dict[FormName, ExportForm]] = {
    "md": ExportForm(".md", markdown, has_tools=True),
    "html": ExportForm(".html", page, has_tools=True),
    "json": ExportForm(".json", bundle.document),
    "jsonl": ExportForm(".jsonl", bundle.lines),
    "openai": ExportForm(".openai.json", arrays.openai),
    "anthropic": ExportForm(".anthropic.json", arrays.anthropic),
}


def file_name(header: SessionHeader, form: FormName) -> str:
    """Return a name for the file of a session: its title and the end of its id. It is one name, never a path."""
    title = without_secrets(header.title or "session")  # a file's name is seen by many who do not read it
    words = _NO_NAME.sub("-", title.lower())[:_NAME].strip("-_")
    return f"{words or 'session'}-{_NO_NAME.sub('-', short(header.session_id))}{FORMS[form].suffix}"


async def write_file(source: Source, form: FormName, path: Path, *, replace: bool) -> None:
    """Write the session to *path*, all of it or nothing.

    Raises:
        AlreadyExistsError: there is a file already, and it is not to be replaced.
        AccessError: the file cannot be written.
    """
    async with new_file(path, replace=replace) as file:
        async for piece in FORMS[form].write(source):
            await file.write(piece.encode())
