"""Where the person types: sending, history, pastes, completion, the editor, and the draft that is kept."""

import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.offers import Artifacts, McpPrompt, McpResource, PromptArgument
from sojourn.agent.mcp.servers import Mcp
from sojourn.engine.unsent import Unsent, UnsentTexts
from sojourn.tui.app import SojournApp
from sojourn.tui.chat.commands import prompt_commands
from sojourn.tui.chat.completion import Completion, commands_for, mentions_for, typed_at
from sojourn.tui.chat.files import list_files, ranked
from sojourn.tui.chat.transcript import Transcript
from tests.agent.agent_kit import Slow
from tests.agent.mcp_kit import Hourglass, MadeUpLink, Opener
from tests.tui.apps import conversation, engine, opened

pytestmark = pytest.mark.anyio
SIZE = (100, 30)


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    """Let the app work until something holds; it has ample, but not endless, rounds for it."""
    for _ in range(200):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came")


async def paste(app: SojournApp, pilot: Pilot[int], text: str) -> None:
    app.chat.prompt.post_message(events.Paste(text))
    await pilot.pause()


async def send(app: SojournApp, pilot: Pilot[int], text: str) -> None:
    await pilot.press(*text, "enter")
    await app.chat.turns.wait_until_idle()
    await pilot.pause()


def said(app: SojournApp) -> list[str]:
    return [item.text for item in app.chat.query_one(Transcript).items if item.is_prompt]


def offered(app: SojournApp) -> list[str]:
    return [one.name for one in app.chat.query_one(Completion).candidates]


# --- typing and history


async def test_up_brings_back_what_was_said_and_down_goes_forth_again() -> None:
    async with opened(says=["one", "two"]) as app, app.run_test(size=SIZE) as pilot:
        await send(app, pilot, "first")
        await send(app, pilot, "second")
        await pilot.press("up")
        await pilot.pause()
        newest = app.chat.prompt.text
        await pilot.press("up")
        await pilot.pause()
        oldest = app.chat.prompt.text
        await pilot.press("down")
        await pilot.pause()
        again = app.chat.prompt.text
        await pilot.press("down")
        await pilot.pause()

        assert (newest, oldest, again, app.chat.prompt.text) == ("second", "first", "second", "")


async def test_up_leaves_alone_what_was_brought_back_and_changed() -> None:
    async with opened(says=["one", "two"]) as app, app.run_test(size=SIZE) as pilot:
        await send(app, pilot, "first")
        await send(app, pilot, "second")
        await pilot.press("up")
        await pilot.pause()
        await pilot.press("!", "up")

        assert app.chat.prompt.text == "second!"


async def test_history_goes_on_in_other_sessions_of_the_project(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db", says=["one"]) as app, app.run_test(size=SIZE) as pilot:
        await send(app, pilot, "long ago")
    async with opened(tmp_path / "s.db") as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("up")
        await until(pilot, lambda: bool(app.chat.prompt.text))

        assert app.chat.prompt.text == "long ago"


async def test_shift_enter_begins_another_line_and_enter_sends_both() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"ab", "ctrl+j", *"cd", "enter")
        await app.chat.turns.wait_until_idle()
        await pilot.pause()

        assert said(app) == ["ab\ncd"]


async def test_words_and_lines_are_deleted_with_the_keys_of_a_shell() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one two", "ctrl+w")
        word = app.chat.prompt.text
        await pilot.press("ctrl+u")

        assert (word, app.chat.prompt.text) == ("one ", "")


@pytest.mark.parametrize(("key", "screen"), [("ctrl+k", "ReviewScreen"), ("ctrl+e", "SpendingScreen")])
async def test_keys_that_the_app_shares_with_a_line_are_the_apps_where_nothing_is_typed(key: str, screen: str) -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one two", "home", key)
        await pilot.pause()
        typed, while_typing = app.chat.prompt.text, app.screen is app.chat
        app.chat.prompt.put("")
        await pilot.press(key)
        await pilot.pause()

        assert while_typing
        assert typed == ("" if key == "ctrl+k" else "one two")
        assert type(app.screen).__name__ == screen


async def test_alt_arrows_go_by_words() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one two", "alt+left", "X")

        assert app.chat.prompt.text == "one Xtwo"


# --- pastes


async def test_a_long_paste_is_one_mark_and_is_sent_whole() -> None:
    text = "word " * 2_000
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"see ")
        await paste(app, pilot, text)
        shown = app.chat.prompt.text
        await pilot.press("enter")
        await app.chat.turns.wait_until_idle()
        await pilot.pause()

        assert shown == "see [pasted #1: 10,000 characters]"
        assert said(app) == [f"see {text}".strip()]


async def test_control_characters_are_not_drawn_but_are_sent() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paste(app, pilot, "a\x1b[31mred\x07")
        shown = app.chat.prompt.text
        await pilot.press("enter")
        await app.chat.turns.wait_until_idle()
        await pilot.pause()

        assert "\x1b" not in shown
        assert said(app) == ["a\x1b[31mred\x07"]


