"""The skills for files and folders, with honest and with hostile arguments."""

import asyncio
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.agent.skills.builtin import search_worker, text_file
from sojourn.agent.skills.builtin.arranging import Arranging
from sojourn.agent.skills.builtin.files import Files, to_its_end
from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.searching import Searching
from sojourn.agent.skills.skill import ToolResult, traits_of
from sojourn.errors import InvalidInputError

pytestmark = pytest.mark.anyio


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that may be used, beside a secret that may not be read."""
    (tmp_path / "secret.txt").write_text("the secret")
    inside = tmp_path / "home"
    inside.mkdir()
    return inside


async def run(home: Path, name: str, **arguments: Any) -> ToolResult:
    roots = Roots.of([home])
    skills = {
        skill.name: skill for skill in (*Files(roots).skills(), *Searching(roots).skills(), *Arranging(roots).skills())
    }
    return await skills[name].execute(**arguments)


# --- roots


@pytest.mark.parametrize("name", ["read_file", "write_file", "edit_file", "list_folder", "glob", "grep"])
@pytest.mark.parametrize("way", ["../secret.txt", "{outside}/secret.txt", "link", "folder/secret.txt", "/", "~root/x"])
async def test_nothing_outside_is_touched_whichever_way_it_is_named(home: Path, name: str, way: str) -> None:
    (home / "link").symlink_to(home.parent / "secret.txt")
    (home / "folder").symlink_to(home.parent)
    more = {"write_file": {"content": "x"}, "edit_file": {"old": "the", "new": "a"}}.get(name, {})
    more |= {"pattern": "s*"} if name in {"glob", "grep"} else {}

    result = await run(home, name, path=way.format(outside=home.parent), **more)

    assert "outside the folders that may be used" in result.error or "no such" in result.error.lower()
    assert "the secret" not in result.text
    assert (home.parent / "secret.txt").read_text() == "the secret"


async def test_a_link_that_stays_inside_is_followed(home: Path) -> None:
    (home / "real.txt").write_text("here")
    (home / "link.txt").symlink_to("real.txt")
    await run(home, "write_file", path="link.txt", content="there")

    assert (home / "link.txt").is_symlink()
    assert (home / "real.txt").read_text() == "there"


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "x" * 5_000, "loop"])
async def test_what_is_no_path_is_said_in_one_sentence(home: Path, path: str) -> None:
    (home / "loop").symlink_to("loop")
    result = await run(home, "read_file", path=path)

    assert result.error.startswith("read_file: ")
    assert len(result.error) < 600


def test_no_roots_are_everything_and_empty_ones_nothing(home: Path) -> None:
    everything = Roots.of(None, base=home)

    assert everything.inside("../secret.txt") == (home.parent / "secret.txt").resolve()
    assert everything.shown(home / "a") == "a"
    assert everything.shown(home.parent) == str(home.parent.resolve())
    with pytest.raises(InvalidInputError, match="may be used: none"):
        Roots.of([]).inside(str(home))


def test_a_root_may_be_a_link_itself(home: Path) -> None:
    (home.parent / "alias").symlink_to(home)
    roots = Roots.of([home.parent / "alias"])

    assert roots.inside("a.txt") == home.resolve() / "a.txt"


@given(
    parts=st.lists(
        st.sampled_from(["..", ".", "a", "b", "out", "in", "up", "", "home", "secret.txt", "/", "//"]), max_size=8
    ),
    rooted=st.booleans(),
)
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, parts: list[str], *, rooted: bool) -> None:
    base = tmp_path_factory.getbasetemp().resolve() / "leads"
    home = base / "home"
    if not home.exists():
        (home / "a/b").mkdir(parents=True)
        (home / "out").symlink_to(base)
        (home / "in").symlink_to(home / "a")
        (home / "a/up").symlink_to("../..")
    path = ("/" if rooted else "") + "/".join(parts)
    try:
        found = Roots.of([home]).inside(path)
    except InvalidInputError:
        return

    assert Path(os.path.realpath(found)).is_relative_to(home)
    assert os.path.realpath(home / path) == str(found)


# --- reading


async def test_a_file_is_read_whole_or_by_lines(home: Path) -> None:
    (home / "a.txt").write_text("one\ntwo\nthree\n")

    assert (await run(home, "read_file", path="a.txt")).output == "one\ntwo\nthree"
    some = await run(home, "read_file", path="a.txt", first_line=2, last_line=2)
    assert some.output == "two\n[lines 2 to 2 of 3; read on with first_line=3]"
    assert some.data == "two"
    assert "[lines 3 to 3 of 3]" in (await run(home, "read_file", path="a.txt", first_line=3)).output
    assert "there is no line 4" in (await run(home, "read_file", path="a.txt", first_line=4)).error
    assert "comes before" in (await run(home, "read_file", path="a.txt", first_line=3, last_line=2)).error


async def test_a_long_file_is_read_in_pieces_that_meet(home: Path) -> None:
    lines = [f"line {number} {'x' * 50}" for number in range(3_000)]
    (home / "a.txt").write_text("\n".join(lines))
    read: list[str] = []
    while len(read) < len(lines):
        result = await run(home, "read_file", path="a.txt", first_line=len(read) + 1)
        read += result.data.split("\n")
        assert len(result.output) < MAX_CHARS + 200

    assert read == lines


async def test_one_endless_line_is_cut_and_says_so(home: Path) -> None:
    (home / "a.txt").write_text("x" * 1_000_000)
    result = await run(home, "read_file", path="a.txt")

    assert "972,000 characters of this line left out" in result.output


async def test_binary_huge_and_strange_files_are_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "picture.png").write_bytes(b"\x89PNG\0\0")
    (home / "huge.txt").write_bytes(b"x" * 101)
    os.mkfifo(home / "pipe")
    monkeypatch.setattr(text_file, "MAX_BYTES", 100)

    assert "is a binary file of 6 bytes" in (await run(home, "read_file", path="picture.png")).error
    assert "has 101 bytes, at most 100" in (await run(home, "read_file", path="huge.txt")).error
    assert "not a file" in (await run(home, "read_file", path="pipe")).error
    assert "use list_folder" in (await run(home, "read_file", path=".")).error
    assert "No such file" in (await run(home, "read_file", path="nothing")).error


async def test_bytes_that_are_no_text_are_shown_as_such(home: Path) -> None:
    (home / "a.txt").write_bytes(b"caf\xe9\n")
    (home / "bom.txt").write_bytes(b"\xef\xbb\xbfhello")

    assert (await run(home, "read_file", path="a.txt")).output.startswith("caf�\n[not all of it is UTF-8")
    assert (await run(home, "read_file", path="bom.txt")).output == "hello"
    (home / "empty.txt").touch()
    assert (await run(home, "read_file", path="empty.txt")).output == "[the file is empty]"


# --- writing


async def test_a_file_is_written_as_a_whole_and_keeps_its_rights(home: Path) -> None:
    made = await run(home, "write_file", path="deep/er/a.sh", content="one\r\n")
    (home / "deep/er/a.sh").chmod(0o750)
    replaced = await run(home, "write_file", path="deep/er/a.sh", content="zwölf")

    assert made.output == "Made deep/er/a.sh: 5 bytes."
    assert replaced.output == "Replaced deep/er/a.sh: 6 bytes."
    assert (home / "deep/er/a.sh").read_text() == "zwölf"
    assert stat.S_IMODE((home / "deep/er/a.sh").stat().st_mode) == 0o750
    assert [entry.name for entry in (home / "deep/er").iterdir()] == ["a.sh"]


async def test_what_cannot_be_written_changes_nothing(home: Path) -> None:
    (home / "file").write_text("old")
    (home / "folder").mkdir()

    assert "half a character" in (await run(home, "write_file", path="file", content="a\ud800")).error
    assert "is not a file" in (await run(home, "write_file", path="folder", content="x")).error
    assert (await run(home, "write_file", path="file/below", content="x")).error
    assert (await run(home, "write_file", path="n" * 300, content="x")).error
    assert (home / "file").read_text() == "old"
    assert (await run(home, "list_folder")).output == "file (3)\nfolder/"


async def test_an_edit_replaces_what_stands_there_once(home: Path) -> None:
    (home / "a.txt").write_text("one\ntwo\none more\n")

    assert (await run(home, "edit_file", path="a.txt", old="one\ntwo", new="1\n2")).output == "Edited a.txt at line 1."
    assert (home / "a.txt").read_text() == "1\n2\none more\n"
    assert "is not in it: read it again" in (await run(home, "edit_file", path="a.txt", old="three", new="3")).error
    assert "stands there 3 times" in (await run(home, "edit_file", path="a.txt", old="\n", new="3")).error
    assert "is empty" in (await run(home, "edit_file", path="a.txt", old="", new="3")).error
    assert "are the same" in (await run(home, "edit_file", path="a.txt", old="1", new="1")).error
    assert (home / "a.txt").read_text() == "1\n2\none more\n"


async def test_an_edit_leaves_every_other_byte_as_it_was(home: Path) -> None:
    (home / "a.txt").write_bytes(b"\xef\xbb\xbfcaf\xe9\r\nold\r\nline\r\n")
    await run(home, "edit_file", path="a.txt", old="old\nline", new="new\nlines")

    assert (home / "a.txt").read_bytes() == b"\xef\xbb\xbfcaf\xe9\r\nnew\r\nlines\r\n"


async def test_edits_at_once_all_count(home: Path) -> None:
    (home / "a.txt").write_text("\n".join(f"<{number}>" for number in range(20)))
    edit = {skill.name: skill for skill in Files(Roots.of([home])).skills()}["edit_file"]
    await asyncio.gather(*(edit.execute(path="a.txt", old=f"<{n}>", new=f"[{n}]") for n in range(20)))

    assert (home / "a.txt").read_text() == "\n".join(f"[{number}]" for number in range(20))


async def test_a_cancel_waits_until_a_write_is_done() -> None:
    """Else the file would change a moment after everybody was told that nothing goes on any more."""
    began, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def write() -> None:
        began.set()
        go_on.wait(30)
        done.append("written")

    task = asyncio.ensure_future(to_its_end(write))
    await asyncio.to_thread(began.wait)
    task.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    still_waiting = not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert still_waiting
    assert done == ["written"]


def test_a_file_that_changed_since_it_was_read_is_not_replaced(home: Path) -> None:
    path = home / "a.txt"
    path.write_text("one")
    known = text_file.load(path)
    path.write_text("somebody else's")

    with pytest.raises(InvalidInputError, match="changed by somebody else"):
        text_file.replace(path, b"mine", known=known)
    assert path.read_text() == "somebody else's"
    assert len(list(home.iterdir())) == 1


# --- moving and removing


async def test_files_and_folders_are_moved_and_nothing_is_overwritten(home: Path) -> None:
    (home / "a.txt").write_text("a")
    (home / "b.txt").write_text("b")

    assert (await run(home, "move_file", path="a.txt", to="new/c.txt")).output == "Moved a.txt to new/c.txt."
    assert (await run(home, "move_file", path="new", to="newer")).success
    assert "is there already" in (await run(home, "move_file", path="b.txt", to="newer/c.txt")).error
    assert "No such file" in (await run(home, "move_file", path="a.txt", to="d.txt")).error
    assert (home / "newer/c.txt").read_text() == "a"


async def test_files_links_and_empty_folders_are_deleted_and_nothing_else(home: Path) -> None:
    (home / "full").mkdir()
    (home / "full/a.txt").write_text("a")
    (home / "link").symlink_to(home.parent / "secret.txt")

    assert (await run(home, "delete_file", path="link")).output == "Deleted link."
    assert "not empty" in (await run(home, "delete_file", path="full")).error
    assert (await run(home, "delete_file", path="full/a.txt")).success
    assert (await run(home, "delete_file", path="full")).success
    assert (home.parent / "secret.txt").exists()


@pytest.mark.parametrize("way", [".", "..", "", "/", "../secret.txt", "../home", "out/secret.txt", "a/../..", "a\0"])
async def test_nothing_outside_is_moved_or_removed(home: Path, way: str) -> None:
    (home / "out").symlink_to(home.parent)
    (home / "a").mkdir()

    for arguments in ({"path": way, "to": "b"}, {"path": "a", "to": way}):
        assert (await run(home, "move_file", **arguments)).error
    assert (await run(home, "delete_file", path=way)).error
    assert (home.parent / "secret.txt").read_text() == "the secret"
    assert (home / "a").is_dir()


# --- folders


async def test_a_folder_is_listed(home: Path) -> None:
    (home / "b.txt").write_text("12345")
    (home / "a").mkdir()
    (home / "link").symlink_to("/etc")

    assert (await run(home, "list_folder")).output == "a/\nb.txt (5)\nlink (a link)"
    assert (await run(home, "list_folder", path="a")).output == "[the folder is empty]"
    assert (await run(home, "list_folder", path="b.txt")).error


async def test_a_large_folder_is_listed_in_part(home: Path) -> None:
    for number in range(1_100):
        (home / f"{number:05}").touch()
    result = await run(home, "list_folder")

    assert "[100 more are not shown: use glob to find some of them]" in result.output


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no names that are not UTF-8")
async def test_names_that_are_no_text_can_be_shown_and_stored(home: Path) -> None:
    (home / os.fsdecode(b"caf\xe9.txt")).write_text("x")

    for name, more in (("list_folder", {}), ("glob", {"pattern": "*"}), ("grep", {"pattern": "x"})):
        result = await run(home, name, **more)
        assert "caf?.txt" in result.output
        assert not result.data or str(result.data).encode()


# --- searching


async def test_files_are_found_by_their_names(home: Path) -> None:
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/d.md", ".git/e.py", "node_modules/f.py"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    (home / "src/out").symlink_to(home.parent)

    assert (await run(home, "glob", pattern="*.py")).data == ["a.py", "src/b.py", "src/deep/c.py"]
    assert (await run(home, "glob", pattern="src/*.{py,md}")).data == ["src/b.py", "src/d.md"]
    assert (await run(home, "glob", pattern="**/c.*", path="src")).data == ["src/deep/c.py"]
    assert (await run(home, "glob", pattern="../*")).data == []
    more = await run(home, "glob", pattern="*", limit=1)
    assert more.output == "a.py\n[there is more: look for something narrower]"


@pytest.mark.parametrize(
    ("path", "pattern", "meant"),
    [
        ("a.py", "*.py", True),
        ("x/y/a.py", "*.py", True),
        ("x/a.py", "/x/*.py", True),
        ("x/a.py", "./x/*.py", True),
        ("x/a.py", "**", True),
        ("x/y/z/a.py", "x/**/a.py", True),
        ("x/a.py", "x/**/a.py", True),
        ("x/a.py", "y/**/a.py", False),
        ("a.py", "*.PY", False),
        ("b.txt", "{a,b}.{py,txt}", True),
        ("[x]", "[[]x]", True),
        ("a" * 200, "*a" * 100 + "b", False),
        ("a.py", "{" * 50, False),
        ("a.py", "{a,b}" * 10, False),
    ],
)
def test_patterns_fit_paths(path: str, pattern: str, *, meant: bool) -> None:
    assert search_worker.fits(path, pattern) is meant


async def test_lines_are_found_by_what_is_in_them(home: Path) -> None:
    (home / "a.py").write_text("import os\r\nprint(1)\n")
    (home / "b.md").write_text("IMPORT this\n")
    (home / "c.bin").write_bytes(b"import\0")
    (home / "d.py").write_bytes(b"caf\xe9 import\n")

    result = await run(home, "grep", pattern=r"^import\b")
    assert result.data == ["a.py:1: import os"]
    assert "[1 binary, too large or forbidden" in result.output
    assert (await run(home, "grep", pattern="import", ignore_case=True, glob="*.md")).data == ["b.md:1: IMPORT this"]
    assert (await run(home, "grep", pattern="caf. import")).data == ["d.py:1: caf� import"]
    assert (await run(home, "grep", pattern="print", path="a.py")).data == ["a.py:2: print(1)"]
    assert "[no line matches; 4 files and folders" in (await run(home, "grep", pattern="nowhere")).output
    assert "no regular expression" in (await run(home, "grep", pattern="a)|(b")).error
    assert "does not exist" in (await run(home, "grep", pattern="a", path="nothing")).error
    assert "there is more" in (await run(home, "grep", pattern="i", limit=1)).output


async def test_a_warning_about_a_pattern_does_not_end_the_search(home: Path) -> None:
    (home / "a.txt").write_text("[[a]\n")

    assert (await run(home, "grep", pattern="[[a]")).data == ["a.txt:1: [[a]"]


async def test_a_long_line_is_shown_around_what_matches(home: Path) -> None:
    (home / "a.txt").write_text("x" * 100_000 + "needle" + "y" * 100_000)
    (line,) = (await run(home, "grep", pattern="needle")).data

    assert "needle" in line
    assert len(line) < 500


async def test_an_expression_that_takes_for_ever_is_ended(home: Path) -> None:
    (home / "a.txt").write_text("a" * 60 + "b")
    grep = Searching(Roots.of([home]), seconds=0.5).skills()[1]
    result = await grep.execute(pattern="(a+)+$")

    assert "took longer than 0.5 seconds" in result.error


def test_skills_say_what_they_do() -> None:
    roots = Roots.of([])
    skills = (*Files(roots).skills(), *Searching(roots).skills(), *Arranging(roots).skills())
    traits = {skill.name: traits_of(skill) for skill in skills}

    assert {name for name, one in traits.items() if one.reads_only} == {"read_file", "list_folder", "glob", "grep"}
    assert {name for name, one in traits.items() if one.needs_approval} == {"move_file", "delete_file"}
    assert all(one.path_arguments[0] == "path" for one in traits.values())
