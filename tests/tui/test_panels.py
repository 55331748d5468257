"""What stands beside the talk."""

import pytest
from textual.pilot import Pilot

from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.link import LinkError
from sojourn.agent.mcp.offers import Artifacts, McpPrompt, McpTool
from sojourn.agent.mcp.servers import Mcp
from sojourn.desk.conversation import Conversation, Partner
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.model import events as ev
from sojourn.providers.choosing import Choice
from sojourn.providers.scripted import ScriptedProvider
from sojourn.tui.app import SojournApp
from sojourn.tui.panels import SidePanel
from sojourn.tui.panels.panel import Panel
from sojourn.tui.review import ReviewScreen
from tests.agent.mcp_kit import Hourglass, MadeUpLink, Opener
from tests.tui.apps import PROJECT, conversation, engine, opened, until

pytestmark = pytest.mark.anyio

SIZE = (120, 50)


async def begun(app: SojournApp, pilot: Pilot[int], text: str = "hello") -> Session:
    """Say something, and return the session that this began."""
    app.chat.say(text)
    await app.chat.turns.wait_until_idle()
    await until(pilot, lambda: app.state is not None)
    await app.sojourn.background.drain()
    assert app.session is not None
    return app.session


def side(app: SojournApp) -> SidePanel:
    return app.chat.query_one(SidePanel)


def shown(app: SojournApp, name: str) -> str:
    """What a panel says; nothing, if it is not there."""
    panel = side(app).panel(name)
    return panel.plain if panel.display else ""


async def told(app: SojournApp, pilot: Pilot[int], *events: ev.Event) -> None:
    """Append events, and wait until the app knows."""
    assert app.session is not None
    if events:
        await app.session.append(*events)
    await until(pilot, lambda: app.session is not None and app.state == app.session.state)
    await pilot.pause()


async def test_before_anything_was_said_there_is_a_hint_and_no_panel() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert not any(panel.display for panel in side(app).query(Panel))
        assert side(app).query_one("#nothing").display


async def test_the_context_is_told_by_its_parts() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot)
        await until(pilot, lambda: bool(shown(app, "CONTEXT")))
        text = shown(app, "CONTEXT")

    assert text.startswith("CONTEXT ~")
    assert "/ 32k" in text
    assert "messages" in text
    assert "estimate, until" not in text


async def test_a_session_that_is_resumed_has_an_estimate() -> None:
    async with engine() as app:
        session = await app.sessions.create(project=PROJECT.id)
        await session.messages.user("what is the rate limit?")
        await session.messages.assistant("1,000 an hour")
        talk = conversation(app)
        await talk.resume(session.id)
        shown_app = SojournApp(talk)
        async with shown_app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: "estimate, until" in shown(shown_app, "CONTEXT"))


async def test_facts_are_shown_newest_first_with_how_sure_they_are() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await begun(app, pilot)
        await session.facts.learn("prefers small pull requests", confidence=0.95)
        await session.facts.learn("deploys on Fridays", confidence=0.6)
        await session.facts.learn("uses iOS 12", status="candidate")
        await told(app, pilot, ev.IntentClassified(intent="question", confidence=0.85))
        text = shown(app, "KNOWLEDGE")

    lines = text.splitlines()
    assert lines[0] == "KNOWLEDGE 2 · 1 ?"
    assert lines[1:4] == ["? uses iOS 12", "○ deploys on Fridays", "● prefers small pull requests"]
    assert "› intent: question 85%" in lines


async def test_a_long_fact_is_cut_at_eighty_characters_and_cannot_draw() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await begun(app, pilot)
        await session.facts.learn("\x1b[31m[bold]red[/] " + "x" * 200)
        await told(app, pilot)
        await until(pilot, lambda: "red" in shown(app, "KNOWLEDGE"))
        line = shown(app, "KNOWLEDGE").splitlines()[1]

    assert "\x1b" not in line
    assert "\\x1b[31m[bold]red[/]" in line
    assert line.endswith("…")
    assert len(line) <= 90


async def test_profile_focus_work_and_variables_are_shown() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot, "I live in Berlin and I am 31.")
        await told(
            app,
            pilot,
            ev.FocusChanged(focus_type="task", focus_id="7", context={"label": "fix login"}),
            ev.EntityReferenced(entity_type="person", entity_id="ada", title="Ada"),
            ev.DecisionMade(text="set it in one place"),
            ev.TaskOpened(task_id="t", text="write a test"),
            ev.FileTouched(path="src/auth.py", action="edited"),
            ev.FactPinned(text="production is behind nginx"),
            ev.VariableSet(name="retries", value=3),
        )
        await until(pilot, lambda: bool(shown(app, "PROFILE")))

        assert "location: Berlin" in shown(app, "PROFILE")
        assert "◎ task fix login" in shown(app, "FOCUS")
        assert "· Ada (person)" in shown(app, "FOCUS")
        assert shown(app, "WORK").splitlines() == [
            "WORK",
            "⚑ production is behind nginx",
            "☐ write a test",
            "⇒ set it in one place",
            "▤ src/auth.py (edited)",
        ]
        assert shown(app, "VARIABLES") == "VARIABLES 1\n· retries = 3"


