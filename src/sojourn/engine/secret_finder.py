"""Finds secrets in the stored JSON of an event, and writes it without them.

Names, ids and other words that the journal itself needs are left alone; whatever somebody said, named or handed to a
tool is looked at, each text with the name that it stands under.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.secrets import find_secrets

PATTERN: Final = "pattern"
"""The kind of what somebody's own pattern finds."""
_STRUCTURE: Final = frozenset({
    "kind", "role", "type", "status", "scope", "outcome", "id", "tool_call_id", "call_id", "fact_id", "fact_ids",
    "research_id", "interrupt_id", "task_id", "turn_id", "session_id", "forked_from", "parent", "by", "branch",
    "media_type", "model", "insight", "interrupt", "strategy", "purpose", "source", "was", "project",
    "user_id", "superseded_by", "expires_at", "valid_from", "valid_to", "referenced_at", "started_at", "completed_at",
    "about", "slot", "created_by", "depends_on", "spawned_from", "step_id", "request_id",
})  # fmt: skip
"""Fields that the journal needs as they are: in them, only what is a secret by its form is one."""
_FREE: Final = frozenset({
    "arguments", "metadata", "raw", "data", "value", "fields", "context", "details", "response", "complexity",
    "evaluation",
})  # fmt: skip
"""Fields that hold what others made up: in them, every text is looked at."""
_SEALED: Final = frozenset({"signature"})
_SEALED_MEDIA: Final = frozenset({"signature", "data"})
"""Fields that are what they are to the letter, or nothing."""
_TELLING: Final = re.compile("pass|pwd|key|token|secret|auth", re.IGNORECASE)
"""What the name of a field holds, if it tells that its value is a secret."""
_MARK: Final = re.compile(r"\[redacted:[a-z_]+\]")
_LEAST: Final = 8
"""Letters that a secret must have to be looked for without what gave it away: a shorter one may be any word."""
_MOST: Final = 2000
_HINTED: Final = 12
_HINT: Final = 4
_TIMES: Final = 5


class Spotted(NamedTuple):
    """A secret in an entry: its kind, and its first letters, if it has many."""

    kind: str
    hint: str


class _Seen(NamedTuple):
    """What was found in an entry: kinds and secrets. The first time, only those known by their form are looked for."""

    spots: list[tuple[str, str]]
    is_first: bool


class _Spot(NamedTuple):
    start: int
    end: int
    kind: str


