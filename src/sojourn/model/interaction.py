"""The thread of the talk: the last exchanges, its topic, what the user wants."""

from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import IntentClassified, MessageAdded, TopicChanged
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_EXCHANGES: Final = 5
PREVIEW_CHARS: Final = 500


class Exchange(Value, frozen=True, kw_only=True):
    """A question and its latest answer, cut to what a summary needs; the seqs lead to the whole."""

    user_seq: Seq
    user: str
    at: datetime
    assistant_seq: Seq | None = None
    assistant: str | None = None


class Intent(Value, frozen=True, kw_only=True):
    """What the user wants, as judged."""

    type: str
    confidence: float
    details: dict[str, Any] = {}


class InteractionContext(Value, frozen=True, kw_only=True):
    """The last 5 exchanges, the topic, the intent, and how often each main intent occurred."""

    recent_exchanges: tuple[Exchange, ...] = ()
    current_topic: str | None = None
    current_intent: Intent | None = None
    question_count: int = 0
    command_count: int = 0
    research_count: int = 0

    def get_summary(self) -> str:
        """Return where the talk stands, a line for each thing that is known."""
        lines = []
        if self.current_topic:
            lines.append(f"Current topic: {self.current_topic}")
        if self.current_intent:
            lines.append(f"User intent: {self.current_intent.type}")
        if self.recent_exchanges:
            lines.append(f"Recent exchanges: {len(self.recent_exchanges)}")
        return "\n".join(lines)

    def apply(self, entry: Entry) -> "InteractionContext":
        """Return the context after *entry*."""
        match entry.event:
            case MessageAdded(message=message):
                return self._said(entry, message.role, message.text[:PREVIEW_CHARS])
            case TopicChanged(topic=topic):
                return replace(self, current_topic=topic)
            case IntentClassified() as judged:
                intent = Intent(type=judged.intent, confidence=judged.confidence, details=judged.details)
                return replace(
                    self,
                    current_intent=intent,
                    question_count=self.question_count + (judged.intent == "question"),
                    command_count=self.command_count + (judged.intent == "command"),
                    research_count=self.research_count + (judged.intent == "research"),
                )
            case _:
                return self

    def _said(self, entry: Entry, role: str, text: str) -> "InteractionContext":
        if role == "user":
            exchange = Exchange(user_seq=entry.seq, user=text, at=entry.at)
            return replace(self, recent_exchanges=(*self.recent_exchanges, exchange)[-MAX_EXCHANGES:])
        if role == "assistant" and text and self.recent_exchanges:
            *earlier, last = self.recent_exchanges
            answered = replace(last, assistant_seq=entry.seq, assistant=text)
            return replace(self, recent_exchanges=(*earlier, answered))
        return self
