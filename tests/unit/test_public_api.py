"""What everybody may rely on."""

import subprocess
import sys

import pytest

import sojourn


def test_public_names_are_pinned() -> None:
    assert sorted(sojourn.__all__) == [
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


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    for name in sojourn.__all__:
        assert getattr(sojourn, name).__doc__, name


def test_what_talks_to_models_is_loaded_by_who_asks_for_it() -> None:
    program = "import sys, sojourn; print([name for name in sys.modules if name.startswith('sojourn.agent')])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        getattr(sojourn, "Nothing")  # noqa: B009 - a type checker would not have it otherwise
