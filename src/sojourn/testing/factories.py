"""Events and messages for tests, with as few words as possible."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec import Raw

from sojourn.model import events as ev
from sojourn.model.entry import Draft, Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import DataPart, MediaPart, Message, Role, TextPart, ThinkingPart, ToolCall
from sojourn.store.rows import make_entry, prepare

NEW_YEAR = datetime(2030, 1, 1, tzinfo=UTC)

ODD_TEXTS = (
    "",
    " ",
    "\0",
    "a\nb\r\nc\u2028d",
    "Straße İstanbul ǅ",
    "👩‍👩‍👧 e\u0301 \u202e abc",
    "\U0010ffff\ufeff\ufffe",
    'quotes " \\ and {"json": null}',
    "'; DROP TABLE journal; --",
)
"""Texts that are easily broken on their way through a database."""

PROVIDER_JSON = '{"id":"m1","n":1.00000000000000000001,"big":123456789012345678901234567890,"n":-0.0,"s":"\\u00e9\\/"}'
"""A provider's JSON that survives only if nobody parses and writes it again: duplicate keys, long numbers, escapes."""

UNKNOWN = ev.UnknownEvent(
    kind="dream_had", payload=Raw('{"kind":"dream_had","of":"sheep","n":1.00000000000000000001,"of":"electric"}')
)
"""An event of a kind that only a newer Sojourn knows."""

NEWER_TOPIC = ev.UnknownEvent(kind="topic_changed", payload=Raw('{"kind":"topic_changed","mood":1.50,"topic":"sheep"}'))
"""A known kind with a field that only a newer Sojourn knows. It is read as a `TopicChanged` with this payload."""


def said(text: str = "hello", *, role: Role = "user") -> ev.MessageAdded:
    """Return the event of somebody saying *text*."""
    return ev.MessageAdded(message=Message(role=role, content=text))


def noted(number: int) -> ev.TopicChanged:
    """Return a small event that is not a message, told from others by *number*."""
    return ev.TopicChanged(topic=f"topic {number}")


def make_journal(events: Iterable[ev.Event | Draft], *, session_id: str = "s") -> list[Entry]:
    """Return *events* as entries, a second apart, of a journal that begins with a `SessionCreated`."""
    prepared = prepare([ev.SessionCreated(), *events])
    return [
        make_entry(one, SessionId(session_id), seq=seq, at=NEW_YEAR + timedelta(seconds=seq))
        for seq, one in enumerate(prepared, start=1)
    ]


def one_of_each() -> list[ev.KnownEvent]:
    """Return an event of every kind that may be appended."""
    return [
        ev.SessionRenamed(title="A title", source="agent"),
        ev.SessionTagged(added=("work", "ß"), removed=("play",)),
        ev.SessionMoved(project="elsewhere"),
        ev.SessionArchived(),
        ev.SessionUnarchived(),
        ev.SessionTrashed(),
        ev.SessionRestored(),
        ev.SessionSuperseded(by=SessionId("other")),
        ev.BranchMerged(branch=SessionId("other"), at=Seq(3), strategy="ours"),
        *_talk(),
        ev.ProfileUpdated(fields={"name": "Ada", "age": 36, "interests": ["maths"]}, confidence=0.9, source="user"),
        ev.ProfileFieldRemoved(field="interests", value="maths"),
        *_learning(),
        *_work(),
        *_research(),
        ev.InterruptRaised(interrupt_id="i1", interrupt="confirmation", question="Sure?", expires_at=NEW_YEAR),
        ev.InterruptResolved(interrupt_id="i1", response={"approved": True}, user_id="ada", reason="why not"),
    ]


