"""The screen that one talks in."""

import asyncio
from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Markdown, Static

from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import ContentChunk
from sojourn.agent.permissions.gate import PermissionGate
from sojourn.agent.permissions.presets import preset
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.desk.equipment import Equipment
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import Message, ToolCall
from sojourn.providers.scripted import ScriptedProvider
from sojourn.tui.app import SojournApp
from sojourn.tui.chat.cards import Card, CutOffCard
from sojourn.tui.chat.status import StatusBar
from sojourn.tui.chat.transcript import MOST
from sojourn.tui.chat.views import ItemView
from tests.agent.agent_kit import Slow, registry
from tests.tui.apps import PROJECT, conversation, engine, opened, until

pytestmark = pytest.mark.anyio

SIZE = (120, 34)


def texts(app: SojournApp) -> list[str]:
    return [item.text for item in app.chat.transcript.items]


async def say(app: SojournApp, pilot: Pilot[int], text: str) -> None:
    """Type *text*, send it, and wait until it is answered and shown."""
    app.chat.prompt.put(text)
    await pilot.press("enter")
    await app.chat.turns.wait_until_idle()
    await pilot.pause()


async def fill(app: Sojourn, count: int, session_id: str = "long") -> Session:
    """A session of *count* messages."""
    said = [{"role": "assistant" if number % 2 else "user", "content": f"message {number}"} for number in range(count)]
    return await app.ingest(said, session_id=session_id, project=PROJECT.id, title="A long talk")


# --- talking


async def test_what_is_typed_is_answered_and_both_are_shown() -> None:
    async with opened(says=["Hello, Ada."]) as app, app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hi", "enter")
        await app.chat.turns.wait_until_idle()
        await pilot.pause()

        assert texts(app) == ["hi", "Hello, Ada."]
        assert app.chat.prompt.text == ""
        assert app.state is not None
        assert app.state.conversation.message_count == 2


async def test_what_is_typed_meanwhile_waits_is_shown_and_can_be_taken_back() -> None:
    provider = Slow("and again")
    async with engine() as sojourn:
        app = SojournApp(conversation(sojourn, provider=provider))
        async with app.run_test(size=SIZE) as pilot:
            for text in ("one", "two", "three"):
                app.chat.prompt.put(text)
                await pilot.press("enter")
            await until(pilot, lambda: app.chat.turns.is_busy and app.chat.turns.waiting == ("two", "three"))
            shown = str(app.chat.query_one("#queue", Static).content)
            await pilot.press("up")
            taken_back = app.chat.prompt.text
            app.chat.prompt.put("three, but better")
            await pilot.press("enter")
            provider.go.set()
            await until(pilot, lambda: len(texts(app)) == 6)

            assert "1. two" in shown
            assert "2. three" in shown
            assert taken_back == "three"
            assert texts(app) == ["one", "and again", "two", "and again", "three, but better", "and again"]


async def test_what_is_typed_while_an_answer_ends_is_shown_as_it_is_answered() -> None:
    provider = Slow("Once upon a time")
    async with engine() as sojourn:
        app = SojournApp(conversation(sojourn, provider=provider))
        async with app.run_test(size=SIZE) as pilot:
            ends = app.chat.answer.end

            async def say_more() -> None:
                app.chat.answer.end = ends  # type: ignore[method-assign]
                provider.go = anyio.Event()
                app.chat.say("and then?")
                await pilot.pause()
                await ends()

            app.chat.answer.end = say_more  # type: ignore[method-assign]
            provider.go.set()
            app.chat.prompt.put("a story, please")
            await pilot.press("enter")
            await until(pilot, lambda: texts(app)[-1:] == ["and then?"])

            assert app.chat.turns.is_busy
            assert app.chat.answer.display
            provider.go.set()
            await app.chat.turns.wait_until_idle()


async def test_what_is_added_to_a_short_talk_is_in_view() -> None:
    async with engine() as sojourn:
        session = await fill(sojourn, 1)
        talk = conversation(sojourn)
        await talk.resume(session.id)
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            for number in range(6):
                await until(pilot, lambda number=number: len(texts(app)) == number + 1)  # type: ignore[misc]
                await pilot.pause()
                await session.messages.user(f"one more, number {number}")
            await until(pilot, lambda: len(texts(app)) == 7)
            await pilot.pause()

            transcript = app.chat.transcript
            last = transcript.query(ItemView).last()
            assert transcript.region.y <= last.region.y < last.region.bottom <= transcript.region.bottom


