"""What was typed for a session and not sent: it is in no journal, but closing a program takes it from nobody.

It is written some moments after the last key. What was pasted is long and does not change, so it is kept apart and
written once. Removing a session, or forgetting all of it, removes this too.
"""

from typing import Any, Final

from sojourn.model.value import Value
from sojourn.store.protocol import StateProvider

PREFIX: Final = "draft/"
MOST_KEPT: Final = 8_000_000
"""Characters of pastes and of waiting messages that are kept; of more, none are."""


class Unsent(Value, frozen=True, kw_only=True):
    """What was typed, with marks for what was *pasted*; *waiting* are messages that were sent and not taken yet."""

    text: str = ""
    pasted: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text.strip() or self.waiting)


class UnsentTexts:
    """What is kept in one store, for each session. Lives as long as anybody types; one text is written at a time."""

    def __init__(self, documents: StateProvider) -> None:
        self._documents = documents
        self._long: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    async def save(self, place: str, unsent: Unsent) -> None:
        """Keep *unsent* for *place*, a session's id or another name; if it is empty, nothing is kept."""
        if not unsent:
            await self.forget(place)
            return
        long = (unsent.pasted, unsent.waiting)
        if self._long.get(place, ((), ())) != long:
            pasted, waiting = long if sum(map(len, (*unsent.pasted, *unsent.waiting))) <= MOST_KEPT else ((), ())
            await self._documents.save(_beside(place), {"pasted": list(pasted), "waiting": list(waiting)})
            self._long[place] = long
        await self._documents.save(_key(place), {"text": unsent.text})

    async def load(self, place: str) -> Unsent:
        """Return what is kept for *place*; an empty one, if nothing is."""
        short = await self._documents.load(_key(place))
        if short is None:
            return Unsent()
        long = await self._documents.load(_beside(place)) or {}
        pasted, waiting = _texts(long.get("pasted")), _texts(long.get("waiting"))
        self._long[place] = (pasted, waiting)
        return Unsent(text=str(short.get("text", "")), pasted=pasted, waiting=waiting)

    async def forget(self, place: str) -> None:
        """Keep nothing for *place*."""
        self._long.pop(place, None)
        for key in (_key(place), _beside(place)):
            if await self._documents.exists(key):
                await self._documents.delete(key)


def _key(place: str) -> str:
    return f"{PREFIX}{place}"


def _beside(place: str) -> str:
    return f"{PREFIX}{place}/long"


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
