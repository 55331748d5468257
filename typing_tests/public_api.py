"""What a type checker sees of the public API. It is checked, never run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, assert_type

import sojourn
from sojourn import (
    Agent,
    AgentSettings,
    CancellationToken,
    Durability,
    Message,
    Provider,
    Session,
    SessionState,
    SkillRegistry,
    Sojourn,
    Store,
    ToolResult,
    events,
    turn_events,
)
from sojourn.engine.branches import Branch, Comparison
from sojourn.engine.merge import MergeResult
from sojourn.engine.why import Explanation
from sojourn.model.entry import Entry
from sojourn.model.knowledge import Fact
from sojourn.model.working_set import Decision
from sojourn.store.protocol import BackupReport, Receipt, Redaction, SessionPage


async def check_app() -> None:
    async with sojourn.open("x.db", durability=Durability.RELAXED) as app:
        assert_type(app, Sojourn)
        assert_type(app.store, Store)
        session = await app.sessions.create("s", user_id="ada", tags=["a"])
        assert_type(session, Session)
        assert_type(await app.sessions.last(), Session | None)
        assert_type(await app.sessions.list(), SessionPage)
        assert_type(await app.sessions.tree("s"), Branch)
        assert_type(await app.sessions.compare("s", "t"), Comparison)
        assert_type(await app.sessions.merge("s", "t", strategy="newest"), MergeResult)
        assert_type(await app.sessions.load(Path("s.json")), Session)
        assert_type(await app.store.backup(Path("b.db")), BackupReport)


async def check_session(session: Session) -> None:
    assert_type(session.state, SessionState)
    said = events.MessageAdded(message=Message(role="user", content="hi"))
    assert_type(await session.append(said, causes=[1]), Receipt)
    assert_type(await session.messages.user("hi"), Entry)
    assert_type(await session.facts.learn("water is wet"), Fact)
    assert_type(await session.working_set.decide("go"), Decision)
    assert_type(await session.why("summary"), Explanation)
    assert_type(await session.forget("message", 2), Redaction)
    assert_type(session.variables["x"], Any)
    assert_type(session.state.user_profile.name, str | None)
    async with session.turn() as turn:
        assert_type(turn.turn_id, str)


async def check_agent(session: Session, provider: Provider) -> None:
    agent = Agent(provider, session=session, skills=SkillRegistry(), settings=AgentSettings(max_iterations=3))
    async for event in agent.run_turn("hi", cancel_token=CancellationToken()):
        assert_type(event, turn_events.TurnEvent)
    async for text in agent.send("hi"):
        assert_type(text, str)
    assert_type(await agent.input("hi", {"x": 1}, session=session), str)
    assert_type(ToolResult(output="x").success, bool)
    assert_type(sojourn.choose_model("local", environment={}).open(), Provider)


async def check_wrong_use(session: Session) -> None:
    Message(role="robot")  # type: ignore[arg-type]  # not a role
    await session.forget("everything")  # type: ignore[arg-type]  # not something that can be forgotten
    found: Sequence[Entry] = await session.messages.last("20")  # type: ignore[arg-type]  # a number
    assert_type(found, Sequence[Entry])
