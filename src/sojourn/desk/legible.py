"""Stored text in a document: nothing in it is hidden, and what people's scripts need is kept.

A document is read by people, in a browser, an editor or a terminal. Control characters, and those that hide text or
turn its direction, are shown as their codes; what joins letters and pictures is part of writing, and stays.
"""

import unicodedata
from typing import Final

_KEPT: Final = {"\n", "\t", "\u200c", "\u200d", "\u00ad"}
_HIDDEN: Final = {"Cc", "Cf", "Co", "Cs"}


class _Legible(dict[int, str]):
    """What `str.translate` writes for each character. It fills itself."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _KEPT or unicodedata.category(character) not in _HIDDEN:
            written = character
        else:
            written = f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
        self[code] = written
        return written


_TABLE: Final = _Legible()


def legible(text: str) -> str:
    """Return *text* with every character that would act or hide made visible as its code, and with plain line ends."""
    return text.replace("\r\n", "\n").translate(_TABLE)