async def test_the_marks_that_a_terminal_puts_around_a_paste_are_not_part_of_it() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paste(app, pilot, "\x1b[200~one\r\ntwo\x1b[201~")

        assert app.chat.prompt.text == "one\ntwo"


async def test_what_is_too_long_to_be_said_stays_in_the_prompt() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paste(app, pilot, "x" * 4_000_001)
        await pilot.press("enter")
        await pilot.pause()

        assert app.chat.prompt.text == "[pasted #1: 4,000,001 characters]"
        assert "is the most" in next(iter(app._notifications)).message
        assert app.session is None


async def test_a_paste_takes_the_place_of_what_is_selected() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one", "f7")
        await paste(app, pilot, "two")

        assert app.chat.prompt.text == "two"


# --- completion


async def test_a_slash_lists_the_commands_and_tab_puts_one_in() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("/")
        await pilot.pause()
        everything = offered(app)
        await pilot.press(*"com")
        await pilot.pause()
        fitting = offered(app)
        await pilot.press("tab")

        assert {"/help", "/context", "/tree", "/compact", "/exit"} <= set(everything)
        assert fitting[0] == "/compact"
        assert app.chat.prompt.text == "/compact "
        assert app.focused is app.chat.prompt


async def test_enter_puts_in_what_is_chosen_and_sends_what_is_typed_in_full() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"/ne")
        await pilot.pause()
        await pilot.press("enter")
        put_in = app.chat.prompt.text
        await pilot.press("ctrl+u", *"/new")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()

        assert (put_in, app.chat.prompt.text) == ("/new ", "")


async def test_who_types_fast_gets_what_he_typed_and_not_what_was_offered_before() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        for character in "/new":
            app.chat.prompt.post_message(events.Key("slash" if character == "/" else character, character))
        app.chat.prompt.post_message(events.Key("enter", "\r"))
        await until(pilot, lambda: not app.chat.prompt.text)
        assert not offered(app)

        for key, character in (*((letter, letter) for letter in "see "), ("at", "@"), *((one, one) for one in "zz")):
            app.chat.prompt.post_message(events.Key("space" if key == " " else key, character))
        app.chat.prompt.post_message(events.Key("enter", "\r"))
        await until(pilot, lambda: said(app) == ["see @zz"])
        await app.chat.turns.wait_until_idle()


async def test_arrows_choose_and_escape_closes_without_stopping_to_type() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("/")
        await pilot.pause()
        completion = app.chat.query_one(Completion)
        await pilot.press("down", "down", "up")
        chosen = completion.highlighted
        await pilot.press("escape")
        await pilot.press("h")
        await pilot.pause()

        assert chosen == 1
        assert not completion.is_open
        assert app.chat.prompt.text == "/h"


async def test_escape_closes_what_is_offered_first_and_then_is_the_screens() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"/he")
        await pilot.pause()
        await pilot.press("escape")
        kept = app.chat.prompt.text
        await pilot.press("escape", "escape")
        await pilot.pause()

        assert kept == "/he"
        assert app.chat.prompt.text == ""  # twice takes away what is typed


def test_a_path_is_no_command() -> None:
    assert typed_at("/etc/ho", row=0, column=7) is None
    assert typed_at("/he", row=1, column=3) is None
    assert commands_for("zzz", {"help": "list"}) == []


def test_an_at_sign_lists_files_by_their_name_first() -> None:
    paths = ["docs/prompt.md", "a/prompting.py", "src/app.py", "src/prompt.py", "src/very/deep/prompting.py"]

    found = ranked(paths, "prompt", most=10)

    assert found == ["src/prompt.py", "docs/prompt.md", "a/prompting.py", "src/very/deep/prompting.py"]
    assert ranked(paths, "sap", most=1) == ["src/app.py"]
    assert [one.insert for one in mentions_for("app", ["src/app.py"], None)] == ["src/app.py "]
    assert [one.insert for one in mentions_for("my", ["my file.txt"], None)] == ["`my file.txt` "]


def test_an_address_with_an_at_sign_is_no_mention() -> None:
    assert typed_at("me@example", row=0, column=10) is None
    mention = typed_at("see (@src", row=3, column=9)
    assert mention is not None
    assert (mention.text, mention.start) == ("src", 5)


def test_files_are_those_that_git_knows_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("kept.py", "left.log", ".hidden", "sub/deep.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    without_git = list_files(tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("*.log\n")

    assert without_git == ("kept.py", "left.log", "sub/deep.py")
    assert list_files(tmp_path) == ("kept.py", "sub/deep.py")
    assert list_files(tmp_path / "nowhere") == ()


async def test_choosing_a_file_puts_its_path_where_the_at_sign_stood(tmp_path: Path) -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        (tmp_path / "notes.md").write_text("")
        app.chat.prompt._files._folder = tmp_path
        await pilot.press(*"read @no")
        await until(pilot, lambda: bool(offered(app)))
        await pilot.press("tab")

        assert app.chat.prompt.text == "read notes.md "


# --- the editor


@pytest.mark.parametrize("keys", [("f4",), ("ctrl+x", "ctrl+e")])
async def test_the_editor_changes_the_message(
    keys: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\nprintf "%s, edited\\n" "$(cat "$1")" > "$1"\n')
    script.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(script))
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        assert app._driver is not None
        monkeypatch.setattr(type(app._driver), "can_suspend", property(lambda _: True))
        await pilot.press(*"typed", *keys)
        await until(pilot, lambda: app.chat.prompt.text != "typed")

        assert app.chat.prompt.text == "typed, edited"


async def test_an_editor_that_is_not_there_leaves_the_message_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"typed", "f4")
        await until(pilot, lambda: bool(app._notifications))

        assert app.chat.prompt.text == "typed"
        assert "there is no editor" in next(iter(app._notifications)).message


