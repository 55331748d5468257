"""The screen on which a session is found again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static
from textual.widgets._toast import Toast

import sojourn
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.model.events import SessionCreated
from sojourn.testing import FakeClock
from sojourn.tui.app import SojournApp
from sojourn.tui.chat.transcript import Transcript
from sojourn.tui.finder import FinderScreen
from sojourn.tui.finder.lines import SessionLine
from tests.agent.agent_kit import Slow
from tests.tui.apps import PROJECT, conversation, until

pytestmark = pytest.mark.anyio

SIZE = (120, 34)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def engine(clock: FakeClock) -> AsyncIterator[Sojourn]:
    settings = sojourn.Settings(embeddings="off", learning="off", summarise_turns_every=None)
    async with sojourn.open("memory:", settings=settings, clock=clock) as app:
        yield app


async def talk(app: Sojourn, clock: FakeClock, title: str, *said: str, project: str | None = PROJECT.id) -> Session:
    """A session in which *said* was said, by the person and by the model in turn."""
    session = await app.sessions.create(title=title, project=project)
    for place, text in enumerate(said):
        await (session.messages.assistant(text, model="small") if place % 2 else session.messages.user(text))
        clock.advance(seconds=60)
    return session


@asynccontextmanager
async def finder(
    app: Sojourn, *, words: str = "", size: tuple[int, int] = SIZE, session_id: str | None = None
) -> AsyncIterator[tuple[SojournApp, FinderScreen, Pilot[int]]]:
    """The app with the finder open, after *words* were typed and all was found."""
    chat = conversation(app)
    if session_id is not None:
        await chat.resume(session_id)
    tui = SojournApp(chat)
    async with tui.run_test(size=size, notifications=True) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(tui.screen, FinderScreen))
        screen = tui.screen
        assert isinstance(screen, FinderScreen)
        await pilot.press(*["space" if letter == " " else letter for letter in words])
        await pilot.pause()
        await settled(pilot, screen)
        yield tui, screen, pilot


async def settled(pilot: Pilot[int], screen: FinderScreen) -> None:
    await until(pilot, lambda: not screen.is_searching)
    await pilot.pause()


def titles(screen: FinderScreen) -> list[str | None]:
    return [line.header.title for line in screen.sessions.rows]


def chosen(screen: FinderScreen) -> SessionLine:
    line = screen.sessions.chosen
    assert line is not None
    return line


def drawn(screen: FinderScreen, columns: int = 118) -> list[str]:
    return [text.plain for line in screen.sessions.rows for text in line.draw(columns)]


def told(app: SojournApp) -> str:
    return "\n".join(str(toast.render()) for toast in app.screen.query(Toast))


# --- what is listed


async def test_the_sessions_of_this_project_are_listed_newest_activity_first(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Older", "one", "two")
    await talk(engine, clock, "Newer", "one", "two")
    await talk(engine, clock, "Elsewhere", "one", project="another")

    async with finder(engine) as (_, screen, _):
        assert titles(screen) == ["Newer", "Older"]
        assert chosen(screen).header.title == "Newer"


async def test_tab_shows_every_project_and_its_name(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Here", "one")
    await talk(engine, clock, "Elsewhere", "one", project="another")

    async with finder(engine) as (_, screen, pilot):
        await pilot.press("tab")
        await settled(pilot, screen)
        lines = drawn(screen)
        await pilot.press("tab")
        await settled(pilot, screen)

        assert "another" in lines[0]
        assert PROJECT.name in lines[1]
        assert titles(screen) == ["Here"]


async def test_what_was_archived_and_what_was_thrown_away_have_lists_of_their_own(
    engine: Sojourn, clock: FakeClock
) -> None:
    await engine.sessions.archive((await talk(engine, clock, "Put aside", "one")).id)
    await engine.sessions.delete((await talk(engine, clock, "Thrown away", "one")).id)
    await talk(engine, clock, "Kept", "one")

    async with finder(engine) as (_, screen, pilot):
        seen = [titles(screen)]
        for _ in range(2):
            await pilot.press("shift+tab")
            await settled(pilot, screen)
            seen.append(titles(screen))

    assert seen == [["Kept"], ["Put aside"], ["Thrown away"]]


async def test_sessions_are_sorted_by_their_beginning_or_their_cost(engine: Sojourn, clock: FakeClock) -> None:
    first = await talk(engine, clock, "First", "one")
    await talk(engine, clock, "Second", "one")
    await first.messages.used(model="small", cost_micros=2_000_000)

    async with finder(engine) as (_, screen, pilot):
        seen = [titles(screen)]
        for _ in range(2):
            await pilot.press("ctrl+s")
            await settled(pilot, screen)
            seen.append(titles(screen))

    assert seen == [["First", "Second"], ["Second", "First"], ["First", "Second"]]


async def test_forks_stand_under_their_origin_where_the_newest_of_them_belongs(
    engine: Sojourn, clock: FakeClock
) -> None:
    origin = await talk(engine, clock, "Origin", "one", "two")
    await talk(engine, clock, "Between", "one")
    fork = await engine.sessions.fork(origin.id)
    await engine.sessions.rename(fork.id, "Fork")
    await fork.messages.user("three")

    async with finder(engine) as (_, screen, _):
        rows = [(line.header.title, line.depth, line.forks) for line in screen.sessions.rows]

    assert rows == [("Origin", 0, 1), ("Fork", 1, 0), ("Between", 0, 0)]


async def test_a_session_that_was_rewound_is_listed_once_with_its_forks_under_what_goes_on(
    engine: Sojourn, clock: FakeClock
) -> None:
    old = await talk(engine, clock, "Talk", "one", "two", "three", "four")
    fork = await engine.sessions.fork(old.id, at=3)
    await engine.sessions.rename(fork.id, "Fork")
    rewound = await engine.sessions.rewind(old.id, at=3)

    async with finder(engine) as (_, screen, _):
        rows = [(line.key, line.depth) for line in screen.sessions.rows]

    assert rows == [(rewound.id, 0), (fork.id, 1)]


async def test_a_title_that_the_person_gave_is_marked_and_tags_are_shown(engine: Sojourn, clock: FakeClock) -> None:
    named = await talk(engine, clock, "Named", "one")
    await engine.sessions.tag(named.id, add=["ios"])
    other = await engine.sessions.create(project=PROJECT.id)
    await engine.sessions.title_from(other.id, "Checkout flaky test")

    async with finder(engine) as (_, screen, _):
        lines = {line.header.title: line.draw(118)[0].plain for line in screen.sessions.rows}

    assert "Named ✎ #ios" in lines["Named"]
    assert "✎" not in lines["Checkout flaky test"]


@pytest.mark.parametrize("columns", [20, 38, 60, 100, 198])
async def test_no_line_is_wider_than_the_screen_whatever_is_written_in_it(
    engine: Sojourn, clock: FakeClock, columns: int
) -> None:
    await talk(engine, clock, "日本語の長いタイトルです" * 9, "one")
    await talk(engine, clock, "שלום עולם " * 20, "one")
    await talk(engine, clock, "a\x1b[31mred\nline\u202e", "one")

    async with finder(engine) as (_, screen, _):
        lines = [text for line in screen.sessions.rows for text in line.draw(columns)]

    assert all(text.cell_len <= columns for text in lines)
    assert not any("\x1b" in text.plain or "\n" in text.plain or "\u202e" in text.plain for text in lines)


async def test_where_there_is_nothing_it_is_said_what_to_do(engine: Sojourn) -> None:
    async with finder(engine, size=(40, 24)) as (_, screen, pilot):
        assert screen.sessions.rows == ()
        lines = [screen.sessions.render_line(y).text for y in range(3)]
        await pilot.press("enter", "down", "f", "d", "r", "t", "a", "space", "u")
        assert "no sessions yet" in lines[1]


async def test_many_sessions_are_read_a_page_at_a_time(engine: Sojourn, clock: FakeClock) -> None:
    for number in range(250):
        await engine.store.create_session(f"s-{number:04}", SessionCreated(project=PROJECT.id))
        clock.advance(seconds=1)

    async with finder(engine) as (_, screen, pilot):
        at_first = len(screen.sessions.rows)
        await pilot.press("down", "end")
        await until(pilot, lambda: len(screen.sessions.rows) == 200)
        kept = chosen(screen).key
        await until(pilot, lambda: len(screen.sessions.rows) == 250, press="pagedown")

        assert at_first == 100
        assert kept == "s-0150"


# --- searching


async def test_titles_are_searched_as_one_types(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Login button bug", "one")
    await talk(engine, clock, "Checkout flaky test", "one")

    async with finder(engine, words="BUTTON") as (_, screen, _):
        assert titles(screen) == ["Login button bug"]


async def test_what_was_said_is_found_with_a_snippet_and_how_often(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Login", "why does the cookie vanish?", "A cookie needs Secure.", "ok", "Yes.")
    await talk(engine, clock, "Other", "something else", "indeed")

    async with finder(engine, words="cook") as (_, screen, _):
        lines, found = drawn(screen), titles(screen)

    assert found == ["Login"]
    assert "cookie" in lines[1]
    assert "1 more" in lines[1]


async def test_enter_opens_the_session_at_what_was_found(engine: Sojourn, clock: FakeClock) -> None:
    said = ["the cookie vanishes", *[f"line {number}" for number in range(60)]]
    session = await talk(engine, clock, "Long", *said)

    async with finder(engine, words="cookie") as (app, _, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat and bool(app.chat.query_one(Transcript).items))
        shown = [item.text for item in app.chat.query_one(Transcript).items]

        assert app.session is not None
        assert app.session.id == session.id
        assert shown[0] == "the cookie vanishes"


async def test_what_is_found_in_the_shared_part_of_a_rewound_session_opens_what_goes_on(
    engine: Sojourn, clock: FakeClock
) -> None:
    old = await talk(engine, clock, "Talk", "the cookie vanishes", "two", "the biscuit stays", "four")
    rewound = await engine.sessions.rewind(old.id, at=3)

    async with finder(engine, words="cookie") as (_, screen, _):
        assert [line.key for line in screen.sessions.rows] == [rewound.id]


async def test_what_was_left_behind_by_a_rewind_is_found_and_opened_in_a_fork(
    engine: Sojourn, clock: FakeClock
) -> None:
    old = await talk(engine, clock, "Talk", "the cookie vanishes", "two", "the biscuit stays", "four")
    await engine.sessions.rewind(old.id, at=3)

    async with finder(engine, words="biscuit") as (app, screen, pilot):
        keys = [line.key for line in screen.sessions.rows]
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat and bool(app.chat.query_one(Transcript).items))

        assert keys == [old.id]
        assert app.state is not None
        assert app.state.header.forked_from == old.id
        assert "the biscuit stays" in [item.text for item in app.chat.query_one(Transcript).items]


async def test_nothing_found_says_so(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Login", "one")

    async with finder(engine, words='zzz" OR [b]') as (_, screen, _):
        assert screen.sessions.rows == ()
        assert "nothing was found" in screen.sessions.render_line(1).text


# --- looking in


async def test_the_chosen_session_is_looked_into(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Login", "first thing", "answer", "last [b]thing", "done")

    async with finder(engine) as (_, screen, pilot):
        await until(pilot, lambda: "first thing" in str(screen.query_one("#finder-glance", Static).render()))
        small = str(screen.query_one("#finder-glance", Static).render())
        await pilot.press("down", "space")
        await until(pilot, lambda: "● done" in str(screen.query_one("#finder-glance", Static).render()))

    assert "last [b]thing" in small
    assert "small" in small
    assert "● done" not in small


# --- doing something


async def test_enter_in_the_list_opens_and_escape_leaves_all_as_it_was(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "First", "one")
    second = await talk(engine, clock, "Second", "one")

    async with finder(engine, session_id=second.id) as (app, _, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.session is not None
        assert app.session.id == second.id
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, FinderScreen) and not app.screen.is_searching)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.state is not None
        assert app.state.title == "First"


async def test_f_goes_on_in_a_fork(engine: Sojourn, clock: FakeClock) -> None:
    origin = await talk(engine, clock, "Origin", "one", "two")

    async with finder(engine) as (app, _, pilot):
        await pilot.press("up", "f")
        await until(pilot, lambda: app.screen is app.chat)

        assert app.state is not None
        assert app.state.header.forked_from == origin.id


async def test_n_lets_what_is_said_next_begin_a_session(engine: Sojourn, clock: FakeClock) -> None:
    session = await talk(engine, clock, "Origin", "one", "two")

    async with finder(engine, session_id=session.id) as (app, _, pilot):
        await pilot.press("up", "n")
        await until(pilot, lambda: app.screen is app.chat)

        assert app.session is None


async def test_r_renames_and_u_takes_it_back(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Old name", "one")

    async with finder(engine) as (_, screen, pilot):
        await pilot.press("up", "r")
        await pilot.pause()
        screen.query_one("#finder-ask", Input).value = "New name"
        await pilot.press("enter")
        await until(pilot, lambda: titles(screen) == ["New name"])
        source = chosen(screen).header.title_source
        await pilot.press("u")
        await until(pilot, lambda: titles(screen) == ["Old name"])

    assert source == "user"


async def test_an_empty_title_is_refused_and_escape_keeps_the_old_one(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Old name", "one")

    async with finder(engine) as (app, screen, pilot):
        await pilot.press("up", "r")
        await pilot.pause()
        ask = screen.query_one("#finder-ask", Input)
        ask.value = "   "
        await pilot.press("enter")
        await until(pilot, lambda: "a title must be a text" in told(app))
        await pilot.press("tab", "escape")
        await pilot.pause()

        assert app.screen is screen
        assert screen.view.scope == "project"
        assert not ask.has_class("asking")
        assert titles(screen) == ["Old name"]


async def test_t_changes_the_tags(engine: Sojourn, clock: FakeClock) -> None:
    session = await talk(engine, clock, "Talk", "one")
    await engine.sessions.tag(session.id, add=["old", "kept"])

    async with finder(engine) as (_, screen, pilot):
        await pilot.press("up", "t")
        await pilot.pause()
        before = screen.query_one("#finder-ask", Input).value
        screen.query_one("#finder-ask", Input).value = "kept, two words"
        await pilot.press("enter")
        await until(pilot, lambda: chosen(screen).header.tags == ("kept", "two words"))
        await pilot.press("u")
        await until(pilot, lambda: set(chosen(screen).header.tags) == {"old", "kept"})

    assert before == "old, kept"


async def test_a_archives_and_takes_out_again(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Below", "one")
    await talk(engine, clock, "Top", "one")

    async with finder(engine) as (_, screen, pilot):
        await pilot.press("up", "a")
        await until(pilot, lambda: titles(screen) == ["Below"])
        await pilot.press("v")
        await settled(pilot, screen)
        there = titles(screen)
        await pilot.press("a")
        await until(pilot, lambda: titles(screen) == [])
        await pilot.press("v", "v")
        await settled(pilot, screen)

        assert there == ["Top"]
        assert titles(screen) == ["Top", "Below"]


async def test_d_throws_away_says_how_to_get_it_back_and_u_does_that(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Below", "one")
    await talk(engine, clock, "Top", "one")

    async with finder(engine) as (app, screen, pilot):
        await pilot.press("up", "d")
        await until(pilot, lambda: titles(screen) == ["Below"])
        await until(pilot, lambda: "u takes it back" in told(app))
        next_one = chosen(screen).header.title
        await pilot.press("u")
        await until(pilot, lambda: titles(screen) == ["Top", "Below"])
        back = chosen(screen).header.title
        await pilot.press("u")
        await until(pilot, lambda: "nothing to take back" in told(app))

    assert next_one == "Below"
    assert back == "Top"


async def test_d_in_the_trash_takes_out_and_enter_there_opens_nothing(engine: Sojourn, clock: FakeClock) -> None:
    await engine.sessions.delete((await talk(engine, clock, "Thrown", "one")).id)

    async with finder(engine) as (app, screen, pilot):
        await pilot.press("shift+tab", "shift+tab")
        await settled(pilot, screen)
        await pilot.press("up", "enter")
        await until(pilot, lambda: "d takes it out" in told(app))
        still_there = app.screen is screen
        await pilot.press("d")
        await until(pilot, lambda: titles(screen) == [])
        await pilot.press("v")
        await settled(pilot, screen)

        assert still_there
        assert titles(screen) == ["Thrown"]


async def test_the_open_session_can_be_thrown_away_is_left_then_and_comes_back(
    engine: Sojourn, clock: FakeClock
) -> None:
    session = await talk(engine, clock, "Open", "one")

    async with finder(engine, session_id=session.id) as (app, screen, pilot):
        marked = drawn(screen)[0]
        await pilot.press("up", "d")
        await until(pilot, lambda: titles(screen) == [])
        left = app.session
        await pilot.press("u")
        await until(pilot, lambda: titles(screen) == ["Open"])

        assert "you are here" in marked
        assert left is None
        assert app.session is not None
        assert app.session.id == session.id
        assert app.screen is screen


async def test_a_session_found_by_what_was_said_is_put_away_just_so(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Login", "the cookie vanishes")

    async with finder(engine, words="cookie") as (_, screen, pilot):
        await pilot.press("up", "d")
        await until(pilot, lambda: titles(screen) == [])
        await pilot.press("u")
        await until(pilot, lambda: titles(screen) == ["Login"])

        assert chosen(screen).match is not None


async def test_the_keys_that_are_offered_fit_where_the_session_is(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Talk", "one")

    async with finder(engine) as (app, screen, pilot):
        offered = []
        await pilot.press("up")
        for _ in range(3):
            await settled(pilot, screen)
            active = app.screen.active_bindings
            offered.append({key: active[key].binding.description for key in ("a", "d") if key in active})
            await pilot.press("v")

    assert offered == [
        {"a": "archive", "d": "trash"},
        {"a": "unarchive", "d": "trash"},
        {"d": "restore"},
    ]


async def test_a_damaged_session_says_so(engine: Sojourn, clock: FakeClock) -> None:
    session = await talk(engine, clock, "Talk", "one")
    line = SessionLine(
        header=session.state.header, now=clock.now() + timedelta(days=3), here=PROJECT, damage="entry 2 is gone"
    )

    assert "damaged" in line.draw(118)[0].plain
    assert "3d ago" in line.draw(30)[0].plain


async def test_when_the_app_is_to_ask_which_session_the_finder_opens_first(engine: Sojourn, clock: FakeClock) -> None:
    session = await talk(engine, clock, "Talk", "one")
    app = SojournApp(conversation(engine), ask_which=True)

    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: isinstance(app.screen, FinderScreen) and not app.screen.is_searching)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat)

        assert app.session is not None
        assert app.session.id == session.id


async def test_a_click_chooses_and_a_double_click_opens(engine: Sojourn, clock: FakeClock) -> None:
    first = await talk(engine, clock, "First", "one")
    await talk(engine, clock, "Second", "one")

    async with finder(engine) as (app, screen, pilot):
        await pilot.click("#finder-list", offset=(20, 1))
        chosen_by_click = chosen(screen).key
        await pilot.click("#finder-list", offset=(20, 10))
        await pilot.click("#finder-list", offset=(20, 1), times=2)
        await until(pilot, lambda: app.screen is app.chat)

        assert chosen_by_click == first.id
        assert app.session is not None
        assert app.session.id == first.id


async def test_a_click_on_a_filter_changes_it(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Elsewhere", "one", project="another")

    async with finder(engine) as (_, screen, pilot):
        await pilot.click("#finder-filters", offset=(3, 0))
        await settled(pilot, screen)

        assert titles(screen) == ["Elsewhere"]


async def test_while_an_answer_is_on_its_way_no_other_session_is_opened(engine: Sojourn, clock: FakeClock) -> None:
    other = await talk(engine, clock, "Other", "one")
    provider = Slow("at last")
    app = SojournApp(conversation(engine, provider=provider))

    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: bool(app.chat.query("#prompt")))
        app.chat.say("hello")
        await until(pilot, lambda: app.chat.turns.is_busy and app.session is not None)
        here = app.session
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, FinderScreen) and not app.screen.is_searching)
        screen = app.screen
        assert isinstance(screen, FinderScreen)
        screen.sessions.choose(other.id)
        await pilot.press("enter")
        await until(pilot, lambda: "wait until the answer is there" in told(app))
        screen.sessions.focus()
        await pilot.press("f", "n")
        assert here is not None
        screen.sessions.choose(here.id)
        await pilot.press("d")
        await until(pilot, lambda: "it is being answered" in told(app))

        assert app.screen is screen
        assert app.session is here
        provider.go.set()
        await app.chat.turns.wait_until_idle()


@pytest.mark.parametrize("pauses", [0, 1, 3])
async def test_leaving_in_the_middle_of_a_search_is_fine(engine: Sojourn, clock: FakeClock, pauses: int) -> None:
    await talk(engine, clock, "Login", "the cookie vanishes")

    async with finder(engine) as (app, _, pilot):
        await pilot.press(*"cook")
        for _ in range(pauses):
            await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        await pilot.pause()

        assert app.return_code is None


async def test_slash_goes_to_the_search_box_and_the_arrows_to_the_list(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Login", "one")
    await talk(engine, clock, "Checkout", "one")

    async with finder(engine) as (_, screen, pilot):
        await pilot.press("down")
        in_list = screen.sessions.has_focus
        await pilot.press("slash", "c", "h")
        await settled(pilot, screen)

        assert in_list
        assert screen.query_one("#finder-words", Input).has_focus
        assert titles(screen) == ["Checkout"]


async def test_what_was_found_is_seen_where_there_is_little_room(engine: Sojourn, clock: FakeClock) -> None:
    await talk(engine, clock, "Talk", "there is a long way to go until somebody says biscuit in this message")

    async with finder(engine, words="biscuit", size=(40, 24)) as (_, screen, _):
        found = drawn(screen, columns=38)[1]

    assert "biscuit" in found
    assert "…" in found


async def test_a_session_that_somebody_removed_meanwhile_is_told_and_nothing_else_happens(
    engine: Sojourn, clock: FakeClock
) -> None:
    session = await talk(engine, clock, "Gone soon", "one")

    async with finder(engine) as (app, screen, pilot):
        await engine.store.purge_session(session.id)
        for key in ("enter", "f", "a", "d"):
            await pilot.press("up", key)
            await until(pilot, lambda: any(one.severity == "error" for one in app._notifications))
            app.clear_notifications()
        await pilot.press("down", "space")
        await pilot.pause()

        assert app.screen is screen
        assert app.session is None


async def test_taking_back_what_somebody_removed_meanwhile_is_told(engine: Sojourn, clock: FakeClock) -> None:
    session = await talk(engine, clock, "Gone soon", "one")

    async with finder(engine) as (app, screen, pilot):
        await pilot.press("up", "a")
        await until(pilot, lambda: titles(screen) == [])
        await engine.store.purge_session(session.id)
        await pilot.press("u")
        await until(pilot, lambda: any(one.severity == "error" for one in app._notifications))

        assert app.screen is screen


async def test_a_way_back_is_promised_only_where_there_is_one(engine: Sojourn) -> None:
    untitled = await engine.sessions.create(project=PROJECT.id)

    async with finder(engine) as (app, screen, pilot):
        await pilot.press("up", "t", "enter")
        await until(pilot, lambda: "the tags are as they were" in told(app))
        await pilot.press("r", *"Name", "enter")
        await until(pilot, lambda: titles(screen) == ["Name"])
        said = told(app)

        assert chosen(screen).key == untitled.id
        assert "u takes it back" not in said
