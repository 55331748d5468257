"""The screen on which a session is found again.

`view` says which sessions are wanted, `shelf` reads them page by page and puts forks under their origin, `matches`
finds what was said, `found` is both. `lines` is how each session looks in the list, `glance` what is shown of the
chosen one. `sessions` is the list and what can be done in it; `housekeeping` does it, and takes it back. `filters` is
the line that says what is shown, `screen` the whole.
"""

from sojourn.tui.finder.screen import FinderScreen

__all__ = ["FinderScreen"]
