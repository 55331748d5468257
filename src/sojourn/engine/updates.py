"""What the state learns from what happened: an exchange, a tool's run, a research.

The exchange itself is stored first and whatever happens. What an extractor makes of it comes after, and an extractor
that fails is reported and breaks nothing.
"""

from collections.abc import Iterable
from typing import Any

from sojourn.engine.learner import FailureHandler, Learner, log_failure
from sojourn.engine.session import Session
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import Exchange as Said
from sojourn.memory.extraction.statement import Heard
from sojourn.model.events import FactScope, ToolRan, UsageRecorded
from sojourn.model.interaction import Exchange
from sojourn.model.knowledge import Fact
from sojourn.model.profile import UserProfile, accepted_fields

CONFIDENCE = 0.8
"""How sure an extracted fact or field is."""


class StateUpdateService:
    """Updates one session's state. Keeps nothing itself; lives as long as anybody likes."""

    def __init__(
        self, session: Session, *, extractor: StateExtractor | None = None, on_failure: FailureHandler = log_failure
    ) -> None:
        self._session = session
        self._learner = Learner(lambda: extractor, on_failure=on_failure) if extractor is not None else None

    async def on_exchange_complete(
        self,
        user: str,
        assistant: str,
        *,
        usage: UsageRecorded | None = None,
        tools: Iterable[ToolRan] = (),
    ) -> Exchange:
        """Store an exchange, then learn from it: profile, facts, intent, usage, tools, in this order."""
        asked = await self._session.messages.user(user)
        answered = await self._session.messages.assistant(assistant)
        if self._learner is not None:
            said = Said(
                user=Heard(role="user", text=user, seq=asked.seq),
                assistant=Heard(role="assistant", text=assistant, seq=answered.seq),
            )
            await self._learner.learn(self._session, said)
        recorded = [event for event in (usage, *tools) if event is not None]
        if recorded:
            await self._session.append(*recorded)
        return self._session.state.interaction_context.recent_exchanges[-1]

    async def on_tool_executed(
        self, name: str, *, success: bool, seconds: float = 0.0, error: str | None = None, call_id: str = ""
    ) -> None:
        """Count a tool's run."""
        await self._session.append(ToolRan(call_id=call_id, name=name, success=success, seconds=seconds, error=error))

    async def on_research_complete(self, response: str | None = None) -> None:
        """End the active research: what it found out becomes facts, and it moves to the history."""
        await self._session.research.end(response)

    async def update_user_profile(self, fields: dict[str, Any], *, causes: Iterable[int] = ()) -> UserProfile:
        """Take into the profile what of *fields* it knows and can hold; the rest is ignored."""
        return await self._session.profile.update(
            accepted_fields(fields), confidence=CONFIDENCE, source="conversation", causes=causes
        )

    async def add_knowledge_fact(
        self,
        content: str,
        *,
        source: str = "conversation",
        confidence: float = CONFIDENCE,
        scope: FactScope = "session",
        causes: Iterable[int] = (),
    ) -> Fact:
        """Learn a fact."""
        return await self._session.facts.learn(
            content, source=source, confidence=confidence, scope=scope, causes=causes
        )