async def test_what_is_being_said_stays_when_something_else_is_stored() -> None:
    provider = Slow("Once upon a time there was a ship.")
    async with engine() as sojourn:
        app = SojournApp(conversation(sojourn, provider=provider))
        async with app.run_test(size=SIZE) as pilot:
            app.chat.say("a story, please")
            await provider.asked.wait()
            await until(pilot, lambda: texts(app) == ["a story, please"])
            await app.chat.answer.show(ContentChunk(text="Once upon"))
            assert app.session is not None
            elsewhere = await Session.open(sojourn.store, app.session.id)
            await elsewhere.messages.assistant("said elsewhere")
            await until(pilot, lambda: "said elsewhere" in texts(app))

            assert "Once upon" in app.chat.answer.query_one(Markdown).source
            provider.go.set()
            await app.chat.turns.wait_until_idle()
            assert texts(app)[-1] == "Once upon a time there was a ship."
            assert app.chat.answer.query_one(Markdown).source == ""


async def test_an_answer_that_is_taken_down_at_its_first_word_ends_nobody() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        answer = app.chat.answer
        await answer.show(ContentChunk(text="it is loaded now"))
        await answer.clear()

        for _ in range(5):
            await asyncio.gather(answer.show(ContentChunk(text="Hel")), answer.clear())  # it raises what either raises
        await pilot.pause()

        assert app.chat.is_attached


async def test_escape_stops_the_answer_and_what_was_said_is_kept() -> None:
    provider = Slow("here I am")
    async with engine() as sojourn:
        app = SojournApp(conversation(sojourn, provider=provider))
        async with app.run_test(size=SIZE) as pilot:
            app.chat.prompt.put("are you there?")
            await pilot.press("enter")
            await until(pilot, lambda: texts(app) == ["are you there?"])
            await pilot.press("escape")
            await app.chat.turns.wait_until_idle()
            provider.go.set()
            await say(app, pilot, "and now?")

            assert texts(app)[0] == "are you there?"
            assert texts(app)[-1] == "here I am"


async def test_a_failed_turn_is_told_and_the_next_one_works() -> None:
    async with opened(says=[]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hello")

        assert [one.severity for one in app._notifications] == ["error"]
        assert not app.chat.turns.is_busy


async def test_the_status_line_tells_model_context_cost_and_facts() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hello")
        line = str(app.chat.query_one(StatusBar).content)

        for part in ("ready", "scripted", "context ~0%", "unpriced", "0 facts"):
            assert part in line


async def test_nothing_that_is_said_reaches_the_terminal_as_a_command() -> None:
    says = ["\x1b[2J\x1b]52;c;aGk=\x07 gone\u202e [red]not markup[/red]"]
    async with opened(says=says) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "\x1b[31mred\x1b[0m [bold]plain[/bold]")
        drawn = app.export_screenshot()

        assert "\x1b" not in drawn
        assert "\u202e" not in drawn
        assert "x1b" in drawn
        assert "[bold]plain[/bold]" in drawn.replace("&#160;", " ")


# --- a long talk


async def test_a_long_session_opens_at_its_end_and_mounts_few_items() -> None:
    async with engine() as sojourn:
        await fill(sojourn, 1000)
        talk = conversation(sojourn)
        await talk.resume("long")
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: bool(texts(app)))

            assert texts(app)[-1] == "message 999"
            assert len(texts(app)) <= MOST


async def test_scrolling_reads_on_in_both_directions_and_never_holds_more_than_the_window() -> None:
    async with engine() as sojourn:
        await fill(sojourn, 400)
        talk = conversation(sojourn)
        await talk.resume("long")
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: bool(texts(app)))
            app.chat.transcript.focus()
            for _ in range(60):
                await pilot.press("pageup")
                assert len(texts(app)) <= MOST
            await until(pilot, lambda: texts(app)[0] == "message 0", press="pageup")
            for _ in range(60):
                await pilot.press("pagedown")
                assert len(texts(app)) <= MOST
            await until(pilot, lambda: texts(app)[-1] == "message 399", press="pagedown")
            held = texts(app)

            assert held == [f"message {number}" for number in range(400 - len(held), 400)]


