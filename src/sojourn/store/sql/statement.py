"""Named statements, and operations made of them.

An operation is a generator: it yields statements and is sent their rows. Whoever drives it decides how they run, on a
thread or on an event loop; the operation cannot tell. All statements of one operation run in one transaction. An
operation checks before it writes, so that an error it raises by itself leaves nothing behind.
"""

import re
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")
Params = Mapping[str, Any]
Rows = list[tuple[Any, ...]]


class Statement(msgspec.Struct, frozen=True, gc=False):
    """One statement to run, once with *params* or once for each of *many*; values are given by name or by place.

    With *replan*, a database that keeps plans makes a new one: which is best depends on the values.
    """

    name: str
    params: Params | tuple[Any, ...]
    many: Sequence[Params | tuple[Any, ...]] | None = None
    replan: bool = False


Operation = Generator[Statement, Rows, T]

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def load_statements(dialect: str, package: str = __package__) -> dict[str, str]:
    """Return the texts of all statements of *dialect* by name; *package* has a folder of that name."""
    text = (_folder(package) / dialect / "statements.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


class Migration(NamedTuple):
    """One numbered step of the schema."""

    version: int
    name: str
    sql: str


@cache
def load_migrations(dialect: str, package: str = __package__) -> list[Migration]:
    """Return the migrations of *dialect* in order; they are numbered 1, 2, 3 ... without gaps.

    *package* has a folder of that name.
    """
    found = [
        Migration(int(file.name[:4]), file.name.removesuffix(".sql"), file.read_text("utf-8"))
        for file in (_folder(package) / dialect).iterdir()
        if file.name[:4].isdigit()
    ]
    return sorted(found)


def _folder(package: str) -> Path:
    """Return where a package's files are. Not by `importlib.resources`: it takes a tenth of what a list takes."""
    return Path(str(import_module(package).__file__)).parent
