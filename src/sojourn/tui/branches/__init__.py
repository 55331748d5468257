"""The screen that shows how a session and its forks hang together, down to what was said.

`offshoots` finds the other branches and where they part from the session that is open; `line` is the session's own
messages, read page by page, with the branches between them; `nodes` is how each looks. `going` goes to a node,
`comparing` shows two branches side by side, `merging` asks before one is brought home. `screen` is the whole.
"""

from sojourn.tui.branches.screen import BranchScreen

__all__ = ["BranchScreen"]
