"""The SQL dialects say the same things in their own words."""

import re

import pytest

from sojourn.store.sql.statement import load_migrations, load_statements

DIALECTS = ("sqlite", "postgres")
PLACEHOLDERS = {"sqlite": re.compile(r":(\w+)"), "postgres": re.compile(r"%\((\w+)\)s")}
# The server's own clock tells there whether a lease is over.
ONLY_SQLITE = {"lock_lease": {"now", "boot_id"}, "put_lease": {"now"}}


def placeholders(dialect: str, text: str) -> set[str]:
    without_casts = text.replace("::", " ")
    return set(PLACEHOLDERS[dialect].findall(without_casts))


def test_both_dialects_have_the_same_statements_in_the_same_order() -> None:
    assert list(load_statements("sqlite")) == list(load_statements("postgres"))


@pytest.mark.parametrize("name", load_statements("sqlite"))
def test_a_statement_takes_the_same_parameters_in_both_dialects(name: str) -> None:
    sqlite, postgres = (placeholders(dialect, load_statements(dialect)[name]) for dialect in DIALECTS)

    assert sqlite - ONLY_SQLITE.get(name, set()) == postgres


@pytest.mark.parametrize("dialect", DIALECTS)
def test_migrations_are_numbered_from_one_without_gaps(dialect: str) -> None:
    migrations = load_migrations(dialect)

    assert [migration.version for migration in migrations] == list(range(1, len(migrations) + 1))
    assert all(migration.name.startswith(f"{migration.version:04}_") for migration in migrations)
