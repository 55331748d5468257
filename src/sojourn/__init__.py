"""Sojourn: the session-state engine for LLM agents.

What `__all__` names is the public API; the rest may change without notice. `sojourn.testing` is public, too.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sojourn.agent import events as turn_events
    from sojourn.agent.agent import Agent
    from sojourn.agent.audit import audit
    from sojourn.agent.callbacks import Callbacks
    from sojourn.agent.cancellation import CancellationToken
    from sojourn.agent.command_control import CommandControlAgent, McpHooks
    from sojourn.agent.logs.config import LogConfig, LogStream
    from sojourn.agent.logs.logger import SessionLogger
    from sojourn.agent.mcp.config import read_servers
    from sojourn.agent.mcp.servers import Mcp
    from sojourn.agent.permissions.approvals import answer_question
    from sojourn.agent.permissions.gate import PermissionGate
    from sojourn.agent.permissions.policy import Permissions
    from sojourn.agent.permissions.rules import SkillRule
    from sojourn.agent.permissions.verdicts import Approval
    from sojourn.agent.pool import AgentConfig, AgentPool, PooledAgent, PoolSettings
    from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
    from sojourn.agent.reasoning.config import ReasoningConfig
    from sojourn.agent.runtime.component import AgentComponent
    from sojourn.agent.runtime.runtime import AsyncRuntime
    from sojourn.agent.settings import AgentSettings
    from sojourn.agent.skills.builtin.roots import Roots
    from sojourn.agent.skills.builtin.standard import standard_skills
    from sojourn.agent.skills.registry import SkillRegistry
    from sojourn.agent.skills.services import ServiceContainer
    from sojourn.agent.skills.skill import SkillTraits, ToolResult
    from sojourn.agent.team import Specialist, Team, TeamSettings
    from sojourn.context.budget import BudgetTracker, Limits
    from sojourn.context.builder import ContextBuilder
    from sojourn.context.context import Context
    from sojourn.context.manager import ContextConfig, ContextManager
    from sojourn.context.models import ModelInfo
    from sojourn.engine.app import Sojourn, open  # noqa: A004 - reads as sojourn.open(...)
    from sojourn.engine.compacting import ContextCompactor
    from sojourn.engine.conversations import Conversations, ConversationSession
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
    from sojourn.model.interrupts import Interrupt
    from sojourn.model.message import Message, TextPart, ThinkingPart, ToolCall
    from sojourn.model.state import SessionState
    from sojourn.providers.anthropic_messages import AnthropicMessages
    from sojourn.providers.choosing import choose as choose_model
    from sojourn.providers.local import LocalModel
    from sojourn.providers.openai_chat import OpenAiChat
    from sojourn.providers.openai_responses import OpenAiResponses
    from sojourn.providers.protocol import ModelRequest, Provider
    from sojourn.providers.retrying import Retrying
    from sojourn.providers.scripted import ScriptedProvider
    from sojourn.providers.structured import StructuredByProvider
    from sojourn.store import Durability, Store, open_store

__version__ = "0.1.0"

_PLACES: Final = {
    "Agent": ("sojourn.agent.agent", "Agent"),
    "AgentComponent": ("sojourn.agent.runtime.component", "AgentComponent"),
    "AgentConfig": ("sojourn.agent.pool", "AgentConfig"),
    "AgentPool": ("sojourn.agent.pool", "AgentPool"),
    "AgentSettings": ("sojourn.agent.settings", "AgentSettings"),
    "AnthropicMessages": ("sojourn.providers.anthropic_messages", "AnthropicMessages"),
    "Approval": ("sojourn.agent.permissions.verdicts", "Approval"),
    "AsyncRuntime": ("sojourn.agent.runtime.runtime", "AsyncRuntime"),
    "BudgetTracker": ("sojourn.context.budget", "BudgetTracker"),
    "Callbacks": ("sojourn.agent.callbacks", "Callbacks"),
    "CancellationToken": ("sojourn.agent.cancellation", "CancellationToken"),
    "CommandControlAgent": ("sojourn.agent.command_control", "CommandControlAgent"),
    "Context": ("sojourn.context.context", "Context"),
    "ContextBuilder": ("sojourn.context.builder", "ContextBuilder"),
    "ContextCompactor": ("sojourn.engine.compacting", "ContextCompactor"),
    "ContextConfig": ("sojourn.context.manager", "ContextConfig"),
    "ContextManager": ("sojourn.context.manager", "ContextManager"),
    "ConversationSession": ("sojourn.engine.conversations", "ConversationSession"),
    "Conversations": ("sojourn.engine.conversations", "Conversations"),
    "Durability": ("sojourn.store", "Durability"),
    "GlobalKnowledgeBase": ("sojourn.memory.shared", "GlobalKnowledgeBase"),
    "Interrupt": ("sojourn.model.interrupts", "Interrupt"),
    "Limits": ("sojourn.context.budget", "Limits"),
    "LocalModel": ("sojourn.providers.local", "LocalModel"),
    "LogConfig": ("sojourn.agent.logs.config", "LogConfig"),
    "LogStream": ("sojourn.agent.logs.config", "LogStream"),
    "Mcp": ("sojourn.agent.mcp.servers", "Mcp"),
    "McpHooks": ("sojourn.agent.command_control", "McpHooks"),
    "Message": ("sojourn.model.message", "Message"),
    "ModelInfo": ("sojourn.context.models", "ModelInfo"),
    "ModelRequest": ("sojourn.providers.protocol", "ModelRequest"),
    "OpenAiChat": ("sojourn.providers.openai_chat", "OpenAiChat"),
    "OpenAiResponses": ("sojourn.providers.openai_responses", "OpenAiResponses"),
    "PermissionGate": ("sojourn.agent.permissions.gate", "PermissionGate"),
    "Permissions": ("sojourn.agent.permissions.policy", "Permissions"),
    "PoolSettings": ("sojourn.agent.pool", "PoolSettings"),
    "PooledAgent": ("sojourn.agent.pool", "PooledAgent"),
    "Provider": ("sojourn.providers.protocol", "Provider"),
    "ReasoningCallbacks": ("sojourn.agent.reasoning.callbacks", "ReasoningCallbacks"),
    "ReasoningConfig": ("sojourn.agent.reasoning.config", "ReasoningConfig"),
    "Retrying": ("sojourn.providers.retrying", "Retrying"),
    "Roots": ("sojourn.agent.skills.builtin.roots", "Roots"),
    "ScriptedProvider": ("sojourn.providers.scripted", "ScriptedProvider"),
    "ServiceContainer": ("sojourn.agent.skills.services", "ServiceContainer"),
    "Session": ("sojourn.engine.session", "Session"),
    "SessionLogger": ("sojourn.agent.logs.logger", "SessionLogger"),
    "SessionManager": ("sojourn.engine.sessions", "SessionManager"),
    "SessionState": ("sojourn.model.state", "SessionState"),
    "SessionStateAdapter": ("sojourn.engine.state_adapter", "SessionStateAdapter"),
    "SessionStateService": ("sojourn.engine.state_service", "SessionStateService"),
    "Settings": ("sojourn.engine.settings", "Settings"),
    "SkillRegistry": ("sojourn.agent.skills.registry", "SkillRegistry"),
    "SkillRule": ("sojourn.agent.permissions.rules", "SkillRule"),
    "SkillTraits": ("sojourn.agent.skills.skill", "SkillTraits"),
    "Sojourn": ("sojourn.engine.app", "Sojourn"),
    "SojournError": ("sojourn.errors", "SojournError"),
    "Specialist": ("sojourn.agent.team", "Specialist"),
    "StateExtractor": ("sojourn.memory.extraction.protocol", "StateExtractor"),
    "StateUpdateService": ("sojourn.engine.updates", "StateUpdateService"),
    "Store": ("sojourn.store", "Store"),
    "StructuredByProvider": ("sojourn.providers.structured", "StructuredByProvider"),
    "Team": ("sojourn.agent.team", "Team"),
    "TeamSettings": ("sojourn.agent.team", "TeamSettings"),
    "TextPart": ("sojourn.model.message", "TextPart"),
    "ThinkingPart": ("sojourn.model.message", "ThinkingPart"),
    "ToolCall": ("sojourn.model.message", "ToolCall"),
    "ToolResult": ("sojourn.agent.skills.skill", "ToolResult"),
    "answer_question": ("sojourn.agent.permissions.approvals", "answer_question"),
    "audit": ("sojourn.agent.audit", "audit"),
    "choose_model": ("sojourn.providers.choosing", "choose"),
    "events": ("sojourn.model.events", ""),
    "open": ("sojourn.engine.app", "open"),
    "open_store": ("sojourn.store", "open_store"),
    "read_servers": ("sojourn.agent.mcp.config", "read_servers"),
    "standard_skills": ("sojourn.agent.skills.builtin.standard", "standard_skills"),
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
    "AgentComponent",
    "AgentConfig",
    "AgentPool",
    "AgentSettings",
    "AnthropicMessages",
    "Approval",
    "AsyncRuntime",
    "BudgetTracker",
    "Callbacks",
    "CancellationToken",
    "CommandControlAgent",
    "Context",
    "ContextBuilder",
    "ContextCompactor",
    "ContextConfig",
    "ContextManager",
    "ConversationSession",
    "Conversations",
    "Durability",
    "GlobalKnowledgeBase",
    "Interrupt",
    "Limits",
    "LocalModel",
    "LogConfig",
    "LogStream",
    "Mcp",
    "McpHooks",
    "Message",
    "ModelInfo",
    "ModelRequest",
    "OpenAiChat",
    "OpenAiResponses",
    "PermissionGate",
    "Permissions",
    "PoolSettings",
    "PooledAgent",
    "Provider",
    "ReasoningCallbacks",
    "ReasoningConfig",
    "Retrying",
    "Roots",
    "ScriptedProvider",
    "ServiceContainer",
    "Session",
    "SessionLogger",
    "SessionManager",
    "SessionState",
    "SessionStateAdapter",
    "SessionStateService",
    "Settings",
    "SkillRegistry",
    "SkillRule",
    "SkillTraits",
    "Sojourn",
    "SojournError",
    "Specialist",
    "StateExtractor",
    "StateUpdateService",
    "Store",
    "StructuredByProvider",
    "Team",
    "TeamSettings",
    "TextPart",
    "ThinkingPart",
    "ToolCall",
    "ToolResult",
    "answer_question",
    "audit",
    "choose_model",
    "events",
    "open",
    "open_store",
    "read_servers",
    "standard_skills",
    "statements",
    "turn_events",
]
