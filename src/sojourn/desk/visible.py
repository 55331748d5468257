"""Text that somebody stored, made fit to be shown.

What a user, a model or a tool wrote must not be able to move the cursor, change colours, or hide what it says: a
terminal gets it through `safe`, JSON through `escaped`.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

_KEPT: Final = {"\n", "\t"}
_HIDDEN: Final = {"Cc", "Cf", "Co", "Cs"}
_JOINERS: Final = "\u200c\u200d"
"""They are not seen, and change how their neighbours are written: in Persian, in Hindi, in a family of emoji."""
_JOINED: Final = re.compile(rf"(?<=[^\x00-\u02ff{_JOINERS}])[{_JOINERS}](?=[^\x00-\u02ff{_JOINERS}])")
"""One of them between two characters that it may join; between others it only hides."""


class _Table(dict[int, str]):
    """What `str.translate` writes for each character: itself, or something else if it cannot be seen.

    It fills itself, because a text has few different characters and may have millions of them.
    """

    def __init__(self, rewrite: Callable[[str], str]) -> None:
        super().__init__()
        self._rewrite = rewrite

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_hidden = character not in _KEPT and unicodedata.category(character) in _HIDDEN
        written = self[code] = self._rewrite(character) if is_hidden else character
        return written


def _shown(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def _escaped(character: str) -> str:
    """Return a character as an escape of JSON, which is made of units of sixteen bits."""
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


_VISIBLE: Final = _Table(_shown)
_ESCAPED: Final = _Table(_escaped)


def safe(text: str) -> str:
    """Return *text* with every control and invisible character made visible as its code.

    What joins the characters of a script, or of an emoji, stays: the text would not be what was written without it.
    """
    if text.isascii() or not any(joiner in text for joiner in _JOINERS):
        return text.translate(_VISIBLE)
    joined = [match.group() for match in _JOINED.finditer(text)]
    pieces = [piece.translate(_VISIBLE) for piece in _JOINED.split(text)]
    return "".join(piece + joiner for piece, joiner in zip(pieces, [*joined, ""], strict=True))


def escaped(json: str) -> str:
    """Return JSON with every such character as an escape: it means the same."""
    return json.translate(_ESCAPED)
