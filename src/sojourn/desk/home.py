"""Where a person's sessions are, unless another place is named."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sojourn.errors import InvalidInputError

HOME: Final = "SOJOURN_HOME"
"""The variable that names another folder."""
STORE: Final = "SOJOURN_STORE"
"""The variable that names another store, of any kind."""
_FILE: Final = "sojourn.db"
_CONFIG: Final = "config.toml"


def here() -> Path:
    """Return the folder that the person is in.

    Raises:
        InvalidInputError: it was removed under him.
    """
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise InvalidInputError("the folder that you are in does not exist any more; go to another one") from error


def store_location(named: str | None, environment: Mapping[str, str]) -> str | Path:
    """Return where sessions are kept: at *named*, else where `SOJOURN_STORE` says, else at `default_location`.

    Raises:
        InvalidInputError: *named* is empty: who names a place by a variable that is not set means no other place; or it
            is a folder, and does not say that it is one of a store of files.
    """
    if named is not None and not named.strip():
        raise InvalidInputError("--store names no place; leave it out for your own sessions")
    found = named or environment.get(STORE, "").strip() or default_location(environment)
    if Path(found).expanduser().is_dir():
        raise InvalidInputError(
            f"{found} is a folder: name a file for the store, or files:{found} for a store of files"
        )
    return found


def default_location(environment: Mapping[str, str]) -> Path:
    """Return the store's file: in the folder that `SOJOURN_HOME` names, else where this system keeps people's data."""
    return (_named(environment) or _user_data()) / _FILE


def instructions_file(environment: Mapping[str, str]) -> Path:
    """Return where a person may write what every model is told, in every project."""
    # Who only looks at his sessions does not wait for what an agent needs.
    from sojourn.agent.instructions import FILE_NAME  # noqa: PLC0415

    return _config_folder(environment) / FILE_NAME


def config_file(environment: Mapping[str, str]) -> Path:
    """Return where a person's own configuration is, or would be."""
    return _config_folder(environment) / _CONFIG


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return where things are that can be made anew at any time."""
    named = _named(environment)
    if named is not None:
        return named
    import platformdirs  # noqa: PLC0415 - whoever names a folder of his own does not wait for it

    with _with_a_home():
        return platformdirs.user_cache_path("sojourn", appauthor=False)


def _config_folder(environment: Mapping[str, str]) -> Path:
    named = _named(environment)
    if named is not None:
        return named
    import platformdirs  # noqa: PLC0415 - whoever names a folder of his own does not wait for it

    with _with_a_home():
        return platformdirs.user_config_path("sojourn", appauthor=False)


def _named(environment: Mapping[str, str]) -> Path | None:
    named = environment.get(HOME, "").strip()
    with _with_a_home():
        return Path(named).expanduser() if named else None


def _user_data() -> Path:
    import platformdirs  # noqa: PLC0415

    with _with_a_home():
        return platformdirs.user_data_path("sojourn", appauthor=False)


@contextmanager
def _with_a_home() -> Iterator[None]:
    """Say what to do where nobody knows a home, as in a container that runs as a number."""
    try:
        yield
    except RuntimeError as error:
        raise InvalidInputError(
            f"there is no home here: set HOME, or {HOME} to the folder for your sessions"
        ) from error


def shown(location: str | Path) -> str:
    """Return a location as it may be shown: an address without its password."""
    text = str(location)
    if "://" not in text:
        return text
    parts = urlsplit(text)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
