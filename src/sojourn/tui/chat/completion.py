"""What can be put where the cursor is: commands after a slash, files and resources after an at sign.

A file is put in as its path, as the model's tools take it. A resource of a server keeps its at sign: the agent pulls
it in when the message is sent.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from rich.text import Text
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from sojourn.desk.columns import fit, pad, width
from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.tui.chat.files import ranked

if TYPE_CHECKING:  # few have servers of tools
    from sojourn.agent.mcp.servers import Mcp

MOST_SHOWN: Final = 50
_COMMAND: Final = re.compile(r"/(?P<typed>[\w.:-]*)")
_MENTION: Final = re.compile(r"(?<![^\s(\[\"'`])@(?P<typed>[^\s@\"'`]*)$")
_NAME: Final = 34
"""Columns of a name; what it is stands behind it."""

Kind = Literal["command", "mention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What is to be completed: *text* stands in the cursor's line from column *start* up to the cursor."""

    kind: Kind
    text: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that can be put in: *insert* takes the place of what was typed, *name* and *about* are shown."""

    insert: str
    name: str
    about: str = ""


def typed_at(line: str, *, row: int, column: int) -> Typed | None:
    """Return what is to be completed at *column* of a *line*; None if nothing is."""
    before = line[:column]
    command = _COMMAND.fullmatch(before) if row == 0 else None
    if command is not None:
        return Typed(kind="command", text=command["typed"], start=0)
    mention = _MENTION.search(before)
    if mention is not None:
        return Typed(kind="mention", text=mention["typed"], start=mention.start())
    return None


def commands_for(typed: str, offered: Mapping[str, str]) -> list[Candidate]:
    """Return the commands that begin with what was typed, then those that hold it."""
    wanted = typed.lower()
    fitting = [name for name in offered if wanted in name.lower()]
    fitting.sort(key=lambda name: not name.lower().startswith(wanted))
    return [Candidate(insert=f"/{name} ", name=f"/{name}", about=offered[name]) for name in fitting[:MOST_SHOWN]]


def mentions_for(typed: str, paths: Sequence[str], mcp: "Mcp | None") -> list[Candidate]:
    """Return the resources and the files that fit what was typed, the resources first."""
    wanted = typed.lower()
    resources = [
        Candidate(insert=f"@{server}:{resource.uri} ", name=f"@{resource.name or resource.uri}", about=server)
        for server, resource in (mcp.resources if mcp is not None else ())
        if not resource.is_template and " " not in resource.uri and wanted in f"{resource.name} {resource.uri}".lower()
    ]
    files = [Candidate(insert=f"{written(path)} ", name=path) for path in ranked(paths, typed, most=MOST_SHOWN)]
    return [*resources, *files][:MOST_SHOWN]


def written(path: str) -> str:
    """Return a path as it stands in a message: between backticks if it has spaces."""
    return f"`{path}`" if " " in path else path


class Completion(OptionList, can_focus=False):
    """The candidates, above the prompt. It is shown while there are any; the keys are the prompt's."""

    DEFAULT_CSS: ClassVar[str] = """
    Completion {
        display: none; height: auto; max-height: 9; border: none; padding: 0 1; margin: 0 1;
        background: $panel; scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    Completion > .option-list--option-highlighted { text-style: bold; }
    """

    class Chosen(Message):
        """A candidate was chosen with the mouse."""

        def __init__(self, candidate: Candidate) -> None:
            super().__init__()
            self.candidate = candidate

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id, markup=False)
        self._candidates: tuple[Candidate, ...] = ()
        self._signed: int | None = None

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What is offered."""
        return self._candidates

    @property
    def is_open(self) -> bool:
        """Whether anything is offered."""
        return bool(self._candidates)

    @property
    def chosen(self) -> Candidate | None:
        """What would be put in."""
        place = self.highlighted
        return self._candidates[place] if place is not None and place < len(self._candidates) else None

    def offer(self, candidates: Sequence[Candidate]) -> None:
        """Show *candidates*, the first one chosen; nothing, if there are none."""
        if tuple(candidates) == self._candidates:
            return
        self._candidates = tuple(candidates)
        self._signed = None
        self.clear_options()
        self.add_options([Option(_row(one)) for one in candidates])
        self.display = bool(candidates)
        if candidates:
            self.highlighted = 0

    def close(self) -> None:
        """Offer nothing."""
        self.offer(())

    def step(self, by: int) -> None:
        """Choose another one; behind the last comes the first."""
        place = self.highlighted or 0
        self.highlighted = (place + by) % len(self._candidates)

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Set a sign before the chosen one, for who sees no colours."""
        super().watch_highlighted(highlighted)
        before, self._signed = self._signed, highlighted
        for place in (before, highlighted):
            if place is not None and place < self.option_count:
                row = _row(self._candidates[place], chosen=place == highlighted)
                self.replace_option_prompt_at_index(place, row)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Chosen(self._candidates[event.option_index]))


def _row(candidate: Candidate, *, chosen: bool = False) -> Text:
    name = safe(candidate.name)
    row = Text("❯ " if chosen else "  ", no_wrap=True, overflow="ellipsis")
    if not candidate.about:
        return row.append(name)
    row.append(pad(fit(name, _NAME), min(_NAME, max(14, width(name)))) + "  ")
    return row.append(one_line(safe(candidate.about)), style="dim")
