"""What the state learns from what happened: an exchange, a tool's run, a research.

The exchange itself is stored first and whatever happens. What an extractor makes of it comes after, and an extractor
that fails is reported and breaks nothing.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

from sojourn.engine.session import Session
from sojourn.model.events import FactScope, IntentClassified, ToolRan, UsageRecorded
from sojourn.model.interaction import Exchange, Intent
from sojourn.model.knowledge import Fact
from sojourn.model.profile import UserProfile, accepted_fields

_log = logging.getLogger(__name__)
CONFIDENCE = 0.8
"""How sure an extracted fact or field is."""


class StateExtractor(Protocol):
    """Finds in an exchange what is worth keeping. Any of it may fail; the exchange is stored already."""

    async def extract_user_info(self, user: str, assistant: str) -> dict[str, Any]:
        """Return what the exchange says about the user, by profile field."""
        ...

    async def extract_facts(self, user: str, assistant: str) -> Sequence[str]:
        """Return the statements worth remembering."""
        ...

    async def classify_intent(self, user: str) -> Intent:
        """Return what the user wants."""
        ...


FailureHandler = Callable[[str, Exception], None]


def log_failure(what: str, error: Exception) -> None:
    """Write an extractor's failure to the log."""
    _log.warning("%s failed, and nothing was learned by it: %s", what, error, exc_info=error)


class StateUpdateService:
    """Updates one session's state. Keeps nothing itself; lives as long as anybody likes."""

    def __init__(
        self, session: Session, *, extractor: StateExtractor | None = None, on_failure: FailureHandler = log_failure
    ) -> None:
        self._session = session
        self._extractor = extractor
        self._on_failure = on_failure

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
        causes = (asked.seq, answered.seq)
        if self._extractor is not None:
            await self._learn(self._extractor, user, assistant, causes)
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

    async def _learn(self, extractor: StateExtractor, user: str, assistant: str, causes: tuple[int, int]) -> None:
        async def profile() -> None:
            await self.update_user_profile(await extractor.extract_user_info(user, assistant), causes=causes)

        async def facts() -> None:
            for content in await extractor.extract_facts(user, assistant):
                await self.add_knowledge_fact(content, causes=causes)

        async def intent() -> None:
            found = await extractor.classify_intent(user)
            event = IntentClassified(intent=found.type, confidence=found.confidence, details=found.details)
            await self._session.append(event, causes=causes[:1])

        await self._guarded("extracting the profile", profile)
        await self._guarded("extracting facts", facts)
        await self._guarded("classifying the intent", intent)

    async def _guarded(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - an extractor may be anybody's code; the exchange is stored
            self._on_failure(what, error)
