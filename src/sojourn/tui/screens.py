"""The screens beside the chat, by name. One is imported when it is first shown."""

from typing import Final

SCREENS: Final = {
    "find": ("sojourn.tui.finder:FinderScreen", "Find a session", "Search titles and what was said, and open it"),
    "branches": ("sojourn.tui.branches:BranchScreen", "Branches", "See the forks of this session, jump, compare"),
    "context": ("sojourn.tui.inspector:InspectorScreen", "Context", "See what the model is sent next, and why"),
    "review": ("sojourn.tui.review:ReviewScreen", "Knowledge", "Accept, correct and retire what was learned"),
    "spending": ("sojourn.tui.spending:SpendingScreen", "Cost", "See what was spent, on what"),
    "keys": ("sojourn.tui.keys:KeysScreen", "Keys", "List every key"),
}
"""Where each screen is, what it is called and what it is for."""
