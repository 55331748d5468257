"""What a tool returned, read as `name: value` lines: candidates only, for a tool or a web page may say anything."""

import re
from typing import Final

from sojourn.memory.extraction.rules.secrets import looks_secret, names_secret
from sojourn.memory.extraction.rules.technical_nouns import is_concrete
from sojourn.memory.extraction.statement import FactStatement, Heard
from sojourn.memory.facts.slots import slot_name
from sojourn.model.events import Span

MAX_READ: Final = 8_000
MAX_FACTS: Final = 12
CANDIDATE: Final = 0.6

_LINE: Final = re.compile(
    r"^[ \t]{0,8}(?:[-*] )?[\"']?(?P<name>[A-Za-z][\w.-]*(?: [\w.-]+){0,3})[\"']?[ \t]*(?:=|:(?=\s))[ \t]*"
    r"(?P<value>\S[^\n]{0,100}?),?[ \t]*$",
    re.MULTILINE,
)
_NOISE: Final = re.compile(
    r"(?:error|warning|warn|info|debug|trace|note|file|line|at|time|timestamp|date|exit code|stdout|stderr|output"
    r"|result|status"
    r"|ok|usage|example|title|description|summary|content|text|message|body|http|https)$",
    re.IGNORECASE,
)


def tool_facts(heard: Heard) -> list[FactStatement]:
    """Return the settings that the result lists, as candidates."""
    text = heard.text[:MAX_READ]
    found: list[FactStatement] = []
    for match in _LINE.finditer(text):
        name, value = match["name"], match["value"].strip("\"'`")
        if len(found) == MAX_FACTS:
            break
        if any(start < match.end() and match.start() < end for start, end in heard.injected):
            continue
        if _NOISE.search(name) or not value or len(value.split()) > 6 or not is_concrete(value):
            continue
        if value[0] in "{[(<" or looks_secret(value) or names_secret(name):
            continue
        found.append(
            FactStatement(
                content=f"{name} is {value}.",
                slot=slot_name("project", name),
                value=value,
                confidence=CANDIDATE,
                trust="external",
                evidence=(Span(seq=heard.seq, start=match.start("name"), end=match.end("value")),),
            )
        )
    return found
