"""Operations on vectors, which the extension pgvector keeps and compares.

Vectors are stored as half-precision numbers, which halves their space and changes a cosine by about 0.001. Each model
and size has a table of its own with an HNSW index. That index finds the nearest of all; limited to a small part of a
large table it would look at much and find little, so the vectors of a small part are all compared.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sojourn.errors import BusyError, EmbeddingError
from sojourn.memory.index.document import Found, ToEmbed, Where
from sojourn.memory.index.postgres_statements import plan, run, scope_params, vector_table
from sojourn.model.ids import TenantId
from sojourn.store.sql.statement import Operation

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

FEW: Final = 10_000
"""Vectors of so many documents are compared in full, unless an index is told otherwise."""
MAX_INDEXED_SIZE: Final = 4000
"""Longer vectors cannot be in an HNSW index; they are compared in full."""
_BATCH: Final = 10_000  # documents that are put in a queue at a time
_SCANNED: Final = 100_000  # vectors that an index scan looks at before it gives up
_WIDEST: Final = 1000  # what pgvector allows as `hnsw.ef_search`


class Model(NamedTuple):
    """A model that a tenant uses. *vectors* is the number of its table, None as long as it has no vectors.

    Documents with numbers below *begins* are not in its queue yet.
    """

    number: int
    begins: int
    vectors: int | None
    dimensions: int | None


class Chunks(NamedTuple):
    """The vectors of documents, column by column; *documents* are all that were given, with vectors or without."""

    documents: list[int]
    numbers: list[int]
    chunks: list[int]
    vectors: list[str]
    dimensions: int | None


class Question(NamedTuple):
    """A vector to find others by: of which model, as pgvector reads it, and how long it is."""

    model: str
    vector: str
    size: int


def written(vector: "NDArray[float32]") -> str | None:
    """Return *vector* as pgvector reads it, with length 1; None for one without a direction.

    Raises:
        EmbeddingError: it holds something that is not a number.
    """
    import numpy as np  # noqa: PLC0415 - whoever has vectors has it

    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length):
        raise EmbeddingError("a vector holds something that is not a number")
    return str(np.round(vector / length, 6).tolist()) if length > 0 else None


def prepare(vectors: "Sequence[tuple[int, NDArray[float32]]]") -> Chunks:
    """Return *vectors* as they are inserted; those of zeros are left out.

    Raises:
        EmbeddingError: they are of several sizes, or hold something that is not a number.
    """
    chunks = Chunks([number for number, _ in vectors], [], [], [], None)
    sizes: set[int] = set()
    for number, rows in vectors:
        for place, row in enumerate(rows):
            sizes.add(len(row))
            text = written(row)
            if text is not None:
                chunks.numbers.append(number)
                chunks.chunks.append(place)
                chunks.vectors.append(text)
    if len(sizes) > 1:
        raise EmbeddingError(f"vectors of several sizes: {', '.join(map(str, sorted(sizes)))}")
    return chunks._replace(dimensions=next(iter(sizes), None))


def find_model(tenant: TenantId, name: str) -> Operation[Model | None]:
    """Return the model *name*, if the tenant uses it."""
    rows = yield run("find_model", tenant=tenant, model=name)
    return Model(*rows[0]) if rows else None


def waiting(tenant: TenantId, name: str, limit: int) -> Operation[list[ToEmbed] | None]:
    """Return documents that have no vectors of this model, newest first; None if more have to be put in the queue."""
    model = yield from find_model(tenant, name)
    if model is None:
        return None
    rows = yield run("select_queue", tenant=tenant, model_number=model.number, limit=limit)
    if len(rows) < limit and model.begins > 0:
        return None
    return [ToEmbed(number=number, text=text) for number, text in rows]


def queue_more(tenant: TenantId, name: str) -> Operation[None]:
    """Put more documents into the queue of this model, the newest of those that are not there yet."""
    model = yield from _register(tenant, name)
    yield from _queue(tenant, model)


def _register(tenant: TenantId, name: str) -> Operation[Model]:
    """Return the model *name*, locked. From now on, each document that comes in is put into its queue."""
    if not (yield run("lock_model", tenant=tenant, model=name)):
        yield run("lock_documents", tenant=tenant)  # nobody is adding a document in this moment
        yield run("insert_model", tenant=tenant, model=name)
        yield run("lock_model", tenant=tenant, model=name)
    model = yield from find_model(tenant, name)
    if model is None:
        raise BusyError(f"the vectors of {name} are being dropped")
    return model


def _queue(tenant: TenantId, model: Model) -> Operation[int]:
    """Put a batch of older documents into the queue, and return where it begins then."""
    place = {"tenant": tenant, "model_number": model.number}
    ((begins,),) = yield run("queue_more", **place, begins=model.begins, limit=_BATCH)
    yield run("move_beginning", **place, begins=begins)
    return int(begins)


def add_vectors(tenant: TenantId, name: str, given: Chunks) -> Operation[None]:
    """Do what `SearchIndex.add_vectors` says."""
    model = yield from _register(tenant, name)
    begins = model.begins
    while begins > min(given.documents):  # what gets its vectors now must not be queued for them later
        begins = yield from _queue(tenant, model._replace(begins=begins))
    table = model.vectors
    if given.dimensions is not None:
        refuse_other_size(name, model, given.dimensions)
        if table is None:
            table = yield from _table(name, given.dimensions)
            yield run("set_vector_table", tenant=tenant, model=name, vectors=table)
    if table is not None:
        yield run(f"delete_vectors@{table}", tenant=tenant, numbers=given.documents)
    if given.vectors:
        yield run(
            f"insert_vectors@{table}",
            tenant=tenant,
            numbers=given.numbers,
            chunks=given.chunks,
            vectors=given.vectors,
        )
    yield run("leave_queue", tenant=tenant, model_number=model.number, numbers=given.documents)


def refuse_other_size(name: str, model: Model, dimensions: int) -> None:
    """Check that a vector of *dimensions* numbers can be compared with those of *model*.

    Raises:
        EmbeddingError: they are of another size.
    """
    if model.dimensions not in (None, dimensions):
        raise EmbeddingError(f"{name}: vectors of {model.dimensions} numbers are kept, and {dimensions} were given")


def drop_models(tenant: TenantId, *, except_models: Iterable[str]) -> Operation[int]:
    """Remove the vectors of all other models and return how many; a table that nobody uses any more goes too."""
    kept = list(except_models)
    models = yield run("list_models", tenant=tenant, models=kept)
    tables = [vectors for _, vectors in models if vectors is not None]
    count = 0
    for table in tables:
        count += (yield run(f"count_vectors@{table}", tenant=tenant))[0][0]
    yield run("delete_models", tenant=tenant, models=kept)
    unused = {number for (number,) in (yield run("delete_vector_tables", numbers=tables))}
    for table in tables:
        if table in unused:
            yield run(f"drop_vectors@{table}")
        else:
            yield run(f"delete_all_vectors@{table}", tenant=tenant)
    return count


def nearest(tenant: TenantId, asked: Question, where: Where, limit: int, *, few: int) -> Operation[list[Found]]:
    """Return the documents whose best vector is nearest to the one that is *asked* for."""
    model = yield from _model_for(tenant, asked)
    if model is None:
        return []
    params = {**scope_params(tenant, where), "vector": asked.vector, "limit": limit}
    ((count,),) = yield plan("count_scope", {**params, "most": few + 1})
    if count <= few or asked.size > MAX_INDEXED_SIZE:
        rows = yield plan(f"nearest_of_few@{model.vectors}", params)
        return [Found(number=number, score=score) for number, score in rows]
    return (yield from _nearest_of_many(f"nearest_of_many@{model.vectors}", params, limit))


def similarities(tenant: TenantId, asked: Question, numbers: Sequence[int]) -> Operation[dict[int, float]]:
    """Return the cosines of the vector that is *asked* for and these documents' best vectors."""
    model = yield from _model_for(tenant, asked)
    if model is None:
        return {}
    rows = yield run(f"compare_vectors@{model.vectors}", tenant=tenant, vector=asked.vector, numbers=list(numbers))
    return dict(rows)


