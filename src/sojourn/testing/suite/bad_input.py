"""Bad input: each gets the one right error, in one line that says what is wrong, and changes nothing."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, cast

from msgspec import Raw

from sojourn.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidEventError,
    InvalidInputError,
    InvalidSessionIdError,
    SessionNotFoundError,
    SojournError,
    TooLargeError,
)
from sojourn.model import events as ev
from sojourn.model.codec import MAX_EVENT_BYTES
from sojourn.model.entry import Draft
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Message
from sojourn.store.protocol import MAX_PAGE, Lease, SessionQuery, Snapshot, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import make_journal, noted, said
from sojourn.testing.fingerprint import fingerprint
from sojourn.testing.suite.check import on_store

_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")

BAD_IDS: tuple[Any, ...] = (
    "", ".", "..", "../x", "a/b", "a\\b", "a b", "a\n", "a\0", "-a", "_a", ".a", "é", "a" * 129, "a:b", "a\ud800",
    None, 7, b"a",
)  # fmt: skip
UNKNOWN_SESSION = "nobody"


class BadCall(NamedTuple):
    """A call that must be refused with *error*."""

    what: str
    error: type[SojournError]
    call: Callable[[Store], Awaitable[object]]


def with_session(session_id: Any) -> Iterator[tuple[str, Callable[[Store], Awaitable[object]]]]:
    """Give every call of a store that takes a session's id, with this id."""
    lease = Lease(session_id=session_id, holder="me", token=1)
    snapshot = Snapshot(seq=Seq(1), data=b"{}")
    yield "get_session", lambda store: store.get_session(session_id)
    yield "fork_session", lambda store: store.fork_session(session_id, "new")
    yield "list_forks", lambda store: store.list_forks(session_id)
    yield "detach_forks", lambda store: store.detach_forks(session_id)
    yield "purge_session", lambda store: store.purge_session(session_id)
    yield "append", lambda store: store.append(session_id, [said()])
    yield "append with a key", lambda store: store.append(session_id, [said()], key="k", clear_partial=True)
    yield "append with a lease", lambda store: store.append(session_id, [said()], lease=lease)
    yield "read", lambda store: store.read(session_id)
    yield "last_messages", lambda store: store.last_messages(session_id)
    yield "load", lambda store: store.load(session_id)
    yield "redact", lambda store: store.redact(session_id, [1])
    yield "rewrite", lambda store: store.rewrite(session_id, {1: "{}"})
    yield "extend_session", lambda store: store.extend_session(session_id, make_journal([said()])[1:])
    yield "save_snapshot", lambda store: store.save_snapshot(session_id, snapshot, epoch=0)
    yield "acquire_lease", lambda store: store.acquire_lease(session_id, "me")
    yield "find_lease", lambda store: store.find_lease(session_id)
    yield "save_partial", lambda store: store.save_partial(session_id, "text")
    yield "find_partial", lambda store: store.find_partial(session_id)
    yield "subscribe", lambda store: _follow(store, session_id)


