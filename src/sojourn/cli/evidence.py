"""Why something is believed, as people and programs read it: entry by entry, with the words that were said."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sojourn.cli.output import Dim, Strong
from sojourn.cli.transcript import indented
from sojourn.clock import SystemClock
from sojourn.desk.wording import ago, one_line
from sojourn.model.entry import Entry
from sojourn.model.events import (
    Compacted,
    DecisionMade,
    FactCorrected,
    FactLearned,
    FactRetired,
    FactVerified,
    Forgotten,
    InsightAdded,
    MessageAdded,
    ProfileUpdated,
    Span,
    StepUpdated,
    TaskOpened,
    kind_of,
)

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.why import Explanation

_QUOTED: Final = 300
"""Characters of a message that are quoted, unless it is known which words count."""


def explanation_data(explained: "Explanation", spans: Sequence[Span] = ()) -> dict[str, Any]:
    """Return an explanation for programs."""
    return {
        "subject": explained.subject,
        "entries": [
            {
                "seq": entry.seq,
                "at": entry.at.isoformat(),
                "kind": kind_of(entry.event),
                "causes": list(entry.causes),
                "event": msgspec.to_builtins(entry.event),
            }
            for entry in explained.entries
        ],
        "quotes": [
            {
                "seq": quote.seq,
                "role": quote.role,
                "text": quote.text,
                "words": list(_words(quote.text, quote.seq, spans)),
            }
            for quote in explained.quotes
        ],
    }


def explanation_lines(
    explained: "Explanation", spans: Sequence[Span] = (), *, about: Sequence[str] = ()
) -> Iterator[str]:
    """Yield an explanation for people: what it is *about*, then the entries behind it, the oldest first."""
    first, *rest = explained.subject.splitlines() or [""]
    yield from about or (Strong(first), *indented("\n".join(rest)))
    if not explained.entries:
        yield Dim("  it is known in memory only, and stands in no entry")
    now = SystemClock().now()
    for entry in explained.entries:
        derived = f"  ← from {', '.join(map(str, entry.causes))}" if entry.causes else ""
        yield ""
        yield f"[{entry.seq}] {who(entry)}, {ago(entry.at, now)}{derived}"
        yield from (Dim(f"  {line}") for line in _said(entry, spans))


def who(entry: Entry) -> str:
    """Return who said an entry, or what kind of thing it notes."""
    event = entry.event
    if isinstance(event, MessageAdded):
        return f"{event.message.role} said"
    return kind_of(event).replace("_", " ")


def entry_line(entry: Entry) -> str:
    """Return an entry in one line: its number, who said it or what it notes, and what it says."""
    told = one_line(gist(entry))
    return f"[{entry.seq}] {who(entry)}{f': {told}' if told else ''}"


def gist(entry: Entry) -> str:
    """Return what an entry says, in words; nothing, if its kind says it all."""
    match entry.event:
        case MessageAdded(message=message):
            calls = [f"(calls {call.name})" for call in message.tool_calls]
            return " ".join([*([message.text] if message.text.strip() else []), *calls])
        case FactLearned(content=text) | FactCorrected(content=text):
            return text
        case FactRetired(reason=text) | FactVerified(reason=text) | DecisionMade(text=text) | TaskOpened(text=text):
            return text
        case ProfileUpdated(fields=fields):
            return ", ".join(f"{name}: {_value(value)}" for name, value in fields.items())
        case Compacted(summary=text) | InsightAdded(text=text):
            return text
        case StepUpdated(findings=findings):
            return "; ".join(findings)
        case Forgotten(was=was):
            return f"a {was.replace('_', ' ')} stood here, and was forgotten"
        case _:
            return ""


def _said(entry: Entry, spans: Sequence[Span]) -> Iterator[str]:
    if isinstance(entry.event, MessageAdded):
        text = entry.event.message.text
        words = _words(text, entry.seq, spans)
        for word in words:
            yield f"“{one_line(word, _QUOTED)}”"
        if words:
            return
    told = one_line(gist(entry), _QUOTED)
    if told:
        yield f"“{told}”" if isinstance(entry.event, MessageAdded) else told


def _words(text: str, seq: int, spans: Sequence[Span]) -> tuple[str, ...]:
    """Return the words of a message that count, where that is known."""
    found = (text[span.start : span.end].strip() for span in spans if span.seq == seq)
    return tuple(dict.fromkeys(word for word in found if word))


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
