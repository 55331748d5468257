"""Looking at a folder starts no program that the folder names, and waits for nothing that it holds."""

import os
import subprocess
from pathlib import Path

import pytest

from sojourn.engine.first_commit import find_first_commit
from sojourn.engine.project import find_project, name_project
from sojourn.errors import InvalidInputError
from sojourn.tui.chat.files import list_files


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "kept.py").write_text("")
    git(folder, "add", "kept.py")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a file `ran` behind."""
    file = tmp_path / "program.sh"
    file.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'ran'}'\nexit 1\n")
    file.chmod(0o700)
    return file


def test_listing_files_does_not_start_what_watches_them(repository: Path, program: Path, tmp_path: Path) -> None:
    git(repository, "config", "core.fsmonitor", str(program))

    assert list_files(repository) == ("kept.py",)
    assert not (tmp_path / "ran").exists()


def test_a_missing_commit_is_not_fetched(repository: Path, program: Path, tmp_path: Path) -> None:
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program}",
        "protocol.ext.allow": "always",
    }.items():
        git(repository, "config", name, value)
    (repository / ".git" / "HEAD").write_text("1" * 40 + "\n")

    assert find_project(repository).source == "path"
    assert not (tmp_path / "ran").exists()


def test_a_pipe_in_the_place_of_a_file_of_git_is_not_waited_for(repository: Path) -> None:
    (repository / ".git" / "packed-refs").unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / "packed-refs")
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/nowhere\n")
    os.mkfifo(repository / ".git" / "commondir")
    git_file = repository.parent / "other" / ".git"
    git_file.parent.mkdir()
    os.mkfifo(git_file)

    assert find_first_commit(git_file.parent) is None


def test_a_note_is_not_written_through_a_link(repository: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("mine\n")
    unfinished = repository / ".git" / f"sojourn-first-commits.{os.getpid()}"
    unfinished.symlink_to(own)

    assert find_first_commit(repository) is not None
    assert own.read_text() == "mine\n"


def test_naming_a_project_does_not_write_through_a_link(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("mine\n")
    (tmp_path / ".sojourn").mkdir()
    (tmp_path / ".sojourn" / "project").symlink_to(own)

    name_project(tmp_path, "theirs")

    assert own.read_text() == "mine\n"
    assert find_project(tmp_path).id == "theirs"
    assert [path.name for path in (tmp_path / ".sojourn").iterdir()] == ["project"]


def test_an_id_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / ".sojourn").mkdir()
    with (tmp_path / ".sojourn" / "project").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no room, and would take all memory

    with pytest.raises(InvalidInputError):
        find_project(tmp_path)
