"""The head of the screen: which facts are looked at, and how many there are."""

from collections.abc import Mapping
from typing import Final

from textual.widgets import Static

from sojourn.model.events import FactStatus
from sojourn.tui.choices import choices
from sojourn.tui.review.known import SCOPES, STATUSES, Scope

_WIDE: Final = 60
_NAMES: Final[dict[FactStatus, str]] = {"active": "active", "candidate": "candidates", "retired": "retired"}


class ReviewHead(Static):
    """Two lines: the scopes, and what becomes of facts with how many there are of each."""

    DEFAULT_CSS = """
    ReviewHead { height: auto; padding: 0 1; background: $panel; link-style: none; }
    """

    def show(self, scope: Scope, status: FactStatus, counts: Mapping[FactStatus, int], *, left_out: int) -> None:
        """Say what is chosen. *left_out* are the facts that the list has no room for."""
        is_wide = self.app.size.width >= _WIDE
        gap = "  " if is_wide else ""
        names: dict[str, str] = {one: f"{_NAMES[one]} {counts[one]:,}" for one in STATUSES}
        scopes = choices({one: one for one in SCOPES}, scope, action="scope", gap=gap)
        statuses = choices(names, status, action="status", gap=gap)
        more = f"   {left_out:,} more: search for them" if left_out else ""
        title, before = ("[b]Knowledge[/b]   ", " " * 12) if is_wide else ("", "")
        self.update(f"{title}{scopes}\n{before}{statuses}{more}")
