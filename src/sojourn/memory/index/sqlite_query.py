"""A query as a value: SQL with the values for its question marks, put together piece by piece."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, cast

import apsw
import msgspec

from sojourn.store.sql.statement import Rows


class Sql(NamedTuple):
    """A piece of SQL and the values for its question marks. What comes from outside is a value, never SQL."""

    text: str
    values: tuple[Any, ...] = ()

    def then(self, more: "str | Sql", *values: Any) -> "Sql":
        """Return this with more SQL behind it."""
        text, others = (more, values) if isinstance(more, str) else more
        return Sql(f"{self.text} {text}", self.values + others)

    def __and__(self, other: "Sql") -> "Sql":
        """Return the condition that is true where both are."""
        if ALWAYS in (self, other):
            return other if self == ALWAYS else self
        return Sql(f"({self.text}) AND ({other.text})", self.values + other.values)


ALWAYS: Final = Sql("TRUE")


def among(column: str, wanted: tuple[Any, ...]) -> Sql:
    """Return the condition that *column* has one of these values."""
    return Sql(f"{column} IN ({', '.join('?' * len(wanted))})", wanted)


def listed(values: Any) -> str:
    """Return *values* as JSON, for `json_each`."""
    return msgspec.json.encode(list(values)).decode()


@contextmanager
def reading(connection: apsw.Connection) -> Iterator[None]:
    """See the file as of one moment, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def select(connection: apsw.Connection, sql: str | Sql, values: tuple[Any, ...] = ()) -> Rows:
    """Return all rows of a query."""
    text, values = (sql, values) if isinstance(sql, str) else sql
    return cast(Rows, connection.execute(text, values).fetchall())