async def test_home_and_end_go_to_both_ends_of_a_talk() -> None:
    async with engine() as sojourn:
        await fill(sojourn, 300)
        talk = conversation(sojourn)
        await talk.resume("long")
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: bool(texts(app)))
            app.chat.transcript.focus()
            await pilot.press("home")
            await until(pilot, lambda: texts(app)[0] == "message 0")
            await pilot.press("down", "y")
            first = app.clipboard
            await pilot.press("end")
            await until(pilot, lambda: texts(app)[-1] == "message 299")
            await pilot.press("up", "y")

            assert app.chat.transcript.is_at_end
            assert (first, app.clipboard) == ("message 1", "message 298")


async def test_a_session_can_be_shown_from_a_message_on() -> None:
    async with engine() as sojourn:
        session = await fill(sojourn, 300)
        found = await session.store.last_messages(session.id, 200)
        app = SojournApp(conversation(sojourn))
        async with app.run_test(size=SIZE) as pilot:
            await app.open_session("long", at=found[0].seq)
            await until(pilot, lambda: "message 100" in texts(app))

            assert not app.chat.transcript.is_at_end


async def test_a_very_long_message_is_shown_in_part_and_kept_whole() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        long = "three megabytes " * 200_000
        await say(app, pilot, long)

        assert app.session is not None
        assert texts(app)[0] == long.strip()
        assert len(await app.session.last_messages(2)) == 2
        assert "more&#160;characters" in app.export_screenshot()


async def test_five_megabytes_are_refused_in_one_sentence_and_stay_in_the_prompt() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        long = "five megabytes " * 350_000
        await say(app, pilot, long)

        assert [one.severity for one in app._notifications] == ["warning"]
        assert app.chat.prompt.whole() == long
        assert app.session is None


# --- at a message


async def test_e_goes_back_to_what_was_said_and_puts_it_into_the_prompt() -> None:
    async with opened(says=["first answer", "second answer"]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "first question")
        await say(app, pilot, "second question")
        before = app.session
        app.chat.transcript.focus()
        await pilot.press("left_curly_bracket", "e")
        await until(pilot, lambda: app.session is not before and bool(texts(app)))

        assert app.chat.prompt.text == "second question"
        assert app.state is not None
        assert app.state.conversation.turn is not None
        assert app.state.conversation.turn.outcome == "completed"
        assert texts(app) == ["first question", "first answer"]


async def test_f_forks_at_a_message_and_leaves_the_session_as_it_is() -> None:
    async with opened(says=["first answer", "second answer"]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "first question")
        await say(app, pilot, "second question")
        before = app.session
        assert before is not None
        app.chat.transcript.focus()
        await pilot.press("up", "up", "up", "f")
        await until(pilot, lambda: app.session is not before and bool(texts(app)))

        assert texts(app) == ["first question", "first answer"]
        assert (await app.sojourn.sessions.open(before.id, exact=True)).state.conversation.message_count == 4


async def test_a_cleared_talk_says_so_and_u_takes_it_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hello")
        app.chat.prompt.put("/clear")
        await pilot.press("enter")
        await until(pilot, lambda: any(item.kind == "compaction" for item in app.chat.transcript.items))
        view = app.chat.transcript.query("ItemView.compaction").last(Static)
        drawn = str(view.content)
        app.chat.transcript.focus()
        await pilot.press("up", "u")
        await until(pilot, lambda: "taken back" in texts(app)[-1])

        assert "the model sees nothing of what is above" in drawn


async def test_a_summary_stands_in_the_talk_and_u_takes_it_back() -> None:
    async with engine() as sojourn:
        session = await fill(sojourn, 120)
        await sojourn.compact(session, force=True)
        talk = conversation(sojourn)
        await talk.resume("long")
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: bool(texts(app)))
            assert app.chat.transcript.items[-1].kind == "compaction"
            app.chat.transcript.focus()
            await pilot.press("up", "u")
            await until(pilot, lambda: app.chat.transcript.items[-1].kind == "note")

            assert app.state is not None
            assert app.state.conversation.window_start == 0


