"""What a command is told of the environment: everything but what is secret.

Whoever runs an agent has keys in the environment that no command of a model needs, and that a command could print.
This keeps them from being printed by the way. It is no prison: a program that means to can find them elsewhere.
"""

import re
from collections.abc import Mapping
from typing import Final

from sojourn.model.secrets import find_secrets

_SECRET_NAME: Final = re.compile(
    r"(?:KEY|TOKEN)$|SECRET|PASSW|PASSPHRASE|CREDENTIAL"
    r"|(?:^|_)(?:KEYS?|TOKENS?|AUTH|PASS|PWD|PAT|COOKIES?)(?:_(?!SOCK)|$)",
    re.IGNORECASE,
)
_KEPT: Final = frozenset({"PWD", "OLDPWD", "PATH"})
_QUIET: Final = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""So that programs write plain text, and ask nobody."""


def shown_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return *environment* without what is secret by its name or by its value."""
    shown = {name: value for name, value in environment.items() if not _is_secret(name, value)}
    return shown | _QUIET


def _is_secret(name: str, value: str) -> bool:
    if name in _KEPT:
        return False
    return _SECRET_NAME.search(name) is not None or any(find_secrets(value))
