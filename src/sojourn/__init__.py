"""Sojourn: the session-state engine for LLM agents.

What `__all__` names is the public API; the rest may change without notice. `sojourn.testing` is public, too.
"""

from sojourn.context.budget import BudgetTracker
from sojourn.context.builder import ContextBuilder
from sojourn.context.context import Context
from sojourn.context.manager import ContextConfig, ContextManager
from sojourn.engine.app import Sojourn, open  # noqa: A004 - reads as sojourn.open(...)
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.conversations import Conversations
from sojourn.engine.session import Session
from sojourn.engine.sessions import SessionManager
from sojourn.engine.settings import Settings
from sojourn.engine.state_adapter import SessionStateAdapter
from sojourn.engine.state_service import SessionStateService
from sojourn.engine.updates import StateUpdateService
from sojourn.errors import SojournError
from sojourn.memory.extraction import statement as statements
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.shared import GlobalKnowledgeBase
from sojourn.model import events
from sojourn.model.message import Message
from sojourn.model.state import SessionState
from sojourn.store import Durability, Store, open_store

__version__ = "0.1.0"

__all__ = [
    "BudgetTracker",
    "Context",
    "ContextBuilder",
    "ContextCompactor",
    "ContextConfig",
    "ContextManager",
    "Conversations",
    "Durability",
    "GlobalKnowledgeBase",
    "Message",
    "Session",
    "SessionManager",
    "SessionState",
    "SessionStateAdapter",
    "SessionStateService",
    "Settings",
    "Sojourn",
    "SojournError",
    "StateExtractor",
    "StateUpdateService",
    "Store",
    "events",
    "open",
    "open_store",
    "statements",
]
