"""Which stores a fault test runs on."""

import pytest


def on(*kinds: str) -> pytest.MarkDecorator:
    """Run a test that takes a *location* on each of these kinds of store."""
    return pytest.mark.parametrize("location", kinds, indirect=True)


EVERYWHERE = on("sqlite", "files", "postgres")
