"""What comes beside a context: what the provider reported for the last one, and the entries that a piece is from."""

from collections.abc import Sequence
from typing import Final

from sojourn.context.models import ModelCatalog
from sojourn.desk.figures import amount
from sojourn.desk.wording import ago, one_line
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, UsageRecorded
from sojourn.model.ids import Seq
from sojourn.store.protocol import Order

_LOOKED_AT: Final = 50
"""Entries from the end in which the last report is looked for: a turn has some ten."""
_SHOWN: Final = 5
_UNITS: Final = {"k": 1_000, "m": 1_000_000}


async def last_reported(session: Session) -> str:
    """Return what the provider said that the last call took; "" if it said nothing lately."""
    entries = await session.store.read(session.id, limit=_LOOKED_AT, order=Order.NEWEST_FIRST)
    for entry in entries:
        event = entry.event
        if isinstance(event, UsageRecorded) and event.purpose == "conversation":
            cached = event.cache_read_tokens
            sent = event.input_tokens + event.cache_creation_tokens + cached
            told = f", {amount(cached)} of it cached" if cached else ""
            return f"last call {amount(sent)} reported ✔{told}"
    return ""


async def origins(session: Session, seqs: Sequence[Seq]) -> str:
    """Return the entries that something is from, each with when it was and what it says."""
    now, lines = session.clock.now(), list[str]()
    for seq in seqs[:_SHOWN]:
        for entry in await session.store.read(session.id, after=seq - 1, before=seq + 1, limit=1):
            lines.append(f"entry {entry.seq}, {ago(entry.at, now)}, {_told(entry)}")
    more = len(seqs) - _SHOWN
    return "\n\n".join(lines + ([f"and {more:,} more"] if more > 0 else []))


def _told(entry: Entry) -> str:
    if isinstance(entry.event, MessageAdded):
        return f"{entry.event.message.role} said:\n{entry.event.message.text[:2_000]}"
    return one_line(type(entry.event).__name__)


def pretended(text: str, models: ModelCatalog) -> tuple[str | None, int | None]:
    """Return the model, or the window in tokens, that *text* names: `gpt-4o`, `200k`, `32,000`.

    Raises:
        InvalidInputError: it names neither.
    """
    word = text.strip().lower().replace(",", "").replace("_", "")
    size = _UNITS.get(word[-1:], 1)
    digits = word[:-1] if size > 1 else word
    if digits.isascii() and digits.isdigit():
        window = int(digits) * size
        if not 1_000 <= window <= 100_000_000:
            raise InvalidInputError(f"a window has 1,000 tokens or more, got {window:,}")
        return None, window
    if models.window(text.strip()) is None:
        raise InvalidInputError(f"nothing is known about a model {text.strip()!r:.60}; a number of tokens will do")
    return text.strip(), None
