"""Which session a person means: by its id, by a piece of it, by its title, or as the one used last."""

import re
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Final, Literal

from sojourn.desk.columns import width
from sojourn.desk.wording import count
from sojourn.engine.pointer import pointer_key
from sojourn.engine.superseding import find_current
from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.model.header import SessionHeader
from sojourn.model.ids import check_session_id
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionQuery, Store

if TYPE_CHECKING:  # a list of sessions does not wait for the engine
    from sojourn.engine.app import Sojourn
    from sojourn.engine.session import Session

Among = Literal["kept", "trash"]
"""Where to look: among the sessions that are kept, archived or not, or among those in the trash."""
_SHORT: Final = 8
_LONG: Final = 16
_NAMED: Final = 5
_COMPARED: Final = 1000
"""Sessions whose titles are compared with one that was not found."""
_LEAST: Final = 4
"""Characters that make a piece of an id; columns that words of a title fill at least."""
_RECENT: Final = re.compile(r"@(?:last|-([0-9]{1,6}))")


def short(session_id: str) -> str:
    """Return the end of a long id, which is enough for people: its beginning is the time, and much the same."""
    return session_id if len(session_id) <= _LONG else session_id[-_SHORT:]


async def open_session(app: "Sojourn", reference: str, *, project: str | None = None) -> "Session":
    """Open the session that *reference* names; the errors are those of `find`."""
    return await app.sessions.open((await find(app.store, reference, project=project)).session_id)


async def find(
    store: Store, reference: str, *, project: str | None = None, among: Among = "kept", whole: bool = False
) -> SessionHeader:
    """Return the session that *reference* names.

    That is its id, the beginning or end of its id, its title, `@last` for the one used last in *project*, or `@-2` for
    the one before; in the trash, `@last` is the one thrown away last. A title does not name a session that was rewound,
    if it names one that was not. Words of a title will do where no other title has them, unless *whole* asks for all of
    it.

    Raises:
        SessionNotFoundError: there is none; its notes name some that are near.
        InvalidInputError: it names several; its notes name them.
    """
    wanted = reference.strip()
    if not wanted:
        raise InvalidInputError("name a session: its id, a piece of its id, its title, or @last")
    recent = _RECENT.fullmatch(wanted)
    if recent is not None:
        number = int(recent[1] or 1)
        return await (_recent(store, number, project) if among == "kept" else _thrown(store, number))
    exact = await store.find_session(wanted) if _may_be_id(wanted) else None
    if exact is not None and (exact.header.trashed_at is not None) == (among == "trash"):
        return exact.header
    headers = [header async for header in _all(store, among)]
    found = _meant(headers, wanted)
    if not found and not whole:
        held = _holding(headers, wanted)
        found = held if len(held) == 1 else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise await _not_found(store, wanted, headers, among)
    error = InvalidInputError(f"{wanted!r:.100} names {len(found)} sessions; choose one by its id")
    _name(error, found)
    raise error


def _may_be_id(wanted: str) -> bool:
    try:
        check_session_id(wanted)
    except InvalidInputError:
        return False
    return True


def _meant(headers: list[SessionHeader], wanted: str) -> list[SessionHeader]:
    titled = [header for header in headers if (header.title or "").casefold() == wanted.casefold()]
    alive = [header for header in titled if header.superseded_by is None]
    pieces = [
        header
        for header in headers
        if len(wanted) >= _LEAST and (header.session_id.startswith(wanted) or header.session_id.endswith(wanted))
    ]
    return list({header.session_id: header for header in (*pieces, *(alive or titled))}.values())


def _holding(headers: Iterable[SessionHeader], wanted: str) -> list[SessionHeader]:
    """Return the sessions in whose titles *wanted* begins a word, if it is long enough to mean one of them."""
    if width(wanted) < _LEAST:
        return []
    words = re.compile(rf"\b{re.escape(wanted)}" if wanted[0].isalnum() else re.escape(wanted), re.IGNORECASE)
    return [header for header in headers if header.superseded_by is None and words.search(header.title or "")]


