"""A status bar gets one line about the right session, quickly, and shells complete what is typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sojourn.testing.wire_openai import OpenAiWire
from tests.cli.typed import Pipe, Type

pytestmark = pytest.mark.usefixtures("words_only")

SOJOURN = str(Path(sys.executable).with_name("sojourn"))


def ask(pipe: Pipe, wire: OpenAiWire, question: str, *also: str) -> str:
    wire.say("Fine.")
    session_id: str = pipe("-p", question, "-m", f"{wire.base_url}#tiny", "--json", *also).data["session_id"]
    return session_id


# --- the line


def test_the_line_tells_of_the_last_session_of_the_project(pipe: Pipe, wire: OpenAiWire) -> None:
    ask(pipe, wire, "Plan the garden wall")

    told = pipe("statusline")

    model, tokens, cost, title = told.out.strip().split(" · ")
    assert (model, cost, title) == ("scripted", "$0.00", "Plan the garden wall")
    assert tokens.endswith(" tokens")
    assert told.err == ""


def test_with_a_known_window_the_share_of_it_is_told(pipe: Pipe, wire: OpenAiWire, folder: Path) -> None:
    ask(pipe, wire, "Plan the garden wall")
    (folder / "home" / "config.toml").write_text("[prices.scripted]\nwindow = 1000\n")

    data = pipe("statusline", "--json").data

    window = data["context_window"]
    assert window["context_window_size"] == 1000
    assert window["used_percentage"] == round(window["current_usage"] / 10, 1)
    assert window["used_percentage"] + window["remaining_percentage"] == pytest.approx(100)
    assert f" · {window['used_percentage']:.0f}% · " in pipe("statusline").out


def test_the_settings_that_count_are_those_of_the_bars_folder(pipe: Pipe, wire: OpenAiWire, folder: Path) -> None:
    session_id = ask(pipe, wire, "Plan the garden wall")
    elsewhere = folder / "elsewhere"
    (elsewhere / ".sojourn").mkdir(parents=True)
    (elsewhere / ".sojourn" / "config.toml").write_text("[prices.scripted]\nwindow = 2000\n")
    (folder / "home" / "config.toml").write_text(f"trusted = [{json.dumps(str(elsewhere))}]\n")

    handed = json.dumps({"session_id": session_id, "cwd": str(elsewhere)})

    assert pipe("statusline", "--json", text=handed).data["context_window"]["context_window_size"] == 2000
    assert pipe("statusline", "--json").data["context_window"]["context_window_size"] is None


def test_what_a_bar_hands_over_names_the_project_and_the_session(pipe: Pipe, wire: OpenAiWire, folder: Path) -> None:
    first = ask(pipe, wire, "Plan the garden wall")
    ask(pipe, wire, "Bake bread")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    bar = {"session_id": first, "cwd": str(folder / "work"), "model": {"id": "x", "display_name": "X"}}

    assert pipe("statusline", "--json", text=json.dumps(bar)).data["session_id"] == first
    stranger = {**bar, "session_id": "5c3f0e5e-0000-4000-8000-000000000000"}
    assert "Bake bread" in pipe("statusline", text=json.dumps(stranger)).out
    other = {**bar, "session_id": "unknown", "workspace": {"project_dir": str(elsewhere)}}
    assert pipe("statusline", text=json.dumps(other)).out == "X · no session yet\n"
    assert pipe("statusline", "-s", "Plan the garden wall", "--json").data["session_id"] == first


@pytest.mark.parametrize("text", ["{", "[]", "3", '"x"', '{"session_id": 3, "cwd": [], "model": 7, "workspace": "x"}'])
def test_whatever_is_piped_in_is_read_or_refused_in_one_sentence(pipe: Pipe, text: str) -> None:
    told = pipe("statusline", text=text)

    assert told.code in {0, 2}
    assert len(told.out.splitlines()) + len(told.err.splitlines()) <= 2
    assert "Traceback" not in told.err


def test_looking_makes_no_store(pipe: Pipe, folder: Path) -> None:
    told = pipe("statusline")

    assert (told.code, told.out) == (0, "no session yet\n")
    assert not (folder / "home" / "sojourn.db").exists()


def test_a_title_cannot_act_on_the_terminal(pipe: Pipe, wire: OpenAiWire) -> None:
    ask(pipe, wire, "Hello there", "-n", "nasty\x1b[2J\u202etitle")

    assert "\x1b" not in pipe("statusline").out
    assert "\u202e" not in pipe("statusline").out


def test_the_large_table_of_models_is_not_read_twice(pipe: Pipe, wire: OpenAiWire, folder: Path) -> None:
    ask(pipe, wire, "Plan the garden wall")
    pipe("statusline")
    code = "import sys; from sojourn.cli.commands import main\ntry: main(['statusline'])\nexcept SystemExit: pass\n"
    code += "print([name for name in ('genai_prices', 'textual', 'sojourn.agent') if name in sys.modules])"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, input="")

    assert ran.stdout.splitlines()[-1] == "[]"


# --- completion


def completed(folder: Path, *words: str, by: str = "zsh") -> list[str]:
    """Return what a shell would offer for the last of *words*."""
    environment = {
        **os.environ,
        "SOJOURN_HOME": str(folder / "home"),
        "_SOJOURN_COMPLETE": f"{by}_complete",
        "COMP_WORDS": " ".join(["sojourn", *words]),
        "COMP_CWORD": str(len(words)),
    }
    ran = subprocess.run([SOJOURN], capture_output=True, text=True, check=False, env=environment, cwd=folder / "work")
    assert ran.stderr == ""
    return [line for line in ran.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(type_: Type, shell: str) -> None:
    told = type_("completion", shell)

    assert "_SOJOURN_COMPLETE" in told.out
    assert "to use it: " in told.err
    assert type_("completion", shell, "--json").data["script"].strip() == told.out.strip()


def test_there_is_no_script_for_another_shell(type_: Type) -> None:
    assert type_("completion", "tcsh").code == 2
    assert type_("completion").code == 2


def test_commands_options_and_sessions_are_completed(pipe: Pipe, wire: OpenAiWire, folder: Path) -> None:
    session_id = ask(pipe, wire, "Plan the garden wall")

    assert "search" in completed(folder, "se")
    assert "ls" in completed(folder, "facts", "")
    assert "--resume" in completed(folder, "--re")
    assert "Plan the garden wall" in completed(folder, "show", "")
    assert "Plan the garden wall" in completed(folder, "-r", "pl")
    assert session_id[-8:] in completed(folder, "show", session_id[-8:-4])
    assert completed(folder, "show", "pl", by="bash") == [r"plain,Plan\ the\ garden\ wall"]


def test_a_store_that_is_damaged_or_missing_offers_nothing(folder: Path) -> None:
    assert completed(folder, "show", "") == []
    (folder / "home").mkdir()
    (folder / "home" / "sojourn.db").write_bytes(b"no database" * 1000)

    assert completed(folder, "show", "") == []
