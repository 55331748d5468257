"""Questions to git about a folder, which may hold somebody else's repository.

What a repository's own configuration says is not only read by git, it is done: it can name a program that watches the
files, or an address from which missing objects are fetched by another program. Who only looks at a folder starts none
of them, so every question switches them off.
"""

import os
import subprocess
from pathlib import Path
from typing import Final

_SECONDS: Final = 5
_SWITCHED_OFF: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ALONE: Final = {
    "GIT_ALLOW_PROTOCOL": "none",  # unlike protocol.allow, it goes before what the repository says
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


def ask_git(folder: Path, *words: str) -> bytes | None:
    """Return what git answers to *words* in *folder*; None if it has no answer, is too slow, or is not there."""
    command = ["git", *_SWITCHED_OFF, "--no-replace-objects", "-C", str(folder), *words]
    # In a hook, git's own variables name another repository, which is not the one that is asked about.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and the path is the only part that is not ours
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**environment, **_ALONE},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout
