"""Operations that look: by words, by parts of words, by number, by place, and for facts."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, get_args

import msgspec

from sojourn.memory.index.document import Document, DocumentKind, FactRow, Found, Stored, Where
from sojourn.memory.index.parts import grams_of_part, holds_part, words_of
from sojourn.memory.index.postgres_statements import key_bytes, plan, run, scope_params
from sojourn.model.events import FactScope
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.model.knowledge import Fact
from sojourn.store.rows import moment
from sojourn.store.sql.statement import Operation

MAX_WORDS: Final = 256
"""So many different words of a question are looked at, the first ones; the rarest of them decide."""
DECIDING: Final = 64
COMMON: Final = 0.75
"""A word that this share of all documents holds brings none of them, if rarer words do."""
FEW: Final = 20
"""In so few documents no word is common."""
COUNTED: Final = 10_000
"""A word is counted up to here."""
CANDIDATES: Final = 10_000
"""Rare words bring about so many documents to be scored; if already the rarest brings more, so many of its own are."""
_SURVEYED: Final = 5_000  # in a larger index, statistics tell how common a common word is
_LONGEST_PHRASE: Final = 64
_KINDS: Final[dict[str, DocumentKind]] = {kind: kind for kind in get_args(DocumentKind)}


class Size(NamedTuple):
    """How many documents there are, and how many words the average one has."""

    documents: int
    average: float


class Weighed(NamedTuple):
    """A word as a query, and in how many documents it stands (about)."""

    place: int
    query: str
    held: int


# --- by words


def match(tenant: TenantId, words: Sequence[str], where: Where, limit: int) -> Operation[list[Found]]:
    """Return the documents that hold most of the weight of *words*."""
    size = yield from _size(tenant)
    weighed = yield from _weigh(tenant, list(dict.fromkeys(words)), size)
    deciding = _deciding(weighed, size)
    if not deciding:
        return []
    # A stretch of a session is small, whatever words are asked for.
    driving = deciding if where.parts is not None else _driving(deciding)
    params = {
        **scope_params(tenant, where),
        "queries": [one.query for one in deciding],
        "weights": [_weight(one.held, size) for one in deciding],
        "any": " | ".join(f"({one.query})" for one in driving),
        "average": size.average,
        "most": CANDIDATES * 2,
        "limit": limit,
    }
    rows = yield plan("match", params)
    return [Found(number=number, score=score) for number, score in rows]


def frequencies(tenant: TenantId, words: Sequence[str]) -> Operation[tuple[int, list[int]]]:
    """Return how many documents there are, and in how many each word stands."""
    size = yield from _size(tenant)
    counts: dict[int, int] = {}
    for start in range(0, len(words), MAX_WORDS):
        weighed = yield from _weigh(tenant, words[start : start + MAX_WORDS], size)
        counts.update((start + one.place, one.held) for one in weighed)
    return size.documents, [counts.get(place, 0) for place in range(len(words))]


def _size(tenant: TenantId) -> Operation[Size]:
    ((documents, length),) = yield run("sum_documents", tenant=tenant)
    return Size(documents, max(length / documents, 1.0) if documents else 1.0)


def _weigh(tenant: TenantId, words: Sequence[str], size: Size) -> Operation[list[Weighed]]:
    """Count the documents of each word; what is no word is left out."""
    asked = [(place, _query(word), word.endswith("*")) for place, word in enumerate(words[:MAX_WORDS])]
    asked = [one for one in asked if one[1]]
    if not asked:
        return []
    params = {
        "tenant": tenant,
        "words": [query for _, query, _ in asked],
        "prefixes": [prefix for _, _, prefix in asked],
        "total": size.documents,
        "few": _SURVEYED,
        "most": COUNTED,
    }
    rows = yield plan("weigh_words", params)
    return [Weighed(asked[place - 1][0], query, count) for place, query, count in rows]


def _query(word: str) -> str:
    """Return *word* as `to_tsquery` reads it: its tokens, one after the other. Tokens hold no operators."""
    tokens = words_of(word)[:_LONGEST_PHRASE]
    return " <-> ".join(tokens) + (":*" if tokens and word.endswith("*") else "")


def _deciding(weighed: Iterable[Weighed], size: Size) -> list[Weighed]:
    """Return the words that decide, the rarest first."""
    found = sorted({one.query: one for one in weighed if one.held}.values(), key=lambda one: one.held)
    if size.documents >= FEW:
        found = [one for one in found if one.held <= COMMON * size.documents] or found
    return found[:DECIDING]


def _driving(deciding: list[Weighed]) -> list[Weighed]:
    """Return the rarest words that together bring not too many documents, at least one."""
    total = 0
    for place, one in enumerate(deciding):
        total += one.held
        if total > CANDIDATES:
            return deciding[: max(place, 1)]
    return deciding


def _weight(count: int, size: Size) -> float:
    """Return how much a word counts that so many documents hold."""
    held = min(count, size.documents)
    return math.log(1 + (size.documents - held + 0.5) / (held + 0.5))


# --- by parts of words


def match_parts(tenant: TenantId, parts: Sequence[str], where: Where, limit: int) -> Operation[list[Found]]:
    """Return the documents that hold *parts* in what is not written in words."""
    asked = [(part, " ".join(grams_of_part(part))) for part in dict.fromkeys(parts[:MAX_WORDS])]
    asked = sorted((one for one in asked if one[1]), key=lambda one: -len(one[1]))[:DECIDING]
    if not asked:
        return []
    size = yield from _size(tenant)
    grams = [each for _, each in asked]
    counts = yield plan("weigh_parts", {"tenant": tenant, "grams": grams, "most": COUNTED})
    params = {
        **scope_params(tenant, where),
        "grams": grams,
        "weights": [2.2 * _weight(count, size) for (count,) in counts],
        "average": size.average,
        "limit": limit * 2,  # some hold the grams, and not the part
    }
    rows = yield plan("match_parts", params)
    found = (
        Found(number=number, score=score)
        for number, score, text in rows
        if any(holds_part(text, part) for part, _ in asked)
    )
    return list(found)[:limit]


# --- by number, by place


def documents(tenant: TenantId, numbers: Sequence[int]) -> Operation[list[Stored]]:
    """Return the documents with these numbers, in their order."""
    rows = yield run("select_documents", tenant=tenant, numbers=list(numbers))
    return [_stored(row) for row in rows]


def around(tenant: TenantId, numbers: Sequence[int], *, before: int, after: int) -> Operation[dict[int, list[Stored]]]:
    """Return the neighbours of these messages, by place; a number that is no message has none."""
    found: dict[int, list[Stored]] = {number: [] for number in numbers}
    rows = yield run(
        "select_neighbours", tenant=tenant, numbers=list(found), before=max(before, 0), after=max(after, 0)
    )
    for number, *row in rows:
        found[number].append(_stored(row))
    return found


def _stored(row: Sequence[Any]) -> Stored:
    number, session_id, seq, kind, role, speaker, place, fact_id, at, text = row
    document = Document(
        session_id=SessionId(session_id),
        seq=Seq(seq),
        kind=_KINDS[kind],
        text=text,
        at=moment(at),
        role=role,
        speaker=speaker,
        place=place,
        fact_id=None if fact_id is None else fact_id.decode("utf-8", "surrogatepass"),
    )
    return Stored(number=number, document=document)


# --- facts


def find_fact(tenant: TenantId, session_id: SessionId, fact_id: str) -> Operation[FactRow | None]:
    """Return a fact of a session as it stands."""
    rows = yield run("select_fact", tenant=tenant, session_id=session_id, fact_id=key_bytes(fact_id))
    return _fact_row(rows[0]) if rows else None


def facts(
    tenant: TenantId,
    *,
    session_id: SessionId | None,
    user_id: str | None,
    project: str | None,
    scopes: Sequence[FactScope],
    slot: str | None,
    fact_id: str | None,
    min_confidence: float,
    limit: int,
) -> Operation[list[FactRow]]:
    """Return the facts that meet every condition that is given, last changed first."""
    params = {
        "tenant": tenant,
        "session_id": session_id,
        "user_id": user_id,
        "project": project,
        "scopes": list(scopes) or None,
        "slot": None if slot is None else key_bytes(slot),
        "fact_id": None if fact_id is None else key_bytes(fact_id),
        "min_confidence": min_confidence,
        "limit": max(limit, 0),
    }
    return [_fact_row(row) for row in (yield plan("select_facts", params))]


def _fact_row(row: Sequence[Any]) -> FactRow:
    session_id, user_id, project, fact = row
    return FactRow(
        session_id=SessionId(session_id), user_id=user_id, project=project, fact=msgspec.json.decode(fact, type=Fact)
    )
