"""The instructions of an agent: three places, each named, and nothing that is not what it seems."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sojourn.agent.instructions import MAX_BYTES, Instructions, Source, load_instructions, packaged_text

pytestmark = pytest.mark.anyio


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/project/src/deep").mkdir(parents=True)
    return tmp_path / "home"


async def load(home: Path, folder: str = "project/src/deep", user_file: Path | None = None) -> Instructions:
    return await load_instructions(user_file=user_file, folder=home / folder, home=home)


async def test_the_three_come_in_order_each_with_where_it_is_from(home: Path) -> None:
    user, project = home / "me.md", home / "project/SOJOURN.md"
    user.write_text("Be brief.\n")
    project.write_text("\ufeffUse tabs.")
    loaded = await load(home, user_file=user)

    assert loaded.text == (
        f"# Instructions of Sojourn\n\n{packaged_text()}"
        f"\n\n# Instructions of the user, from {user}\n\nBe brief."
        f"\n\n# Instructions of the project, from {project}\n\nUse tabs."
    )
    assert loaded.sources == (Source("sojourn"), Source("user", user), Source("project", project))
    assert loaded.notes == ()


async def test_without_files_there_are_sojourns_own(home: Path) -> None:
    loaded = await load_instructions()

    assert loaded == await load(home, user_file=home / "missing.md")
    assert loaded.sources == (Source("sojourn"),)


async def test_the_nearest_file_is_the_projects(home: Path) -> None:
    (home / "project/SOJOURN.md").write_text("far")
    (home / "project/src/SOJOURN.md").write_text("near")
    loaded = await load(home)

    assert loaded.sources[-1].path == home / "project/src/SOJOURN.md"
    assert "far" not in loaded.text.rpartition("# Instructions of the project")[2]


async def test_no_file_beyond_the_repository_or_home_counts(home: Path) -> None:
    (home.parent / "SOJOURN.md").write_text("beyond home")
    assert len((await load(home)).sources) == 1

    (home / "SOJOURN.md").write_text("beyond the repository")
    assert len((await load(home)).sources) == 2
    (home / "project/.git").mkdir()
    assert len((await load(home)).sources) == 1


async def test_outside_of_both_only_the_folder_itself_counts(home: Path) -> None:
    """Above it may be a folder that anybody writes to, such as /tmp."""
    (home.parent / "work/here").mkdir(parents=True)
    (home.parent / "work/SOJOURN.md").write_text("anybody's")
    assert len((await load(home, "../work/here")).sources) == 1

    (home.parent / "work/here/SOJOURN.md").write_text("mine")
    assert (await load(home, "../work/here")).text.endswith("mine")


async def test_links_and_huge_strange_or_unreadable_files_are_not_read_and_noted(home: Path) -> None:
    place = home / "project/SOJOURN.md"
    (home / "secret").write_text("the secret")
    place.symlink_to(home / "secret")
    linked = await load(home)
    place.unlink()
    place.write_text("x" * (MAX_BYTES + 1))
    huge = await load(home)
    place.write_bytes(b"caf\xe9")
    foreign = await load(home)
    place.unlink()
    os.mkfifo(place)
    pipe = await load(home)
    place.unlink()
    place.mkdir()
    folder = await load(home)

    assert linked.notes == (f"{place}: a symbolic link; it is not read",)
    assert huge.notes == (f"{place}: larger than 64 KiB; it is not read",)
    assert foreign.notes == (f"{place}: not UTF-8 text; it is not read",)
    assert pipe.notes == folder.notes == (f"{place}: not a file; it is not read",)
    assert {len(one.sources) for one in (linked, huge, foreign, pipe, folder)} == {1}
    assert "the secret" not in linked.text


async def test_one_file_is_not_told_twice(home: Path) -> None:
    (home / "project/SOJOURN.md").write_text("told once")
    loaded = await load(home, user_file=home / "project/SOJOURN.md")

    assert loaded.text.count("told once") == 1


async def test_the_users_own_file_may_be_a_link(home: Path) -> None:
    (home / "dotfiles").write_text("linked")
    (home / "me.md").symlink_to("dotfiles")
    loaded = await load(home, user_file=home / "me.md")

    assert loaded.text.endswith(f"from {home / 'me.md'}\n\nlinked")


async def test_an_empty_file_is_no_part(home: Path) -> None:
    (home / "project/SOJOURN.md").write_text("  \n")

    assert len((await load(home)).sources) == 1


def test_sojourns_own_text_names_the_fences_and_tools_that_there_are() -> None:
    text = packaged_text()

    for word in ("<context>", "<memory>", "<query>", "`remember`", "`recall`", "`forget`", "`read_more`", "_output"):
        assert word in text
    assert "ask_user" not in text
    assert len(text) < 4_000


def test_importing_the_skills_imports_no_extra() -> None:
    code = (
        "import sys, sojourn.agent.instructions, sojourn.agent.skills.registry, sojourn.agent.skills.builtin.standard;"
        "print([name for name in ('httpx2', 'mcp', 'openai', 'anthropic', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
