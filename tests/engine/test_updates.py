"""News, background work, and what the state learns from an exchange."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

import sojourn
from sojourn.engine import bus
from sojourn.engine.live import Live
from sojourn.engine.settings import Settings
from sojourn.engine.updates import StateUpdateService
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import Exchange, Extraction, FactStatement, ProfileStatement
from sojourn.model.entry import Entry
from sojourn.model.events import Span, ToolRan, UsageRecorded
from sojourn.model.interaction import Intent

pytestmark = pytest.mark.anyio
KEEP = Settings(keep_profile="yes", learning="off")
QUIET = Settings(learning="off")


class Scripted(StateExtractor):
    """An extractor that finds what it was told to."""

    def __init__(self, *, fail: bool = False) -> None:
        self._fail = fail

    async def extract(self, exchange: Exchange) -> Extraction:
        if self._fail:
            raise TimeoutError("the model is away")
        heard = [one for one in (exchange.user, exchange.assistant) if one is not None]
        evidence = tuple(Span(seq=one.seq, start=0, end=len(one.text)) for one in heard)
        return Extraction(
            profile=(
                ProfileStatement(field="name", value="Ada", confidence=0.9, trust="user", evidence=evidence),
                ProfileStatement(field="confidence_scores", value="0", confidence=0.9, trust="user", evidence=evidence),
            ),
            facts=(
                FactStatement(
                    content="The rate limit is 1000 requests per hour",
                    confidence=0.8,
                    trust="user",
                    evidence=evidence,
                ),
            ),
            intent=Intent(type="question", confidence=0.9),
        )


async def test_an_exchange_updates_every_part_of_the_state_with_its_causes() -> None:
    async with sojourn.open("memory:", settings=KEEP) as app:
        session = await app.sessions.create("s")
        usage = UsageRecorded(input_tokens=10, cache_read_tokens=30, cost_micros=5)
        tools = [ToolRan(call_id="1", name="t", success=ok) for ok in (True, False, True)]
        updates = StateUpdateService(session, extractor=Scripted())
        exchange = await updates.on_exchange_complete("What is the limit?", "It is 1000.", usage=usage, tools=tools)

        state = session.state
        [fact] = state.knowledge_base.facts.values()
        assert (exchange.user, exchange.assistant) == ("What is the limit?", "It is 1000.")
        assert (fact.sources, fact.confidence) == (("conversation",), 0.8)
        assert [quote.text for quote in (await session.why(fact)).quotes] == ["What is the limit?", "It is 1000."]
        assert (state.user_profile.name, state.user_profile.age) == ("Ada", None)
        assert state.interaction_context.question_count == 1
        assert state.metadata.cache_efficiency == 0.75
        assert state.metadata.tools["t"].success_rate == pytest.approx(2 / 3)
        assert state.metadata.message_count == 2


async def test_an_extractor_that_fails_breaks_nothing_and_is_reported() -> None:
    async with sojourn.open("memory:", settings=KEEP) as app:
        session = await app.sessions.create("s")
        reported: list[str] = []
        updates = StateUpdateService(
            session, extractor=Scripted(fail=True), on_failure=lambda what, _: reported.append(what)
        )
        await updates.on_exchange_complete("hello", "hi there")

        assert session.state.conversation.message_count == 2
        assert not session.state.knowledge_base.facts
        assert reported == ["extracting what was said"]


async def test_every_change_is_announced_by_component() -> None:
    async with sojourn.open("memory:", settings=KEEP) as app:
        heard: list[tuple[str, str]] = []
        app.news.subscribe(bus.StateChanged, lambda news: heard.append((news.component, news.change_type)))
        focused: list[str | None] = []

        async def on_focus(news: bus.FocusChanged) -> None:
            focused.append(news.focus_id)

        app.news.subscribe(bus.FocusChanged, on_focus)
        session = await app.sessions.create("s")
        await session.messages.user("hi")
        await session.focus.set("task", "t1")
        await session.facts.learn("water is wet")
        await session.profile.set(name="Ada")

        assert heard == [
            ("conversation", "add"),
            ("working_memory", "update"),
            ("knowledge_base", "add"),
            ("user_profile", "update"),
        ]
        assert focused == ["t1"]


async def test_sessions_announce_their_birth_and_their_forks() -> None:
    async with sojourn.open("memory:") as app:
        heard: list[str] = []
        for kind in (bus.SessionCreated, bus.SessionLoaded, bus.SessionForked):
            app.news.subscribe(kind, lambda news: heard.append(f"{type(news).__name__} {news.session_id}"))
        await app.sessions.create("s")
        await app.sessions.open("s")
        await app.sessions.fork("s", "f")

        assert heard == ["SessionCreated s", "SessionForked f"]


async def test_a_failing_handler_stops_nobody_and_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    news = bus.EventBus()
    heard: list[str] = []

    def fail(_: bus.FocusChanged) -> None:
        raise ZeroDivisionError("oops")

    def hear(change: bus.FocusChanged) -> None:
        heard.append(change.focus_type)

    for handler in (fail, hear, hear):
        news.subscribe(bus.FocusChanged, handler)
    async with sojourn.open("memory:") as app:
        at = app.clock.now()
    with caplog.at_level(logging.ERROR):
        await news.publish(bus.FocusChanged(session_id="s", at=at, focus_type="task"))  # type: ignore[arg-type]  # an id

    assert heard == ["task"]
    assert "oops" in caplog.text
    news.unsubscribe(bus.FocusChanged, hear)
    assert news.has_subscribers(bus.FocusChanged)


class Counting:
    """Background work that counts entries, and fails as long as it is told to."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.broken = False

    async def __call__(self, session: Live, entries: Sequence[Entry]) -> None:
        if self.broken:
            raise OSError("not now")
        self.seen += [entry.seq for entry in entries]


async def test_background_work_is_done_before_the_app_closes(tmp_path: Path) -> None:
    work = Counting()
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        app.background.register("count", work)
        session = await app.sessions.create("s")
        await session.messages.user("one")
        await session.messages.user("two")

    assert work.seen == [1, 2, 3]


async def test_background_work_catches_up_after_it_was_left_behind(tmp_path: Path) -> None:
    work = Counting()
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        app.background.register("count", work)
        session = await app.sessions.create("s")
        await session.messages.user("seen")
        await app.background.drain()
        work.broken = True
        await session.messages.user("missed")
        await app.background.drain()

    assert work.seen == [1, 2]
    work.broken = False
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        app.background.register("count", work)
        await app.sessions.open("s")
    assert work.seen == [1, 2, 3]