def bad_appends() -> Iterator[BadCall]:
    """Give appends that cannot be stored."""
    nan, surrogate = float("nan"), "\ud800"
    raw = Message(role="user")
    for what, event in (
        ("NaN in any value", ev.VariableSet(name="v", value={"x": [1, nan]})),
        ("infinity in a typed field", ev.ToolRan(call_id="c", name="n", seconds=float("inf"))),
        ("a lone surrogate", said(f"a{surrogate}b")),
        ("a lone surrogate as a key", ev.VariableSet(name="v", value={surrogate: 1})),
        ("a string for a number", ev.TokenBudgetSet(limit=cast(Any, "12"))),
        ("a number for a string", ev.TopicChanged(topic=cast(Any, 5))),
        ("a confidence over 1", ev.FactLearned(fact_id="f", content="c", confidence=1.5)),
        ("negative tokens", ev.UsageRecorded(input_tokens=-1)),
        ("more tokens than there are", ev.UsageRecorded(input_tokens=2**80)),
        ("a role that nobody has", ev.MessageAdded(message=Message(role=cast(Any, "robot")))),
        ("an object that is no JSON", ev.VariableSet(name="v", value=object())),
        ("JSON 100,000 levels deep", ev.VariableSet(name="v", value=_deep())),
        ("provider JSON that is not UTF-8", ev.MessageAdded(message=raw.with_raw(b'{"a":"\xff"}'))),
        ("provider JSON that is not JSON", ev.MessageAdded(message=raw.with_raw("NaN"))),
        ("provider JSON that reaches out of its field", ev.MessageAdded(message=raw.with_raw('1,"error":true'))),
        ("a kind that only the store writes", ev.SessionCreated()),
        ("another such kind", ev.Forgotten(was="message_added")),
        ("such a kind in disguise", _unknown("forgotten", '{"kind":"forgotten","was":"x"}')),
        ("a kind that differs from its payload", _unknown("turn_started", '{"kind":"session_trashed"}')),
        ("an unknown kind without JSON", _unknown("dream_had", "{")),
        ("an unknown kind without a payload", _unknown("dream_had", "")),
        ("something that is no event", cast(Any, "hello")),
        ("a dict in place of an event", cast(Any, {"kind": "topic_changed", "topic": None})),
        ("a draft of something that is no event", Draft(event=cast(Any, "hello"))),
        ("a cause that is no number", Draft(event=noted(1), causes=cast(Any, ("1",)))),
        ("a cause before the first entry", Draft(event=noted(1), causes=(Seq(0),))),
        ("a cause that is not written yet", Draft(event=noted(1), causes=(Seq(6),))),
    ):  # fmt: skip
        yield _append(what, InvalidEventError, event)
    superseded = ev.SessionSuperseded(by=SessionId("../x"))
    yield _append("a successor that is no session id", InvalidSessionIdError, superseded)
    yield _append("an event over 16 MiB", TooLargeError, said("x" * MAX_EVENT_BYTES))
    for what, event in (
        ("NUL in a title", ev.SessionRenamed(title="a\0b")),
        ("NUL in a tag", ev.SessionTagged(added=("a\0b",))),
        ("NUL in a project", ev.SessionMoved(project="a\0b")),
        ("a lone surrogate in a title", ev.SessionRenamed(title=surrogate)),
        ("NUL in the name of a kind", _unknown("a\0", "{}")),
        ("NUL in a title in disguise", _unknown("session_renamed", '{"kind":"session_renamed","title":"\\u0000"}')),
    ):  # fmt: skip
        yield _append(what, InvalidInputError, event)
    yield BadCall("no events", InvalidInputError, lambda store: store.append("s", []))
    yield BadCall("1,001 events", InvalidInputError, lambda store: store.append("s", [noted(1)] * 1001))
    yield BadCall("NUL in a key", InvalidInputError, lambda store: store.append("s", [said()], key="a\0"))
    yield BadCall("a key of no characters", InvalidInputError, lambda store: store.append("s", [said()], key=surrogate))
    for expected in (-1, 0, 3, 5, 2**70):
        yield BadCall(f"expected={expected}", ConflictError, _append_at(expected))


def bad_reads() -> Iterator[BadCall]:
    """Give reads and lists of what is not there."""
    for limit in (0, -1, MAX_PAGE + 1):
        yield BadCall(f"read limit={limit}", InvalidInputError, _limited("read", limit))
        yield BadCall(f"messages limit={limit}", InvalidInputError, _limited("last_messages", limit))
    for limit in (0, -1, 1001):
        yield _list(f"limit={limit}", SessionQuery(limit=limit))
    for cursor in (
        "",
        "x",
        "_",
        "1_",
        "_s",
        "x_s",
        "-1_s",
        "1.5_s",
        "٣_s",
        f"{2**80}_s",
        "1_a\0",
        "1_\ud800",
        "1_../x",
    ):
        yield _list(f"cursor={cursor!r}", SessionQuery(cursor=cursor))
    for text in ("a\0b", "\ud800"):
        for name in ("user_id", "project", "tag", "parent", "text"):
            wanted: dict[str, Any] = {name: text}
            yield _list(f"{name}={text!r}", SessionQuery(**wanted))
    for at in (-1, 0, 5, 2**70):
        yield BadCall(f"load at={at}", InvalidInputError, _load_at(at))
        yield BadCall(f"fork at={at}", InvalidInputError, _fork_at(at))
        yield BadCall(f"redact {at}", InvalidInputError, _redact(at, 2))
    yield BadCall("redact nothing", InvalidInputError, lambda store: store.redact("s", []))


def bad_companions() -> Iterator[BadCall]:
    """Give sessions, snapshots, leases, texts and documents that cannot be kept."""
    for what, created in (
        ("NUL in a title", ev.SessionCreated(title="a\0b")),
        ("NUL in a user's id", ev.SessionCreated(user_id="a\0b")),
        ("NUL in a project", ev.SessionCreated(project="a\0b")),
        ("NUL in a tag", ev.SessionCreated(tags=("fine", "a\0b"))),
        ("a lone surrogate in a tag", ev.SessionCreated(tags=("\ud800",))),
    ):
        yield BadCall(what, InvalidInputError, _create(created))
    yield BadCall("a parent that is no id", InvalidSessionIdError, _create(ev.SessionCreated(parent=SessionId("../x"))))
    yield BadCall("NaN in metadata", InvalidEventError, _create(ev.SessionCreated(metadata={"x": float("nan")})))
    yield BadCall("a title that is no text", InvalidInputError, _create(ev.SessionCreated(title=cast(Any, 5))))
    yield BadCall("a taken id", AlreadyExistsError, lambda store: store.create_session("s"))
    yield BadCall("a taken id for a fork", AlreadyExistsError, lambda store: store.fork_session("s", "f"))
    for seq in (-1, 0, 5):
        yield BadCall(f"a snapshot at {seq}", InvalidInputError, _snapshot("s", seq))
    for seq in (1, 2):
        yield BadCall(f"a snapshot of the parent's entry {seq}", InvalidInputError, _snapshot("f", seq))
    for ttl in (-1.0, float("nan"), float("inf")):
        yield BadCall(f"a lease with ttl={ttl}", InvalidInputError, _acquire("me", ttl))
        yield BadCall(f"a renewal with ttl={ttl}", InvalidInputError, _renew(ttl))
    for holder in ("", "a\0", "\ud800"):
        yield BadCall(f"a lease for {holder!r}", InvalidInputError, _acquire(holder, 30.0))
    for text in ("a\0b", "\ud800"):
        yield BadCall(f"partial text {text!r}", InvalidInputError, _partial(text))
    for document in (
        cast(Any, None),
        cast(Any, [1]),
        cast(Any, "text"),
        {"x": float("nan")},
        {"x": object()},
        {"\ud800": 1},
    ):
        name = _ADDRESS.sub("", f"{document!r:.40}")  # the same in every process
        yield BadCall(f"the document {name}", InvalidInputError, _document("k", document))
    yield BadCall("a document's key of no characters", InvalidInputError, _document("\ud800", {}))
    yield BadCall("a document's key that is no text", InvalidInputError, _document(cast(Any, 5), {}))
    yield BadCall("a document 100,000 levels deep", InvalidInputError, _document("k", {"a": _deep()}))
    for tenant in ("", "../x", "a\n", cast(Any, None)):
        yield BadCall(f"the tenant {tenant!r}", InvalidInputError, _tenant(tenant))


@on_store
async def a_bad_session_id_is_refused_by_every_call(store: Store) -> None:
    calls = [
        BadCall(f"{what} {session_id!r:.20}", InvalidSessionIdError, call)
        for session_id in BAD_IDS
        for what, call in (
            *with_session(session_id),
            ("create_session", _create_named(session_id)),
            ("find_session", _find_named(session_id)),
            ("import_session", _import_named(session_id)),
            ("fork_session", _fork_named(session_id)),
        )
    ]
    await expect_refused(store, calls, each=50)


@on_store
async def an_unknown_session_is_refused_by_every_call(store: Store) -> None:
    calls = [BadCall(what, SessionNotFoundError, call) for what, call in with_session(UNKNOWN_SESSION)]
    await expect_refused(store, calls)


@on_store
async def an_append_that_cannot_be_stored_is_refused(store: Store) -> None:
    await expect_refused(store, bad_appends())


