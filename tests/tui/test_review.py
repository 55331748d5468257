"""The screen on which a person looks at what was learned."""

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text
from textual.pilot import Pilot
from textual.widgets import Input, Static

from sojourn.engine.session import Session
from sojourn.model import events as ev
from sojourn.model.events import Span
from sojourn.tui.app import SojournApp
from sojourn.tui.review import ReviewScreen
from sojourn.tui.review.rows import FactLines
from tests.tui.apps import PROJECT, opened, until

pytestmark = pytest.mark.anyio

SIZE = (120, 40)


async def shown(app: SojournApp, pilot: Pilot[int], *facts: str, status: str = "active") -> ReviewScreen:
    """Begin a session that knows *facts*, and show the screen."""
    session = await app.sojourn.sessions.create("here", project=PROJECT.id)
    for text in facts:
        await session.facts.learn(text, status=status)  # type: ignore[arg-type]
    await app.open_session("here")
    return await review(app, pilot)


async def review(app: SojournApp, pilot: Pilot[int]) -> ReviewScreen:
    await pilot.press("ctrl+k")
    await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and "active" in head(app))
    screen = app.screen
    assert isinstance(screen, ReviewScreen)
    return screen


def head(app: SojournApp) -> str:
    return str(app.screen.query_one("#head", Static).visual)


def contents(screen: ReviewScreen) -> list[str]:
    return [one.fact.content for one in screen.facts.facts]


def here(app: SojournApp) -> Session:
    assert app.session is not None
    return app.session


async def test_nothing_learned_is_told_with_what_to_do() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await review(app, pilot)
        empty = screen.query_one("#empty", Static)
        assert empty.display
        assert "it fills as you talk" in str(empty.visual)
        await pilot.press("n")
        await pilot.pause()
        assert not screen.query_one("#wording", Input).display


async def test_candidates_are_shown_first_and_counted() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await app.sojourn.sessions.create("here", project=PROJECT.id)
        await session.facts.learn("prefers small pull requests")
        await session.facts.learn("uses iOS 12", status="candidate")
        await app.open_session("here")
        screen = await review(app, pilot)

        assert contents(screen) == ["uses iOS 12"]
        assert "active 1" in head(app)
        assert "[candidates 1]" in head(app)
        assert "[all]" in head(app)


async def test_a_candidate_is_accepted_and_that_is_taken_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "uses iOS 12", status="candidate")
        await pilot.press("a")
        await until(pilot, lambda: contents(screen) == [])
        accepted = [fact.content for fact in here(app).facts.with_status("active")]
        await pilot.press("u")
        await until(pilot, lambda: contents(screen) == ["uses iOS 12"])

        assert accepted == ["uses iOS 12"]
        assert [fact.content for fact in here(app).facts.review()] == ["uses iOS 12"]


async def test_what_an_accepted_fact_replaced_holds_again_when_that_is_taken_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await app.sojourn.sessions.create("here", project=PROJECT.id)
        await app.sojourn.answer_keep_profile(keep=True)
        await session.facts.learn("The user lives in Paris")
        await session.profile.set("location", "Paris")
        await session.facts.learn("The user lives in Rome", status="candidate")
        await app.open_session("here")
        screen = await review(app, pilot)
        await pilot.press("a")
        await until(pilot, lambda: contents(screen) == [])
        assert [fact.content for fact in here(app).facts.with_status("active")] == ["The user lives in Rome"]
        assert here(app).state.user_profile.location == "Rome"
        await pilot.press("u")
        await until(pilot, lambda: contents(screen) == ["The user lives in Rome"])

        assert [fact.content for fact in here(app).facts.with_status("active")] == ["The user lives in Paris"]
        assert here(app).state.user_profile.location == "Paris"


async def test_a_fact_is_retired_and_restored() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "deploys on Fridays")
        await pilot.press("r")
        await until(pilot, lambda: "retired 1" in head(app))
        await pilot.press("left")
        await until(pilot, lambda: contents(screen) == ["deploys on Fridays"])
        await pilot.press("R")
        await until(pilot, lambda: "active 1" in head(app))

        assert [fact.status for fact in here(app).facts] == ["active"]


async def test_a_retired_candidate_comes_back_as_a_candidate() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, "uses iOS 12", status="candidate")
        await pilot.press("r")
        await until(pilot, lambda: "retired 1" in head(app))
        await pilot.press("u")
        await until(pilot, lambda: "candidates 1" in head(app))

        assert [fact.status for fact in here(app).facts] == ["candidate"]