async def test_a_research_is_shown_step_by_step_and_then_as_history() -> None:
    steps = tuple(ev.PlanStep(id=str(number), description=f"step {number}") for number in range(4))
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot)
        await told(
            app,
            pilot,
            ev.ResearchStarted(research_id="r", query="why?", complexity={"complexity_level": "complex"}),
            ev.AttemptStarted(research_id="r", strategy="direct"),
            ev.AttemptEnded(research_id="r", status="failed", outcome="too shallow", quality_score=0.4),
            ev.AttemptStarted(research_id="r", strategy="light_planning"),
            ev.PlanRevised(research_id="r", steps=steps),
            ev.StepUpdated(research_id="r", step_id="0", status="completed"),
            ev.StepUpdated(research_id="r", step_id="1", status="in_progress"),
        )
        text, thinking = shown(app, "RESEARCH"), shown(app, "THINKING")
        await told(app, pilot, ev.ResearchEnded(research_id="r", response="because"))
        after, thought = shown(app, "RESEARCH"), shown(app, "THINKING")

    assert text.startswith("RESEARCH 1 of 4\n? why?")
    assert text.splitlines()[-4:] == ["✔ step 0", "◌ step 1", "○ step 2", "○ step 3"]
    assert "judged complex" in thinking
    assert "✗ direct: too shallow 40%" in thinking
    assert after == "RESEARCH\n✔ why? (1 of 4)"
    assert thought == ""


async def test_a_long_plan_is_shown_around_the_current_step() -> None:
    steps = tuple(ev.PlanStep(id=str(number), description=f"step {number}") for number in range(40))
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot)
        await told(
            app,
            pilot,
            ev.ResearchStarted(research_id="r", query="why?"),
            ev.PlanRevised(research_id="r", steps=steps),
            ev.StepUpdated(research_id="r", step_id="20", status="in_progress"),
        )
        text = shown(app, "RESEARCH")

    assert "⋯ 17 before" in text
    assert "◌ step 20" in text
    assert "⋯ 16 to come" in text


async def test_what_it_cost_is_told_by_purpose_with_the_budget() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await begun(app, pilot)
        await session.working_set.limit_tokens(1_000_000)
        await told(
            app,
            pilot,
            ev.UsageRecorded(input_tokens=1_000, output_tokens=200, cache_read_tokens=3_000, cost_micros=420_000),
            ev.UsageRecorded(purpose="extraction", input_tokens=500, cost_micros=None),
        )
        text = shown(app, "COST")

    assert text.startswith("COST $0.42")
    assert "extraction  500 –" in text
    assert "cache " in text
    assert "without a known price" in text
    assert "of 1.0M tokens" in text


async def test_the_sessions_of_the_project_are_shown_and_can_be_opened() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        other = await app.sojourn.sessions.create(project=PROJECT.id, title="Checkout test")
        await app.sojourn.sessions.create(project="elsewhere", title="Not of this project")
        here = await begun(app, pilot)
        await until(pilot, lambda: "Checkout test" in shown(app, "SESSIONS"))
        text = shown(app, "SESSIONS")
        side(app).focus()
        await pilot.pause()
        for _ in range(20):
            await pilot.press("down")
        await pilot.press("up", "enter")
        await until(pilot, lambda: app.session is not None and app.session.id == other.id)
        await until(pilot, lambda: app.state is not None and app.state.session_id == other.id)

    assert "Not of this project" not in text
    assert "▶" in text
    assert "0 msgs · just now" in text
    assert here.id != other.id


async def test_a_panel_is_drawn_anew_only_when_its_part_changed() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await begun(app, pilot)
        await session.facts.learn("prefers small pull requests")
        await told(app, pilot, ev.DecisionMade(text="one"))
        work, knowledge = side(app).panel("WORK"), side(app).panel("KNOWLEDGE")
        before = (work.content, knowledge.content)
        await told(app, pilot, ev.DecisionMade(text="two"))

        assert work.content is not before[0]
        assert knowledge.content is before[1]


async def test_a_panel_can_be_folded_by_key_and_stays_folded() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await begun(app, pilot)
        side(app).focus()
        await pilot.press("left")
        await until(pilot, lambda: side(app).panel("CONTEXT").is_folded)
        assert "messages" not in shown(app, "CONTEXT")
        await session.messages.user("more")
        await told(app, pilot)
        assert side(app).panel("CONTEXT").is_folded
        await pilot.press("right")
        assert "messages" in shown(app, "CONTEXT")
        await pilot.press("enter")
        assert side(app).panel("CONTEXT").is_folded
        await pilot.press("escape")
        assert app.chat.prompt.has_focus


