"""The screen that shows what the model is sent next, and why."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.engine.app import Sojourn
from sojourn.errors import InvalidInputError
from sojourn.providers.protocol import ToolDefinition
from sojourn.tui.app import SojournApp
from sojourn.tui.inspector import InspectorScreen
from sojourn.tui.inspector.account import account_of
from sojourn.tui.inspector.lines import PieceRow, head_of, headings, markdown_of, rows_of
from sojourn.tui.inspector.notes import pretended
from tests.tui.apps import conversation, engine

pytestmark = pytest.mark.anyio
SIZE = (110, 34)
HILLS = "The weather in the hills is fine and the path is dry. " * 12


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    """Let the app work until something holds; it has ample, but not endless, rounds for it."""
    for _ in range(200):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came")


@asynccontextmanager
async def inspecting(*, messages: int = 6) -> AsyncIterator[tuple[SojournApp, InspectorScreen, Pilot[int]]]:
    """An app in a session with some messages, and the inspector on it."""
    async with engine() as app_engine:
        talk = conversation(app_engine, says=["All right."] * 9)
        if messages:
            await talk.resume(await told(app_engine, messages))
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("ctrl+g")
            screen = await shown(app, pilot)
            yield app, screen, pilot


async def told(app: Sojourn, messages: int) -> str:
    roles = ("user", "assistant")
    said = [{"role": roles[number % 2], "content": f"{number}: {HILLS}"} for number in range(messages)]
    return (await app.ingest(said)).id


async def shown(app: SojournApp, pilot: Pilot[int]) -> InspectorScreen:
    await until(pilot, lambda: isinstance(app.screen, InspectorScreen) and app.screen.account is not None)
    await pilot.pause()
    return cast("InspectorScreen", app.screen)


def text_of(screen: InspectorScreen, selector: str) -> str:
    return str(screen.query_one(selector, Static).render())


def notices(app: SojournApp) -> str:
    return "\n".join(one.message for one in app._notifications)


def titles(screen: InspectorScreen) -> list[str]:
    return [row.part.title for row in screen._list.rows if not isinstance(row, PieceRow)]


async def test_the_parts_add_up_to_what_is_sent() -> None:
    async with inspecting() as (_, screen, _pilot):
        account = screen.account
        assert account is not None
        assert [part.name for part in account.parts][:2] == ["system prompt", "messages"]
        assert sum(part.tokens for part in account.parts) == account.tokens
        assert "compacts at" in text_of(screen, "#heading")


async def test_a_part_opens_with_its_biggest_piece_first_and_shows_the_text() -> None:
    async with inspecting() as (_, screen, pilot):
        await pilot.press("down", "enter", "down")
        await pilot.pause()
        pieces = [row.piece for row in screen._list.rows if isinstance(row, PieceRow)]
        assert len(pieces) == 6
        assert [one.tokens for one in pieces] == sorted((one.tokens for one in pieces), reverse=True)
        assert HILLS.strip()[:40] in text_of(screen, "#about Static")
        await pilot.press("enter")
        assert not any(isinstance(row, PieceRow) for row in screen._list.rows)


async def test_a_long_text_is_read_with_keys_alone() -> None:
    async with inspecting(messages=2) as (app, screen, pilot):
        assert app.session is not None
        await app.session.messages.user("\n".join(f"line {number}" for number in range(200)))
        await until(pilot, lambda: "question" in titles(screen))
        screen._list.choose("question")
        await pilot.press("enter", "down", "tab")
        focused = app.focused
        await pilot.press("end")
        await pilot.pause()
        assert focused is screen.query_one("#about")
        assert screen.query_one("#about").scroll_offset.y > 0


async def test_why_shows_the_entry_that_a_piece_is_from() -> None:
    async with inspecting() as (_, screen, pilot):
        await pilot.press("down", "enter", "down", "w")
        await until(pilot, lambda: "it is here because: said lately" in text_of(screen, "#about Static"))
        assert "entry " in text_of(screen, "#about Static")


async def test_the_payload_goes_through_every_form_and_escape_goes_back() -> None:
    async with inspecting() as (_, screen, pilot):
        await pilot.press("p")
        first = screen.query_one("#payload", TextArea).text
        await pilot.press("p")
        second = screen.query_one("#payload", TextArea).text
        await pilot.press("p")
        third = text_of(screen, "#heading")
        await pilot.press("escape")
        await pilot.pause()
        assert '"system"' in first
        assert '"role": "system"' in second
        assert "openai-responses" in third
        assert screen.query_one("#payload", TextArea).display is False
        assert screen.is_current


async def test_the_account_and_the_payload_can_be_copied() -> None:
    async with inspecting() as (app, _screen, pilot):
        await pilot.press("y")
        written = app.clipboard
        await pilot.press("p", "y")
        assert written.startswith("# Context for scripted")
        assert "| messages (6) |" in written
        assert app.clipboard.startswith("{")


async def test_compacting_says_what_it_did_and_can_be_undone() -> None:
    async with inspecting(messages=40) as (app, screen, pilot):
        before = screen.account
        await pilot.press("c")
        await until(pilot, lambda: "tokens of messages are" in notices(app))
        await until(pilot, lambda: "summary" in titles(screen))
        after = screen.account
        await pilot.press("u")
        await until(pilot, lambda: "undone" in notices(app) and "summary" not in titles(screen))
        assert before is not None
        assert after is not None
        assert after.tokens < before.tokens


async def test_nothing_can_be_undone_that_was_not_done() -> None:
    async with inspecting() as (app, screen, pilot):
        await pilot.press("u")
        await until(pilot, lambda: "compaction to take back" in notices(app))
        assert screen.is_current


async def test_another_window_can_be_pretended_and_changes_nothing_in_the_talk() -> None:
    async with inspecting(messages=40) as (app, screen, pilot):
        real = screen.account
        assert app.session is not None
        head = app.session.head
        await pilot.press("m", *"5k", "enter")
        await until(pilot, lambda: screen.account is not real)
        small = screen.account
        assert real is not None
        assert small is not None
        assert (small.window, small.allowed) == (5_000, 3_000)
        assert small.left_out is not None
        assert app.session.head == head


async def test_what_is_no_model_and_no_number_is_told() -> None:
    async with inspecting() as (app, screen, pilot):
        await pilot.press("m", *"no-such-model", "enter")
        await until(pilot, lambda: "nothing is known about a model" in notices(app))
        assert screen.account is not None
        assert screen.account.model == "scripted"


async def test_a_question_can_be_asked_to_see_its_context() -> None:
    async with inspecting() as (_, screen, pilot):
        await pilot.press("a", *"is the path dry?", "enter")
        await until(pilot, lambda: screen.account is not None and screen.account.question == "is the path dry?")
        assert "question" in titles(screen)
        assert "for: is the path dry?" in text_of(screen, "#heading")


async def test_what_stands_in_the_prompt_is_the_question() -> None:
    async with engine() as app_engine:
        talk = conversation(app_engine)
        await talk.resume(await told(app_engine, 2))
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press(*"and now?", "ctrl+g")
            screen = await shown(app, pilot)
            assert screen.account is not None
            assert screen.account.question == "and now?"


async def test_the_filter_shows_what_holds_the_words_as_one_types() -> None:
    async with inspecting() as (_, screen, pilot):
        await pilot.press("slash", *"3: the")
        await pilot.pause()
        found = [row.piece.text for row in screen._list.rows if isinstance(row, PieceRow)]
        await pilot.press("enter", "escape")
        await pilot.pause()
        assert [text.partition(": ")[2][:2] for text in found] == ["3:"]
        assert not any(isinstance(row, PieceRow) for row in screen._list.rows)
        assert screen.is_current


async def test_escape_closes_the_field_before_the_screen() -> None:
    async with inspecting() as (app, screen, pilot):
        await pilot.press("a", "escape")
        assert screen.query_one("#wish", Input).display is False
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.chat


async def test_before_anything_was_said_the_instructions_are_shown_with_a_hint() -> None:
    async with inspecting(messages=0) as (app, screen, pilot):
        assert titles(screen) == ["system prompt"]
        assert "Nothing was said yet" in text_of(screen, "#heading")
        await pilot.press("c", "p", "w")
        await pilot.pause()
        assert "nothing was said yet" in notices(app)


async def test_it_follows_the_session() -> None:
    async with inspecting() as (app, screen, pilot):
        before = screen.account
        app.chat.say("one more")
        await app.chat.turns.wait_until_idle()
        await until(pilot, lambda: screen.account is not None and "messages (8)" in titles(screen))
        assert before is not None


@pytest.mark.parametrize("columns", [30, 40, 80, 200])
async def test_rows_and_their_headings_have_the_same_columns_at_every_width(columns: int) -> None:
    async with engine() as app_engine:
        session = await app_engine.sessions.open(await told(app_engine, 6))
        context = await session.context("ひらがな?", system="Be brief.", remember=False)
        account = account_of(context, model="m")
        rows = rows_of(account, {"messages", "question"})
        ends = {headings(columns).plain.index("tokens") + len("tokens")}
        for row in rows:
            line = row.draw(columns)[0]
            assert line.cell_len <= columns
            if isinstance(row, PieceRow) and row.piece.text.isascii():
                ends.add(line.plain.index(f" {row.piece.tokens}") + 1 + len(str(row.piece.tokens)))
        assert len(ends) == 1


async def test_a_heavy_piece_is_told_with_a_remedy_and_left_out_things_with_a_reason() -> None:
    async with engine() as app_engine:
        session = await app_engine.sessions.create()
        await session.messages.user("x " * 4_000)
        await session.messages.assistant("ok")
        context = await session.context("so?", budget=4_500, remember=False)
        account = account_of(context, model="m")
        heavy = next(part for part in account.parts if part.name == "messages").pieces[0]
        assert heavy.remedy == "c lets a summary stand for the older ones"
        assert "takes" in rows_of(account, {"messages"})[1].draw(120)[0].plain


async def test_tools_are_a_part_that_counts_and_says_what_each_costs() -> None:
    tools = tuple(ToolDefinition(name=name, description="x" * 400) for name in ("read_file", "run"))
    async with engine() as app_engine:
        session = await app_engine.sessions.open(await told(app_engine, 2))
        context = await session.context("so?", system="Be brief.", remember=False)
        without, account = account_of(context, model="m"), account_of(context, model="m", tools=tools)
        part = account.parts[0]
        assert (part.title, part.cached) == ("tools (2)", "–")
        assert account.tokens - without.tokens == account.allowed - without.allowed == part.tokens > 200
        assert {piece.title.partition(":")[0] for piece in part.pieces} == {"read_file", "run"}


async def test_what_was_sent_last_time_is_told_part_by_part() -> None:
    async with engine() as app_engine:
        session = await app_engine.sessions.open(await told(app_engine, 6))
        await session.context("first?", system="Be brief.")
        await session.messages.user("first?")
        await session.messages.assistant("yes")
        context = await session.context("second?", system="Be brief.", remember=False)
        account = account_of(context, model="m", had_one=True)
        cached = {part.name: part.cached for part in account.parts}
        assert (cached["system prompt"], cached["messages"], cached["question"]) == ("yes", "part", "no")


async def test_stored_text_is_harmless_wherever_it_is_shown() -> None:
    async with engine() as app_engine:
        session = await app_engine.sessions.create()
        await session.messages.user("\x1b[31mred [bold]not markup[/bold]")
        context = await session.context("so?", system="Be brief.", remember=False)
        account = account_of(context, model="m\x1b[0m")
        drawn = "\n".join(row.draw(120)[0].plain for row in rows_of(account, {"messages"}))
        assert "\x1b" not in drawn + head_of(account, 100).plain
        assert "[bold]not markup" in drawn
        assert "\x1b[31mred" in markdown_of(account)  # what is copied is what was said


def test_a_window_or_a_model_can_be_named() -> None:
    models = ModelCatalog({"small": ModelInfo(window=5_000)})
    assert pretended(" 200k ", models) == (None, 200_000)
    assert pretended("32,000", models) == (None, 32_000)
    assert pretended("small", models) == ("small", None)
    for wrong in ("12", "9" * 30):
        with pytest.raises(InvalidInputError):
            pretended(wrong, models)
