"""Which settings there are: the name of each, what it may be, and what it is for.

Values come from three places that speak differently: a file (typed TOML), a variable of the environment and the command
line (text). Each becomes the same value here, or one sentence that says what is wrong.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sojourn.desk.amounts import micros
from sojourn.errors import InvalidInputError

_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0"})

Check = Callable[[Any], Any]
"""Returns a value as it is kept in a file, or raises InvalidInputError with what it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting.

    Attributes:
        kind: what it may be, in words.
        meaning: what it is for, in one line.
        check: reads a value of a file.
        default: what it is if nobody says; None is nothing.
    """

    kind: str
    meaning: str
    check: Check
    default: Any = None


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError("a text")
    return value.strip()


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in _TRUE | _FALSE:
        raise InvalidInputError("true or false")
    return word in _TRUE


def _number(value: Any) -> int | float:
    """Return a number from 0; text that is one counts."""
    found = value
    if isinstance(value, str):
        try:
            found = int(value) if value.strip().isdecimal() else float(value)
        except ValueError:
            found = None
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found) or found < 0:
        raise InvalidInputError("a number from 0")
    return found


def _count(value: Any) -> int:
    found = _number(value)
    if found != int(found) or found < 1:
        raise InvalidInputError("a whole number from 1")
    return int(found)


def _dollars(value: Any) -> int | float:
    found = _number(value)
    micros(str(found))
    return found


def _texts(value: Any) -> list[str]:
    found = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(part, str) and part for part in found):
        raise InvalidInputError("a list of texts")
    return found


def _switch_or_texts(value: Any) -> bool | list[str]:
    return _texts(value) if isinstance(value, list) else _switch(value)


def _one_of(*words: str) -> Check:
    def check(value: Any) -> str:
        if value not in words:
            raise InvalidInputError(f"one of {', '.join(words)}")
        return str(value)

    return check


KEYS: Final[Mapping[str, Key]] = {
    "resume": Key(
        kind="auto, ask or never",
        meaning="What sojourn alone does: go on with the last session, show the list, or begin a new one.",
        check=_one_of("auto", "ask", "never"),
        default="auto",
    ),
    "model": Key(kind="text", meaning="Which model talks, as --model takes it.", check=_text),
    "base_url": Key(kind="text", meaning="Where that model is served, if not by its vendor.", check=_text),
    "theme": Key(kind="text", meaning="How the app looks.", check=_text),
    "tools": Key(kind="true or false", meaning="Let models use tools.", check=_switch, default=True),
    "keep_profile": Key(
        kind="ask, yes or no",
        meaning="Write down what is learned about you.",
        check=_one_of("ask", "yes", "no"),
        default="ask",
    ),
    "retention_days": Key(
        kind="number",
        meaning="How old an archived or trashed session may become before prune proposes to remove it.",
        check=_number,
    ),
    "budget_usd": Key(kind="dollars", meaning="What one chat may cost.", check=_dollars),
    "log_dir": Key(kind="folder", meaning="Where a log for people is written.", check=_text),
    "trusted": Key(
        kind="list of folders",
        meaning="Projects whose own configuration may name models, servers of tools and folders.",
        check=_texts,
    ),
}
"""The settings that stand alone."""

PRICE_KEYS: Final[Mapping[str, Key]] = {
    "window": Key(kind="number", meaning="How many tokens the model takes.", check=_count),
    "input": Key(kind="dollars", meaning="What a million tokens cost that it reads.", check=_number),
    "output": Key(kind="dollars", meaning="What a million tokens cost that it writes.", check=_number),
    "cache_read": Key(kind="dollars", meaning="What a million tokens cost out of its cache.", check=_number),
    "cache_write": Key(kind="dollars", meaning="What a million tokens cost into its cache.", check=_number),
}
"""What can be said of a model, in the table `prices.NAME`."""

MCP_KEYS: Final[Mapping[str, Key]] = {
    "command": Key(kind="text", meaning="The program that is the server.", check=_text),
    "args": Key(kind="list of texts", meaning="Its arguments.", check=_texts),
    "env": Key(kind="text", meaning="A variable of its environment.", check=_text),
    "cwd": Key(kind="folder", meaning="Where it runs.", check=_text),
    "url": Key(kind="text", meaning="The server's address, if it is no program here.", check=_text),
    "headers": Key(kind="text", meaning="A header that is sent with each request.", check=_text),
    "enabled": Key(kind="true, false or list", meaning="Only these tools, or none at all.", check=_switch_or_texts),
    "disabled": Key(kind="true, false or list", meaning="All but these tools.", check=_switch_or_texts),
    "timeout": Key(kind="seconds", meaning="How long a call may take.", check=_number),
    "type": Key(kind="text", meaning="stdio or http, where that is not clear.", check=_text),
}
"""What can be said of a server of tools, in the table `mcp.NAME`."""

WITHIN: Final[Mapping[str, Mapping[str, Key]]] = {"prices": PRICE_KEYS, "mcp": MCP_KEYS}
"""The tables of tables: what can be said in each of theirs."""
PAIRS: Final = frozenset({"env", "headers"})
"""What is a table of names and texts. It may hold keys, so it is not shown."""


def find_key(path: tuple[str, ...]) -> Key:
    """Return the setting that *path* leads to: `("model",)`, `("prices", "my-model", "input")` ...

    Raises:
        InvalidInputError: there is none; the sentence names what there is.
    """
    match path:
        case (name,) if name in KEYS:
            return KEYS[name]
        case (table, _, name) if table in WITHIN and name in WITHIN[table] and name not in PAIRS:
            return WITHIN[table][name]
        case ("mcp", _, name, _) if name in PAIRS:
            return MCP_KEYS[name]
        case (table, *_) if table in WITHIN:
            known = ", ".join(f"{one}.NAME" if one in PAIRS else one for one in WITHIN[table])
            raise InvalidInputError(f"{'.'.join(path)}: in {table}.NAME there are {known}")
        case _:
            raise InvalidInputError(f"there is no setting {'.'.join(path)}; there are {', '.join((*KEYS, *WITHIN))}")


def checked(path: tuple[str, ...], value: Any) -> Any:
    """Return *value* as the setting at *path* takes it.

    Raises:
        InvalidInputError: there is no such setting, or it cannot be that.
    """
    key = find_key(path)
    try:
        return key.check(value)
    except InvalidInputError as error:
        raise InvalidInputError(f"{'.'.join(path)} is {error.detail}, not {value!r:.60}") from error
