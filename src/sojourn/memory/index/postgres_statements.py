"""The texts of the statements, and the values that most of them share."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sojourn.memory.index.document import Where
from sojourn.model.ids import TenantId
from sojourn.store.rows import micros
from sojourn.store.sql.statement import Migration, Statement, load_migrations, load_statements

VERSIONS: Final = "search_versions"
_LAST: Final = 2**63 - 1


def search_migrations() -> list[Migration]:
    """Return the steps that make the index's tables."""
    return load_migrations("postgres", __package__)


class Texts(Mapping[str, bytes]):
    """The statements of one index by name. A name such as `insert_vectors@5` means the table of vectors number 5.

    `create_vectors@5x384` also says how long a vector is.
    """

    def __init__(self, pgvector: str) -> None:
        """Use the extension in the schema *pgvector*, a name as SQL has it."""
        texts = load_statements("postgres", __package__)
        self._texts = {
            name: text.replace("{scope}", texts["scope"]).replace("{pgvector}", pgvector)
            for name, text in texts.items()
            if name != "scope"
        }

    def __getitem__(self, name: str) -> bytes:
        plain, _, place = name.partition("@")
        number, _, dimensions = place.partition("x")
        text = self._texts[plain].replace("{vectors}", vector_table(number)).replace("{dimensions}", dimensions)
        return text.encode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def vector_table(number: int | str) -> str:
    """Return the name of the table of vectors with this number."""
    return f"search_vectors_{number}"


def run(name: str, /, **params: Any) -> Statement:
    """Return the statement *name* with these values."""
    return Statement(name, params)


def plan(name: str, /, params: Mapping[str, Any]) -> Statement:
    """Return the statement *name* with these values, to be planned for them."""
    return Statement(name, params, replan=True)


def scope_params(tenant: TenantId, where: Where) -> dict[str, Any]:
    """Return the values of the condition `scope`; None says that there is no such condition."""
    parts = where.parts
    return {
        "tenant": tenant,
        "part_ids": None if parts is None else [part.session_id for part in parts],
        "firsts": None if parts is None else [part.first for part in parts],
        "lasts": None if parts is None else [_LAST if part.last is None else part.last for part in parts],
        "anyone": parts is not None or where.everyone,
        "user_id": where.user_id,
        "project": where.project,
        "tag": where.tag,
        "kinds": None if set(where.kinds) == {"message", "fact"} else list(where.kinds),
        "roles": list(where.roles) or None,
        "since": None if where.since is None else micros(where.since),
        "until": None if where.until is None else micros(where.until),
    }


def storable(text: str) -> str:
    """Return *text* with U+FFFD for what PostgreSQL's text cannot hold: NUL, and halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def key_bytes(text: str) -> bytes:
    """Return *text* as a key that may hold any character."""
    return text.encode("utf-8", "surrogatepass")
