"""Whatever a user, a model or a tool has written, no command lets it act on the terminal of who looks at it."""

import io
import os
import pty
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

import sojourn
from sojourn.engine.session import Session
from sojourn.model.events import UsageRecorded
from sojourn.model.message import Message, ToolCall
from tests.cli.seeded import seed
from tests.cli.typed import Type

SEQUENCES: Final = (
    "\x1b]52;c;cm0gLXJm\x07",  # writes into the clipboard
    "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",  # a link that says something else
    "\x1b[2J",  # clears the screen
    "\x1bP+q544e\x1b\\",  # asks the terminal, which types the answer
    "\x9b31m",  # a colour, in one byte
    "ok\rno",  # goes back to the beginning of the line
    "yes\b\b\bno",  # goes back over what it said
    "\x1b]0;root@host\x07",  # the title of the window
    "\x1b[?1049h",  # another screen
    "\x1b[6n",  # where is the cursor
    "\x07\x00\x7f",
    "\u202egnp.exe",  # from right to left
    "\U000e0041\u200b\u2066",  # nothing that can be seen
    "\x1b[8mhidden\x1b[0m",
)
FORWARD = "".join(SEQUENCES)
BACKWARD = "".join(reversed(SEQUENCES))
"""The other way around: where a long text is cut, each comes first in one of them."""

COMMANDS: Final[tuple[tuple[str, ...], ...]] = (
    ("ls",), ("sessions", "--agents"), ("show",), ("show", "--tools", "full"), ("search", "pelican", "-C", "2"),
    ("tree",), ("statusline",), ("cost",), ("cost", "--by", "session"), ("project", "ls"), ("project", "info"),
    ("context",), ("context", "--bare"), ("context", "--bare", "--payload", "openai-chat"), ("compact", "--dry-run"),
    ("facts", "ls"), ("facts", "show", "1"), ("facts", "why", "1"), ("facts", "review"), ("why", "1"), ("why", "2"),
    ("why", "name"), ("profile", "show"), ("profile", "keep"), ("focus", "show"), ("research", "show"),
    ("research", "note", "{}"), ("research", "add", "{}"), ("research", "step", "1", "completed"),
    ("research", "complete", "1", "{}"), ("research", "end", "{}"), ("research", "start", "{}", "{}"),
    ("db", "stats"), ("db", "path"), ("db", "query", "SELECT title FROM sessions"), ("db", "vacuum"), ("db", "rebuild"),
    ("db", "backup", "copy.db"), ("doctor",), ("scrub", "--dry-run"), ("export",), ("export", "-f", "html"),
    ("export", "-f", "json"), ("export", "-f", "openai"), ("new", "{}"), ("rename", "@last", "{}"),
    ("tag", "@last", "{}"), ("diff", "@last", "@-2"), ("merge", "@last", "@-2"), ("fork", "@-2"),
    ("rewind", "@-2", "--to", "2"), ("archive", "@last"), ("unarchive", "evil"), ("delete", "@last"),
    ("restore", "@last"), ("prune", "--older-than", "0h"), ("facts", "add", "{}"), ("facts", "edit", "1", "{}"),
    ("facts", "retire", "1"), ("facts", "restore", "1"), ("profile", "set", "name", "{}"),
    ("profile", "unset", "name"), ("focus", "set", "{}"), ("focus", "clear"), ("forget", "fact", "1"),
    ("forget", "message", "2"), ("forget", "value", "name"), ("forget", "session", "@last"), ("forget", "user", "{}"),
    ("import", "{}"), ("import", "."), ("help", "{}"), ("config", "get", "{}"), ("config", "set", "model", "{}"),
    ("config", "set", "{}", "1"), ("config", "list"), ("config", "unset", "{}"), ("config", "path"),
    ("config", "schema"), ("config", "trust", "{}"), ("project", "name", "{}"), ("project", "relink", "{}", "{}"),
    ("show", "{}"), ("show", "--{}"), ("ls", "--cursor", "{}"), ("ls", "--store", "{}"), ("search", "{}"),
    ("facts", "{}"), ("completion", "{}"), ("-p", "-m", "scripted:{}", "{}"), ("-p", "-m", "{}", "x"),
    ("-p", "-c", "-v", "-m", "scripted:{}", "{}"), ("-r", "{}", "-p", "x"), ("chat", "-m", "scripted:{}"),
)  # fmt: skip
"""What is typed; braces stand for the hostile text."""

NO_TEXT: Final = {"config edit", "demo"}
"""Commands that show nothing that anybody stored: one opens an editor, the other has its own text."""


@pytest.fixture(params=[FORWARD, BACKWARD], ids=["forward", "backward"])
def hostile(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A text of every sequence, and two sessions that hold it wherever a text can be."""
    text = f"pelican {request.param}"

    async def everywhere(_: sojourn.Sojourn, session: Session) -> None:
        said = await session.messages.add(Message(role="user", content=text))
        call = ToolCall(id="c1", name="look", arguments={"word": text})
        await session.messages.assistant(text, tool_calls=[call])
        await session.messages.tool("c1", text, name="look")
        await session.facts.learn(text, causes=[said.seq], tags=[text])
        await session.profile.set(name=text, source=text)
        await session.focus.set("task", text, context={"label": text})
        await session.entities.reference(text, text, title=text)
        await (await session.research.start(text)).add_insight("knowledge_gaps", text)
        await session.append(UsageRecorded(model=text, input_tokens=1))

    for _ in range(2):
        seed(folder, everywhere, title=f"evil {text}".replace("\x00", ""), user_id="me")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{text}\n"))
    return text


def _acting(shown: str) -> set[str]:
    """Return the characters that a terminal does not merely show."""
    return {sign for sign in shown if sign not in "\n\t" and unicodedata.category(sign) in {"Cc", "Cf"}}


def test_no_command_lets_what_was_stored_act(hostile: str, folder: Path, type_: Type) -> None:
    argument = hostile.replace("\x00", "")  # which no program can be given
    for words in COMMANDS:
        typed = [word.replace("{}", argument) for word in words]
        shown = type_(*typed)
        told = type_(*typed, "--json")
        assert _acting(shown.out + shown.err + told.out + told.err) == set(), words
        assert shown.code in range(6), words


def test_every_command_is_among_those_that_are_tried(type_: Type) -> None:
    known = {one["name"] for one in type_("help", "--json").data["commands"]} - {"sojourn"} - NO_TEXT
    tried = {" ".join(words[:number]) for words in COMMANDS for number in (1, 2)}

    assert known - tried == set()


@pytest.mark.parametrize("words", [("show", "--tools", "full"), ("ls",), ("search", "pelican"), ("facts",)])
def test_a_terminal_gets_only_the_colours_of_the_program(hostile: str, words: Sequence[str]) -> None:
    ours, theirs = pty.openpty()
    program = str(Path(sys.executable).with_name("sojourn"))
    with subprocess.Popen(
        [program, *words], stdout=theirs, stderr=theirs, env={**os.environ, "NO_COLOR": "", "TERM": "xterm"}
    ):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65_536):
                shown += piece
        except OSError:  # the other end is closed
            pass
    os.close(ours)

    text = shown.decode().replace("\r\n", "\n")
    for own in ("\x1b[1m", "\x1b[2m", "\x1b[0m", "\r\x1b[K"):  # the last draws how far long work has come
        text = text.replace(own, "")
    assert "pelican" in text
    assert _acting(text) == set()