async def test_a_fact_that_is_chosen_opens_the_review() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        session = await begun(app, pilot)
        await session.facts.learn("prefers small pull requests")
        await session.facts.learn("deploys on Fridays")
        await session.facts.learn("uses iOS 12", status="candidate")
        await told(app, pilot)
        side(app).focus()
        await pilot.pause()
        await pilot.press("down", "down", "down", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and app.screen.facts.chosen is not None)
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        chosen = screen.facts.chosen
        assert chosen is not None
        assert chosen.fact.content == "prefers small pull requests"


async def test_a_click_on_a_heading_folds() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot)
        await until(pilot, lambda: bool(shown(app, "CONTEXT")))
        await told(app, pilot)  # what comes later would move it away from under the pointer
        panel = side(app).panel("CONTEXT")
        await pilot.click(panel, offset=(2, 0))
        assert panel.is_folded


async def test_nothing_breaks_at_forty_columns() -> None:
    async with opened() as app, app.run_test(size=(40, 20)) as pilot:
        session = await begun(app, pilot)
        await session.facts.learn("他喜歡短的句子 " * 5)
        await told(app, pilot)
        assert not side(app).display
        await pilot.press("ctrl+b")
        await until(pilot, lambda: "他喜歡" in shown(app, "KNOWLEDGE"))
        await until(pilot, lambda: side(app).size.width > 30)
        drawn = ["".join(part.text for part in strip) for strip in app.screen._compositor.render_strips()]
        assert any("他喜歡短的句子 他喜歡短的句子" in line for line in drawn)
        await pilot.press("ctrl+b")
        await until(pilot, lambda: not side(app).display)


def with_servers(app: Sojourn, mcp: Mcp) -> SojournApp:
    model = ScriptedProvider(["All right."])
    choice = Choice(provider="scripted", model="scripted", why="the test says so", make=lambda: model)
    return SojournApp(Conversation(app, Partner(provider=model, choice=choice), project=PROJECT, mcp=mcp))


async def test_a_server_that_does_not_work_says_why_and_can_be_tried_again() -> None:
    opener = Opener(LinkError("nobody is there"), MadeUpLink())
    servers = [McpServer(name="github", command="nothing")]
    async with engine() as app, Mcp(servers, sleep=Hourglass().sleep, open_link=opener) as mcp:
        await mcp.ready()
        shown_app = with_servers(app, mcp)
        async with shown_app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: "nobody is there" in shown(shown_app, "MCP"))
            before = shown(shown_app, "MCP")
            side(shown_app).focus()
            await pilot.press("end", "down", "enter")
            await mcp.ready()

    assert before.startswith("MCP 0 of 1\n◌ github  reconnecting")
    assert opener.opened == 2


async def test_a_tool_can_be_switched_off_and_on() -> None:
    offered = Artifacts(tools=(McpTool(name="search"),), prompts=(McpPrompt(name="greet"),))
    link = MadeUpLink(artifacts=offered)
    servers = [McpServer(name="github", command="nothing")]
    async with engine() as app, Mcp(servers, sleep=Hourglass().sleep, open_link=Opener(link)) as mcp:
        await mcp.ready()
        shown_app = with_servers(app, mcp)
        async with shown_app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: "[x] search" in shown(shown_app, "MCP"))
            assert "1 prompt" in shown(shown_app, "MCP")
            side(shown_app).focus()
            await pilot.press("down", "enter")
            await until(pilot, lambda: "[ ] search" in shown(shown_app, "MCP"))
            off = mcp.source("github").is_enabled("search")
            await pilot.press("enter")
            await until(pilot, lambda: "[x] search" in shown(shown_app, "MCP"))

    assert not off
    assert mcp.source("github").is_enabled("search")


async def test_the_row_that_the_cursor_is_on_is_in_sight() -> None:
    async with opened() as app, app.run_test(size=(120, 16)) as pilot:
        session = await begun(app, pilot)
        for number in range(10):
            await session.facts.learn(f"Fact number {number} is so long that it takes more than one line of the panel")
        await told(app, pilot)
        await until(pilot, lambda: "number 9" in shown(app, "KNOWLEDGE"))
        side(app).focus()
        await pilot.pause()
        for _ in range(9):
            await pilot.press("down")
        await pilot.pause()
        panel, number = side(app)._cursor or (side(app).panel("WORK"), 0)
        line = panel.virtual_region.y + panel.line_of(number)

        assert panel is side(app).panel("KNOWLEDGE")
        assert side(app).scroll_y <= line < side(app).scroll_y + side(app).size.height


async def test_the_panels_take_the_colours_of_another_theme() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot)
        before = side(app).panel("CONTEXT").content
        app.theme = "sojourn-light"
        await until(pilot, lambda: side(app).panel("CONTEXT").content is not before)


async def test_a_new_session_can_be_begun_from_the_panel() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await begun(app, pilot)
        await until(pilot, lambda: "+ new session" in shown(app, "SESSIONS"))
        side(app).focus()
        await pilot.pause()
        for _ in range(12):
            await pilot.press("down")
        await pilot.press("enter")
        await until(pilot, lambda: app.session is None and app.state is None)
        assert shown(app, "CONTEXT") == ""
