"""Paths are compared as what they lead to: what is allowed is really inside, whatever way leads there."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.agent.permissions.paths import folder_of, in_common, is_within, resolved
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.verdicts import Allowed
from sojourn.agent.skills.skill import SkillTraits
from sojourn.errors import InvalidInputError

READS = SkillTraits(reads_only=True, path_arguments=("path",))
STEPS = ["work", "workshop", "secret", "in", "deep", "file", "out", "up", "across", "back", "loop", "..", ".", "", "~"]


@pytest.fixture(scope="module")
def maze() -> Iterator[Path]:
    """A folder with `work`, which is allowed, `secret` and `workshop`, which are not, and links between them."""
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        for folder in ("work/in/deep", "secret/in", "workshop"):
            (root / folder).mkdir(parents=True)
            (root / folder / "file").write_text("outside")
        for folder in ("work/in/deep", "work/in", "work"):
            (root / folder / "file").write_text("inside")
        (root / "work" / "out").symlink_to("../secret")
        (root / "work" / "in" / "up").symlink_to("../..")
        (root / "work" / "across").symlink_to(root / "workshop")
        (root / "work" / "loop").symlink_to("loop")
        (root / "secret" / "back").symlink_to(root / "work" / "in")
        (root / "secret" / "file").write_text("outside")
        yield root


@given(path=st.lists(st.sampled_from(STEPS), max_size=9).map("/".join), from_root=st.booleans())
def test_nothing_that_is_allowed_reads_a_file_outside(maze: Path, path: str, from_root: bool) -> None:
    wanted = f"{maze}/{path}" if from_root else path
    permissions = Permissions(level="sandboxed", allowed_paths=("work",))
    verdict = permissions.decide("read", READS, {"path": wanted}, cwd=maze)
    place = Path(maze, Path(wanted).expanduser())
    if isinstance(verdict, Allowed) and place.is_file():
        assert place.read_text() == "inside"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("work/file", "inside"),
        ("work/in/up/work/in/deep/file", "inside"),
        ("work/out/back/file", "inside"),
        ("secret/../work/file", "inside"),
        ("work/out/../work/file", "inside"),
        ("work/out/file", "outside"),
        ("work/in/up/secret/file", "outside"),
        ("work/across/file", "outside"),
        ("workshop/file", "outside"),
    ],
)
def test_the_ways_through_the_maze_are_known(maze: Path, path: str, content: str) -> None:
    permissions = Permissions(level="sandboxed", allowed_paths=("work",))
    verdict = permissions.decide("read", READS, {"path": path}, cwd=maze)
    assert (maze / path).read_text() == content
    assert isinstance(verdict, Allowed) == (content == "inside")


def test_a_path_is_seen_from_the_working_folder(tmp_path: Path) -> None:
    assert resolved("a/../b", cwd=tmp_path) == tmp_path / "b"
    assert resolved("", cwd=tmp_path) == tmp_path
    assert resolved("/a//b/./c/..", cwd=tmp_path) == Path("/a/b")
    assert resolved("~", cwd=tmp_path) == Path.home().resolve()


@pytest.mark.parametrize("path", ["a\0b", "~nobody-of-this-name", "\udc80", None, 1])
def test_what_cannot_be_a_path_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        resolved(path, cwd=tmp_path)


def test_a_folder_holds_itself_and_what_is_in_it_and_not_its_neighbour() -> None:
    folders = [Path("/a/b"), Path("/c")]
    assert all(is_within(Path(place), folders) for place in ("/a/b", "/a/b/c", "/c/d"))
    assert not any(is_within(Path(place), folders) for place in ("/a", "/a/bc", "/a/c", "/", "/cd"))
    assert not is_within(Path("/a"), [])


@pytest.mark.parametrize(
    ("some", "others", "shared"),
    [
        (["/a"], ["/a/b", "/c"], ["/a/b"]),
        (["/a/b", "/c/d"], ["/a", "/c/d/e"], ["/a/b", "/c/d/e"]),
        (["/a"], ["/a"], ["/a"]),
        (["/a"], ["/ab"], []),
        (["/a", "/"], ["/a"], ["/a"]),
        ([], ["/a"], []),
    ],
)
def test_what_two_lists_have_in_common_is_the_inner_of_each_pair(
    some: list[str], others: list[str], shared: list[str]
) -> None:
    assert in_common(map(Path, some), map(Path, others)) == tuple(map(Path, shared))
    assert set(in_common(map(Path, others), map(Path, some))) == set(map(Path, shared))


def test_the_folder_of_a_file_is_its_parent_and_of_a_folder_itself(tmp_path: Path) -> None:
    assert folder_of(tmp_path) == tmp_path
    assert folder_of(tmp_path / "new") == tmp_path
