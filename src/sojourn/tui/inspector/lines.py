"""How an account is written: as rows of a list, as a head above them, as Markdown, and the whole of one piece."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from sojourn.desk.columns import fit, pad
from sojourn.desk.figures import amount, gauge, percent
from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.tui.inspector.account import LEFT_OUT, Account, Part, Piece

_NUMBERS: Final = 7
"""Columns of a number of tokens."""
_SHARE: Final = 5
_CACHED: Final = 9
_WIDE: Final = 76
"""Columns from which on reasons stand beside the numbers."""
_ROOMY: Final = 50
"""Columns from which on it is told what was sent before."""
_LEAST: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """A part, in one line; with *is_open* its pieces stand below it."""

    part: Part
    allowed: int
    is_open: bool
    height: int = 1

    @property
    def key(self) -> Hashable:
        return self.part.name

    def draw(self, columns: int) -> Sequence[Text]:
        part = self.part
        name = f"{'▾' if self.is_open else '▸'} {part.sign} {safe(part.title)}"
        why = part.why + (f" · {part.remedy}" if part.remedy else "")
        if part.name == LEFT_OUT:
            return [_line(columns, name, part.tokens, why=why, style="bold")]
        share = percent(part.tokens, self.allowed)
        return [_line(columns, name, part.tokens, share=share, cached=part.cached, why=why, style="bold")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceRow:
    """A piece of a part, in one line."""

    part: Part
    piece: Piece
    place: int
    height: int = 1

    @property
    def key(self) -> Hashable:
        return self.part.name, self.piece.seqs or self.place, self.piece.title

    def draw(self, columns: int) -> Sequence[Text]:
        piece = self.piece
        why = piece.why + (f" · takes {amount(piece.tokens)}: {piece.remedy}" if piece.remedy else "")
        return [_line(columns, f"    {safe(piece.title)}", piece.tokens, why=why)]


InspectorRow = PartRow | PieceRow


def rows_of(account: Account, opened: Collection[str], *, wanted: str = "") -> list[InspectorRow]:
    """Return the rows of *account*. With *wanted*, only the pieces that hold it are shown, and their parts are open."""
    low = wanted.lower()
    rows: list[InspectorRow] = []
    for part in (*account.parts, *((account.left_out,) if account.left_out is not None else ())):
        pieces = [
            (place, one) for place, one in enumerate(part.pieces) if low in one.text.lower() or low in one.why.lower()
        ]
        if low and not pieces and low not in part.name:
            continue
        is_open = bool(low and pieces) or part.name in opened
        rows.append(PartRow(part=part, allowed=account.allowed, is_open=is_open))
        if is_open:
            rows += [PieceRow(part=part, piece=one, place=place) for place, one in pieces]
    return rows


def headings(columns: int) -> Text:
    """Return what stands above the columns of the rows."""
    line = _line(columns, "    part", None, share="%", cached="cached", why="why it is here")
    line.stylize("dim")
    return line


def _line(
    columns: int,
    name: str,
    tokens: int | None,
    *,
    share: str = "",
    cached: str = "",
    why: str = "",
    style: str = "",
) -> Text:
    cached_columns = _CACHED if columns >= _ROOMY else 0
    beside = _NUMBERS + _SHARE + cached_columns
    room = columns - beside
    named = max(_LEAST, min(columns * 9 // 20, 80) if columns >= _WIDE else room)
    number = "tokens" if tokens is None else amount(tokens)
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(pad(fit(name, named), named), style=style)
    line.append(f"{number:>{_NUMBERS}}{share:>{_SHARE}}")
    if cached_columns:
        line.append(f"  {cached:<{_CACHED - 2}}")
    if columns >= _WIDE:
        line.append(fit(safe(why), max(1, columns - named - beside)), style="dim")
    return line


def head_of(account: Account, columns: int, *, reported: str = "", pretended: str = "") -> Text:
    """Return what everything costs, in words and as a bar."""
    sign = "~" if account.certainty == "estimated" else ""
    allowed = account.allowed
    said = f"{sign}{amount(account.tokens)} of {amount(allowed)} tokens ({percent(account.tokens, allowed)})"
    window = f"window {amount(account.window)}" if account.window else "window not known"
    how = {"estimated": "estimated", "exact": "counted", "reported": "reported"}[account.certainty]
    model = f"{one_line(account.model, most=40)}{' (pretended)' if pretended else ''}"
    facts = [model, said, how, window, f"compacts at {amount(account.compacts_at)}", reported]
    text = Text()
    text.append(safe(" · ".join(fact for fact in facts if fact)))
    asked = one_line(account.question, most=max(20, columns - 8))
    text.append(safe(f"\nfor: {asked}" if asked else "\nfor: whatever is said next (a asks something)"), style="dim")
    bar = gauge([(part.sign, part.tokens) for part in account.parts], allowed, max(10, columns))
    place = min(len(bar) - 1, len(bar) * account.compacts_at // max(1, allowed))
    text.append(f"\n{bar[:place]}│{bar[place + 1 :]}")
    return text


def detail_of(part: Part, piece: Piece | None) -> str:
    """Return all that a part or a piece says."""
    if piece is None:
        about = f"{part.title} · {part.tokens:,} tokens · {part.why}"
        rest = part.pieces[0].text if len(part.pieces) == 1 else "enter shows its pieces, the biggest first"
        return safe("\n".join(filter(None, (about, part.remedy))) + f"\n\n{rest}")
    about = f"{part.name} · {piece.tokens:,} tokens · {piece.why}{_places(piece)}"
    remedy = f"takes {amount(piece.tokens)}: {piece.remedy}" if piece.remedy else ""
    return safe("\n".join(filter(None, (about, remedy))) + f"\n\n{piece.text}")


def markdown_of(account: Account) -> str:
    """Return the whole of *account* for another program: a table, then what every part says."""
    lines = [
        f"# Context for {account.model}: {account.tokens:,} of {account.allowed:,} tokens",
        "",
        "| part | tokens | sent before | why |",
        "|---|---:|---|---|",
    ]
    lines += [f"| {part.title} | {part.tokens:,} | {part.cached} | {_cell(part.why)} |" for part in account.parts]
    for part in account.parts:
        lines += ["", f"## {part.name}", ""]
        lines += _fenced(piece.text for piece in part.pieces)
    if account.left_out is not None:
        lines += ["", "## left out", ""]
        lines += [f"- {piece.tokens:,}: {piece.title} ({piece.why})" for piece in account.left_out.pieces]
    return "\n".join(lines) + "\n"


def _fenced(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        fence = "```"
        while fence in text:
            fence += "`"
        yield from (fence, text, fence, "")


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def _places(piece: Piece) -> str:
    return f" · from entry {', '.join(map(str, piece.seqs[:5]))}" if piece.seqs else ""