# --- questions that wait


def launching(ran: list[str]) -> SkillRegistry:
    """A tool that may run only when the person says so."""

    async def launch(what: str) -> str:
        """Launch something."""
        ran.append(what)
        return f"{what} is up"

    return registry(launch=launch)


async def wait(_: Interrupt) -> Approval:
    await anyio.sleep_forever()
    return Approval.NO


def asking(session: Session, *, ran: list[str]) -> Equipment:
    """The person is here, and a card asks him."""
    gate = PermissionGate(session, preset("trusted"), approver=wait, cwd=Path("/"))
    return Equipment(skills=launching(ran), gate=gate)


def leaving(session: Session, *, ran: list[str]) -> Equipment:
    """Nobody is here, so the question is left in the session."""
    gate = PermissionGate(session, preset("trusted"), when_nobody="leave", cwd=Path("/"))
    return Equipment(skills=launching(ran), gate=gate)


CALL = Message(role="assistant", tool_calls=(ToolCall(id="c1", name="launch", arguments={"what": "rocket"}),))


@pytest.mark.parametrize(("answer", "expected"), [("once", ["rocket"]), ("no", [])])
async def test_a_tool_waits_for_the_card_that_asks_and_does_as_it_is_told(answer: str, expected: list[str]) -> None:
    ran: list[str] = []
    async with engine() as sojourn:
        provider = ScriptedProvider([CALL], otherwise="done")
        app = SojournApp(conversation(sojourn, provider=provider, equip=lambda session: asking(session, ran=ran)))
        async with app.run_test(size=SIZE) as pilot:
            app.chat.prompt.put("launch it")
            await pilot.press("enter")
            await until(pilot, lambda: len(app.chat.query(Card)) == 1)
            assert ran == []
            next(button for button in app.chat.query(Button) if button.name == answer).press()
            await app.chat.turns.wait_until_idle()
            await pilot.pause()

            assert ran == expected
            assert not app.chat.query(Card)
            assert texts(app)[-1] == "done"


async def test_escape_while_a_card_asks_takes_the_question_back() -> None:
    ran: list[str] = []
    async with engine() as sojourn:
        provider = ScriptedProvider([CALL], otherwise="done")
        app = SojournApp(conversation(sojourn, provider=provider, equip=lambda session: asking(session, ran=ran)))
        async with app.run_test(size=SIZE) as pilot:
            app.chat.prompt.put("launch it")
            await pilot.press("enter")
            await until(pilot, lambda: len(app.chat.query(Card)) == 1)
            await pilot.press("escape")
            await app.chat.turns.wait_until_idle()
            await until(pilot, lambda: not app.chat.query(Card))
            await say(app, pilot, "something else")

            assert ran == []
            assert texts(app)[-1] == "done"


async def test_a_question_is_asked_again_after_a_restart_and_its_answer_goes_on_with_the_turn(tmp_path: Path) -> None:
    ran: list[str] = []
    store = tmp_path / "kept.db"
    async with engine(store) as sojourn:
        talk = conversation(sojourn, provider=ScriptedProvider([CALL]), equip=lambda one: leaving(one, ran=ran))
        await talk.say("launch it", CancellationToken(), lambda _: None)
    async with engine(store) as sojourn:
        talk = conversation(sojourn, says=["it is up"], equip=lambda one: asking(one, ran=ran))
        await talk.resume()
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: len(app.chat.query(Card)) == 1)
            next(button for button in app.chat.query(Button) if button.name == "once").press()
            await until(pilot, lambda: "it is up" in texts(app))

            assert ran == ["rocket"]


@pytest.mark.parametrize("key", ["enter", "button"])
async def test_a_turn_that_was_cut_off_can_be_gone_on_with(key: str, tmp_path: Path) -> None:
    store = tmp_path / "kept.db"
    async with engine(store) as sojourn:
        session = await sojourn.sessions.create("s", project=PROJECT.id)
        await session.messages.user("are you there?")
    async with opened(store, says=["yes, here"], session_id="s") as app, app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(app.chat.query(CutOffCard)) == 1)
        if key == "button":
            next(button for button in app.chat.query(Button) if button.name == "go").press()
        else:
            await pilot.press("enter")
        await until(pilot, lambda: "yes, here" in texts(app))
        await app.chat.turns.wait_until_idle()

        assert not app.chat.query(CutOffCard)


