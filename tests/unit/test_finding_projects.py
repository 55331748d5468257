"""A project is known by its first commit, whatever becomes of its folder, and git is asked as seldom as can be."""

import subprocess
from pathlib import Path

import pytest

from sojourn.engine.first_commit import find_first_commit
from sojourn.engine.project import Project, find_project, name_project, path_id
from sojourn.errors import InvalidInputError

NOTES = "sojourn-first-commits"


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    command = ["git", *settings, "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, text: str = "x") -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", text)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "first")
    return folder


def hide_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")


def test_the_answer_is_known_without_git_the_second_time(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = git(repository, "rev-list", "--max-parents=0", "HEAD")
    commit(repository)
    asked = find_project(repository)

    hide_git(monkeypatch)

    assert asked == find_project(repository) == Project(id=f"git-{first[:16]}", path=repository, source="git")


def test_a_rewritten_history_is_another_one(repository: Path) -> None:
    before = find_first_commit(repository)
    git(repository, "checkout", "-q", "--orphan", "new")
    other = commit(repository, "other")
    git(repository, "branch", "-M", "main")

    assert find_first_commit(repository) == other[:16] != before


def test_each_branch_has_its_own_answer(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = find_first_commit(repository)
    git(repository, "checkout", "-q", "--orphan", "pages")
    pages = commit(repository, "pages")[:16]
    assert find_first_commit(repository) == pages
    git(repository, "checkout", "-q", "main")

    hide_git(monkeypatch)

    assert find_first_commit(repository) == main != pages


def test_packed_references_and_a_detached_head_are_understood(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = find_first_commit(repository)
    git(repository, "pack-refs", "--all", "--prune")
    with monkeypatch.context() as hidden:
        hide_git(hidden)
        assert find_first_commit(repository) == first
    git(repository, "checkout", "-q", "--detach")

    hide_git(monkeypatch)

    assert find_first_commit(repository) == first


def test_a_worktree_belongs_to_its_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repository, "worktree", "add", "-q", "-b", "side", str(repository.parent / "side"))
    asked = find_first_commit(repository.parent / "side")

    hide_git(monkeypatch)

    assert asked == find_first_commit(repository.parent / "side") == find_first_commit(repository)


def test_a_submodule_is_a_project_of_its_own(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    first = commit(other, "another")
    git(repository, "submodule", "add", "-q", str(other), "inner")

    assert [find_first_commit(repository / "inner") for _ in range(2)] == [first[:16]] * 2
    assert find_first_commit(repository) != first[:16]


def test_of_a_history_that_is_cut_off_nothing_is_noted(repository: Path, tmp_path: Path) -> None:
    first = find_first_commit(repository)
    commit(repository)
    latest = commit(repository)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    shallow = tmp_path / "shallow"
    assert find_first_commit(shallow) == latest[:16]
    git(shallow, "fetch", "-q", "--unshallow")

    assert find_first_commit(shallow) == first


def test_a_repository_without_a_commit_is_known_by_its_path(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    assert find_project(tmp_path) == Project(id=path_id(tmp_path), path=tmp_path, source="path")
    assert not (tmp_path / ".git" / NOTES).exists()


@pytest.mark.parametrize("notes", ["", "rubbish", "\0\1", "0" * 40, f"{'0' * 40} {'1' * 16}", b"\xff\xfe"])
def test_notes_that_say_nothing_cost_a_question(repository: Path, notes: str | bytes) -> None:
    first = git(repository, "rev-list", "--max-parents=0", "HEAD")
    (repository / ".git" / NOTES).write_bytes(notes if isinstance(notes, bytes) else notes.encode())

    assert find_first_commit(repository) == first[:16]
    assert first in (repository / ".git" / NOTES).read_text()


def test_notes_do_not_grow_without_end(repository: Path) -> None:
    for number in range(3):
        commit(repository, str(number))
        find_first_commit(repository)
    notes = repository / ".git" / NOTES
    lines = notes.read_text().splitlines()
    notes.write_text("\n".join([*(f"{number:040x} {'1' * 16}" for number in range(100)), *lines]))
    commit(repository)
    find_first_commit(repository)

    kept = notes.read_text().splitlines()
    assert len(kept) == 50
    assert kept[-4:-1] == lines


@pytest.mark.parametrize("head", ["ref: ../../outside", "ref: /etc/passwd", "ref: refs/heads/loop", "", "what"])
def test_a_head_that_cannot_be_followed_is_git_s_affair(repository: Path, head: str) -> None:
    (repository / ".git" / "refs" / "heads" / "loop").write_text("ref: refs/heads/loop\n")
    (repository / ".git" / "HEAD").write_text(head)

    assert find_first_commit(repository) is None
    assert not (repository / ".git" / NOTES).exists()


def test_a_variable_of_git_does_not_name_another_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = git(repository, "rev-list", "--max-parents=0", "HEAD")
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, "another")

    monkeypatch.setenv("GIT_DIR", str(other / ".git"))

    assert find_first_commit(repository) == first[:16]


@pytest.mark.parametrize("wrong", ["", "   ", "two\nlines", "x" * 300, "hidden\x1b[2J"])
def test_an_id_that_cannot_be_one_is_refused_and_nothing_is_written(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InvalidInputError):
        name_project(tmp_path, wrong)

    assert not (tmp_path / ".sojourn").exists()


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe"])
def test_a_file_without_an_id_is_named(tmp_path: Path, content: bytes) -> None:
    name_project(tmp_path, "mine")
    (tmp_path / ".sojourn" / "project").write_bytes(content)

    with pytest.raises(InvalidInputError, match="project"):
        find_project(tmp_path)
