"""Where a person's sessions are, unless another place is named."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import platformdirs

HOME: Final = "SOJOURN_HOME"
"""The variable that names another folder."""
_FILE: Final = "sojourn.db"


def default_location(environment: Mapping[str, str]) -> Path:
    """Return the store's file: in the folder that `SOJOURN_HOME` names, else where this system keeps people's data."""
    named = environment.get(HOME, "").strip()
    folder = Path(named).expanduser() if named else platformdirs.user_data_path("sojourn", appauthor=False)
    return folder / _FILE


def shown(location: str | Path) -> str:
    """Return a location as it may be shown: an address without its password."""
    text = str(location)
    if "://" not in text:
        return text
    parts = urlsplit(text)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))
