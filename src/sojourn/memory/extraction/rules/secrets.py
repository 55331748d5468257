"""What must never become a fact: keys, passwords, tokens. Their names and places may be kept, their values may not."""

import re
from itertools import pairwise
from typing import Final

from sojourn.model.secrets import resembles_secret

_LONG: Final = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
_NAMED: Final = re.compile(
    r"pass(?:word|phrase|wd|code)|secret|credential|\bpwd\b|\bpin\b|private[ _-]?key|api[ _-]?key|access[ _-]?key"
    r"|\b(?:auth|access|bearer|refresh|api|bot|session)[ _-]?token|(?:^|[ _-])token$|_(?:key|token)\b"
    r"|encryption[ _-]?key|recovery code",
    re.IGNORECASE,
)
_DIGEST_MIX: Final = 3
"""So many changes between letters and digits make a long word a key rather than a name."""


def looks_secret(text: str) -> bool:
    """Tell whether *text* holds something that looks like a key or a token."""
    if resembles_secret(text):
        return True
    return any(_is_mixed(word) for word in _LONG.findall(text))


def names_secret(text: str) -> bool:
    """Tell whether *text* names a thing whose value is secret: a password, an API key."""
    return bool(_NAMED.search(text))


def _is_mixed(word: str) -> bool:
    if "/" in word and not re.search(r"[A-Za-z0-9+]{20,}", word):
        return False
    changes = sum(one.isdigit() != other.isdigit() for one, other in pairwise(word))
    cases = any(letter.isupper() for letter in word) and any(letter.islower() for letter in word)
    return changes > 2 * _DIGEST_MIX or (cases and changes >= _DIGEST_MIX and not re.search(r"[_-]", word))
