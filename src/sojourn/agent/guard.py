"""A simple check of what people ask: does it try to talk the agent out of its instructions?

It knows a few phrases and nothing of what is meant, so it blocks honest sentences, too ("act as" is one of them). It is
used where that is better than the other mistake, and is off otherwise.
"""

import unicodedata
from dataclasses import dataclass
from typing import Final

from sojourn.engine.session import Session
from sojourn.model.events import RequestBlocked
from sojourn.model.secrets import without_secrets

INJECTION_PHRASES: Final = (
    "ignore previous",
    "ignore all previous",
    "disregard",
    "forget your instructions",
    "you are now",
    "act as",
    "pretend you are",
    "new instructions:",
    "system:",
    "jailbreak",
)
SECURITY: Final = "[Security]"
"""How the answer to a blocked request begins."""
_MOST_KEPT: Final = 200
_MOST_SEARCHED: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InputGuard:
    """Blocks requests that hold one of *phrases*, in capitals or not, however they are spaced."""

    phrases: tuple[str, ...] = INJECTION_PHRASES

    def check(self, text: str) -> str | None:
        """Return why *text* must not reach a model, or None if nothing speaks against it."""
        plain = _plain(text)
        found = next((phrase for phrase in self.phrases if _plain(phrase) in plain), None)
        return None if found is None else f"it contains {found!r}, which is how instructions are overridden"

    async def blocks(self, session: Session, text: str) -> str | None:
        """Return the answer to *text* if it must not reach a model, and note that in the journal; else None."""
        reason = self.check(text)
        if reason is None:
            return None
        beginning = without_secrets(text[:_MOST_SEARCHED])[:_MOST_KEPT]  # a secret that is cut in two is not found
        await session.append(RequestBlocked(reason=reason, text=beginning))
        return f"{SECURITY} This request was blocked: {reason}."


def _plain(text: str) -> str:
    """Return *text* in one case, one width of letters and one kind of space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
