"""What a model says it found, before any of it is believed: its answer as values, with what does not fit left out."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from sojourn.errors import ExtractionError
from sojourn.memory.extraction.first_json import first_object
from sojourn.memory.extraction.statement import KINDS, Kind
from sojourn.model.events import FactScope
from sojourn.model.value import Value

Source = Literal["user", "assistant", "tool"]
Action = Literal["read", "created", "edited", "renamed", "deleted", "mentioned"]
Wants = Literal["question", "command", "research", "chat", "clarification"]
MAX_ANSWER: Final = 200_000
MAX_ITEMS: Final = 50
"""Findings of one kind in one exchange; a model that says more repeats itself."""

Short = Annotated[str, Meta(min_length=1, max_length=200)]
Sentence = Annotated[str, Meta(min_length=1, max_length=600)]
Likely = Annotated[float, Meta(ge=0.0, le=1.0)]


class Finding(Value, frozen=True, kw_only=True):
    """What each finding has: the words it rests on, who said them, and how likely the model thinks it is."""

    quote: str = ""
    source: Source = "user"
    confidence: Likely = 0.5


class FoundField(Finding, frozen=True, kw_only=True):
    """A field of the user's profile."""

    field: Short
    value: str | int | float | None = None
    removes: bool = False
    former: str | int | float | None = None


class FoundFact(Finding, frozen=True, kw_only=True):
    """Anything else that is worth keeping."""

    content: Sentence
    about_user: bool = False
    scope: FactScope = "session"
    removes: bool = False


class FoundDecision(Finding, frozen=True, kw_only=True):
    """Something that was decided."""

    text: Sentence


class FoundTask(Finding, frozen=True, kw_only=True):
    """Something to be done, or done."""

    text: Sentence
    done: bool = False


class FoundFile(Finding, frozen=True, kw_only=True):
    """A file that was named."""

    path: Sentence
    action: Action = "mentioned"


class FoundIntent(Value, frozen=True, kw_only=True):
    """What the user wants."""

    type: Wants
    confidence: Likely = 0.5


class Findings(Value, frozen=True, kw_only=True):
    """All that a model says of one exchange."""

    profile: tuple[FoundField, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    decisions: tuple[FoundDecision, ...] = ()
    tasks: tuple[FoundTask, ...] = ()
    files: tuple[FoundFile, ...] = ()
    intent: FoundIntent | None = None
    topic: str | None = None


Item = TypeVar("Item", bound=Value)


def read_answer(text: str, *, exchanges: int, kinds: Collection[Kind] = KINDS) -> list[Findings]:
    """Return what the model says of each of so many *exchanges*; of one that it leaves out, nothing.

    Only *kinds* are read: what was not asked for may be what nobody wants to be kept.

    Raises:
        ExtractionError: there is no object in the answer.
    """
    answer = first_object(text[:MAX_ANSWER])
    if answer is None:
        raise ExtractionError(f"the model's answer has no JSON object in it: {text[:80]!r}")
    listed = answer.get("exchanges")
    # Asked about one exchange, some models answer with what should be inside of the list.
    parts = listed if isinstance(listed, list) else [answer]
    found = [Findings()] * exchanges
    for place, part in enumerate(parts[:exchanges]):
        if isinstance(part, Mapping):
            number = part.get("number")
            at = number - 1 if isinstance(number, int) and 1 <= number <= exchanges else place
            found[at] = _findings({kind: part.get(kind) for kind in kinds})
    return found


def _findings(part: Mapping[str, Any]) -> Findings:
    topic = part.get("topic")
    intents = _items({"intent": [part.get("intent")]}, "intent", FoundIntent)
    return Findings(
        profile=_items(part, "profile", FoundField),
        facts=_items(part, "facts", FoundFact),
        decisions=_items(part, "decisions", FoundDecision),
        tasks=_items(part, "tasks", FoundTask),
        files=_items(part, "files", FoundFile),
        intent=intents[0] if intents else None,
        topic=" ".join(topic.split())[:100] or None if isinstance(topic, str) else None,
    )


def _items(part: Mapping[str, Any], kind: str, shape: type[Item]) -> tuple[Item, ...]:
    """Return the items of *kind* that have the shape they should have; their unknown fields are dropped."""
    items = part.get(kind)
    if not isinstance(items, list):
        return ()
    found: list[Item] = []
    for item in items[:MAX_ITEMS]:
        try:
            found.append(msgspec.convert(item, shape, strict=False))
        except (msgspec.ValidationError, TypeError, ValueError):
            continue  # one item that cannot be read does not spoil the others
    return tuple(found)
