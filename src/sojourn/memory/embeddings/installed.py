"""Which optional packages are there. Looking for one does not import it, so it costs nothing."""

from importlib.util import find_spec

from sojourn.errors import MissingExtraError


def is_installed(*packages: str) -> bool:
    """Tell whether every one of *packages* can be imported."""
    return all(find_spec(package) is not None for package in packages)


def require(*packages: str, extra: str) -> None:
    """Check that *packages* are there.

    Raises:
        MissingExtraError: one is not; it says how to install it.
    """
    missing = [package for package in packages if not is_installed(package)]
    if missing:
        raise MissingExtraError(f"{', '.join(missing)} is missing: pip install 'sojourn[{extra}]'")
