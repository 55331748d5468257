"""What is settled once is kept as it was written, checked before it counts, and never settled by a stranger."""

import io
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.desk.config import Config, load_config
from sojourn.desk.config_text import read_path, with_value, without, written
from sojourn.desk.settings_known import checked
from sojourn.errors import InvalidInputError
from tests.cli.typed import Type

FILE = Path("config.toml")
MINE = """\
# my settings
model = "claude-mine"  # the good one

# what things cost
[prices.tiny]
input = 1.5   # dollars
output = 2

[mcp.notes]
args = [
  "-y",  # yes
  "notes",
]
command = "npx"
"""


@pytest.fixture
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the person's own configuration."""
    for name in ("MODEL", "RESUME", "BUDGET_USD", "TOOLS", "THEME"):
        monkeypatch.delenv(f"SOJOURN_{name}", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    (folder / "home").mkdir()
    return folder / "home"


def loaded(home: Path, **environment: str) -> Config:
    return load_config({"SOJOURN_HOME": str(home), **environment}, home.parent / "work").config


# --- reading and changing it


def test_what_is_set_can_be_got_and_taken_back(home: Path, type_: Type) -> None:
    assert type_("config", "set", "model", "claude-mine").code == 0
    assert type_("config", "get", "model").out == "claude-mine\n"
    assert type_("config", "get", "model", "--json").data["from"] == str(home / "config.toml")
    assert type_("config", "unset", "model").code == 0
    assert type_("config", "get", "model").code == 3
    assert type_("config", "get", "resume", "--json").data == {"key": "resume", "value": "auto", "from": "default"}


def test_the_file_is_its_owners_only_and_behind_a_link_stays_there(home: Path, type_: Type) -> None:
    kept = home.parent / "dotfiles" / "sojourn.toml"
    kept.parent.mkdir()
    kept.write_text("# mine\n")
    (home / "config.toml").symlink_to(kept)

    type_("config", "set", "tools", "off")

    assert (home / "config.toml").is_symlink()
    assert kept.read_text() == "# mine\ntools = false\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_comments_and_all_other_lines_stay_as_they_are(home: Path, type_: Type) -> None:
    (home / "config.toml").write_text(MINE)

    type_("config", "set", "model", "local")
    type_("config", "set", "prices.tiny.input", "3")
    type_("config", "set", "prices.tiny.window", "8000")
    type_("config", "set", "mcp.notes.args", "-v", "notes")
    type_("config", "set", "budget_usd", "2.50")

    assert (home / "config.toml").read_text() == (
        "# my settings\n"
        'model = "local"  # the good one\n'
        "budget_usd = 2.5\n"
        "\n"
        "# what things cost\n"
        "[prices.tiny]\n"
        "input = 3   # dollars\n"
        "output = 2\n"
        "window = 8000\n"
        "\n"
        "[mcp.notes]\n"
        'args = ["-v", "notes"]\n'
        'command = "npx"\n'
    )


def test_a_whole_table_can_be_taken_back(home: Path, type_: Type) -> None:
    (home / "config.toml").write_text(MINE + '\n[mcp.notes.env]\nKEY = "x"\n')

    assert type_("config", "unset", "mcp.notes").code == 0

    assert (home / "config.toml").read_text() == MINE.partition("\n[mcp.notes]")[0]


def test_a_list_shows_who_settled_what_and_no_keys(home: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    type_("config", "set", "mcp.notes.env.API_KEY", "sk-123456")
    monkeypatch.setenv("SOJOURN_MODEL", "local")

    listed = type_("config", "list")

    assert "sk-123456" not in listed.out
    assert any("model" in line and "SOJOURN_MODEL" in line for line in listed.lines)
    assert {one["key"]: one["value"] for one in type_("config", "list", "--json").data["settings"]} == {
        "mcp.notes.env.API_KEY": "(set)",
        "model": "local",
    }


def test_a_name_with_dots_needs_no_quotes(home: Path, type_: Type) -> None:
    type_("config", "set", "prices.gpt-6.1-sol.input", "2")

    assert tomllib.loads((home / "config.toml").read_text()) == {"prices": {"gpt-6.1-sol": {"input": 2}}}
    assert loaded(home).prices["gpt-6.1-sol"].input_price == 2.0


def test_every_setting_is_told_with_what_it_may_be(type_: Type, home: Path) -> None:
    names = {key["key"] for key in type_("config", "schema", "--json").data["keys"]}

    assert {"resume", "model", "budget_usd", "prices.MODEL.input", "mcp.SERVER.command", "mcp.SERVER.env.NAME"} <= names
    assert "resume  (auto, ask or never" in type_("config", "schema").out


def test_the_path_is_told_whether_it_is_there_or_not(type_: Type, home: Path) -> None:
    assert type_("config", "path").lines == [str(home / "config.toml")]
    assert type_("config", "path", "--project", "--json").data["file"].endswith("work/.sojourn/config.toml")


def test_an_editor_opens_it_and_it_is_checked_afterwards(
    type_: Type, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\nprintf "tools = 3\\n" > "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", f"'{editor}'")
    monkeypatch.delenv("VISUAL", raising=False)

    edited = type_("config", "edit")

    assert edited.code == 2
    assert "tools is true or false, not 3" in edited.err
    monkeypatch.setenv("EDITOR", "/nowhere/at-all")
    assert "there is no editor '/nowhere/at-all'" in type_("config", "edit").err


# --- what cannot be used


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("set", "modle", "x"), "there is no setting modle; there are resume, model"),
        (("set", "resume", "maybe"), "resume is one of auto, ask, never, not 'maybe'"),
        (("set", "tools", "perhaps"), "tools is true or false"),
        (("set", "budget_usd", "0"), "no amount of dollars"),
        (("set", "budget_usd", "much"), "a number from 0"),
        (("set", "retention_days", "-3"), "a number from 0"),
        (("set", "prices.tiny.colour", "red"), "in prices.NAME there are window, input"),
        (("set", "prices.tiny.window", "0.5"), "a whole number from 1"),
        (("set", "mcp.notes.comand", "x"), "in mcp.NAME there are command"),
        (("set", "model", "two", "words"), "takes one value"),
        (("set", "a = b", "x"), "is no name of a setting"),
        (("unset", "model"), "model is not set"),
        (("get", "nothing"), "there is no setting nothing"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    home: Path, type_: Type, words: tuple[str, ...], said: str
) -> None:
    refused = type_("config", *words)

    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert len(refused.err.splitlines()) == 1
    assert not (home / "config.toml").exists()
    assert type_("config", *words, "--json").error["kind"] == "InvalidInputError"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tools = 3\n", "tools is true or false, not 3"),
        ("colour = 'red'\n", "there is no setting colour"),
        ("model = \n", "is no TOML"),
        ("a = 1\na = 2\n", "is no TOML"),
        ("[model]\nname = 'x'\n", "model is a text"),
        ("prices = 3\n", "in prices.NAME there are"),
        ("[mcp]\ncommand = 'x'\n", "in mcp.NAME there are"),
        ("[mcp.a.env.b]\nc = 'x'\n", "is a text"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(home: Path, type_: Type, text: str, said: str) -> None:
    (home / "config.toml").write_text(text)

    for words in (("config", "list"), ("-p", "Hello", "-m", "scripted:x"), ("config", "set", "theme", "dark")):
        refused = type_(*words)
        assert refused.code == 2
        assert str(home / "config.toml") in refused.err
        assert said in refused.err
    assert (home / "config.toml").read_text() == text


def test_what_is_no_text_is_refused(home: Path) -> None:
    (home / "config.toml").write_bytes(b"model = \xff\xfe")
    with pytest.raises(InvalidInputError, match="no text in UTF-8"):
        loaded(home)
    (home / "config.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(InvalidInputError, match="larger than"):
        loaded(home)


def test_a_variable_that_cannot_be_used_is_named(home: Path) -> None:
    with pytest.raises(InvalidInputError, match="SOJOURN_TOOLS: tools is true or false"):
        loaded(home, SOJOURN_TOOLS="maybe")


def test_what_cannot_be_changed_in_one_place_is_left_to_the_person(home: Path, type_: Type) -> None:
    text = "prices = {tiny = {input = 1, output = 2}}\n"
    (home / "config.toml").write_text(text)

    refused = type_("config", "set", "prices.tiny.input", "3")

    assert refused.code == 2
    assert "do it by hand: sojourn config edit" in refused.err
    assert (home / "config.toml").read_text() == text


# --- who comes first


def test_the_environment_goes_before_the_project_and_that_before_the_person(home: Path) -> None:
    (home / "config.toml").write_text('resume = "never"\ntheme = "mine"\ntools = true\n')
    project(home, 'resume = "ask"\ntools = false\n')

    config = loaded(home, SOJOURN_RESUME="auto")

    assert (config.resume, config.theme, config.tools) == ("auto", "mine", False)


def test_an_option_goes_before_everything(home: Path, type_: Type) -> None:
    (home / "config.toml").write_text('model = "scripted:from the file"\n')

    assert type_("-p", "Hi").out == "from the file\n"
    assert type_("-p", "Hi", "-m", "scripted:typed").out == "typed\n"
    assert "your configuration names it" in type_("chat").err


def test_an_environment_goes_before_a_file(home: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "config.toml").write_text('model = "scripted:from the file"\n')
    monkeypatch.setenv("SOJOURN_MODEL", "scripted:from the environment")

    assert type_("-p", "Hi").out == "from the environment\n"


def project(home: Path, text: str) -> Path:
    file = home.parent / "work" / ".sojourn" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


DANGEROUS = """\
model = "scripted:mine now"
base_url = "http://elsewhere.example"
tools = true
keep_profile = "yes"
budget_usd = 1000
log_dir = "/tmp/elsewhere"
theme = "theirs"
trusted = ["/"]

[prices.tiny]
input = 0

[mcp.evil]
command = "rm"
"""


def test_a_project_that_nobody_trusts_settles_nothing_that_runs_spends_or_sends(home: Path) -> None:
    (home / "config.toml").write_text('tools = false\nbudget_usd = 2\nkeep_profile = "no"\n')
    file = project(home, DANGEROUS)

    found = load_config({"SOJOURN_HOME": str(home)}, home.parent / "work")

    assert found.config == Config(tools=False, budget_micros=2_000_000, keep_profile="no", theme="theirs")
    (note,) = found.notes
    assert note.startswith(f"{file}: model, base_url, tools, keep_profile, budget_usd and 4 more are ignored")
    assert "sojourn config trust" in note


def test_a_project_may_want_less_than_the_person(home: Path) -> None:
    (home / "config.toml").write_text("budget_usd = 2\n")
    project(home, 'tools = false\nbudget_usd = 0.5\nkeep_profile = "no"\n')

    config = loaded(home)

    assert (config.tools, config.budget_micros, config.keep_profile) == (False, 500_000, "no")


def test_a_project_that_the_person_trusts_settles_what_he_may(home: Path, type_: Type) -> None:
    project(home, DANGEROUS)

    assert type_("config", "trust").code == 0

    config = loaded(home)
    assert (config.model, set(config.mcp), config.budget_micros) == ("scripted:mine now", {"evil"}, 1_000_000_000)
    assert config.trusted == (home.parent / "work",)  # whom to trust is never a project's to say


@pytest.mark.parametrize(
    "text", ["this is no TOML", 'of_the_future = "x"\n', 'resume = "sometimes"\n', "a" * 1_000_001]
)
def test_a_file_that_cannot_be_used_stops_nothing_unless_it_is_trusted(home: Path, type_: Type, text: str) -> None:
    file = project(home, text)

    found = load_config({"SOJOURN_HOME": str(home)}, home.parent / "work")

    assert found.config == Config()
    assert len(found.notes) == 1
    assert str(file) in found.notes[0]
    assert type_("config", "trust").code == 2
    file.write_text("")
    assert type_("config", "trust").code == 0
    file.write_text(text)
    with pytest.raises(InvalidInputError):
        load_config({"SOJOURN_HOME": str(home)}, home.parent / "work")


def test_who_trusts_a_project_sees_what_it_settles_and_runs(home: Path, type_: Type) -> None:
    project(home, DANGEROUS + 'args = ["-rf", "/"]\n')

    told = type_("config", "trust")

    assert "it settles: model, base_url, tools" in told.err
    assert "it runs: rm -rf /" in told.err


def test_there_must_be_something_to_trust(home: Path, type_: Type) -> None:
    assert type_("config", "trust").code == 3


def test_a_projects_file_is_found_from_below_and_never_beyond_the_repository(home: Path) -> None:
    project(home, 'theme = "theirs"\n')
    below = home.parent / "work" / "a" / "b"
    below.mkdir(parents=True)
    environment = {"SOJOURN_HOME": str(home)}

    assert load_config(environment, below).config.theme is None
    (home.parent / "work" / ".git").mkdir()
    assert load_config(environment, below).config.theme == "theirs"
    (below / ".git").mkdir()
    assert load_config(environment, below).config.theme is None


def test_the_persons_own_file_is_not_taken_for_a_projects(home: Path) -> None:
    own = home.parent / "work" / ".sojourn"
    own.mkdir()
    (own / "config.toml").write_text('model = "mine"\n')

    found = load_config({"SOJOURN_HOME": str(own)}, home.parent / "work")

    assert (found.config.model, found.notes) == ("mine", ())


def test_a_list_of_sessions_does_not_wait_for_a_configuration(folder: Path) -> None:
    code = "import sys; from sojourn.cli.commands import main\ntry: main(['ls'])\nexcept SystemExit: pass\n"
    code += "print(sorted(name for name in sys.modules if name in ('tomllib', 'textual', 'sojourn.engine.app')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines()[-1] == "[]"


def test_what_is_old_enough_to_go_is_settled_once(home: Path, type_: Type) -> None:
    assert "say how old" in type_("prune").err

    type_("config", "set", "retention_days", "30")

    told = type_("prune")
    assert (told.code, "is older than 30d" in told.err) == (0, True)


# --- the text itself

NAMES = st.sampled_from(
    ["model", "theme", "tools", "prices.a.input", "prices.b.output", "mcp.x.command", "mcp.x.env.K"]
)
VALUES = {"tools": st.booleans(), "prices": st.integers(0, 9)}


@given(st.lists(st.tuples(NAMES, st.data()), max_size=12), st.sampled_from(["", MINE, "# only a comment"]))
def test_any_row_of_changes_gives_what_was_said_and_keeps_every_comment(changes: list[Any], text: str) -> None:
    comments = [line for line in text.splitlines() if line.startswith("#")]
    settled: dict[tuple[str, ...], Any] = {}
    for name, data in changes:
        path = read_path(name)
        if path in settled and data.draw(st.booleans()):
            text = without(text, path, file=FILE)
            del settled[path]
            continue
        value = data.draw(
            VALUES.get(name.partition(".")[0], st.text("aä \"'#\\\n\t\x7f[]=", min_size=1).filter(str.strip))
        )
        settled[path] = checked(path, value)
        text = with_value(text, path, settled[path], file=FILE)

    found = tomllib.loads(text)
    for path, value in settled.items():
        inside: Any = found
        for name in path:
            inside = inside[name]
        assert inside == value
    assert [line for line in text.splitlines() if line.startswith("#")] == comments


@given(st.text())
def test_any_text_is_written_so_that_it_is_read_again(text: str) -> None:
    assert tomllib.loads(f"a = {written(text)}") == {"a": text}