async def _recent(store: Store, number: int, project: str | None) -> SessionHeader:
    """Return the session used last (1), or the one before (2), and so on; the pointer knows which was the last."""
    last = await _pointed_at(store, project)
    if number == 1 and last is not None:
        return last
    headers = [last] if last is not None else []
    async for header in _all(store, "kept", project=project, archived=False):
        is_own = header.superseded_by is None and header.parent is None
        if is_own and (last is None or header.session_id != last.session_id):
            headers.append(header)
        if len(headers) == number:
            return header
    raise _too_far(number, len(headers), "in this project" if project is not None else "here")


async def _thrown(store: Store, number: int) -> SessionHeader:
    """Return the session that was thrown away last (1), or the one before (2), and so on, of any project."""
    headers = [(header.trashed_at, header) async for header in _all(store, "trash") if header.trashed_at is not None]
    headers.sort(key=lambda one: one[0], reverse=True)
    if not 1 <= number <= len(headers):
        raise _too_far(number, len(headers), "in the trash")
    return headers[number - 1][1]


def _too_far(number: int, there_are: int, where: str) -> SessionNotFoundError:
    if not there_are:
        return SessionNotFoundError(f"there is no session {where}")
    return SessionNotFoundError(f"there is no @-{number}: {count(there_are, 'session')} {where}")


async def _pointed_at(store: Store, project: str | None) -> SessionHeader | None:
    pointer = await store.documents.load(pointer_key(project))
    if not pointer:
        return None
    try:
        row = await find_current(store, check_session_id(pointer.get("session_id", "")))
    except InvalidInputError:
        return None  # it points nowhere, so the last activity decides
    return None if row is None or row.header.trashed_at is not None else row.header


async def _not_found(store: Store, wanted: str, headers: list[SessionHeader], among: Among) -> SessionNotFoundError:
    error = SessionNotFoundError(f"no session {'in the trash ' if among == 'trash' else ''}is called {wanted!r:.100}")
    other: Among = "kept" if among == "trash" else "trash"
    elsewhere = _meant([header async for header in _all(store, other)], wanted)
    if elsewhere:
        place = "in the trash: sojourn restore takes it out" if other == "trash" else "not in the trash"
        error.add_note(f"{elsewhere[0].session_id} is {place}")
    _name(error, _near(headers[:_COMPARED], wanted))
    if not getattr(error, "__notes__", ()):
        error.add_note(f"sojourn ls --{'trash' if among == 'trash' else 'all'} lists what there is")
    return error


def _near(headers: list[SessionHeader], wanted: str) -> list[SessionHeader]:
    """Return sessions whose title holds *wanted*, or is written much like it."""
    import difflib  # noqa: PLC0415 - only who was not understood waits for it

    folded = wanted.casefold()
    titles = {(header.title or "").casefold(): header for header in reversed(headers) if header.title}
    holding = [title for title in reversed(titles) if folded in title]
    alike = difflib.get_close_matches(folded, titles, n=_NAMED)
    return [titles[title] for title in dict.fromkeys((*holding, *alike))][:_NAMED]


def _name(error: Exception, headers: Iterable[SessionHeader]) -> None:
    """Add some sessions to what an error has to say."""
    named = list(headers)
    for header in named[:_NAMED]:
        error.add_note(f"{header.session_id}  {header.title or 'no title'}")
    if len(named) > _NAMED:
        error.add_note(f"and {len(named) - _NAMED} more")


async def _all(
    store: Store, among: Among, *, project: str | None = None, archived: bool | None = None
) -> AsyncIterator[SessionHeader]:
    """Yield every session, newest activity first."""
    query = SessionQuery(archived=archived, trashed=among == "trash", project=project)
    async for row in all_sessions(store, query):
        yield row.header