async def test_a_fact_is_put_right_in_place_and_that_is_taken_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "deploys on Fridays")
        await pilot.press("e")
        await until(pilot, lambda: screen.query_one("#wording", Input).has_focus)
        screen.query_one("#wording", Input).value = "never deploys on Fridays"
        await pilot.press("enter")
        await until(pilot, lambda: contents(screen) == ["never deploys on Fridays"])
        await pilot.press("u")
        await until(pilot, lambda: contents(screen) == ["deploys on Fridays"])

        assert [fact.content for fact in here(app).facts.with_status("active")] == ["deploys on Fridays"]


async def test_editing_is_left_with_escape_and_changes_nothing() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "deploys on Fridays")
        before = here(app).head
        await pilot.press("e", "x", "escape")
        await pilot.pause()

        assert here(app).head == before
        assert app.screen is screen
        assert screen.facts.has_focus


async def test_a_fact_is_added_and_that_is_taken_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "Ice is cold", "Snow is white")
        await pilot.press("n")
        await pilot.press(*"Tea is hot", "enter")
        await until(pilot, lambda: contents(screen) == ["Tea is hot", "Snow is white", "Ice is cold"])
        chosen = screen.facts.chosen
        assert chosen is not None
        added = chosen.fact
        await pilot.press("u")
        await until(pilot, lambda: contents(screen) == ["Snow is white", "Ice is cold"])

        assert (added.content, added.source, added.confidence) == ("Tea is hot", "user", 1.0)
        assert len(here(app).facts.with_status("active")) == 2


async def test_a_fact_is_pinned_and_let_go() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, "production is behind nginx")
        await pilot.press("p")
        await until(pilot, lambda: here(app).state.working_set.pinned_facts == ("production is behind nginx",))
        await pilot.press("p")
        await until(pilot, lambda: here(app).state.working_set.pinned_facts == ())
        await pilot.press("u")
        await until(pilot, lambda: here(app).state.working_set.pinned_facts == ("production is behind nginx",))


async def test_there_is_nothing_to_take_back_at_first() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, "Tea is hot")
        before = here(app).head
        await pilot.press("u")
        await pilot.pause()

        assert here(app).head == before


async def test_typing_searches_and_escape_ends_the_search() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "prefers small pull requests", "deploys on Fridays", "Tea is hot")
        await pilot.press("slash")
        await pilot.press(*"frid")
        await until(pilot, lambda: contents(screen) == ["deploys on Fridays"])
        await pilot.press(*"xyz")
        await until(pilot, lambda: contents(screen) == [])
        assert "Nothing like that" in str(screen.query_one("#empty", Static).visual)
        await pilot.press("escape")
        await until(pilot, lambda: len(contents(screen)) == 3)
        assert screen.facts.has_focus


async def test_why_quotes_the_words_and_enter_jumps_to_the_message() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await app.sojourn.sessions.create("here", project=PROJECT.id)
        said = await session.messages.user("By the way, my phone runs iOS 12 and I like it.")
        span = Span(seq=said.seq, start=12, end=32)
        await session.facts.learn("uses iOS 12", spans=[span], causes=[said.seq])
        await app.open_session("here")
        await pilot.press("ctrl+e")
        screen = await review(app, pilot)
        await until(pilot, lambda: bool(screen.evidence.quotes))
        quotes = screen.evidence.quotes
        await pilot.press("enter", "enter")
        await until(pilot, lambda: app.screen is app.chat)

        assert f"{said.seq}  you: “By the way, my phone runs iOS 12 and I like it.”" in quotes[0]


async def test_w_hides_and_shows_what_a_fact_rests_on() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "Tea is hot")
        before = screen.evidence.display
        await pilot.press("w")
        await pilot.pause()
        assert screen.evidence.display is not before
        assert screen.facts.has_focus


async def test_what_another_session_shares_is_changed_where_it_is_held() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        other = await app.sojourn.sessions.create("other", project=PROJECT.id)
        await other.facts.learn("The project uses Django", scope="project")
        screen = await shown(app, pilot, "Tea is hot")
        await pilot.press("tab", "tab")
        await until(pilot, lambda: contents(screen) == ["The project uses Django"])
        assert "[project]" in head(app)
        await pilot.press("r")
        await until(pilot, lambda: contents(screen) == [])

        assert [fact.status for fact in other.facts] == ["retired"]
        assert [fact.content for fact in here(app).facts] == ["Tea is hot"]


async def test_what_somebody_else_learns_appears() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "Tea is hot")
        await here(app).facts.learn("Ice is cold")
        await until(pilot, lambda: contents(screen) == ["Ice is cold", "Tea is hot"])
        chosen = screen.facts.chosen
        assert chosen is not None
        assert chosen.fact.content == "Tea is hot"


