"""Hypothesis strategies for events and histories. Importing this needs the package `hypothesis`.

The strategies are read off the event types themselves, so a new kind or field is covered without a change here. Names
and ids come from small pools, so that the events of a history concern one another: a fact that was learned is
reinforced, a call that was asked for is answered.
"""

import functools
from datetime import UTC
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from sojourn.model import events as ev
from sojourn.model.entry import Draft, Entry
from sojourn.model.ids import Seq
from sojourn.model.profile import LISTS, SCALARS
from sojourn.testing.factories import PROVIDER_JSON, make_journal

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
"""Any text that is Unicode."""

row_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
"""Text that a session's row can hold."""

integers = st.one_of(st.integers(-10, 10), st.integers(-(2**63), 2**64), st.integers())
floats = st.floats(allow_nan=False, allow_infinity=False)
ids = st.sampled_from(["a", "b", "c", "d"])
seqs = st.integers(0, 30)
session_ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,10}", fullmatch=True)

any_json: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), integers, floats, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=5,
)
"""Any JSON value."""

_ROW_EVENTS = (ev.SessionCreated, ev.SessionRenamed, ev.SessionTagged, ev.SessionMoved)
_NOT_APPENDED = (ev.SessionCreated, ev.SessionForked, ev.Forgotten)
_POOLED = frozenset({
    "call_id", "fact_id", "id", "interrupt_id", "research_id", "step_id", "task_id", "tool_call_id", "turn_id",
})  # fmt: skip
_profile_fields = st.dictionaries(
    st.one_of(st.sampled_from((*SCALARS, *LISTS)), texts), st.one_of(any_json, st.lists(texts, max_size=3)), max_size=4
)
_raw = st.one_of(st.just(PROVIDER_JSON.encode()), any_json.map(msgspec.json.encode)).map(msgspec.Raw)


def _field(owner: type, name: str, kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Return a strategy for one field, by its meaning where it has one, else by its type."""
    if name in _POOLED:
        return ids
    if name in {"session_id", "parent", "forked_from", "branch", "by"}:
        return session_ids if isinstance(kind, inspect.StrType) else st.none() | session_ids
    if name in {"title", "user_id", "project", "tags", "added", "removed"} and issubclass(owner, _ROW_EVENTS):
        return st.lists(row_texts, max_size=3).map(tuple) if name in {"tags", "added", "removed"} else row_texts
    if owner is ev.ProfileUpdated and name == "fields":
        return _profile_fields
    if owner is ev.ProfileFieldRemoved and name == "field":
        return st.one_of(st.sampled_from((*SCALARS, *LISTS)), texts)
    if name in {"through", "at"}:
        return seqs
    return _of(kind)


def _of(kind: inspect.Type) -> st.SearchStrategy[Any]:  # noqa: C901 - one case for each type
    match kind:
        case inspect.StructType(cls=cls):
            return structs(cls)
        case inspect.UnionType(types=types):
            return st.one_of(*map(_of, types))
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.VarTupleType(item_type=item):
            return st.lists(_of(item), max_size=3).map(tuple)
        case inspect.DictType():
            return st.dictionaries(texts, any_json, max_size=3)
        case inspect.IntType(ge=low, le=high):
            return st.integers(low, high) if low is not None else integers
        case inspect.FloatType(ge=low, le=high):
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case inspect.DateTimeType():
            return st.datetimes(timezones=st.just(UTC))
        case inspect.StrType():
            return texts
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.BytesType():
            return st.binary(max_size=20)
        case inspect.AnyType():
            return any_json
        case inspect.RawType():
            return _raw
        case _:
            raise NotImplementedError(f"no strategy for {kind}")


@functools.cache
def structs(cls: type) -> st.SearchStrategy[Any]:
    """Return a strategy for values of *cls*, a `msgspec.Struct`; a field that has a default is often left out."""
    info = inspect.type_info(cls)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{cls} is not a Struct")
    required = {field.name: _field(cls, field.name, field.type) for field in info.fields if field.required}
    optional = {field.name: _field(cls, field.name, field.type) for field in info.fields if not field.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda fields: cls(**fields))


def known_events() -> st.SearchStrategy[ev.KnownEvent]:
    """Return a strategy for events of every kind that may be appended."""
    return st.one_of(*(structs(cls) for cls in ev.KINDS.values() if cls not in _NOT_APPENDED))


def unknown_events() -> st.SearchStrategy[ev.UnknownEvent]:
    """Return a strategy for events that only a newer Sojourn knows."""

    def named(kind: str, fields: dict[str, Any]) -> ev.UnknownEvent:
        return ev.UnknownEvent(kind=kind, payload=msgspec.Raw(msgspec.json.encode({**fields, "kind": kind})))

    return st.builds(named, st.sampled_from(["dream_had", "zz", "é"]), st.dictionaries(texts, any_json, max_size=3))


def events() -> st.SearchStrategy[ev.Event]:
    """Return a strategy for anything that may be appended."""
    return st.one_of(known_events(), unknown_events())


@st.composite
def histories(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 40) -> list[Entry]:
    """Draw a journal: a `SessionCreated`, then any events, with causes among those before them."""
    drafts = []
    for place, event in enumerate(draw(st.lists(events(), min_size=min_size, max_size=max_size)), start=2):
        causes = draw(st.lists(st.integers(1, place - 1), max_size=2, unique=True)) if place % 3 == 0 else ()
        drafts.append(Draft(event=event, causes=tuple(map(Seq, causes))))
    return make_journal(drafts)
