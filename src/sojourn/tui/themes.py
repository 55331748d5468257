"""How the app looks: a dark and a light theme of its own, beside those that Textual brings."""

from typing import Final

from textual.theme import Theme

DEFAULT_THEME: Final = "sojourn-dark"

THEMES: Final = (
    Theme(
        name="sojourn-dark",
        primary="#7aa2c8",
        secondary="#b39a6b",
        accent="#d9a05b",
        foreground="#d8d6d0",
        background="#16181b",
        surface="#1d2024",
        panel="#262a2f",
        success="#84a98c",
        warning="#d9a05b",
        error="#d0706b",
        dark=True,
    ),
    Theme(
        name="sojourn-light",
        primary="#2f5f8a",
        secondary="#7a6231",
        accent="#9a5b13",
        foreground="#23262a",
        background="#faf8f4",
        surface="#f1eee8",
        panel="#e6e2da",
        success="#3f6b4a",
        warning="#9a5b13",
        error="#a03a34",
        dark=False,
    ),
)