def compile_patterns(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Return what somebody typed as patterns.

    Raises:
        InvalidInputError: one is no regular expression, or matches where there is nothing.
    """
    compiled = []
    for pattern in patterns:
        try:
            one = re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise InvalidInputError(f"{pattern!r:.80} is no regular expression: {error}") from error
        if one.search("") is not None:
            raise InvalidInputError(f"{pattern!r:.80} matches nothing at all, and so everywhere; say what it must hold")
        compiled.append(one)
    return tuple(compiled)


class SecretFinder:
    """Knows what secrets look like, and those that it has met. Lives for one scrub."""

    def __init__(self, patterns: Sequence[re.Pattern[str]] = ()) -> None:
        """Look for *patterns*, too. Of a pattern with a group, the first group is the secret."""
        self._patterns = patterns
        self._met: dict[str, str] = {}
        self._again: re.Pattern[str] | None = None

    def learn(self, payload: str) -> None:
        """Remember the secrets in an event, to know them again."""
        seen = _Seen([], is_first=True)
        self._walk(_decoded(payload), free=False, seen=seen)
        for kind, secret in seen.spots:
            self._meet(secret, kind)

    def clean(self, payload: str, changed: set[Seq]) -> tuple[str, list[Spotted]]:
        """Return an event's stored text without secrets, and which there were; one without any is as it was.

        What was quoted from a *changed* message is not quoted any more: its letters stand elsewhere now.
        """
        value = _decoded(payload)
        seen = _Seen([], is_first=False)
        clean = self._walk(value, free=False, seen=seen)
        spans = value.get("spans")
        if isinstance(spans, list):
            kept = [span for span in spans if not (isinstance(span, dict) and span.get("seq") in changed)]
            clean = {**clean, "spans": kept}
        return (payload if clean == value else msgspec.json.encode(clean).decode()), [
            Spotted(kind, _hint(secret)) for kind, secret in seen.spots
        ]

    def text(self, text: str) -> str:
        """Return any text without secrets, those that were met among them."""
        return self._text(text, "", _Seen([], is_first=False), needed=False)

    def _walk(self, value: Any, *, free: bool, seen: "_Seen", name: str = "") -> Any:
        """Return a value without secrets; within what others made up, which is *free*, no field is the journal's."""
        match value:
            case str():
                return self._text(value, name, seen, needed=not free and name in _STRUCTURE)
            case list():
                return [self._walk(one, free=free, seen=seen, name=name) for one in value]
            case dict():
                sealed = _SEALED if free or value.get("type") != "media" else _SEALED_MEDIA
                return {
                    key: item if key in sealed else self._walk(item, free=free or key in _FREE, seen=seen, name=key)
                    for key, item in value.items()
                }
            case _:
                return value

    def _text(self, text: str, name: str, seen: "_Seen", *, needed: bool) -> str:
        for _ in range(_TIMES):  # what is left may be a secret only now
            spots = self._spots(text, name, by_form_only=needed or seen.is_first)
            for spot in spots:
                seen.spots.append((spot.kind, text[spot.start : spot.end]))
            if not spots or seen.is_first:
                break
            pieces, at = [], 0
            for spot in spots:
                pieces += [text[at : spot.start], f"[redacted:{spot.kind}]"]
                at = spot.end
            text = "".join((*pieces, text[at:]))
        return text

    def _spots(self, text: str, name: str, *, by_form_only: bool) -> list[_Spot]:
        """Return where secrets stand, in order; of two that overlap, the first is the kind of both."""
        found = [_Spot(start, end, kind) for kind, start, end in find_secrets(text)]
        if _TELLING.search(name) and '"' not in text and "\n" not in text:
            opening = f'{name}="'
            found += [
                _Spot(start - len(opening), end - len(opening), kind)
                for kind, start, end in find_secrets(f'{opening}{text}"')
                if start >= len(opening) and end <= len(opening) + len(text)
            ]
        if not by_form_only:
            found += [*self._by_pattern(text), *self._met_again(text)]
        apart: list[_Spot] = []
        for spot in sorted(found, key=lambda one: (one.start, -one.end)):
            if apart and spot.start < apart[-1].end:
                apart[-1] = apart[-1]._replace(end=max(apart[-1].end, spot.end))
            else:
                apart.append(spot)
        return apart

    def _by_pattern(self, text: str) -> Iterator[_Spot]:
        marks = [match.span() for match in _MARK.finditer(text)]
        for pattern in self._patterns:
            group = 1 if pattern.groups else 0
            for match in pattern.finditer(text):
                start, end = match.span(group)
                if start < end and not any(first < end and start < last for first, last in marks):
                    yield _Spot(start, end, PATTERN)

    def _meet(self, secret: str, kind: str) -> None:
        if len(secret) >= _LEAST and len(self._met) < _MOST and secret not in self._met:
            self._met[secret] = kind
            self._again = None

    def _met_again(self, text: str) -> list[_Spot]:
        if not self._met:
            return []
        if self._again is None:
            longest_first = sorted(self._met, key=len, reverse=True)
            self._again = re.compile("|".join(map(re.escape, longest_first)))
        return [_Spot(*match.span(), self._met[match.group()]) for match in self._again.finditer(text)]


def _decoded(payload: str) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(payload)
    return value


def _hint(secret: str) -> str:
    return f"{secret[:_HINT]}…" if len(secret) >= _HINTED else "…"
