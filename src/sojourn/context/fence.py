"""Stored text shown to a model as what it is: data from somewhere, never an instruction.

A fence says where the text comes from. Text cannot close its fence: whatever in it looks like the fence is changed so
that a reader still sees what it was.
"""

import re
from typing import Final

_TAG: Final = re.compile(r"<(?=\W*(?:context|query|memory)(?![A-Za-z]))", re.IGNORECASE)
_SHOWN: Final = "‹"


def harmless(text: str) -> str:
    """Return *text* so that it cannot open or close a fence."""
    return _TAG.sub(_SHOWN, text) if "<" in text else text


def fenced(tag: str, text: str, **origin: str) -> str:
    """Return *text* between `<tag ...>` and `</tag>`, with where it comes from in the opening tag."""
    attributes = "".join(f' {name}="{_quoted(value)}"' for name, value in origin.items())
    return f"<{tag}{attributes}>\n{harmless(text)}\n</{tag}>"


def _quoted(value: str) -> str:
    return " ".join(
        value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;").split()
    )
