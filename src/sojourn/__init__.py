"""Sojourn: the session-state engine for LLM agents.

What `__all__` names is the public API; the rest may change without notice. `sojourn.testing` is public, too.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sojourn.agent import events as turn_events
    from sojourn.agent.agent import Agent
    from sojourn.agent.callbacks import Callbacks
    from sojourn.agent.cancellation import CancellationToken
    from sojourn.agent.logs.config import LogConfig, LogStream
    from sojourn.agent.logs.logger import SessionLogger
    from sojourn.agent.permissions.gate import PermissionGate
    from sojourn.agent.permissions.policy import Permissions
    from sojourn.agent.pool import AgentConfig, AgentPool, PoolSettings
    from sojourn.agent.reasoning.config import ReasoningConfig
    from sojourn.agent.runtime.runtime import AsyncRuntime
    from sojourn.agent.settings import AgentSettings
    from sojourn.agent.skills.registry import SkillRegistry
    from sojourn.agent.skills.skill import ToolResult
    from sojourn.agent.team import Team
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
    from sojourn.providers.choosing import choose as choose_model
    from sojourn.providers.protocol import Provider
    from sojourn.providers.scripted import ScriptedProvider
    from sojourn.store import Durability, Store, open_store

__version__ = "0.1.0"

_PLACES: Final = {
    "Agent": ("sojourn.agent.agent", "Agent"),
    "AgentConfig": ("sojourn.agent.pool", "AgentConfig"),
    "AgentPool": ("sojourn.agent.pool", "AgentPool"),
    "AgentSettings": ("sojourn.agent.settings", "AgentSettings"),
    "AsyncRuntime": ("sojourn.agent.runtime.runtime", "AsyncRuntime"),
    "BudgetTracker": ("sojourn.context.budget", "BudgetTracker"),
    "Callbacks": ("sojourn.agent.callbacks", "Callbacks"),
    "CancellationToken": ("sojourn.agent.cancellation", "CancellationToken"),
    "Context": ("sojourn.context.context", "Context"),
    "ContextBuilder": ("sojourn.context.builder", "ContextBuilder"),
    "ContextCompactor": ("sojourn.engine.compacting", "ContextCompactor"),
    "ContextConfig": ("sojourn.context.manager", "ContextConfig"),
    "ContextManager": ("sojourn.context.manager", "ContextManager"),
    "Conversations": ("sojourn.engine.conversations", "Conversations"),
    "Durability": ("sojourn.store", "Durability"),
    "GlobalKnowledgeBase": ("sojourn.memory.shared", "GlobalKnowledgeBase"),
    "LogConfig": ("sojourn.agent.logs.config", "LogConfig"),
    "LogStream": ("sojourn.agent.logs.config", "LogStream"),
    "Message": ("sojourn.model.message", "Message"),
    "PermissionGate": ("sojourn.agent.permissions.gate", "PermissionGate"),
    "Permissions": ("sojourn.agent.permissions.policy", "Permissions"),
    "PoolSettings": ("sojourn.agent.pool", "PoolSettings"),
    "Provider": ("sojourn.providers.protocol", "Provider"),
    "ReasoningConfig": ("sojourn.agent.reasoning.config", "ReasoningConfig"),
    "ScriptedProvider": ("sojourn.providers.scripted", "ScriptedProvider"),
    "Session": ("sojourn.engine.session", "Session"),
    "SessionLogger": ("sojourn.agent.logs.logger", "SessionLogger"),
    "SessionManager": ("sojourn.engine.sessions", "SessionManager"),
    "SessionState": ("sojourn.model.state", "SessionState"),
    "SessionStateAdapter": ("sojourn.engine.state_adapter", "SessionStateAdapter"),
    "SessionStateService": ("sojourn.engine.state_service", "SessionStateService"),
    "Settings": ("sojourn.engine.settings", "Settings"),
    "SkillRegistry": ("sojourn.agent.skills.registry", "SkillRegistry"),
    "Sojourn": ("sojourn.engine.app", "Sojourn"),
    "SojournError": ("sojourn.errors", "SojournError"),
    "StateExtractor": ("sojourn.memory.extraction.protocol", "StateExtractor"),
    "StateUpdateService": ("sojourn.engine.updates", "StateUpdateService"),
    "Store": ("sojourn.store", "Store"),
    "Team": ("sojourn.agent.team", "Team"),
    "ToolResult": ("sojourn.agent.skills.skill", "ToolResult"),
    "choose_model": ("sojourn.providers.choosing", "choose"),
    "events": ("sojourn.model.events", ""),
    "open": ("sojourn.engine.app", "open"),
    "open_store": ("sojourn.store", "open_store"),
    "statements": ("sojourn.memory.extraction.statement", ""),
    "turn_events": ("sojourn.agent.events", ""),
}
"""Where each name is. It is loaded by who asks for it: who only keeps sessions does not wait for what talks to models,
and the command line does not wait for anything."""

if not TYPE_CHECKING:  # a type checker sees the names above, and would take any other for one

    def __getattr__(name: str) -> Any:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, attribute = _PLACES[name]
        found = import_module(module)
        value = getattr(found, attribute) if attribute else found
        globals()[name] = value  # next time it is simply there
        return value


__all__ = [
    "Agent",
    "AgentConfig",
    "AgentPool",
    "AgentSettings",
    "AsyncRuntime",
    "BudgetTracker",
    "Callbacks",
    "CancellationToken",
    "Context",
    "ContextBuilder",
    "ContextCompactor",
    "ContextConfig",
    "ContextManager",
    "Conversations",
    "Durability",
    "GlobalKnowledgeBase",
    "LogConfig",
    "LogStream",
    "Message",
    "PermissionGate",
    "Permissions",
    "PoolSettings",
    "Provider",
    "ReasoningConfig",
    "ScriptedProvider",
    "Session",
    "SessionLogger",
    "SessionManager",
    "SessionState",
    "SessionStateAdapter",
    "SessionStateService",
    "Settings",
    "SkillRegistry",
    "Sojourn",
    "SojournError",
    "StateExtractor",
    "StateUpdateService",
    "Store",
    "Team",
    "ToolResult",
    "choose_model",
    "events",
    "open",
    "open_store",
    "statements",
    "turn_events",
]
