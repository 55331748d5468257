"""Every example runs as a user would run it, without a key and without a network, and says what it is there to say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SAYS = {
    "agent_pool": "  the apprentice is sandboxed",
    "approvals_days_later": "resumed: version 2.1 is live",
    "chat_single_turn": "Air scatters blue light more than red, so blue comes from everywhere.",
    "chat_with_memory": "it:  You are Ada.",
    "logs": "What is the capital of Peru? My key is [redacted:api_key]",
    "mcp_server_skills": "it:  High tide is at 14:30.",
    "parallel_tools": "3 calls, all at once",
    "reasoning": "  not good enough, so direct becomes light_planning",
    "runtime_pipes": "answer in cli_session: FIRST I HEARD 'HELLO', AND NOW 'MY CARD IS [CARD NUMBER]'",
    "switch_models": "  I am the second, and I can read what was said.",
    "team": "  developer: I was not allowed to, so the logs are still there.",
    "tools_and_callbacks": "  [order: Skill execution error: 100 pieces is the most]",
}


def run(name: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run an example in an empty folder, where it finds no key."""
    return run_python(str(EXAMPLES / f"{name}.py"), *arguments, home=home)


def run_python(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONWARNINGS": "error", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        cwd=home,
        env=environment,
    )


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs_and_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    done = run(name, home=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert SAYS[name] in done.stdout.splitlines()
    assert list(tmp_path.iterdir()) == []


ONE_BY_ONE = """
import pathlib, runpy, sys
folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
own = {"approvals_days_later": ["--store", "a.db", "ask"], "chat_with_memory": ["--store", "b.db"]}
for name in names:
    print(f"=== {name}")
    sys.argv = [name, *own.get(name, []), "--model", "scripted:So it is."]
    runpy.run_path(str(folder / f"{name}.py"), run_name="__main__")
"""


def test_examples_talk_to_the_model_that_is_named(tmp_path: Path) -> None:
    done = run_python("-c", ONE_BY_ONE, str(EXAMPLES), *SAYS, home=tmp_path)
    told = dict(part.split("\n", 1) for part in done.stdout.split("=== ")[1:])

    assert (done.returncode, done.stderr) == (0, "")
    assert [name for name in SAYS if "so it is." not in told[name].lower()] == []


def test_a_model_that_cannot_be_had_is_one_sentence(tmp_path: Path) -> None:
    done = run("chat_single_turn", "--model", "claude-sonnet-4-6", home=tmp_path)

    assert done.returncode == 1
    assert "set ANTHROPIC_API_KEY" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_talk_in_a_file_goes_on_in_the_next_process(tmp_path: Path) -> None:
    store = str(tmp_path / "talk.db")
    run("chat_with_memory", "--store", store, "--say", "I'm Ada.", home=tmp_path)

    assert "You are Ada." in run("chat_with_memory", "--store", store, "--say", "Who am I?", home=tmp_path).stdout


def test_a_no_that_comes_days_later_is_a_no(tmp_path: Path) -> None:
    store = str(tmp_path / "work.db")
    for step in (["ask"], ["answer", "no"]):
        run("approvals_days_later", "--store", store, *step, home=tmp_path)

    said = run("approvals_days_later", "--store", store, "resume", home=tmp_path).stdout
    assert "resumed: Rejected by human approval gate." in said.splitlines()


def test_every_example_is_in_the_table_and_is_run_here() -> None:
    listed = re.findall(r"^\| \[`(\w+)\.py`\]\(\1\.py\) \|", (EXAMPLES / "README.md").read_text(), flags=re.MULTILINE)

    assert sorted(listed) == sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(SAYS)
