"""Changing one setting in the text of a configuration, and leaving every other line as its owner wrote it.

The text is read line by line, as far as TOML allows that, and what comes out is read again: if it does not say exactly
what it should, nothing is changed and the person is asked to do it by hand.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from sojourn.desk.config import dotted, parsed
from sojourn.desk.settings_known import PAIRS, WITHIN
from sojourn.errors import InvalidInputError

_BY_HAND: Final = "cannot be changed without touching the rest; do it by hand: sojourn config edit"


class _Piece(NamedTuple):
    """What begins in a line: a table's heading, or a value with the lines that it takes."""

    path: tuple[str, ...]
    first: int
    behind: int
    is_heading: bool


def with_value(text: str, path: tuple[str, ...], value: Any, *, file: Path) -> str:
    """Return *text* of *file* with the setting at *path* set to *value*.

    Raises:
        InvalidInputError: the text is no TOML, or cannot be changed in one place.
    """
    wanted = parsed(text, file)
    _put(wanted, path, value)
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    pieces = _pieces(lines)
    old = next((piece for piece in pieces if piece.path == path and not piece.is_heading), None)
    if old is not None:
        _replace(lines, old, pieces, value)
    else:
        _add(lines, pieces, path, value)
    return _verified("".join(lines), wanted, path, file)


def without(text: str, path: tuple[str, ...], *, file: Path) -> str:
    """Return *text* of *file* without the setting, or the whole table, at *path*.

    Raises:
        InvalidInputError: it is not there, or the text cannot be changed in one place.
    """
    wanted = parsed(text, file)
    if not _drop(wanted, path):
        raise InvalidInputError(f"{dotted(path)} is not set in {file}")
    lines = text.splitlines(keepends=True)
    for piece in reversed(_pieces(lines)):
        if piece.path[: len(path)] == path:
            del lines[piece.first : piece.behind]
            if piece.is_heading and piece.first and not lines[piece.first - 1].strip():
                del lines[piece.first - 1]  # the gap before a table goes with it
    return _verified("".join(lines), wanted, path, file)


def read_path(name: str) -> tuple[str, ...]:
    """Return the path that was typed: `prices."gpt-6.1".input`, as TOML writes a key.

    The name of a model or a server needs no quotes for its dots: a shell would take them away.

    Raises:
        InvalidInputError: it is no name.
    """
    try:
        path = _path(tomllib.loads(f"{name} = 0"), value=0)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"{name!r:.80} is no name of a setting") from error
    table, *rest = path
    within = WITHIN.get(table)
    if within is None or not rest:
        return path
    if len(rest) > 2 and rest[-2] in PAIRS:
        return (table, ".".join(rest[:-2]), rest[-2], rest[-1])
    if len(rest) > 1 and rest[-1] in within:
        return (table, ".".join(rest[:-1]), rest[-1])
    return (table, ".".join(rest))


def written(value: Any) -> str:
    """Return *value* as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(map(written, value))}]"
        case _:
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")


def _pieces(lines: list[str]) -> list[_Piece]:
    """Return what stands in *lines*, in its order. They are TOML as a whole."""
    found: list[_Piece] = []
    table: tuple[str, ...] = ()
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        behind = place + 1
        if line.startswith("["):
            table = _path(tomllib.loads(line), value={})
            found.append(_Piece(table, place, behind, is_heading=True))
        elif line and not line.startswith("#"):
            while (read := _read("".join(lines[place:behind]))) is None:
                behind += 1
            found.append(_Piece((*table, *_path(read)), place, behind, is_heading=False))
        place = behind
    return found


def _read(text: str) -> dict[str, Any] | None:
    """Return *text* as data; None if it goes on."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _path(data: Mapping[str, Any], value: Any = None) -> tuple[str, ...]:
    """Return the one path through *data*, down to where it parts, ends, or comes to *value*."""
    path: list[str] = []
    inside: Any = data
    while isinstance(inside, dict) and len(inside) == 1 and inside != value:
        ((name, inside),) = inside.items()
        path.append(name)
    return tuple(path)


def _replace(lines: list[str], old: _Piece, pieces: list[_Piece], value: Any) -> None:
    above = [piece for piece in pieces if piece.is_heading and piece.first < old.first]
    within = above[-1].path if above else ()
    line = lines[old.first]
    indent = line[: len(line) - len(line.lstrip())]
    remark = _remark(line) if old.behind == old.first + 1 else ""
    lines[old.first : old.behind] = [f"{indent}{dotted(old.path[len(within) :])} = {written(value)}{remark}\n"]


def _remark(line: str) -> str:
    """Return the comment behind a value, with the space before it; empty if there is none."""
    whole = tomllib.loads(line)
    for place, character in enumerate(line):
        if character == "#" and _read(line[:place]) == whole:
            value = line[:place].rstrip()
            return line[len(value) :].rstrip("\r\n")
    return ""


def _add(lines: list[str], pieces: list[_Piece], path: tuple[str, ...], value: Any) -> None:
    table, entry = path[:-1], f"{dotted(path[-1:])} = {written(value)}\n"
    headings = [piece for piece in pieces if piece.is_heading]
    if not table:
        end = headings[0].first if headings else len(lines)
        inside = [piece for piece in pieces if piece.behind <= end]
        if inside or not headings:
            lines.insert(inside[-1].behind if inside else end, entry)
        else:
            while end and lines[end - 1].lstrip().startswith("#"):
                end -= 1
            lines[end:end] = [entry, "\n"]
        return
    heading = next((piece for piece in headings if piece.path == table), None)
    if heading is None:
        gap = ["\n"] if lines and lines[-1].strip() else []
        lines += [*gap, f"[{dotted(table)}]\n", entry]
        return
    later = [piece.first for piece in headings if piece.first > heading.first]
    inside = [piece for piece in pieces if heading.first <= piece.first < (later[0] if later else len(lines))]
    lines.insert(inside[-1].behind, entry)


def _put(data: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        inside = data.setdefault(name, {})
        if not isinstance(inside, dict):
            raise InvalidInputError(f"{dotted(path)}: {name} is no table")
        data = inside
    data[path[-1]] = value


def _drop(data: dict[str, Any], path: tuple[str, ...]) -> bool:
    inside: Any = data
    for name in path[:-1]:
        inside = inside.get(name) if isinstance(inside, dict) else None
    return isinstance(inside, dict) and inside.pop(path[-1], None) is not None


def _verified(text: str, wanted: dict[str, Any], path: tuple[str, ...], file: Path) -> str:
    found = _read(text)
    if found is None or _filled(found) != _filled(wanted):
        raise InvalidInputError(f"{dotted(path)} in {file} {_BY_HAND}")
    return text


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return *data* without empty tables, which say nothing."""
    kept = {name: _filled(value) if isinstance(value, dict) else value for name, value in data.items()}
    return {name: value for name, value in kept.items() if value != {}}
