"""What everybody may rely on."""

import sojourn


def test_public_names_are_pinned() -> None:
    assert sorted(sojourn.__all__) == [
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


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    for name in sojourn.__all__:
        assert getattr(sojourn, name).__doc__, name
