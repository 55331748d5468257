"""The conversation, the exchanges and the working memory that a journal adds up to."""

from sojourn.model import events as ev
from sojourn.model.conversation import Conversation, OpenCall, Turn
from sojourn.model.events import Event
from sojourn.model.ids import Seq
from sojourn.model.interaction import InteractionContext
from sojourn.model.message import DataPart, MediaPart, Message, Role, TextPart, ThinkingPart, ToolCall
from sojourn.model.state import SessionState, replay
from sojourn.testing.factories import make_journal, said


def fold(*events: Event) -> SessionState:
    state = replay(make_journal(events))
    assert state is not None
    return state


def talk(*events: Event) -> Conversation:
    return fold(*events).conversation


def asked(*calls: str) -> ev.MessageAdded:
    return ev.MessageAdded(
        message=Message(role="assistant", tool_calls=tuple(ToolCall(id=call, name="search") for call in calls))
    )


def answered(call: str) -> ev.MessageAdded:
    return ev.MessageAdded(message=Message(role="tool", content="found", tool_call_id=call))


def test_messages_are_counted_by_role() -> None:
    roles: tuple[Role, ...] = ("system", "user", "assistant", "user", "tool")
    state = talk(*(said("x", role=role) for role in roles))

    assert (state.user_messages, state.assistant_messages, state.tool_messages) == (2, 1, 1)
    assert (state.message_count, state.window_messages) == (5, 5)
    assert (state.first_message, state.last_message) == (2, 6)


def test_a_compaction_moves_the_window_and_can_be_undone() -> None:
    events: list[Event] = [said(str(number)) for number in range(6)]
    compacted = ev.Compacted(summary="They talked.", through=Seq(5), kept=2)
    before, after = fold(*events), fold(*events, compacted, said("7"))
    undone = fold(*events, compacted, ev.CompactionUndone(summary="", through=Seq(0), kept=6))

    assert (after.conversation.window_start, after.conversation.window_messages) == (5, 3)
    assert (after.conversation.message_count, after.conversation.compactions) == (7, 1)
    assert after.working_set.summary == "They talked."
    assert undone.conversation == before.conversation
    assert undone.working_set == before.working_set


def test_a_turn_is_open_until_it_ends() -> None:
    started = ev.TurnStarted(turn_id="t1")

    assert talk(started).turn == Turn(turn_id="t1", started_at=Seq(2))
    assert talk(started, ev.TurnEnded(turn_id="t1")).turn == Turn(turn_id="t1", started_at=Seq(2), outcome="completed")


def test_the_end_of_another_turn_ends_nothing() -> None:
    ended = ev.TurnEnded(turn_id="t0", outcome="failed")

    assert talk(ended).turn is None
    assert talk(ev.TurnStarted(turn_id="t1"), ended).turn == Turn(turn_id="t1", started_at=Seq(2))


def test_a_call_is_open_until_its_result_comes() -> None:
    open_calls = talk(asked("a", "b"), answered("a")).open_calls

    assert open_calls == (OpenCall(call_id="b", name="search", asked_at=Seq(2)),)


def test_a_call_that_started_may_have_run() -> None:
    started = ev.ToolStarted(call_id="b", name="search")
    open_calls = talk(asked("a", "b"), started).open_calls

    assert [(call.call_id, call.started) for call in open_calls] == [("a", False), ("b", True)]
    assert talk(asked("b"), started, answered("b")).open_calls == ()


def test_a_call_that_nobody_asked_for_is_open_once_it_started() -> None:
    assert talk(ev.ToolStarted(call_id="x", name="search")).open_calls == (
        OpenCall(call_id="x", name="search", asked_at=Seq(2), started=True, beside=True),
    )


def test_a_call_that_nobody_asked_for_ends_when_the_tool_comes_back() -> None:
    started = ev.ToolStarted(call_id="x", name="search")

    assert talk(started, ev.ToolRan(call_id="x", name="search")).open_calls == ()


# --- exchanges


def interaction(*events: Event) -> InteractionContext:
    return fold(*events).interaction_context


def test_a_question_and_its_latest_answer_are_an_exchange() -> None:
    context = interaction(said("q1"), asked("c"), said("draft", role="assistant"), said("final", role="assistant"))
    [exchange] = context.recent_exchanges

    assert (exchange.user, exchange.assistant) == ("q1", "final")
    assert (exchange.user_seq, exchange.assistant_seq) == (2, 5)


def test_an_answer_without_a_question_is_no_exchange() -> None:
    assert interaction(said("welcome", role="assistant")).recent_exchanges == ()


def test_the_last_five_exchanges_are_kept_and_cut() -> None:
    context = interaction(*(said(f"{number} " + "x" * 1_000) for number in range(7)))

    assert [exchange.user[:1] for exchange in context.recent_exchanges] == ["2", "3", "4", "5", "6"]
    assert {len(exchange.user) for exchange in context.recent_exchanges} == {500}


def test_main_intents_are_counted_and_the_last_one_is_current() -> None:
    intents = ("question", "command", "research", "question", "chat")
    context = interaction(*(ev.IntentClassified(intent=intent, confidence=0.7) for intent in intents))

    assert (context.question_count, context.command_count, context.research_count) == (2, 1, 1)
    assert context.current_intent is not None
    assert context.current_intent.type == "chat"


def test_the_summary_tells_what_is_known_of_the_talk() -> None:
    context = interaction(ev.TopicChanged(topic="tea"), ev.IntentClassified(intent="question"), said("Which?"))

    assert interaction().get_summary() == ""
    assert context.get_summary() == "Current topic: tea\nUser intent: question\nRecent exchanges: 1"


def test_a_topic_can_end_without_another() -> None:
    assert interaction(ev.TopicChanged(topic="tea"), ev.TopicChanged(topic=None)).current_topic is None


# --- messages


def test_the_text_of_a_message_is_that_of_its_text_parts() -> None:
    parts = (
        TextPart(text="a"),
        ThinkingPart(text="hm"),
        MediaPart(media_type="x/y"),
        DataPart(data=1),
        TextPart(text="b"),
    )

    assert Message(role="user", content=parts).text == "a\nb"
    assert Message(role="user", content="plain").text == "plain"
    assert Message(role="user").text == ""


# --- working memory


def test_turns_are_counted() -> None:
    assert fold(ev.TurnStarted(turn_id="a"), ev.TurnStarted(turn_id="b")).turn_count == 2


def test_the_focus_is_the_last_one_set_and_can_be_general_again() -> None:
    focused = fold(ev.FocusChanged(focus_type="task", focus_id="7", context={"board": "home"}))
    general = fold(ev.FocusChanged(focus_type="task", focus_id="7"), ev.FocusChanged())

    assert (focused.focus_type, focused.focus_id, focused.focus_context) == ("task", "7", {"board": "home"})
    assert (general.focus_type, general.focus_id, general.focus_context) == ("general", None, {})


def test_an_entity_mentioned_twice_is_kept_once() -> None:
    state = fold(
        ev.EntityReferenced(entity_type="person", entity_id="1", title="Ada"),
        ev.EntityReferenced(entity_type="task", entity_id="1"),
        ev.EntityReferenced(entity_type="person", entity_id="1", title="Ada L."),
    )

    assert [(entity.type, entity.id) for entity in state.referenced_entities] == [("person", "1"), ("task", "1")]


def test_the_short_term_memory_is_the_last_one_written() -> None:
    updates = [ev.ShortTermMemoryUpdated(text=text) for text in ("a", "b")]

    assert fold(*updates).short_term_memory == "b"
    assert fold(*updates, ev.ShortTermMemoryUpdated(text=None)).short_term_memory is None
