"""Runs operations on a SQLite connection, by its one cursor, statement by statement, and notes what they wrote."""

from collections.abc import Mapping
from typing import Any, TypeVar

import apsw

from sojourn.errors import CorruptError
from sojourn.store.sql.statement import Operation, Statement

T = TypeVar("T")


class Runner:
    """Knows the statements' texts. Its owner resets *wrote* and *probe*, and begins and ends the transactions."""

    def __init__(self, statements: Mapping[str, str]) -> None:
        self._statements = statements
        self._writing = {name for name, sql in statements.items() if not sql.startswith(("SELECT", "WITH"))}
        self.wrote = False
        """Whether a statement that writes was run."""
        self.probe: tuple[Any, ...] | None = None
        """The first journal row that was written, by which a transaction of doubtful outcome can be recognised."""

    def run(self, cursor: apsw.Cursor, operation: Operation[T]) -> T:
        """Run *operation* to its end and return what it returns.

        Damaged text is raised inside the operation, as a `CorruptError`: one that looks for damage goes on behind it.
        """
        texts, writing = self._statements, self._writing
        try:
            statement = next(operation)
            while True:
                name, many = statement.name, statement.many
                if name in writing:
                    self.wrote = True
                    if name == "insert_entry" and self.probe is None and many:
                        self.probe = tuple(many[0])
                try:
                    if many is None:
                        rows = cursor.execute(texts[name], statement.params).fetchall()
                    else:
                        rows = []
                        cursor.executemany(texts[name], many)
                except UnicodeDecodeError as error:
                    statement = operation.throw(_damaged_text(statement, error))
                else:
                    statement = operation.send(rows)
        except StopIteration as finished:
            result: T = finished.value
            return result

    def has_happened(self, cursor: apsw.Cursor) -> bool:
        """Tell whether the row *probe* is in the database, and with it the transaction that wrote it."""
        if self.probe is None:
            return False
        tenant, session_id, seq, at, *_, crc = self.probe
        place = {"tenant": tenant, "session_id": session_id, "first": seq, "last": seq, "limit": 1}
        rows = cursor.execute(self._statements["select_entries"], place).fetchall()
        return bool(rows) and (rows[0][1], rows[0][-1]) == (at, crc)


def _damaged_text(statement: Statement, error: UnicodeDecodeError) -> CorruptError:
    of = _session_of(statement)
    damaged = CorruptError(f"{f'session={of}: ' if of else ''}a stored text is damaged, byte {error.start}")
    damaged.__cause__ = error
    return damaged


def _session_of(statement: Statement) -> str | None:
    """Return the session that a reading statement is about; values by place begin with the tenant and the session."""
    if isinstance(statement.params, Mapping):
        return statement.params.get("session_id")
    return next((value for value in statement.params[1:2] if isinstance(value, str)), None)
