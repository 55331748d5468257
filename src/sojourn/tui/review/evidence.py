"""What a fact rests on: the messages behind it, with the words that count. Enter jumps to one."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.engine.why import Quote
from sojourn.model.events import Span
from sojourn.tui.review.grounds import Grounds

_AROUND: Final = 60
"""Characters that are shown before and after the words that count."""
_MOST: Final = 400
_OTHERS: Final = 3
_SPEAKERS: Final = {"user": "you", "assistant": "the assistant", "tool": "a tool", "system": "the instructions"}


class EvidencePane(Vertical):
    """The messages behind the fact that is chosen in the list."""

    DEFAULT_CSS = """
    EvidencePane { height: auto; max-height: 50%; border-top: solid $panel; display: none; }
    EvidencePane.open { display: block; }
    EvidencePane #about { max-height: 8; overflow-y: auto; height: auto; color: $text-muted; padding: 0 1; }
    EvidencePane OptionList { height: auto; max-height: 12; border: none; padding: 0 1; background: transparent; }
    EvidencePane OptionList:focus { border: none; background-tint: transparent; }
    EvidencePane OptionList > .option-list--option-highlighted { background: transparent; text-style: none; }
    EvidencePane OptionList:focus > .option-list--option-highlighted {
        background: $primary 30%; color: $text; text-style: reverse;
    }
    """

    class Jump(Message):
        """The person wants to see where something was said."""

        def __init__(self, session_id: str, seq: int) -> None:
            super().__init__()
            self.session_id = session_id
            self.seq = seq

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "screen.to_list", "back")]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self._grounds: Grounds | None = None
        self._about = Static("", id="about", markup=False)
        self._quotes = OptionList(id="quotes", markup=False)

    def compose(self) -> ComposeResult:
        yield self._about
        yield self._quotes

    @property
    def quotes(self) -> list[str]:
        """What is quoted, as it is shown."""
        return [quoted(quote, self._spans).plain for quote in self._shown]

    @property
    def _spans(self) -> Sequence[Span]:
        return self._grounds.fact.spans if self._grounds is not None else ()

    @property
    def _shown(self) -> Sequence[Quote]:
        return self._grounds.explained.quotes if self._grounds is not None else ()

    def show(self, grounds: Grounds | None) -> None:
        """Show what a fact rests on; None shows that nothing is chosen."""
        self._grounds = grounds
        self._quotes.clear_options()
        if grounds is None:
            self._about.update("nothing is chosen")
            return
        self._about.update("\n".join(map(safe, _about(grounds))))
        self._quotes.add_options([Option(quoted(quote, grounds.fact.spans)) for quote in self._shown])
        if self._shown:
            self._quotes.highlighted = 0

    def enter(self) -> None:
        """Let the person choose among the messages."""
        self._quotes.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._grounds is not None:
            self.post_message(self.Jump(self._grounds.session_id, self._shown[event.option_index].seq))


def quoted(quote: Quote, spans: Sequence[Span]) -> Text:
    """Return a message with the words that count marked in it."""
    text = Text(f"{quote.seq:>5}  {_SPEAKERS.get(quote.role, quote.role)}: “")
    counting = sorted((span.start, span.end) for span in spans if span.seq == quote.seq)
    for piece, counts in _pieces(quote.text, counting):
        text.append(safe(" ".join(piece.split(" ")).replace("\n", " ")), style="bold underline" if counts else "")
    return text.append("”")


def _pieces(text: str, counting: Sequence[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a message that are shown, and whether they count."""
    inside = [(start, end) for start, end in counting if 0 <= start < end <= len(text)]
    if not inside:
        yield one_line(text, most=_MOST), False
        return
    place = max(0, inside[0][0] - _AROUND)
    if place:
        yield "… ", False
    for start, end in inside[:5]:
        if start < place:
            continue
        yield text[place:start], False
        yield text[start:end][:_MOST], True
        place = end
    yield text[place : place + _AROUND], False
    if place + _AROUND < len(text):
        yield " …", False


def _about(grounds: Grounds) -> Iterator[str]:
    fact = grounds.fact
    if fact.slot:
        yield f"it answers {one_line(fact.slot)}" + (f" with {one_line(fact.value)}" if fact.value else "")
    if fact.verified:
        yield f"checked: {one_line(fact.verified)}"
    if fact.status == "retired":
        yield "it is kept, so that it is not learned again from what was said before"
    for one in grounds.others[:_OTHERS]:
        held = "instead it holds that" if one.status == "active" else "before or beside it"
        yield f"{held}: {one_line(one.content)}"
    if not grounds.explained.quotes:
        yield "no message says so: it was told by a program, or by you"
    else:
        yield "it rests on (enter jumps there):"
