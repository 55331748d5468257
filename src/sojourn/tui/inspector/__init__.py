"""What the model is sent next, and why. `account` says what it is made of, `lines` how that is written in rows and
texts, `notes` what comes beside it, and `screen` shows it all.
"""

from sojourn.tui.inspector.screen import InspectorScreen

__all__ = ["InspectorScreen"]
