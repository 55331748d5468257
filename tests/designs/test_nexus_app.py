"""Nexus in the terminal: its panels, its queue, its start and its keys; where they differ here, the page says why."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from sojourn.desk.slash_commands import welcome
from sojourn.model import events as ev
from sojourn.tui.app import SojournApp
from sojourn.tui.panels import SidePanel
from tests.agent.agent_kit import Slow
from tests.tui.apps import PROJECT, conversation, engine, opened, until

pytestmark = pytest.mark.anyio

SIZE = (120, 60)


def texts(app: SojournApp) -> list[str]:
    return [item.text for item in app.chat.transcript.items]


def panel(app: SojournApp, name: str) -> list[str]:
    """What a panel says, line by line; nothing, if it is not there."""
    found = app.chat.query_one(SidePanel).panel(name)
    return found.plain.splitlines() if found.display else []


async def say(app: SojournApp, pilot: Pilot[int], text: str) -> None:
    app.chat.prompt.put(text)
    await pilot.press("enter")
    await until(pilot, lambda: text in texts(app))
    await app.chat.turns.wait_until_idle()
    await pilot.pause()


# --- panels


async def test_the_sessions_panel_names_each_with_its_messages_and_age_and_marks_the_open_one() -> None:
    async with opened(says=["Hello."]) as app, app.run_test(size=SIZE) as pilot:
        await app.sojourn.sessions.create(project=PROJECT.id, title="Trip to Porto")
        await say(app, pilot, "Plan the wall")
        await until(pilot, lambda: "Trip to Porto" in "\n".join(panel(app, "SESSIONS")))

        lines = panel(app, "SESSIONS")
        [open_one] = [line for line in lines if line.startswith("▶")]
        assert "Plan the wall" in open_one
        assert any("2 msgs · just now" in line for line in lines)
        assert any("new session" in line for line in lines)


async def test_the_knowledge_panel_has_the_last_ten_facts_newest_first_by_how_sure_they_are() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "Hello")
        session = app.session
        assert session is not None
        for number in range(12):
            await session.facts.learn(f"Fact number {number} is known", confidence=0.95 if number % 2 else 0.6)
        await session.facts.learn("x" * 100)
        await session.append(ev.IntentClassified(intent="question", confidence=0.85))
        await until(pilot, lambda: "intent: question 85%" in "\n".join(panel(app, "KNOWLEDGE")))

        facts = [line for line in panel(app, "KNOWLEDGE") if line[:1] in {"●", "○"}]
        assert len(facts) == 10
        assert len(facts[0]) <= 2 + 80
        assert facts[1:3] == ["● Fact number 11 is known", "○ Fact number 10 is known"]


async def test_conversation_reasoning_and_summaries_have_a_cost_each() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "Hello")
        session = app.session
        assert session is not None
        await session.messages.used(purpose="reasoning", model="m", input_tokens=1_000, cost_micros=20_000)
        await session.messages.used(purpose="summarisation", model="m", input_tokens=500, cost_micros=10_000)
        await until(pilot, lambda: any("summarisation" in line for line in panel(app, "COST")))

        told = {line.split()[0]: line for line in panel(app, "COST")}
        assert "conversation" in told
        assert told["reasoning"].split()[1:] == ["1.0k", "$0.02"]
        assert told["summarisation"].split()[1:] == ["500", "$0.01"]


async def test_the_thinking_panel_tells_what_was_tried_and_how_good_it_was() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "Hello")
        session = app.session
        assert session is not None
        research = await session.research.start("Why is it slow?")
        await research.start_attempt("light_planning")
        await research.end_attempt("not enough", quality_score=0.65)
        await until(pilot, lambda: any("65%" in line for line in panel(app, "THINKING")))

        [line] = [line for line in panel(app, "THINKING") if "65%" in line]
        assert line.startswith("→ light planning: not enough")  # below its gate, so it is tried harder


# --- start


async def test_a_new_start_is_empty_and_an_existing_session_is_loaded_with_what_was_said(tmp_path: Path) -> None:
    store = tmp_path / "nexus.db"
    async with opened(store, says=["Forty bricks."]) as app, app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert texts(app) == []
        await say(app, pilot, "Plan the wall")
        assert app.session is not None
        session_id = app.session.id

    async with opened(store, session_id=session_id) as app, app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: texts(app) == ["Plan the wall", "Forty bricks."])
        assert app.session is not None
        assert welcome(app.session)[0] == "going on with Plan the wall: 2 messages so far"


# --- the queue


async def test_queries_are_answered_one_after_the_other_in_their_order() -> None:
    provider = Slow("Done.")
    async with engine() as sojourn:
        app = SojournApp(conversation(sojourn, provider=provider))
        async with app.run_test(size=SIZE) as pilot:
            for text in ("one", "two", "three"):
                app.chat.say(text)
            await until(pilot, lambda: app.chat.turns.waiting == ("two", "three"))
            provider.go.set()
            await app.chat.turns.wait_until_idle()
            await pilot.pause()

            assert texts(app) == ["one", "Done.", "two", "Done.", "three", "Done."]


# --- switching


async def test_trap_10_sessions_are_switched_in_the_app_and_leaving_at_once_loses_nothing(tmp_path: Path) -> None:
    store = tmp_path / "nexus.db"
    async with opened(store, says=["One.", "Two.", "Three."]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "in the first")
        assert app.session is not None
        first = app.session.id
        await pilot.press("ctrl+n")
        await say(app, pilot, "in the second")
        second = app.session.id
        await app.open_session(first)
        await until(pilot, lambda: texts(app) == ["in the first", "One."])
        await say(app, pilot, "in the first again")
        await pilot.press("ctrl+q")

    async with engine(store) as sojourn:
        last = await sojourn.sessions.last(project=PROJECT.id)
        assert last is not None
        assert last.id == first
        assert last.state.conversation.message_count == 4
        assert (await sojourn.sessions.open(second)).state.conversation.message_count == 2


# --- keys


@pytest.mark.parametrize("key", ["ctrl+l", "ctrl+s"])
async def test_a_key_that_cleared_the_chat_or_hid_the_sidebar_there_harms_nothing_here(key: str) -> None:
    async with opened(says=["Hello."]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hi")
        await pilot.press(key)
        await pilot.pause()

        assert texts(app) == ["hi", "Hello."]
        assert app.chat.query_one(SidePanel).display
        assert app.screen is app.chat


async def test_ctrl_b_hides_the_sidebar_ctrl_n_begins_a_session_and_ctrl_q_leaves() -> None:
    async with opened(says=["Hello."]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hi")
        await pilot.press("ctrl+b")
        await until(pilot, lambda: not app.chat.query_one(SidePanel).display)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: not texts(app))
        await pilot.press("ctrl+q")
        await pilot.pause()

        assert app.return_value == 0