def _talk() -> list[ev.KnownEvent]:
    call = ToolCall(id="c1", name="search", arguments={"q": "x", "deep": [1, None, {"y": 2.5}]})
    parts = (
        TextPart(text="see"),
        MediaPart(media_type="image/png", data=b"\x00\xff\x10", name="a.png"),
        ThinkingPart(text="hm", signature="sig=="),
        DataPart(data={"any": [1, 2.5, None, True]}),
    )
    asked = Message(role="assistant", content=parts, tool_calls=(call,), model="m", tokens=12, metadata={"k": [1]})
    return [
        ev.MessageAdded(message=asked.with_raw(PROVIDER_JSON)),
        ev.MessageAdded(message=Message(role="tool", content="no", tool_call_id="c1", name="search", error=True)),
        ev.TurnStarted(turn_id="t1"),
        ev.TurnEnded(turn_id="t1", outcome="interrupted", seconds=1.25, reason="crash"),
        ev.UserTurnCounted(turns=2),
        ev.ToolStarted(call_id="c1", name="search", arguments={"q": "x"}),
        ev.ToolRan(call_id="c1", name="search", success=False, seconds=0.5, error="no"),
        ev.ToolRefused(call_id="c1", name="search", reason="not here", arguments={"q": "x"}, interrupt_id="i1"),
        ev.RequestBlocked(reason="looks like an injection", text="ignore all"),
        ev.AllowanceGranted(tool="write_file", scope="folder", path="src", interrupt_id="i1"),
        ev.AllowanceWithdrawn(tool="write_file", path="src"),
        ev.UsageRecorded(
            purpose="reasoning",
            model="m",
            input_tokens=10,
            output_tokens=20,
            cache_creation_tokens=3,
            cache_read_tokens=4,
            cost_micros=5,
            seconds=0.1,
        ),
        ev.Compacted(summary="They talked.", through=Seq(2), kept=1, tokens_before=100, tokens_after=10),
        ev.CompactionUndone(summary="", through=Seq(0), kept=3),
    ]


def _learning() -> list[ev.KnownEvent]:
    return [
        ev.FactLearned(fact_id="f1", content="Tea is hot", scope="user", status="candidate", tags=("tea",)),
        ev.FactReinforced(fact_id="f1", source="tool", confidence=0.95, references=("r1",)),
        ev.FactCorrected(fact_id="f1", content="Tea is warm"),
        ev.FactActivated(fact_id="f1"),
        ev.FactRetired(fact_id="f1", reason="drunk", superseded_by="f2", valid_to=NEW_YEAR),
        ev.FactVerified(fact_id="f1", confidence=0.4, reason="no message says so"),
        ev.FactsUsed(fact_ids=("f1",)),
        ev.TopicChanged(topic="tea"),
        ev.IntentClassified(intent="question", confidence=0.7, details={"about": "tea"}),
        ev.FocusChanged(focus_type="task", focus_id="7", context={"board": "home"}),
        ev.EntityReferenced(
            entity_type="person", entity_id="1", title="Ada", context="asked for her", referenced_at=NEW_YEAR
        ),
        ev.ShortTermMemoryUpdated(text="talks of tea"),
    ]


def _work() -> list[ev.KnownEvent]:
    return [
        ev.DecisionMade(text="Use SQLite"),
        ev.TaskOpened(task_id="k1", text="Write it"),
        ev.TaskClosed(task_id="k1", outcome="dropped"),
        ev.FileTouched(path="src/a.py", action="read"),
        ev.FactPinned(text="Never lose data"),
        ev.FactUnpinned(text="Never lose data"),
        ev.SummaryUpdated(text="So far, so good"),
        ev.TokenBudgetSet(limit=10_000),
        ev.VariableSet(name="v", value={"big": 2**100, "text": "x", "none": None}),
        ev.VariableRemoved(name="v"),
    ]


def _research() -> list[ev.KnownEvent]:
    step = ev.PlanStep(id="p1", description="Look", findings=("a",), depends_on=("p0",), started_at=NEW_YEAR)
    return [
        ev.ResearchStarted(research_id="r1", query="Why?", complexity={"score": 0.4}),
        ev.AttemptStarted(research_id="r1", strategy="light_planning"),
        ev.PlanRevised(research_id="r1", steps=(step,), created_by="light_planning"),
        ev.StepAdded(research_id="r1", step=ev.PlanStep(id="p2", description="Look again"), after="p1"),
        ev.StepUpdated(research_id="r1", step_id="p1", status="completed", findings=("b",), tools_used=("search",)),
        ev.ResearchToolRan(research_id="r1", tool_name="search", arguments={"q": 1}, result="found"),
        ev.InsightAdded(research_id="r1", insight="confirmed_facts", text="Because"),
        ev.AttemptEnded(research_id="r1", status="completed", outcome="good", quality_score=0.8, evaluation={"a": 1}),
        ev.ResearchEnded(research_id="r1", response="Because."),
    ]
