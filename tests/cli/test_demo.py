"""The demo does what it says, for people and for machines."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOJOURN = str(Path(sys.executable).with_name("sojourn"))


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SOJOURN, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.fixture(scope="module")
def told() -> subprocess.CompletedProcess[str]:
    return run("demo")


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    finished = run("demo", "--json")
    assert finished.returncode == 0, finished.stderr
    answer: dict[str, Any] = json.loads(finished.stdout)
    assert (answer["ok"], answer["command"]) == (True, "demo")
    data: dict[str, Any] = answer["data"]
    return data


def test_a_person_reads_what_was_kept(told: subprocess.CompletedProcess[str]) -> None:
    assert told.returncode == 0
    for said in ("What was kept", "I am booking the ni", "completed, completed, interrupted, completed", "A fork"):
        assert said in told.stdout


def test_narration_is_on_stderr_and_nothing_is_coloured_without_a_terminal(
    told: subprocess.CompletedProcess[str],
) -> None:
    assert "SIGKILL" in told.stderr
    assert "\x1b" not in told.stdout + told.stderr


def test_the_killed_turn_is_closed_so_that_the_next_model_call_is_valid(seen: dict[str, Any]) -> None:
    roles = [line["role"] for line in seen["conversation"]]
    call = next(i for i, line in enumerate(seen["conversation"]) if "book_ticket" in line["text"])

    assert seen["turn_outcomes"] == ["completed", "completed", "interrupted", "completed"]
    assert roles[call : call + 3] == ["assistant", "tool", "assistant"]
    assert "nobody knows" in seen["conversation"][call + 1]["text"]
    assert seen["conversation"][call + 2]["note"] == "cut off by the kill, kept"


def test_facts_costs_and_the_fork_are_there(seen: dict[str, Any]) -> None:
    assert seen["facts"] == ["The trip goes from Madrid to Lisbon in May", "The night train costs 39 EUR"]
    assert (seen["tokens"], seen["cost_usd"]) == (979, 0.003759)
    assert seen["why"] == "tool: 39 EUR"
    assert [line["text"] for line in seen["fork_conversation"]][-1] == "No, let us fly instead."
    assert seen["check_ok"]


def test_the_temporary_home_is_gone_unless_it_is_to_be_kept(seen: dict[str, Any], tmp_path: Path) -> None:
    assert not Path(seen["location"]).exists()

    kept = run("demo", "--keep", TMPDIR=str(tmp_path))
    location = re.search(r"sqlite3 (\S+)", kept.stdout)
    assert location is not None
    assert Path(location[1]).exists()


def test_a_mistake_is_one_sentence_and_an_exit_code() -> None:
    mistaken = run("demmo")

    assert mistaken.returncode == 2
    assert mistaken.stderr.startswith("error: ")
    assert "demo" in mistaken.stderr
    assert mistaken.stdout == ""


def test_help_and_version_do_not_load_a_database() -> None:
    code = "import sys, sojourn.cli; print('apsw' in sys.modules, 'sojourn.cli.demo' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout.split() == ["False", "False"]
    assert "demo" in run("--help").stdout
    assert run("--version").stdout.startswith("sojourn, version 0.")
