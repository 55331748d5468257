"""In how many documents a word stands, remembered from one question to the next.

FTS5 counts a word by walking through all of its documents: little for a rare word, milliseconds for a common one in a
large index. Common words come up in every question, so what was counted is kept until the index has changed enough.
"""

from collections.abc import Sequence
from typing import Final, cast

import apsw

from sojourn.memory.index.sqlite_query import Sql, select
from sojourn.memory.index.sqlite_scope import SESSION_BITS
from sojourn.model.ids import TenantId

_MAX_KEPT: Final = 50_000
_MIN_STEADY: Final = 10_000
_MAX_DRIFT: Final = 0.02
"""An index of `_MIN_STEADY` documents or more may change by this share before words are counted again."""


class Frequencies:
    """Counts words. Lives on one thread, with the connection that it is called with."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._counted_at = (0, 0, 0)

    def documents(self, connection: apsw.Connection) -> int:
        """Return how many documents the file holds, of all tenants; older counts are given up if it changed much."""
        [(life, given, held)] = select(connection, "SELECT life, given, held FROM about")
        counted_life, counted_given, counted_held = self._counted_at
        added = given - counted_given
        removed = added - (held - counted_held)
        allowed = held * _MAX_DRIFT if held >= _MIN_STEADY else 0
        if life != counted_life or added + removed > allowed or len(self._counts) > _MAX_KEPT:
            self._counts.clear()
            self._counted_at = (life, given, held)
        return int(held)

    def of_word(self, connection: apsw.Connection, word: str) -> int:
        """Return about how many documents hold *word*, of all tenants. A phrase counts as its rarest word does."""
        *before, last = stems(connection, word) or [""]
        if not last:
            return 0
        counts = [self._count(connection, stem, _ONE) for stem in before]
        counts.append(self._count(connection, last, _BEGINNING if word.endswith("*") else _ONE))
        return min(counts)

    def of_tenant(self, connection: apsw.Connection, tenant: TenantId, words: Sequence[str]) -> tuple[int, list[int]]:
        """Return how many documents *tenant* has, and how many of them hold each word."""
        everything = self.documents(connection)
        [(held,)] = select(connection, "SELECT coalesce(sum(held), 0) FROM sessions WHERE tenant = ?", (tenant,))
        counts = [
            self.of_word(connection, word)
            if held == everything and len(stems(connection, word)) <= 1
            else _counted(connection, tenant, word)
            for word in words
        ]
        return int(held), counts

    def _count(self, connection: apsw.Connection, stem: str, query: str) -> int:
        key = f"{stem}*" if query is _BEGINNING else stem
        found = self._counts.get(key)
        if found is None:
            [(count,)] = select(connection, Sql(query, (stem, stem) if query is _BEGINNING else (stem,)))
            found = int(count)
            if found:  # a word that is new is found at once: to see that there is none costs little
                self._counts[key] = found
        return found


_ONE: Final = "SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term = ?"
_BEGINNING: Final = "SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term >= ? AND term < ? || char(1114111)"


def stems(connection: apsw.Connection, word: str) -> list[str]:
    """Return the stems that FTS5 looks for when it is asked for *word*."""
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
    text = word.removesuffix("*").replace("\0", " ").encode("utf-8", "replace")
    found = tokenizer(text, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False)
    return cast(list[str], found)


def phrase(word: str) -> str:
    """Return *word* as FTS5 asks for it."""
    plain = word.removesuffix("*").replace("\0", " ").replace('"', '""').encode("utf-8", "replace").decode()
    return f'"{plain}"*' if word.endswith("*") else f'"{plain}"'


def _counted(connection: apsw.Connection, tenant: TenantId, word: str) -> int:
    [(count,)] = select(
        connection,
        "SELECT count(*) FROM words WHERE words MATCH ?"
        " AND (rowid >> ?) IN (SELECT number FROM sessions WHERE tenant = ?)",
        (phrase(word), SESSION_BITS, tenant),
    )
    return int(count)
