"""Hides what the writer of a message did not say: code, logs, data, quotations, forwarded mail, texts to work on.

What is hidden is overwritten in place, so every offset stays that of the original text. Works line by line, one pass.
"""

import re
from collections.abc import Iterable
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words as word_set

MAX_PROSE: Final = 20_000
_MAX_SCANNED: Final = 200_000
HIDDEN: Final = "\ufffc"

_FENCE: Final = re.compile(r"\s{0,8}(```|~~~)")
_INLINE: Final = re.compile(r"(`+)[^`\n]{1,400}\1")
_QUOTED: Final = re.compile(r'"[^"\n]{2,2000}"|“[^”\n]{2,2000}”|«[^»\n]{2,2000}»')
_IN_APOSTROPHES: Final = re.compile(r"(?<!\w)['‘](?=\S)(?:[^'’\n]|(?<=\w)['’](?=\w)){2,2000}?(?<=\S)['’](?!\w)")
_MACHINE: Final = re.compile(
    r"""\s{0,12}(?:
        \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d[.,\]\s]
      | \[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL)\b[\]:\s]
      | Traceback\ \( | File\ "[^"\n]*",\ line\ \d | at\ [\w.$<>]+\( | Caused\ by: | \.\.\.\ \d+\ more
      | (?:[\w.]+\.)?\w*(?:Error|Exception)\b:?\s
      | diff\ --git | index\ [0-9a-f]{7} | @@\ | \+\+\+\ | ---\ [ab/]
      | [{}\[\]]\s*,?\s*$ | "[\w .-]+"\s*: | <\/?\w[^>\n]{0,80}> | \$\s\w | >>>\s | \#include
      | import\s+[\w.]+\s*;?$ | from\s\S+\simport\s
      | (?:def|class|function|const|let|var|public|private|return)\s[\w<>\s]{1,60}[=({;:] | SELECT\s
    )""",
    re.VERBOSE,
)  # fmt: skip
_SETTING: Final = re.compile(r"\s{0,12}(?:- )?[\w.-]{1,40}\s?[:=]\s?\S")
_TALKS: Final = re.compile(r"\b(?:i|i'm|my|me)\b", re.IGNORECASE)
_FORWARDED: Final = re.compile(
    r"\s{0,4}(?:-{2,}\s?(?:original|forwarded) message|begin forwarded message|from:\s.{1,200}@|on .{4,80} wrote:)",
    re.IGNORECASE,
)
_HANDED_OVER: Final = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!['’]ve )\b(?!corrections?\b|fixed\b|checked\b)"
    r"(?:translat|rewrit|rewrite|rephras|paraphras|summari[sz]|proofread|correct|edit|improv|analy[sz]|review|convert|classif"
    r"|extract|continu|fix|check|explain|critique|shorten|simplif|polish|format|transcri)\w{0,5}\b[^.!?\n:]{0,120}:(?=\s)"
    r"|\b(?:here(?:'s| is| are)|below is|this is|see|read)\s(?:the|my|our|a|an|his|her|their|some)\s[^.!?\n:]{0,60}"
    r"\b(?:text|e-?mail|article|essay|letter|story|poem|transcript|passage|paragraph|draft|message|post|script|chapter|lyrics|bio"
    r"|quote|excerpt|dialogue|conversation|statement|review|abstract|speech|log|output|error)\b[^.!?\n:]{0,60}:(?=\s)"
    r"|\bthe following\b[^.!?\n:]{0,80}:(?=\s)|\b(?:text|article|passage|transcript|prompt|lyrics|excerpt)\s?:(?=\s)",
    re.IGNORECASE,
)
_SYMBOLS: Final = frozenset("{}[]()<>=;|\\/_#$%^&*+~@")
_FIRST_PERSON: Final = word_set("i i'm im my me we our i've mine")


