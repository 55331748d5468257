"""The screen that shows how a session and its forks hang together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Static
from textual.widgets._toast import Toast

import sojourn
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.model.message import ToolCall
from sojourn.tui.app import SojournApp
from sojourn.tui.asking import Question
from sojourn.tui.branches import BranchScreen
from sojourn.tui.branches.comparing import CompareScreen
from sojourn.tui.branches.nodes import Parts, Rest, Said
from sojourn.tui.branches.offshoots import find_offshoots
from sojourn.tui.chat.transcript import Transcript
from sojourn.tui.finder import FinderScreen
from tests.agent.agent_kit import Slow
from tests.tui.apps import PROJECT, conversation, until

pytestmark = pytest.mark.anyio

SIZE = (120, 34)


@pytest.fixture
async def engine() -> AsyncIterator[Sojourn]:
    settings = sojourn.Settings(embeddings="off", learning="off", summarise_turns_every=None)
    async with sojourn.open("memory:", settings=settings) as app:
        yield app


async def say(session: Session, *said: str) -> None:
    """Let turns take place in *session*, of a prompt and an answer each."""
    for prompt, answer in zip(said[::2], said[1::2], strict=True):
        async with session.turn():
            await session.messages.user(prompt)
            await session.messages.assistant(answer)


async def begun(app: Sojourn, *said: str) -> Session:
    session = await app.sessions.create(title="Login", project=PROJECT.id)
    await say(session, *said)
    return session


@asynccontextmanager
async def tree(
    app: Sojourn, session_id: str | None = None, *, keys: tuple[str, ...] = ("ctrl+t",), size: tuple[int, int] = SIZE
) -> AsyncIterator[tuple[SojournApp, BranchScreen, Pilot[int]]]:
    """The app in a session, with its branches shown."""
    chat = conversation(app)
    if session_id is not None:
        await chat.resume(session_id)
    tui = SojournApp(chat)
    async with tui.run_test(size=size, notifications=True) as pilot:
        await pilot.press(*keys)
        await until(pilot, lambda: isinstance(tui.screen, BranchScreen))
        screen = tui.screen
        assert isinstance(screen, BranchScreen)
        await until(pilot, lambda: screen.is_ready)
        await pilot.pause()
        yield tui, screen, pilot


def texts(screen: BranchScreen) -> list[str]:
    """What each row says: a message's text, a branch's first prompt in brackets."""
    said = []
    for row in screen.nodes.rows:
        match row:
            case Said(item=item):
                said.append(item.text)
            case Parts(branch=branch):
                said.append(f"[{branch.first_prompt}]")
            case Rest():
                said.append("...")
    return said


def choose(screen: BranchScreen, text: str) -> None:
    screen.nodes.choose(screen.nodes.rows[texts(screen).index(text)].key)


async def back_in_chat(app: SojournApp, pilot: Pilot[int]) -> list[str]:
    await until(pilot, lambda: app.screen is app.chat)
    await pilot.pause()
    await pilot.pause()
    return [item.text for item in app.chat.query_one(Transcript).items]


def told(app: SojournApp) -> str:
    return "\n".join(str(toast.render()) for toast in app.screen.query(Toast))


# --- what is shown


async def test_the_tree_shows_what_was_said_and_where_branches_part(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two", "three", "four")
    fork = await engine.sessions.fork(session.id, at=5)
    await say(fork, "other", "way")

    async with tree(engine, session.id) as (_, screen, _):
        assert texts(screen) == ["one", "two", "[other]", "three", "four"]
        chosen = screen.nodes.chosen
        assert isinstance(chosen, Said)
        assert chosen.item.text == "three"
        assert screen.nodes.rows[-1].draw(100)[0].plain.endswith("← you are here")


async def test_escape_twice_in_the_chat_shows_the_tree_with_the_last_prompt_chosen(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two", "three", "four")

    async with tree(engine, session.id, keys=("escape", "escape")) as (_, screen, _):
        chosen = screen.nodes.chosen
        assert isinstance(chosen, Said)
        assert chosen.item.text == "three"


async def test_where_nothing_was_said_the_tree_says_so_and_no_key_harms(engine: Sojourn) -> None:
    async with tree(engine, size=(40, 20)) as (app, screen, pilot):
        await pilot.press("enter", "f", "right", "left", "equals_sign", "m", "tab", "up", "down")
        assert "nothing was said yet" in screen.nodes.render_line(1).text
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.session is None


async def test_seen_from_a_fork_its_origin_is_the_branch_and_its_other_forks_hang_on_it(engine: Sojourn) -> None:
    origin = await begun(engine, "one", "two", "three", "four", "five", "six")
    here = await engine.sessions.fork(origin.id, at=5)
    await say(here, "here", "yes")
    late = await engine.sessions.fork(origin.id, at=9)
    await say(late, "late", "yes")
    early = await engine.sessions.fork(late.id, at=3)
    await say(early, "early", "yes")

    found = await find_offshoots(engine.store, here.id)

    assert [(one.header.session_id, one.at, one.since, one.depth) for one in found] == [
        (early.id, 3, 3, 0),
        (origin.id, 5, 5, 0),
        (late.id, 5, 9, 1),
    ]


async def test_a_branch_that_was_left_behind_before_anything_was_said_is_left_out(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two", "three", "four")
    again = await engine.sessions.rewind((await engine.sessions.rewind(session.id, at=5)).id, at=5)

    found = await find_offshoots(engine.store, again.id)

    assert [one.first_prompt for one in found] == ["three"]


async def test_a_fork_in_which_nothing_was_said_yet_is_shown(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)

    found = await find_offshoots(engine.store, session.id)

    assert [(one.header.session_id, one.messages) for one in found] == [(fork.id, 0)]


async def test_tab_shows_only_prompts_then_everything_then_all_but_tools(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    await session.messages.assistant("", tool_calls=[ToolCall(id="c1", name="read_file", arguments={})])
    await session.messages.tool("c1", "what is in it")

    async with tree(engine, session.id) as (_, screen, pilot):
        seen = [texts(screen)]
        for _ in range(2):
            await pilot.press("tab")
            seen.append(texts(screen))
        drawn = [row.draw(100)[0].plain for row in screen.nodes.rows]

    assert seen == [["one", "two"], ["one"], ["one", "two", "", "what is in it"]]
    assert "▸ read_file" in drawn[2]
    assert "read_file: what is in it" in drawn[3]


async def test_a_branch_is_unfolded_and_folded_again(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")

    async with tree(engine, session.id) as (_, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("right")
        unfolded = texts(screen)
        await pilot.press("down", "left")
        folded = texts(screen)
        await pilot.press("space")
        again = texts(screen)
        await pilot.press("space")

        assert unfolded == again == ["one", "two", "[other]", "other", "way"]
        assert folded == texts(screen) == ["one", "two", "[other]"]


async def test_a_long_session_is_read_a_page_at_a_time_without_losing_the_place(engine: Sojourn) -> None:
    session = await begun(engine, *[f"line {number}" for number in range(300)])
    await engine.sessions.fork(session.id, at=5)

    async with tree(engine, session.id) as (_, screen, pilot):
        first = texts(screen)
        drawn = screen.nodes.rows[0].draw(100)[0].plain
        await pilot.press("home")
        await until(pilot, lambda: len(screen.nodes.rows) > 150)
        chosen = screen.nodes.chosen
        await until(pilot, lambda: texts(screen)[0] == "line 0", press="home")

        assert len(first) == 101
        assert first[0] == "..."
        assert "1 branch" in drawn
        assert isinstance(chosen, Rest | Said)
        assert "[None]" in texts(screen)


async def test_what_is_said_meanwhile_appears(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")

    async with tree(engine, session.id) as (_, screen, pilot):
        await say(session, "three", "four")
        await until(pilot, lambda: texts(screen) == ["one", "two", "three", "four"])
        assert [row.is_here for row in screen.nodes.rows if isinstance(row, Said)] == [False, False, False, True]


@pytest.mark.parametrize("columns", [20, 38, 80, 198])
async def test_no_row_is_wider_than_the_screen_and_none_moves_the_cursor(engine: Sojourn, columns: int) -> None:
    session = await begun(engine, "日本語" * 90, "a\x1b[31mb\nc" * 90)
    fork = await engine.sessions.fork(session.id)
    await say(fork, "[b]x\x1b[2J" * 50, "two")

    async with tree(engine, session.id) as (_, screen, pilot):
        await pilot.press("end", "right")
        lines = [text for row in screen.nodes.rows for text in row.draw(columns)]

    assert len(lines) == 5
    assert all(text.cell_len <= columns for text in lines)
    assert not any("\x1b" in text.plain or "\n" in text.plain for text in lines)


# --- going somewhere


async def test_enter_on_a_prompt_takes_it_back_into_the_prompt_and_keeps_what_was(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two", "three", "four")

    async with tree(engine, session.id) as (app, _, pilot):
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert shown == ["one", "two"]
        assert app.chat.prompt.text == "three"
        assert app.session is not None
        assert app.session.state.conversation.turn is not None
        assert app.session.state.conversation.turn.outcome == "completed"
        assert [one.first_prompt for one in await find_offshoots(engine.store, app.session.id)] == ["three"]


async def test_enter_on_the_first_prompt_begins_the_talk_anew(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")

    async with tree(engine, session.id) as (app, _, pilot):
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert shown == []
        assert app.chat.prompt.text == "one"
        assert app.state is not None
        assert app.state.title == "Login"


async def test_enter_on_an_answer_goes_on_behind_it(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two", "three", "four")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "two")
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert shown == ["one", "two"]
        assert app.chat.prompt.text == ""
        assert (await engine.store.get_session(session.id)).header.superseded_by is not None


async def test_enter_where_one_is_only_goes_back(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "two")
        await pilot.press("enter")
        await back_in_chat(app, pilot)

        assert app.session is not None
        assert app.session.id == session.id
        assert await engine.store.list_forks(session.id) == []


async def test_enter_on_a_branch_opens_it(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert app.session is not None
        assert app.session.id == fork.id
        assert shown == ["one", "two", "other", "way"]


async def test_enter_on_what_was_left_behind_goes_on_with_it_in_a_fork(engine: Sojourn) -> None:
    old = await begun(engine, "one", "two", "three", "four")
    rewound = await engine.sessions.rewind(old.id, at=5)

    async with tree(engine, rewound.id) as (app, screen, pilot):
        choose(screen, "[three]")
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert shown == ["one", "two", "three", "four"]
        assert app.state is not None
        assert app.state.header.forked_from == old.id


async def test_a_branch_in_the_trash_is_not_opened_but_the_way_to_it_is_told(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")
    await engine.sessions.delete(fork.id)

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("enter")
        await until(pilot, lambda: "in the trash" in told(app))

        assert app.screen is screen


async def test_a_prompt_of_another_branch_is_said_differently_in_a_fork_of_it(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way", "and", "so")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("right")
        choose(screen, "and")
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert shown == ["one", "two", "other", "way"]
        assert app.chat.prompt.text == "and"
        assert (await engine.store.get_session(fork.id)).header.superseded_by is None


async def test_f_forks_at_any_message_and_leaves_the_session_as_it_is(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two", "three", "four")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "two")
        await pilot.press("f")
        shown = await back_in_chat(app, pilot)

        assert shown == ["one", "two"]
        assert app.state is not None
        assert app.state.header.forked_from == session.id
        assert (await engine.store.get_session(session.id)).header.superseded_by is None


# --- two branches


@pytest.mark.parametrize("size", [SIZE, (40, 24)])
async def test_equals_compares_the_chosen_branch_with_the_open_session(engine: Sojourn, size: tuple[int, int]) -> None:
    session = await begun(engine, "one", "two", "three", "four")
    fork = await engine.sessions.fork(session.id, at=5)
    await say(fork, "other", "way [b]")
    await fork.facts.learn("The sky is blue")

    async with tree(engine, session.id, size=size) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await pilot.pause()
        body = app.screen.query_one("#compare-body", Static)
        shown = "\n".join(line.text for line in body.render_lines(body.size.region))
        await pilot.press("down", "escape")
        await until(pilot, lambda: app.screen is screen)

    assert "They part after" in shown
    assert "❯ three" in shown
    assert "❯ other" in shown
    assert "way [b]" in shown
    assert "The sky is blue" in shown


async def test_compare_and_merge_ask_for_a_branch(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")

    async with tree(engine, session.id) as (app, screen, pilot):
        await pilot.press("equals_sign")
        await until(pilot, lambda: "choose a branch first" in told(app))
        await pilot.press("m")
        await pilot.pause()

        assert app.screen is screen


async def test_m_brings_home_what_a_branch_learned_after_a_yes(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")
    await fork.facts.learn("The sky is blue")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Question))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        refused = [fact.content for fact in session.state.knowledge_base.facts.values()]
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Question))
        await pilot.press("y")
        await until(
            pilot, lambda: [fact.content for fact in session.state.knowledge_base.facts.values()] == ["The sky is blue"]
        )

    assert refused == []


async def test_what_both_changed_is_asked_and_nothing_is_changed_without_an_answer(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await session.variables.set("colour", "red")
    await fork.variables.set("colour", "blue")

    async with tree(engine, session.id) as (app, screen, pilot):
        await pilot.press("end")
        await merge_and_answer(app, pilot, "escape")
        await until(pilot, lambda: "nothing was changed" in told(app))
        before = session.state.variables.values["colour"]
        await merge_and_answer(app, pilot, "t")
        await until(pilot, lambda: session.state.variables.values["colour"] == "blue")

        assert before == "red"
        assert app.screen is screen


async def merge_and_answer(app: SojournApp, pilot: Pilot[int], key: str) -> None:
    """Merge the chosen branch, say yes, and answer with *key* which side decides."""
    await pilot.press("m")
    await until(pilot, lambda: isinstance(app.screen, Question))
    first = app.screen
    await pilot.press("y")
    await until(pilot, lambda: isinstance(app.screen, Question) and app.screen is not first)
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, BranchScreen))


async def test_a_session_opened_from_the_tree_is_shown_in_the_chat_whatever_screens_are_between(
    engine: Sojourn,
) -> None:
    session = await begun(engine, "one", "two")
    other = await engine.sessions.create(title="Other", project=PROJECT.id)
    await say(other, "three", "four")

    async with tree(engine, session.id) as (app, _, pilot):
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, FinderScreen) and not app.screen.is_searching)
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert shown == ["three", "four"]


async def test_while_an_answer_is_on_its_way_one_goes_nowhere(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")
    provider = Slow("at last")
    chat = conversation(engine, provider=provider)
    await chat.resume(session.id)
    app = SojournApp(chat)

    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: bool(app.chat.query("#prompt")))
        app.chat.say("three")
        await until(pilot, lambda: app.chat.turns.is_busy)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: isinstance(app.screen, BranchScreen) and app.screen.is_ready)
        screen = app.screen
        assert isinstance(screen, BranchScreen)
        choose(screen, "[other]")
        await pilot.press("enter", "f", "m")
        await until(pilot, lambda: "wait until the answer is there" in told(app))

        assert app.screen is screen
        assert app.session is not None
        assert app.session.id == session.id
        provider.go.set()
        await app.chat.turns.wait_until_idle()


async def test_what_was_brought_home_is_taken_back_by_going_back_before_it(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await fork.facts.learn("The sky is blue")
    await engine.sessions.merge(session.id, fork.id)

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "two")
        await pilot.press("enter")
        await back_in_chat(app, pilot)

        assert app.state is not None
        assert app.state.session_id != session.id
        assert app.state.knowledge_base.facts == {}


async def test_the_last_answer_of_another_branch_opens_that_branch(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("space")
        choose(screen, "way")
        await pilot.press("enter")
        shown = await back_in_chat(app, pilot)

        assert app.session is not None
        assert app.session.id == fork.id
        assert shown == ["one", "two", "other", "way"]


async def test_f_on_a_branch_forks_its_end(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await pilot.press("f")
        shown = await back_in_chat(app, pilot)

        assert app.state is not None
        assert app.state.header.forked_from == fork.id
        assert shown == ["one", "two", "other", "way"]


async def test_a_branch_that_somebody_removed_meanwhile_is_told_and_nothing_else_happens(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await say(fork, "other", "way")

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[other]")
        await engine.store.purge_session(fork.id)
        for key in ("f", "equals_sign"):
            await pilot.press(key)
            await until(pilot, lambda: any(one.severity == "error" for one in app._notifications))
            app.clear_notifications()
        await pilot.press("m", "y")
        await until(pilot, lambda: any(one.severity == "error" for one in app._notifications))

        assert app.screen is screen
        assert app.session is not None
        assert app.session.id == session.id


async def test_two_branches_that_hold_the_same_say_so_and_tools_are_told_in_a_line(engine: Sojourn) -> None:
    session = await begun(engine, "one", "two")
    fork = await engine.sessions.fork(session.id)
    await fork.messages.user("read it")
    await fork.messages.assistant("", tool_calls=[ToolCall(id="c1", name="read_file", arguments={})])
    await fork.messages.tool("c1", "line\n" * 100)

    async with tree(engine, session.id) as (app, screen, pilot):
        choose(screen, "[read it]")
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await pilot.pause()
        body = app.screen.query_one("#compare-body", Static)
        shown = "\n".join(line.text for line in body.render_lines(body.size.region))

    assert "nothing was said since" in shown
    assert "▸ read_file" in shown
    assert "They hold the same" in shown
    assert shown.count("▹ line line") == 1
