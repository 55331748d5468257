"""The pictures in the documents show the app as it is."""

import os
import time
from collections.abc import Iterator

import pytest

from tests.tui.scenes import PICTURES, SCENES, draw

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def one_time_zone() -> Iterator[None]:
    """Pictures show times of the day as they are in Greenwich."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("name", sorted(SCENES))
async def test_a_picture_shows_the_app_as_it_is(name: str) -> None:
    drawn = await draw(name)

    assert drawn == (PICTURES / f"{name}.svg").read_text(encoding="utf-8"), "make pictures draws them anew"


def test_every_picture_has_its_scene() -> None:
    assert {path.stem for path in PICTURES.glob("*.svg")} == set(SCENES)
