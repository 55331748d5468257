"""Sojourn: the session-state engine for LLM agents.

What `__all__` names is the public API; the rest may change without notice. `sojourn.testing` is public, too.
"""

from sojourn.engine.app import Sojourn, open  # noqa: A004 - reads as sojourn.open(...)
from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.model import events
from sojourn.model.message import Message
from sojourn.model.state import SessionState
from sojourn.store import Durability, Store, open_store

__version__ = "0.1.0"

__all__ = [
    "Durability",
    "Message",
    "Session",
    "SessionState",
    "Sojourn",
    "SojournError",
    "Store",
    "events",
    "open",
    "open_store",
]