@on_store
async def a_page_that_no_store_has_is_refused(store: Store) -> None:
    await expect_refused(store, bad_reads())


@on_store
async def companions_that_cannot_be_kept_are_refused(store: Store) -> None:
    await expect_refused(store, bad_companions())


async def expect_refused(store: Store, calls: Iterable[BadCall], *, each: int = 1) -> None:
    """Make *calls*; after every *each* of them, and at the end, the store must show what it showed before."""
    await store.create_session("s", ev.SessionCreated(title="T", tags=("x",)))
    await store.append("s", [said("a"), noted(1), said("b")])
    await store.fork_session("s", "f", at=2)
    await store.save_partial("s", "text")
    await store.documents.save("k", {"a": 1})
    before = await fingerprint(store)
    number = 0
    for number, (what, kind, call) in enumerate(calls, start=1):
        try:
            with expect_raises(kind) as caught:
                await call(store)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from error
        _expect_one_clear_line(what, caught.error)
        if number % each == 0:
            expect_equal(await fingerprint(store), before, f"after {what}, everything")
    expect(number > 0, "something was tried")
    expect_equal(await fingerprint(store), before, "at the end, everything")


def _expect_one_clear_line(what: str, error: SojournError) -> None:
    text = str(error)
    expect(text.isprintable() and len(text) < 600, f"{what}: the message is one line, not {text!r:.1000}")
    sentences = [cls.__doc__ for cls in _all_errors() if cls.__doc__ and cls.__doc__ in text]
    expect_equal(sentences, [type(error).__doc__], f"{what}: the sentences in {text!r}")


def _all_errors(cls: type[SojournError] = SojournError) -> Iterator[type[SojournError]]:
    yield cls
    for child in cls.__subclasses__():
        yield from _all_errors(child)


def _deep() -> Any:
    value: Any = None
    for _ in range(100_000):
        value = [value]
    return value


async def _follow(store: Store, session_id: str) -> None:
    async with store.subscribe(session_id):
        pass


async def _switch(store: Store, tenant: str) -> None:
    store.for_tenant(tenant)


def _append(what: str, error: type[SojournError], event: ev.Event | Draft) -> BadCall:
    return BadCall(what, error, lambda store: store.append("s", [said("fine"), event], clear_partial=True, key="k"))


def _unknown(kind: str, payload: str) -> ev.UnknownEvent:
    return ev.UnknownEvent(kind=kind, payload=Raw(payload))


def _append_at(expected: int) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.append("s", [said()], expected=expected)


def _limited(name: str, limit: int) -> Callable[[Store], Awaitable[object]]:
    return lambda store: getattr(store, name)("s", limit=limit)


def _list(what: str, query: SessionQuery) -> BadCall:
    return BadCall(f"list_sessions {what}", InvalidInputError, lambda store: store.list_sessions(query))


def _load_at(at: int) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.load("s", at=at)


def _fork_at(at: int) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.fork_session("s", "new", at=at)


def _redact(*seqs: int) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.redact("s", seqs)


def _create(created: ev.SessionCreated) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.create_session("new", created)


def _create_named(session_id: str) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.create_session(session_id)


def _find_named(session_id: str) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.find_session(session_id)


def _import_named(session_id: str) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.import_session(session_id, make_journal([said()]))


def _fork_named(session_id: str) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.fork_session("s", session_id)


def _snapshot(session_id: str, seq: int) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.save_snapshot(session_id, Snapshot(seq=Seq(seq), data=b"{}"), epoch=0)


def _acquire(holder: str, ttl: float) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.acquire_lease("s", holder, ttl=ttl)


def _renew(ttl: float) -> Callable[[Store], Awaitable[object]]:
    async def renew(store: Store) -> None:
        lease = await store.acquire_lease("s", "me", ttl=0)
        await store.renew_lease(lease, ttl=ttl)

    return renew


def _partial(text: str) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.save_partial("s", text)


def _document(key: str, document: dict[str, Any]) -> Callable[[Store], Awaitable[object]]:
    return lambda store: store.documents.save(key, document)


def _tenant(tenant: str) -> Callable[[Store], Awaitable[object]]:
    return lambda store: _switch(store, tenant)
