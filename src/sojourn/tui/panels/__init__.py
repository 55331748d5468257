"""What stands beside the talk: profile, knowledge, focus and entities, research, working set, cost and tokens."""

from sojourn.tui.panels.side import SidePanel

__all__ = ["SidePanel"]
