"""Learning from what was said once more, by a model: later, in batches, within a budget.

Rules have read every message by then. What the model adds or corrects is weighed against what they found. A model that
fails is asked again when the session goes on, and not before: what it costs is in the session's usage, under
extraction, whatever can be made of its answer.
"""

from collections.abc import Sequence

from sojourn.clock import Clock
from sojourn.engine.learner import Learner, exchanges_of
from sojourn.engine.session import Session
from sojourn.engine.settings import Settings
from sojourn.errors import ExtractionError
from sojourn.memory.extraction.budget import Budget
from sojourn.memory.extraction.hybrid import HybridExtractor
from sojourn.memory.extraction.model import ModelExtractor
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import Exchange, Extraction
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, UsageRecorded
from sojourn.model.ids import Seq, SessionId
from sojourn.providers.structured import StructuredModel


class ModelReading:
    """Lets a model read what rules have read. Lives as long as its app."""

    def __init__(
        self, model: StructuredModel, rules: StateExtractor, learner: Learner, *, settings: Settings, clock: Clock
    ) -> None:
        self._learner = learner
        self._reader = ModelExtractor(
            model,
            kinds=settings.learned_kinds,
            every_turns=settings.model_reads_every,
            budget=Budget(tokens=settings.model_reads_tokens),
            on_usage=self._pay,
            clock=clock,
        )
        self._hybrid = HybridExtractor(rules, self._reader)
        self._open: dict[SessionId, Session] = {}
        self._paid: set[SessionId] = set()
        self._unread: dict[SessionId, Seq] = {}
        """The last message of what was paid for and could not be read."""

    async def read(self, session: Session, entries: Sequence[Entry]) -> bool:
        """Let the model read the exchanges among *entries*; False if they are too few to be worth a call yet.

        Raises:
            ExtractionError: the model failed; these entries are to be read again.
        """
        exchanges = exchanges_of(entries)
        if not exchanges:
            return True
        if not self._hybrid.due(len(exchanges)):
            return False
        last = max(entry.seq for entry in entries if isinstance(entry.event, MessageAdded))
        if self._unread.get(session.id) == last:
            # What was paid is an entry, too, which brings us here again: without this, for ever.
            raise ExtractionError("the model's last answer could not be read, and nothing was said since")
        found = await self._found(session, exchanges, last)
        for exchange, extraction in zip(exchanges, found, strict=True):
            await self._learner.take_in(session, extraction, about=exchange)
        return True

    async def _found(self, session: Session, exchanges: Sequence[Exchange], last: Seq) -> list[Extraction]:
        spent = session.state.metadata.tokens_by_purpose.get("extraction", 0)
        self._reader.spending.begin(session.id, tokens=spent)
        self._open[session.id] = session
        self._paid.discard(session.id)
        try:
            found = await self._hybrid.later(exchanges, session=session.id)
        except ExtractionError:
            if session.id in self._paid:
                self._unread[session.id] = last
            raise
        finally:
            del self._open[session.id]
        self._unread.pop(session.id, None)
        return found

    def forget(self) -> None:
        """Forget what the model found so far: something was forgotten that may be among it."""
        self._hybrid.forget()

    async def _pay(self, session_id: str, usage: UsageRecorded) -> None:
        self._paid.add(SessionId(session_id))
        await self._open[SessionId(session_id)].append(usage)