async def test_stored_text_is_drawn_as_text() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "\x1b[31m[b]red[/b] [@click=app.exit]x[/]")
        await until(pilot, lambda: len(contents(screen)) == 1)
        drawn = "\n".join("".join(part.text for part in strip) for strip in screen._compositor.render_strips())

    assert "\\x1b[31m[b]red[/b] [@click=app.exit]x[/]" in drawn
    assert "\x1b" not in drawn


async def test_the_chosen_fact_has_a_sign_and_everything_fits_forty_columns() -> None:
    async with opened() as app, app.run_test(size=(40, 20)) as pilot:
        screen = await shown(app, pilot, "Tea is hot", "Ice is cold")
        await until(pilot, lambda: len(contents(screen)) == 2)
        await pilot.press("down")
        await pilot.pause()
        drawn = ["".join(part.text for part in strip) for strip in screen._compositor.render_strips()]

    assert any(line.startswith("❯ • Tea is hot") for line in drawn)
    assert any(line.startswith("  • Ice is cold") for line in drawn)


async def test_escape_goes_back_to_the_talk() -> None:
    async with opened() as app, app.run_test(size=(120, 20)) as pilot:
        await shown(app, pilot, "Tea is hot")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)


async def test_what_is_about_a_user_who_did_not_agree_stays_in_memory_and_says_so() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot)
        before = here(app).head
        await pilot.press("n")
        await pilot.press(*"The user lives in Rome", "enter")
        await until(pilot, lambda: contents(screen) == ["The user lives in Rome"])
        said = str(screen.query_one("#said", Static).visual)
        await pilot.press("u")
        await until(pilot, lambda: contents(screen) == [])

        assert here(app).head == before
        assert "in memory only" in said


async def test_scope_and_status_can_be_clicked() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, "Tea is hot")
        first, second = head(app).splitlines()
        await pilot.click("#head", offset=(1 + first.index("session"), 0))
        await until(pilot, lambda: "[session]" in head(app))
        await pilot.click("#head", offset=(1 + second.index("retired"), 1))
        await until(pilot, lambda: "[retired 0]" in head(app))


async def test_the_status_goes_round_by_the_arrows() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await shown(app, pilot, "Tea is hot")
        for expected in ("[candidates 0]", "[retired 0]", "[active 1]"):
            await pilot.press("right")
            assert expected in head(app)


async def test_why_tells_what_took_the_place_of_a_fact() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await app.sojourn.sessions.create("here", project=PROJECT.id)
        await session.facts.learn("The port is 8080")
        await session.facts.learn("The port is 9090")
        await app.open_session("here")
        screen = await review(app, pilot)
        about = screen.evidence.query_one("#about", Static)
        await until(pilot, lambda: "before or beside it: The port is 8080" in str(about.visual))
        await pilot.press("left")
        await until(pilot, lambda: "instead it holds that: The port is 9090" in str(about.visual))

        assert "so that it is not learned again" in str(about.visual)


async def test_a_fact_that_the_state_holds_no_more_can_be_explained_retired_and_taken_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await app.sojourn.sessions.create("here", project=PROJECT.id)
        said = await session.messages.user("The gate is green.")
        old = await session.facts.learn("The gate is green", confidence=0.1, scope="project", causes=[said.seq])
        many = [ev.FactLearned(fact_id=f"f{n}", content=f"House {n} has {n} rooms", confidence=1.0) for n in range(100)]
        await session.append(*many)
        await app.open_session("here")
        assert here(app).facts.find(old.fact_id) is None
        screen = await review(app, pilot)
        await pilot.press("tab", "tab")
        await until(pilot, lambda: contents(screen) == ["The gate is green"])
        await until(pilot, lambda: any("The gate is green." in quote for quote in screen.evidence.quotes))
        await pilot.press("r")
        await until(pilot, lambda: contents(screen) == [])
        await pilot.press("u")
        await until(pilot, lambda: contents(screen) == ["The gate is green"])


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (40, ["❯ • tea is green", "    90% sure"]),
        (12, ["❯ • tea is", "    green", "    90% sure"]),
        (8, ["❯ • tea", "    is", "    gree", "    n", "    90%", "    sure"]),
    ],
)
def test_a_fact_is_laid_out_in_any_width(columns: int, lines: list[str]) -> None:
    console = Console(width=columns, record=True, file=StringIO())

    console.print(FactLines("❯ •", Text("tea is green"), Text("90% sure")))

    assert [line.rstrip() for line in console.export_text().splitlines()] == lines