async def test_what_was_said_before_a_turn_was_cut_off_is_shown(tmp_path: Path) -> None:
    store = tmp_path / "kept.db"
    async with engine(store) as sojourn:
        session = await sojourn.sessions.create("s", project=PROJECT.id)
        await session.messages.user("tell me a story")
        await session.store.save_partial("s", "Once upon a time")
    async with opened(store, session_id="s") as app, app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "Once&#160;upon&#160;a&#160;time" in app.export_screenshot())

        assert app.chat.answer.display


# --- two apps


async def test_two_apps_on_one_session_show_each_others_turns(tmp_path: Path) -> None:
    store = tmp_path / "shared.db"
    async with engine(store) as first, engine(store) as second:
        await first.sessions.create("s", project=PROJECT.id, title="Shared")
        ours, theirs = conversation(first, says=["to the first", "again"]), conversation(second, says=["to the second"])
        await ours.resume("s")
        await theirs.resume("s")
        one, two = SojournApp(ours), SojournApp(theirs)
        async with one.run_test(size=SIZE) as pilot:
            await say(one, pilot, "from the first")
        async with two.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: texts(two) == ["from the first", "to the first"])
            await ours.say("while the second looks", CancellationToken(), lambda _: None)
            await until(pilot, lambda: "while the second looks" in texts(two))
            await say(two, pilot, "from the second")

            assert texts(two)[-2:] == ["from the second", "to the second"]
            assert len({item.seq for item in two.chat.transcript.items}) == len(texts(two))


# --- looks


async def test_a_narrow_terminal_has_no_side_panel_until_it_is_asked_for() -> None:
    async with opened() as app, app.run_test(size=(60, 24)) as pilot:
        side = app.chat.query_one("#side")
        hidden = side.display
        await pilot.press("ctrl+b")
        shown = side.display
        await pilot.press("ctrl+b")

        assert (hidden, shown, side.display) == (False, True, False)


async def test_ctrl_b_hides_the_side_panel_of_a_wide_terminal_and_brings_it_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        side = app.chat.query_one("#side")
        shown = side.display
        await pilot.press("ctrl+b")
        hidden = side.display
        await pilot.press("ctrl+b")

        assert (shown, hidden, side.display) == (True, False, True)


async def test_ctrl_c_twice_leaves_and_so_does_ctrl_q() -> None:
    for keys in (("ctrl+c", "ctrl+c"), ("ctrl+q",)):
        async with opened() as app, app.run_test(size=SIZE) as pilot:
            await pilot.press(*keys)
            await pilot.pause()

            assert app.return_value == 0


async def test_ctrl_n_begins_a_new_session_with_what_is_said_next() -> None:
    async with opened(says=["one", "two"]) as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "in the first")
        first = app.session
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert texts(app) == []
        await say(app, pilot, "in the second")

        assert app.session is not first
        assert texts(app) == ["in the second", "two"]


async def test_an_empty_talk_says_how_to_begin_until_something_was_said() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        begin = app.chat.query_one("#begin", Static)
        before = begin.display
        await say(app, pilot, "hello")

        assert before
        assert not begin.display


async def test_page_up_leaves_the_prompt_to_read_back_unless_more_is_typed_than_is_seen() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hello")
        await pilot.press("pageup")
        await until(pilot, lambda: app.chat.transcript.has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: app.chat.prompt.has_focus)
        app.chat.prompt.put("\n".join(map(str, range(50))))
        await pilot.pause()
        await pilot.press("pageup")
        await pilot.pause()

        assert app.chat.prompt.has_focus
        assert app.chat.prompt.cursor_location[0] < 49


async def test_escape_in_a_card_goes_back_to_writing_and_answers_nothing() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await say(app, pilot, "hello")
        assert app.session is not None
        await app.session.interrupts.raise_("confirmation", question="Shall I?")
        await until(pilot, lambda: any(card.has_focus_within for card in app.chat.query(Card)))
        await pilot.press("escape")
        await until(pilot, lambda: app.chat.prompt.has_focus)

        assert len(app.session.interrupts.pending()) == 1