# --- drafts


async def test_what_was_typed_and_not_sent_is_there_again_when_the_app_is_opened(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"half a tho")
    async with opened(tmp_path / "s.db") as app, app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: bool(app.chat.prompt.text))

        assert app.chat.prompt.text == "half a tho"


async def test_a_draft_is_kept_while_one_types_not_only_at_the_end(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"half")
        await paste(app, pilot, "x" * 5_000)
        drafts = UnsentTexts(app.sojourn.store.documents)
        kept = await drafts.load("new:path-test")
        for _ in range(200):
            if kept.pasted:
                break
            await pilot.pause(0.01)
            kept = await drafts.load("new:path-test")

        assert kept == Unsent(text="half[pasted #1: 5,000 characters]", pasted=("x" * 5_000,))


async def test_what_was_sent_leaves_no_draft(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as app, app.run_test(size=SIZE) as pilot:
        await send(app, pilot, "hello")
    async with engine(tmp_path / "s.db") as app_engine:
        assert await app_engine.store.documents.list_keys("draft/") == []


async def test_each_session_has_its_own_draft() -> None:
    async with opened(says=["one", "two"]) as app, app.run_test(size=SIZE) as pilot:
        await send(app, pilot, "first session")
        first = app.session
        assert first is not None
        await pilot.press(*"for the first")
        await app.action_new_session()
        await until(pilot, lambda: not app.chat.prompt.text)
        await send(app, pilot, "second session")
        await pilot.press(*"for the second")
        await app.open_session(first.id)
        await until(pilot, lambda: bool(app.chat.prompt.text) and app.chat.prompt.text != "for the second")

        assert app.chat.prompt.text == "for the first"


async def test_messages_that_waited_are_in_the_prompt_again(tmp_path: Path) -> None:
    async with engine(tmp_path / "s.db") as app_engine:
        await UnsentTexts(app_engine.store.documents).save(
            "new:path-test", Unsent(text="and this", waiting=("one", "two"))
        )
    async with opened(tmp_path / "s.db") as app, app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: bool(app.chat.prompt.text))

        assert app.chat.prompt.text == "one\n\ntwo\n\nand this"


async def test_messages_that_wait_when_the_app_is_left_are_kept(tmp_path: Path) -> None:
    async with engine(tmp_path / "s.db") as app_engine:
        app = SojournApp(conversation(app_engine, provider=Slow("never said")))
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press(*"first", "enter")
            await until(pilot, lambda: app.session is not None and app.chat.turns.is_busy)
            await pilot.press(*"second", "enter", *"third")
            await until(pilot, lambda: app.chat.turns.waiting == ("second",))
            await app.action_leave()
            session = app.session
        assert session is not None
        kept = await UnsentTexts(app_engine.store.documents).load(session.id)
        assert kept == Unsent(text="third", waiting=("second",))


# --- what servers of tools offer


@asynccontextmanager
async def library() -> AsyncIterator[Mcp]:
    """Two servers that have a prompt of the same name, and one that has a resource."""
    greet = McpPrompt(name="greet", description="say hello", arguments=(PromptArgument(name="who", required=True),))
    notes = McpResource(uri="memo://notes", name="notes")
    links = {
        "one": MadeUpLink(artifacts=Artifacts(prompts=(greet, McpPrompt(name="only_here")), resources=(notes,))),
        "two": MadeUpLink(artifacts=Artifacts(prompts=(greet,))),
    }
    servers = [McpServer(name=name, command="nothing") for name in links]

    def open_link(server: McpServer, on_change: Any) -> Any:
        return Opener(links[server.name])(server, on_change)

    async with Mcp(servers, sleep=Hourglass().sleep, open_link=open_link) as mcp:
        await mcp.ready()
        yield mcp


async def test_prompts_of_servers_are_offered_by_a_name_that_is_theirs_alone() -> None:
    async with library() as mcp:
        found = prompt_commands(mcp)

    assert set(found) == {"one:greet", "two:greet", "only_here"}
    assert found["one:greet"] == "<who> · say hello · one"


async def test_resources_are_offered_before_files_and_keep_their_at_sign() -> None:
    async with library() as mcp:
        found = mentions_for("not", ["notes.md"], mcp)

    assert [one.insert for one in found] == ["@one:memo://notes ", "notes.md "]
