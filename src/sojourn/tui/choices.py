"""Choices in the head of a screen: all are shown, the chosen one in brackets, and each can be clicked."""

from collections.abc import Mapping


def choices(names: Mapping[str, str], chosen: str, *, action: str, gap: str = "  ") -> str:
    """Return the choices as markup; *names* are what each value is called, *action* is the screen's, with a value.

    Names and values are the program's own words: nothing that was stored may be written as markup.
    """
    return gap.join(_choice(name, f"screen.{action}('{value}')", on=value == chosen) for value, name in names.items())


def _choice(name: str, action: str, *, on: bool) -> str:
    shown = f"[b]\\[{name}][/b]" if on else f" {name} "
    return f"[@click={action}]{shown}[/]"
