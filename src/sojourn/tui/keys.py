"""Every key of the app, screen by screen. The list is made from the bindings themselves, so it is never out of date."""

import inspect
import pkgutil
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, Final, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.keys import format_key
from textual.screen import Screen
from textual.widgets import Input, TextArea

from sojourn.desk.columns import fit, pad
from sojourn.desk.visible import safe
from sojourn.tui.chat.commands import app_commands, prompt_commands
from sojourn.tui.host import Host
from sojourn.tui.key_line import KeyLine
from sojourn.tui.rows import RowList
from sojourn.tui.screens import SCREENS

_KEY: Final = 20
"""Columns of a key or a command."""
_WHAT: Final = 26
_ROOMY: Final = 60
"""In fewer columns keys get less of them."""
_EVERYWHERE: Final = "everywhere"
_TYPING: Final = "typing"
_HINTS: Final[Mapping[str, str]] = {
    "ctrl+p": "find anything that can be done by its name",
    "tab, shift+tab": "go from part to part; no mouse is needed",
    "esc": "go back, wherever you are",
    "@": "name a file of the project, or a resource of a server",
    "/": "run a command, or a prompt of a server",
    "shift and drag": "select text with the mouse, in most terminals",
}
_WRITTEN: Final[Mapping[str, str]] = {"escape": "esc", "enter": "enter", "pageup": "pgup", "pagedown": "pgdn"}
"""Keys that are written otherwise than Textual does."""
_TITLES: Final[Mapping[str, str]] = {
    "app": _EVERYWHERE,
    "chat": "chat",
    "prompt": "prompt",
    "transcript": "reading back",
    "panels": "beside the talk",
    "finder": "find a session",
    "branches": "branches",
    "inspector": "context",
    "review": "knowledge",
    "spending": "cost",
    "keys": "this list",
    "rows": "lists",
}
"""How the parts of the app are called, in the order in which they are listed; others come behind them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, or several that do the same: *what* in a few words, and *more* in a sentence."""

    group: str
    keys: str
    what: str
    more: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """The name of a part of the app, above its keys."""

    group: str
    height: int = 2

    @property
    def key(self) -> Hashable:
        return self.group

    def draw(self, columns: int) -> Sequence[Text]:
        return [Text(""), Text(fit(self.group.upper(), columns), style="underline")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """A key in one line: what it does, and where there is room, in which way."""

    entry: Key
    height: int = 1

    @property
    def key(self) -> Hashable:
        return self.entry

    def draw(self, columns: int) -> Sequence[Text]:
        entry = self.entry
        keys = _KEY if columns >= _ROOMY else _KEY // 2
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(pad(fit(safe(entry.keys), keys), keys) + "  ", style="bold")
        what, room = safe(entry.what), max(1, columns - keys - 2)
        if entry.more and room > _WHAT + 10:
            line.append(pad(fit(what, _WHAT), _WHAT))
            line.append(fit(f"  {safe(entry.more)}", room - _WHAT), style="dim")
        else:
            line.append(fit(what, room))
        return [line]


class KeysScreen(Screen[None]):
    """Every key and every command, to be searched by typing."""

    AUTO_FOCUS: ClassVar[str | None] = "#words"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back"),
        Binding("up", "step(-1)", "up", show=False, priority=True),
        Binding("down", "step(1)", "down", show=False, priority=True),
        Binding("pageup", "page(-1)", "a page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "a page down", show=False, priority=True),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    KeysScreen #words { border: round $primary; height: 3; }
    KeysScreen #list { padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        yield Input(id="words", placeholder="type to find a key or a command")
        yield RowList[KeyRow | GroupRow](id="list", empty="no key does that; ctrl+p finds more")
        yield KeyLine()

    def on_mount(self) -> None:
        app = cast(Host, self.app)
        below = app.screen_stack[-2] if len(app.screen_stack) > 1 else None
        commands = {**app_commands(), **prompt_commands(app.conversation.mcp)}
        self._entries = entries(commands, first=_part(type(below)) if below is not None else "")
        self._show("")

    @property
    def shown(self) -> list[Key]:
        """What is listed."""
        return [row.entry for row in self._list.rows if isinstance(row, KeyRow)]

    @property
    def _list(self) -> RowList[KeyRow | GroupRow]:
        return self.query_one("#list", RowList)

    @on(Input.Changed, "#words")
    def _typed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, words: str) -> None:
        wanted = words.lower().split()
        found = [one for one in self._entries if all(word in _written(one) for word in wanted)]
        rows: list[KeyRow | GroupRow] = []
        for one, before in zip(found, [None, *found], strict=False):
            if before is None or before.group != one.group:
                rows.append(GroupRow(group=one.group))
            rows.append(KeyRow(entry=one))
        self._list.show(rows, choose=found[0] if found else None)

    def action_step(self, by: int) -> None:
        """Go to the key above or below."""
        self._list.action_step(by)
        if isinstance(self._list.chosen, GroupRow):
            self._list.action_step(by if by > 0 or self._list.chosen is not self._list.rows[0] else 1)

    def action_page(self, by: int) -> None:
        """Go a page up or down."""
        self._list.action_page(by)

    def action_back(self) -> None:
        """Show all keys again; then go back."""
        field = self.query_one("#words", Input)
        if field.value:
            field.value = ""
        else:
            self.dismiss()


def entries(commands: Mapping[str, str], *, first: str = "") -> list[Key]:
    """Return every key of the app, its commands and some hints; the part of the app called *first* comes first."""
    found = [*_bound(), *_typing()]
    order = [first, *_TITLES.values(), _TYPING]
    order += [one.group for one in found if one.group not in order]
    found.sort(key=lambda one: order.index(one.group))
    found += [Key(group="commands", keys=f"/{name}", what=text) for name, text in commands.items()]
    found += [Key(group="good to know", keys=keys, what=text) for keys, text in _HINTS.items()]
    return list(dict.fromkeys(found))


def _bound() -> Iterator[Key]:
    """Yield what the app's own parts bind."""
    for kind in parts():
        yield from (_entry(binding, kind, _part(kind)) for binding in _described(kind.__dict__["BINDINGS"]))


def _typing() -> Iterator[Key]:
    """Yield what a field for text binds that the prompt does not bind otherwise."""
    from sojourn.tui.chat.prompt import Prompt  # noqa: PLC0415 - the chat imports what lists its keys

    own = {key for binding in _described(Prompt.BINDINGS) for key in binding.key.split(",")}
    for binding in _described(TextArea.BINDINGS):
        keys = [key for key in binding.key.split(",") if key.strip() not in own and not key.startswith("super")]
        if keys:
            yield Key(group=_TYPING, keys=", ".join(map(readable, keys)), what=binding.description.lower())


def parts() -> list[type[DOMNode]]:
    """Return everything of this app that binds keys: the app, its screens and their parts."""
    package = import_module("sojourn.tui")
    found: dict[type[DOMNode], None] = {}
    for module in pkgutil.walk_packages(package.__path__, "sojourn.tui."):
        for value in vars(import_module(module.name)).values():
            is_part = isinstance(value, type) and issubclass(value, DOMNode)
            if is_part and value.__module__.startswith("sojourn.tui.") and value.__dict__.get("BINDINGS"):
                found[value] = None
    return list(found)


def _described(bindings: Iterable[BindingType]) -> Iterator[Binding]:
    for binding in bindings:
        made = binding if isinstance(binding, Binding) else Binding(*binding)
        if made.description:
            yield made


def _entry(binding: Binding, kind: type[DOMNode], group: str) -> Key:
    keys = ", ".join(readable(key) for key in binding.key.split(","))
    return Key(group=group, keys=keys, what=binding.description, more=_more(binding.action, kind))


def _more(action: str, kind: type[DOMNode]) -> str:
    """Return what an action does: what is said of the screen that it shows, or of the method that is called."""
    name, _, argument = action.partition("(")
    if argument:
        return SCREENS.get(argument.strip("')\""), ("", "", ""))[2] if name == "show" else ""
    method = getattr(kind, f"action_{name}", None)
    if method is None or not method.__module__.startswith("sojourn."):
        return ""
    return (inspect.getdoc(method) or "").split("\n", maxsplit=1)[0]


def readable(key: str) -> str:
    """Return a key as it is written on keyboards: `ctrl+r`, `?`, `/`."""
    *held, last = key.strip().split("+")
    return "+".join([*held, _WRITTEN.get(last) or format_key(last)])


def _part(kind: type[DOMNode]) -> str:
    """Return how the part of the app is called that *kind* belongs to."""
    path = kind.__module__.removeprefix("sojourn.tui.").split(".")
    return next((_TITLES[name] for name in reversed(path) if name in _TITLES), path[0].replace("_", " "))


def _written(entry: Key) -> str:
    return f"{entry.group} {entry.keys} {entry.what} {entry.more}".lower()
