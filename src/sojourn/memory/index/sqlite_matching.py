"""Documents by their words and by parts of words, through FTS5."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, cast

import apsw

from sojourn.memory.index.document import Found, Where
from sojourn.memory.index.parts import grams_of_part, holds_part
from sojourn.memory.index.sqlite_query import Sql, select
from sojourn.memory.index.sqlite_scope import SESSION_BITS, numbers_of, of_documents, of_sessions, stretches
from sojourn.model.ids import TenantId

_WORDS: Final = (
    "SELECT documents.number, -bm25(words) AS score FROM words JOIN documents ON documents.number = words.rowid"
    " WHERE words MATCH ? AND"
)
_PARTS: Final = (
    "SELECT documents.number, -bm25(parts) AS score, text FROM parts JOIN documents ON documents.number = parts.rowid"
    " WHERE parts MATCH ? AND"
)
_BEST_FIRST: Final = "ORDER BY score DESC, at DESC, documents.number DESC"


def match(connection: apsw.Connection, tenant: TenantId, words: Sequence[str], where: Where, limit: int) -> list[Found]:
    """Return the documents that hold most of the weight of *words*, best first."""
    if limit <= 0 or not words:
        return []
    asked = " OR ".join(phrase(word) for word in dict.fromkeys(words))
    return _best(connection, Sql(_WORDS, (asked,)).then(_scope(connection, tenant, where)), limit)


def match_parts(
    connection: apsw.Connection, tenant: TenantId, parts: Sequence[str], where: Where, limit: int
) -> list[Found]:
    """Return the documents that hold *parts*, best first."""
    asked = [grams for part in dict.fromkeys(parts) if (grams := grams_of_part(part))]
    if limit <= 0 or not asked:
        return []
    every = " OR ".join(f"({' AND '.join(phrase(gram) for gram in grams)})" for grams in asked)
    query = Sql(_PARTS, (every,)).then(_scope(connection, tenant, where)).then(_BEST_FIRST)
    # All grams of a part may stand apart, so the texts are looked at, best first, until there are enough.
    holding = (
        Found(number=int(number), score=float(score))
        for number, score, text in cast("Iterator[tuple[int, float, str]]", connection.execute(*query))
        if any(holds_part(text, part) for part in parts)
    )
    return list(islice(holding, limit))


def phrase(word: str) -> str:
    """Return *word* as FTS5 asks for it."""
    plain = word.removesuffix("*").replace("\0", " ").replace('"', '""')
    return f'"{plain}"*' if word.endswith("*") else f'"{plain}"'


def _best(connection: apsw.Connection, query: Sql, limit: int) -> list[Found]:
    rows = select(connection, query.then(_BEST_FIRST).then("LIMIT ?", limit))
    return [Found(number=number, score=score) for number, score in rows]


def _scope(connection: apsw.Connection, tenant: TenantId, where: Where) -> Sql:
    if where.parts is None:
        sessions = of_sessions(where, tenant)
        inside = Sql("(documents.number >> ?) IN (SELECT sessions.number FROM sessions WHERE", (SESSION_BITS,))
        return inside.then(sessions).then(")") & of_documents(where)
    each = [
        Sql("documents.number BETWEEN ? AND ?", numbers_of(one.session))
        & Sql("seq BETWEEN ? AND coalesce(?, seq)", (one.first, one.last))
        for one in stretches(connection, where, tenant)
    ]
    if not each:
        return Sql("FALSE")
    inside = Sql(" OR ".join(one.text for one in each), tuple(value for one in each for value in one.values))
    return inside & of_documents(where)


def frequencies(connection: apsw.Connection, tenant: TenantId, words: Sequence[str]) -> tuple[int, list[int]]:
    """Return how many documents there are, and about how many of them hold each word."""
    [(held,)] = select(connection, "SELECT coalesce(sum(held), 0) FROM sessions WHERE tenant = ?", (tenant,))
    counts = [
        int(count)
        for word in words
        for (count,) in select(connection, "SELECT count(*) FROM words WHERE words MATCH ?", (phrase(word),))
    ]
    return held, counts