def closest_vectors(
    tenant: TenantId, asked: Question, numbers: Sequence[int]
) -> "Operation[dict[int, NDArray[float32]]]":
    """Return of each of these documents the vector that is nearest to the one that is *asked* for."""
    model = yield from _model_for(tenant, asked)
    if model is None:
        return {}
    rows = yield run(f"closest_vectors@{model.vectors}", tenant=tenant, vector=asked.vector, numbers=list(numbers))
    return {number: _read(text) for number, text in rows}


def _read(text: str) -> "NDArray[float32]":
    """Return a vector that pgvector has written."""
    import numpy as np  # noqa: PLC0415 - whoever has vectors has it

    return np.array(text.strip("[]").split(","), np.float32)


def vector_tables(tenant: TenantId) -> Operation[list[str]]:
    """Return the names of the tables that have vectors of *tenant*."""
    return [vector_table(number) for (number,) in (yield run("list_vector_tables", tenant=tenant))]


def _model_for(tenant: TenantId, asked: Question) -> Operation[Model | None]:
    """Return the model whose vectors can be compared with the one that is asked for; None if it has none."""
    model = yield from find_model(tenant, asked.model)
    if model is None or model.vectors is None:
        return None
    refuse_other_size(asked.model, model, asked.size)
    return model


def _table(name: str, dimensions: int) -> Operation[int]:
    """Return the number of the table for this model and size, which is made if there is none."""
    wanted = {"model": name, "dimensions": dimensions}
    for (number,) in (yield run("find_vector_table", **wanted)):
        return int(number)
    for (number,) in (yield run("insert_vector_table", **wanted)):
        yield run(f"create_vectors@{number}x{dimensions}")
        if dimensions <= MAX_INDEXED_SIZE:
            yield run(f"create_vectors_index@{number}")
        return int(number)
    ((number,),) = yield run("find_vector_table", **wanted)  # somebody else made it in this moment
    return int(number)


def _nearest_of_many(name: str, params: dict[str, Any], limit: int) -> Operation[list[Found]]:
    """Ask the index for more and more chunks until they are of enough documents."""
    asked = limit * 2
    while True:
        yield run("scan_on", width=min(max(asked, 100), _WIDEST), most=_SCANNED)
        rows = yield plan(name, {**params, "limit": asked})
        best: dict[int, float] = {}
        for number, score in rows:
            best[number] = max(score, best.get(number, score))
        if len(best) >= limit or len(rows) < asked or asked > _SCANNED:
            ordered = sorted(best.items(), key=lambda one: (one[1], one[0]), reverse=True)
            return [Found(number=number, score=score) for number, score in ordered[:limit]]
        asked *= 4
