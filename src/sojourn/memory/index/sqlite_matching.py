"""Documents by their words and by parts of words, through FTS5.

To rank a document costs FTS5 twenty times what it costs to walk past it, so what counts is how few are ranked. Some
ten thousands are, at most: those that hold one of the question's rarer words. The commoner words still weigh in the
ranking of these. Whose documents they are is told by their numbers, before they are ranked; what else is asked of
them is looked up best first, until there are enough.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import prod
from typing import Final, NamedTuple, cast

import apsw

from sojourn.memory.index.document import Found, Where
from sojourn.memory.index.parts import grams_of_part, holds_part
from sojourn.memory.index.sqlite_frequencies import Frequencies, phrase
from sojourn.memory.index.sqlite_query import ALWAYS, Sql, reading
from sojourn.memory.index.sqlite_walk import Scope, scope_of
from sojourn.model.ids import TenantId

MIN_RANKED, MAX_RANKED = 10_000, 50_000
"""Between these, a twentieth of the index is ranked: with less, the best of a large index begin to differ."""
MAX_WORDS: Final = 64
"""Words of one question that are looked for: the rarest."""
_NEARLY_ALL: Final = 0.9
_TIES: Final = 50
"""Documents beyond the limit that are looked at, so that of equally good ones the newest is taken."""
_LOOKED_AT: Final = 8


class Asked(NamedTuple):
    """An FTS5 expression. *factor* corrects its scores; documents that hold only words of *rest* it does not find."""

    expression: str
    factor: float = 1.0
    rest: Sequence[tuple[int, str]] = ()


class Ranked(NamedTuple):
    """A document that was found. The better is the greater, and of equally good ones the newer."""

    score: float
    at: int
    number: int


class WordSearch:
    """Looks words up for one tenant. Lives on one thread, with the connection that it is called with."""

    def __init__(self, tenant: TenantId) -> None:
        self._tenant = tenant
        self._frequencies = Frequencies()

    def match(self, connection: apsw.Connection, words: Sequence[str], where: Where, limit: int) -> list[Found]:
        """Return the documents that hold most of the weight of *words*, best first."""
        with reading(connection):
            everything = self._frequencies.documents(connection)
            counted = [(word, self._frequencies.of_word(connection, word)) for word in dict.fromkeys(words)]
            usable = sorted((count, phrase(word)) for word, count in counted if count)[:MAX_WORDS]
            scope = scope_of(connection, self._tenant, where, everything)
            if not usable or scope is None or limit <= 0:
                return []
            share = scope.held / everything
            asked = expression(usable, everything, share=share, limit=limit)
            found = {one.number: one for one in _ranked(connection, _WORDS, asked, scope, limit)}
            while asked.rest and len(found) < limit:
                asked = expression(asked.rest, everything, share=share, limit=limit)
                found |= {one.number: one for one in _ranked(connection, _WORDS, asked, scope, limit)} | found
            every = expression(usable, everything, share=0, limit=limit)
            # What is asked of the documents may have left out all that was ranked.
            if len(found) < limit and scope.documents != ALWAYS and asked != every:
                found = {one.number: one for one in _ranked(connection, _WORDS, every, scope, limit)}
        return _best(found.values(), limit)

    def match_parts(self, connection: apsw.Connection, parts: Sequence[str], where: Where, limit: int) -> list[Found]:
        """Return the documents that hold *parts*, best first."""
        asked = [grams for part in dict.fromkeys(parts) if (grams := grams_of_part(part))][:MAX_WORDS]
        with reading(connection):
            scope = scope_of(connection, self._tenant, where, self._frequencies.documents(connection))
            if limit <= 0 or not asked or scope is None:
                return []
            every = " OR ".join(f"({' AND '.join(phrase(gram) for gram in grams)})" for grams in asked)
            # The grams of a part may stand apart, so the texts are looked at.
            return _best(_ranked(connection, _PARTS, Asked(every), scope, limit, parts=parts), limit)

    def frequencies(self, connection: apsw.Connection, words: Sequence[str]) -> tuple[int, list[int]]:
        """Return how many documents there are, and about how many of them hold each word."""
        return self._frequencies.of_tenant(connection, self._tenant, words)


def expression(words: Sequence[tuple[int, str]], everything: int, *, share: float, limit: int) -> Asked:
    """Return what to ask FTS5 for, so that not too many documents are ranked.

    *words* are phrases with the number of documents that hold them, rarest first, out of *everything*, of which
    *share* is looked at.
    """
    most = _most_ranked(everything)
    telling = [one for one in words if one[0] <= _NEARLY_ALL * everything] or words
    needed, ranked = 0, 0.0
    while needed < len(telling) and ranked + telling[needed][0] * share <= most:
        ranked += telling[needed][0] * share
        needed += 1
    if needed == len(telling):
        return Asked(" OR ".join(one for _, one in telling))
    operator = " OR "
    if needed == 0:
        operator, needed = " AND ", _together([count for count, _ in telling], everything, share=share, limit=limit)
    first = [one for _, one in telling[:needed]]
    # FTS5 has no optional words: what is required stands in the second half too, so that this always holds. As it is
    # counted twice that way, so are the others; a word in more than half of the documents has no weight.
    rest = [one for one in telling[needed:] if one[0] * 2 <= everything]
    others = [one for _, one in rest] * 2
    return Asked(f"({operator.join(first)}) AND ({' OR '.join((*first, *others))})", 0.5, rest)


def _most_ranked(everything: int) -> int:
    return min(max(everything // 20, MIN_RANKED), MAX_RANKED)


def _together(counts: Sequence[int], everything: int, *, share: float, limit: int) -> int:
    """Return how many of the rarest words to ask for together, if each of them alone is in too many documents."""

    def expected(words: int) -> float:
        return share * everything * prod(count / everything for count in counts[:words])

    words = 1
    while words < len(counts) and expected(words) > _most_ranked(everything) and expected(words + 1) >= 10 * limit:
        words += 1
    return words


_WORDS: Final = "SELECT rowid AS found, -bm25(words) AS score FROM words WHERE words MATCH ? AND"
_PARTS: Final = "SELECT rowid AS found, -bm25(parts) AS score FROM parts WHERE parts MATCH ? AND"


def _ranked(
    connection: apsw.Connection, table: str, asked: Asked, scope: Scope, limit: int, *, parts: Sequence[str] = ()
) -> list[Ranked]:
    """Return the best documents; with *parts*, those whose text holds one of them."""
    looked_at = bool(parts) or scope.documents != ALWAYS
    # To sort all that is found costs more than to pick the best, so that is done only if those do not suffice.
    depth = _LOOKED_AT * limit + _TIES
    depths = ((depth, -1) if scope.held > depth else (-1,)) if looked_at else (limit + _TIES,)
    found: list[Ranked] = []
    for walk in scope.walks:
        best: list[Ranked] = []
        for depth in depths:
            ranked = Sql(table, (asked.expression,)).then(walk).then("ORDER BY score DESC, rowid DESC LIMIT ?", depth)
            query = Sql("SELECT score, at, number, text FROM (").then(ranked)
            query = query.then(") CROSS JOIN documents ON number = found WHERE").then(scope.documents)
            rows = connection.execute(*query)
            best = list(islice(_holding(rows, asked.factor, parts), limit + _TIES))
            rows.close()  # what is not read to its end would keep the log from being emptied
            if len(best) >= limit:
                break
        found += best
    return found


def _holding(rows: apsw.Cursor, factor: float, parts: Sequence[str]) -> Iterator[Ranked]:
    for score, at, number, text in cast("Iterator[tuple[float, int, int, str]]", rows):
        if not parts or any(holds_part(text, part) for part in parts):
            yield Ranked(score * factor, at, number)


def _best(found: Iterable[Ranked], limit: int) -> list[Found]:
    return [Found(number=one.number, score=one.score) for one in sorted(found, reverse=True)[:limit]]
