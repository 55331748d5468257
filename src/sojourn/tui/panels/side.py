"""The column beside the talk."""

from textual.containers import VerticalScroll


class SidePanel(VerticalScroll):
    """Every panel, one below the other."""
