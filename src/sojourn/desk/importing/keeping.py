"""Talks from elsewhere, stored: what is new, and nothing twice.

Each message remembers the lines that it came from, so a file that has grown adds what is new, and one that has not adds
nothing. A session that went on here is left as it is: what was said elsewhere since then does not follow it.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Final, Literal

from sojourn.desk.importing.line_file import LineFile
from sojourn.desk.importing.talk import Group, Known, Talk, TalkLine, origin_of
from sojourn.desk.importing.writer import JournalWriter
from sojourn.desk.legible import legible
from sojourn.engine.inputs import MAX_NAME
from sojourn.model.events import (
    Compacted,
    Event,
    MessageAdded,
    SessionCreated,
    SessionRenamed,
    SessionSuperseded,
    UsageRecorded,
)
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Message
from sojourn.store.protocol import Store

Action = Literal["added", "grown", "same", "left"]
"""What became of a session: it is new, it has more, it was here already, or it is left out for a reason."""
_PAGE: Final = 1000

ProjectOf = Callable[[str | None], Awaitable[str | None]]
"""Returns the id of the project that a folder belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of one session from elsewhere: how many messages came, and why, if none did."""

    session_id: SessionId
    action: Action
    messages: int = 0
    title: str | None = None
    reason: str = ""


@dataclass(slots=True)
class _Stored:
    """What a session holds of a talk."""

    known: Known = field(default_factory=Known)
    places: dict[str, Seq] = field(default_factory=dict)
    """Where each line is."""
    calls: dict[str, Seq] = field(default_factory=dict)
    said: list[tuple[Seq, int]] = field(default_factory=list)
    """Where each message is, and what tells it from others."""
    last: Message | None = None
    usages: int = 0
    """Calls of a model that were noted behind the last message."""


class TalkKeeper:
    """Stores talks in one store. Lives for one import."""

    def __init__(self, store: Store, *, now: datetime, project_of: ProjectOf, dry_run: bool) -> None:
        """Store talks that were held until *now*; with *dry_run* nothing is stored, and all is said as if it were."""
        self._store = store
        self._now = now
        self._project_of = project_of
        self._dry_run = dry_run
        self._calls: set[str] = set()
        self._homes: dict[str, SessionId] = {}
        """In which session of this import each line is."""
        self.refused = 0
        """What could be read, and not be stored."""

    async def keep(self, talk: Talk, file: LineFile) -> Kept:
        """Store what is new of a talk."""
        kept = await self._keep(talk, file)
        if talk.maker == "claude-code" and kept.action != "left":
            for line in talk.lines:
                self._homes.setdefault(line.id, talk.session_id)
        return kept

    async def _keep(self, talk: Talk, file: LineFile) -> Kept:
        row = await self._store.find_session(talk.session_id)
        if row is None:
            return await self._begin(talk, file)
        if row.header.trashed_at is not None:
            return _left(talk, "it is in the trash; sojourn restore takes it out")
        return await self._grow(talk, file, row.header)

    async def supersede(self, talks: Iterable[Talk]) -> None:
        """Let those that were left for another lead to it."""
        for talk in talks:
            if talk.superseded_by is None or self._dry_run:
                continue
            row, other = [await self._store.find_session(one) for one in (talk.session_id, talk.superseded_by)]
            if row is None or other is None or row.header.superseded_by or other.header.superseded_by:
                continue
            await self._store.append(talk.session_id, [SessionSuperseded(by=talk.superseded_by)])

    # --- one that is not here yet

    async def _begin(self, talk: Talk, file: LineFile) -> Kept:
        # Claude Code copies what was said into other files, and with it what it used; Codex counts in each from 0.
        known = Known(calls=self._calls if talk.maker == "claude-code" else set())
        linked = self._linked(talk)
        forked_at, groups = await self._fork_point(linked, talk.convert(file, talk.lines, 0, known))
        first = next(groups, None)
        if first is None:
            return _left(talk, "nothing was said in it" if forked_at is None else "all of it is in another session")
        at = first.at or next((line.at for line in talk.lines if line.at is not None), self._now)
        opening = await self._opening(talk) if forked_at is None else await self._renaming(talk, linked.forked_from)
        if forked_at is not None and linked.forked_from is not None and not self._dry_run:
            await self._store.fork_session(linked.forked_from, talk.session_id, at=forked_at, began_at=at)
        calls = (await self._stored(linked.forked_from)).calls if forked_at is not None and linked.forked_from else {}
        head = 0 if forked_at is None else forked_at + 1
        writer = JournalWriter(self._store, talk.session_id, head=head, at=at, calls=calls, dry_run=self._dry_run)
        await writer.add(opening, at=at)
        return await self._write(talk, writer, chain([first], groups), "added")

    def _linked(self, talk: Talk) -> Talk:
        """Return a talk that goes on from another file as a fork of that one.

        Claude Code writes a talk that is resumed into a new file: it repeats the lines before, or names the last one.
        What is repeated is compared by what it says, not by its names: a file may say what it likes.
        """
        if talk.forked_from is not None or talk.parent is not None or talk.maker != "claude-code":
            return talk
        home = self._homes.get(talk.lines[0].id) if talk.lines else None
        if home is not None:
            return replace(talk, forked_from=home)
        after = talk.comes_after
        home = self._homes.get(after) if after is not None else None
        return talk if home is None else replace(talk, forked_from=home, forked_after=after)

    async def _fork_point(self, talk: Talk, groups: Iterator[Group]) -> tuple[Seq | None, Iterator[Group]]:
        """Return after which entry of its parent a fork begins, and what it says from there on."""
        if talk.forked_from is None or await self._store.find_session(talk.forked_from) is None:
            return None, groups
        parent = await self._stored(talk.forked_from)
        if talk.forked_after is not None:
            return parent.places.get(talk.forked_after), groups
        return _parted(groups, parent.said)

    async def _opening(self, talk: Talk) -> list[Event]:
        about = {"imported_from": talk.maker, **talk.about}
        if talk.forked_from is not None:
            about["forked_from"] = talk.forked_from
        project = await self._project_of(talk.folder)
        events: list[Event] = [SessionCreated(project=project, parent=talk.parent, metadata=about)]
        title = _title(talk)
        return [*events, SessionRenamed(title=title, source=talk.title_source)] if title else events

    async def _renaming(self, talk: Talk, parent: SessionId | None) -> list[Event]:
        """Return what gives a fork its title, if it has another than its parent, and not one that was made up here."""
        row = await self._store.find_session(parent) if parent is not None else None
        title = _title(talk)
        if row is None or title is None or talk.title_source == "auto" or row.header.title == title:
            return []
        return [SessionRenamed(title=title, source=talk.title_source)]

    # --- one that is here

    async def _grow(self, talk: Talk, file: LineFile, header: SessionHeader) -> Kept:
        stored = await self._stored(talk.session_id)
        last = max((place for place, line in enumerate(talk.lines) if line.id in stored.known.lines), default=-1)
        is_bare = header.forked_at is not None and header.head == header.forked_at + 1
        if last < 0 and header.message_count and not is_bare:
            return _left(talk, "another session has this id here")
        groups = talk.convert(file, talk.lines, last + 1, stored.known)
        groups = _without_usages(groups, 0 if is_bare else stored.usages)
        first = next(groups, None)
        if first is None:
            return Kept(session_id=talk.session_id, action="same", title=header.title)
        if not is_bare and not _ends_with(stored.last, talk.lines[last] if last >= 0 else None):
            return _left(talk, "it went on here")
        at = header.updated_at
        writer = JournalWriter(
            self._store, talk.session_id, head=header.head, at=at, calls=stored.calls, dry_run=self._dry_run
        )
        title = _title(talk)
        if title and header.title_source != "user" and talk.title_source != "auto" and title != header.title:
            await writer.add([SessionRenamed(title=title, source=talk.title_source)])
        return await self._write(talk, writer, chain([first], groups), "grown")

    async def _write(self, talk: Talk, writer: JournalWriter, groups: Iterable[Group], action: Action) -> Kept:
        for group in groups:
            await writer.add(group.events, at=group.at)
        await writer.flush()
        self.refused += writer.refused
        return Kept(session_id=talk.session_id, action=action, messages=writer.messages, title=_title(talk))

    async def _stored(self, session_id: SessionId) -> _Stored:
        """Return what a session holds, page by page."""
        stored, after = _Stored(), 0
        if await self._store.find_session(session_id) is None:
            return stored  # it would have been stored by now, if anything were
        while entries := await self._store.read(session_id, after=after, limit=_PAGE):
            for entry in entries:
                _take(stored, entry.event, entry.seq)
            after = entries[-1].seq
        return stored


def _take(stored: _Stored, event: Event, seq: Seq) -> None:
    match event:
        case MessageAdded(message=message):
            origin = origin_of(message)
            lines = [line for line in origin.get("lines", ()) if isinstance(line, str)]
            stored.known.lines.update(lines)
            stored.places.update(dict.fromkeys(lines, seq))
            if isinstance(origin.get("call"), str):
                stored.known.calls.add(origin["call"])
            stored.known.names.update({call.id: call.name for call in message.tool_calls})
            stored.calls.update({call.id: seq for call in message.tool_calls})
            stored.said.append((seq, _identity(message)))
            stored.last, stored.usages = message, 0
        case UsageRecorded():
            stored.usages += 1
        case Compacted(summary=summary):
            stored.known.summaries.add(summary)
        case _:
            pass


def _identity(message: Message) -> int:
    """Return what tells a message from others, wherever it came from."""
    calls = tuple((call.id, call.name) for call in message.tool_calls)
    return hash((message.role, message.text, calls, message.tool_call_id))


def _parted(groups: Iterator[Group], said: Sequence[tuple[Seq, int]]) -> tuple[Seq | None, Iterator[Group]]:
    """Return the last message that a fork shares with its parent, and what it says behind that."""
    place = 0
    for group in groups:
        own = [_identity(event.message) for event in group.events if isinstance(event, MessageAdded)]
        if own and own != [identity for _, identity in said[place : place + len(own)]]:
            groups = chain([group], groups)
            break
        place += len(own)
    return (said[place - 1][0] if place else None), groups


def _without_usages(groups: Iterator[Group], number: int) -> Iterator[Group]:
    """Yield *groups* without the first *number* that only tell usage, as long as nobody spoke: they are stored."""
    for group in groups:
        if number and all(isinstance(event, UsageRecorded) for event in group.events):
            number -= 1
            continue
        if group.events:
            number = 0
            yield group


def _ends_with(last: Message | None, line: TalkLine | None) -> bool:
    """Tell whether the last message of a session came from this line."""
    return last is None if line is None else last is not None and line.id in origin_of(last).get("lines", ())


def _title(talk: Talk) -> str | None:
    title = " ".join(legible(talk.title or "").split())[:MAX_NAME]
    return title or None


def _left(talk: Talk, reason: str) -> Kept:
    return Kept(session_id=talk.session_id, action="left", title=_title(talk), reason=reason)