def masked(text: str, injected: Iterable[tuple[int, int]]) -> str:
    """Return the beginning of *text* with what its writer did not say overwritten."""
    text = text[:_MAX_SCANNED]
    ranges = [(max(0, start), min(len(text), end)) for start, end in injected if start < end]
    if ranges:
        text = _blanked(text, ranges)
    if _is_binary(text):
        return ""
    if "\n" in text or len(text) > 600 or text[:1] in "{[<>$ \t" or "`" in text:
        text = _without_blocks(text)
        if "`" in text:
            text = _INLINE.sub(_hidden, text)
    else:
        text = _blanked(text, [(0, len(text))]) if _is_machine_made(text) else text
    if '"' in text or "“" in text or "«" in text:
        text = _QUOTED.sub(_quotation, text)
    if text.count("'") + text.count("’") > 1:
        text = _IN_APOSTROPHES.sub(_quotation, text)
    if ":" in text:
        handed = _HANDED_OVER.search(text)
        if handed and len(text) - handed.end() > 20:
            text = _blanked(text, [(handed.end(), len(text))])
    return _limited(text)


def _hidden(match: "re.Match[str]") -> str:
    return HIDDEN * (match.end() - match.start())


def _quotation(match: "re.Match[str]") -> str:
    """Hide a quotation, but keep a title or a nickname: those are short and speak of nobody."""
    words = match.group().lower().replace("’", "'").strip("\"'“”«»‘").split()
    if len(words) <= 5 and not _FIRST_PERSON.intersection(words):
        return match.group()
    return _hidden(match)


def _blanked(text: str, ranges: list[tuple[int, int]]) -> str:
    pieces = []
    place = 0
    for start, end in sorted(ranges):
        if end <= place:
            continue
        begin = max(start, place)
        pieces += [text[place:begin], "\n" * (end - begin)]
        place = end
    return "".join([*pieces, text[place:]])


def _is_binary(text: str) -> bool:
    head = text[:1000]
    strange = sum(
        1 for character in head if character in "\x00\ufffd" or (character < " " and character not in "\t\r\n")
    )
    return strange * 20 > len(head)


def _is_machine_made(line: str) -> bool:
    """Tell whether a line was written by or for a machine."""
    if _MACHINE.match(line):
        return True
    if len(line) < 12:
        return False
    symbols = sum(1 for character in line if character in _SYMBOLS)
    return symbols * 100 > 14 * len(line)


def _without_blocks(text: str) -> str:
    """Blank out the lines that are not prose."""
    ranges: list[tuple[int, int]] = []
    settings: list[tuple[int, int]] = []
    fenced = diffed = False
    place = prose = 0
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        bare = line.strip()
        if _FENCE.match(line):
            fenced = not fenced if bare.count(bare[:3]) % 2 else fenced
            ranges.append((start, place))
            continue
        if not bare:
            diffed = False
        elif _FORWARDED.match(line):
            ranges.append((start, len(text)))
            break
        elif bare.startswith(("diff --git", "@@ ")):
            diffed = True
        hides = fenced or bare.startswith((">", "&gt;")) or (diffed and line[0] in "+- ") or _is_machine_made(line)
        if hides:
            ranges.append((start, place))
        if bare and _SETTING.match(line) and not _TALKS.search(line):
            settings.append((start, place))
        elif bare:
            ranges += settings if len(settings) > 2 else []
            settings = []
        prose += 0 if hides else len(line)
        if prose > 2 * MAX_PROSE:
            break
    ranges += settings if len(settings) > 2 else []
    return _blanked(text, ranges)


def _limited(text: str) -> str:
    """Cut *text* after `MAX_PROSE` characters that are not hidden."""
    if len(text) <= MAX_PROSE:
        return text
    left = MAX_PROSE
    place = 0
    for line in text.splitlines(keepends=True):
        shown = len(line) if line != "\n" else 0
        if shown > left:
            return text[: place + left]
        left -= shown
        place += len(line)
    return text
