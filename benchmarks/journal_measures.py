"""What the journal benchmark measures, one function each. Every timing alternates between all contestants."""

import itertools
import random
import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from contestant import RECENT, SESSION, Contestant, Live
from journal_sojourn import LiveSojourn, Sojourn
from report import note
from rounds import Case, Sample, alternate

from sojourn.engine.session import SNAPSHOT_EVERY, Session, new_session_id
from sojourn.store import Store

SMALL: Final = 100
LOOKING: Final = f"{Sojourn.name}, state read"


class Entrant(NamedTuple):
    """A contestant, how many messages its large session has, and in how many rounds it sits out."""

    contestant: Contestant
    large: int
    every: int
    bytes_turns: int

    @property
    def name(self) -> str:
        return self.contestant.name


@dataclass(frozen=True, slots=True)
class Files:
    """Where the filled files lie: one with a small session and one with a large session per contestant."""

    folder: Path

    def small(self, name: str) -> Path:
        return self._path(name, "small")

    def large(self, name: str) -> Path:
        return self._path(name, "large")

    def _path(self, name: str, size: str) -> Path:
        plain = "".join(letter if letter.isalnum() else "-" for letter in name)
        folder = self.folder / plain
        folder.mkdir(exist_ok=True)
        return folder / f"{size}.db"


class Pair(NamedTuple):
    """The same at both sizes."""

    small: Sample
    large: Sample


async def fill(entrants: Sequence[Entrant], files: Files) -> dict[str, float]:
    """Make all files, and return the bytes that each large one takes per message."""
    sizes = {}
    for contestant, large, *_ in entrants:
        note(f"  {contestant.name}: {large:,} messages")
        for path, messages in ((files.small(contestant.name), SMALL), (files.large(contestant.name), large)):
            await contestant.fill(path, messages // 2)
            contestant.checkpoint(path)
        sizes[contestant.name] = files.large(contestant.name).stat().st_size / large
    return sizes


async def measure_append(entrants: Sequence[Entrant], files: Files, *, rounds: int) -> dict[str, Pair]:
    """Append one turn to the small and to the large session of each, again and again.

    Sojourn takes part twice: once it only stores the turn, and once it also looks at the state that comes of it.
    """
    cases: list[Case] = []
    opened: list[Live] = []
    for contestant, _, every, _ in entrants:
        for path in (files.small(contestant.name), files.large(contestant.name)):
            live = await contestant.open(path)
            opened.append(live)
            cases.append(_append_case(live, live.append, f"{contestant.name}/{path.stem}", every=every))
    for path in (files.small(Sojourn.name), files.large(Sojourn.name)):
        looking = await Sojourn().open(_copy(path, "looking"))
        opened.append(looking)
        cases.append(_append_case(looking, looking.append_and_look, f"{LOOKING}/{path.stem}"))
    samples = await alternate(cases, rounds=rounds)
    for live in opened:
        await live.close()
    names = [Sojourn.name, LOOKING, *(one.name for one in entrants if one.name != Sojourn.name)]
    return {name: Pair(samples[f"{name}/small"], samples[f"{name}/large"]) for name in names}


async def measure_bytes(entrants: Sequence[Entrant], files: Files) -> dict[str, float | None]:
    """Return the bytes that a turn makes each write to its large session, everything brought into the file at the end.

    The count is the operating system's, of all the process writes.
    """
    written: dict[str, float | None] = {}
    for contestant, _, _, turns in entrants:
        path = files.large(contestant.name)
        live = await contestant.open(path)
        before = _written()
        for number in range(2_000_000, 2_000_000 + turns):
            await live.append(live.prepare(number))
        await live.close()
        contestant.checkpoint(path)
        after = _written()
        written[contestant.name] = None if before is None or after is None else (after - before) / turns
    return written


async def measure_last(entrants: Sequence[Entrant], files: Files, *, rounds: int) -> dict[str, Sample]:
    """Read the last messages of the large sessions; Sojourn's both through the store and through the session."""
    cases: list[Case] = []
    opened: list[Live] = []
    for entrant in entrants:
        live = await entrant.contestant.open(files.large(entrant.name))
        opened.append(live)
        assert await live.last_messages(RECENT) == RECENT
        cases.append(Case(name=entrant.name, act=partial(_read_last, live), every=entrant.every))
        if isinstance(live, LiveSojourn):
            through_session = partial(_read_session, live.session)
            cases.append(Case(name=f"{entrant.name}, through the session", act=through_session))
    samples = await alternate(cases, rounds=rounds)
    for live in opened:
        await live.close()
    return samples


async def measure_opening(entrants: Sequence[Entrant], files: Files, *, rounds: int) -> dict[str, Sample]:
    """Open each file and its session until a program could go on; fork Sojourn's large one. Closing is not timed.

    Sojourn's sessions were left, not closed, as by a crash; "closed" are copies whose sessions were closed properly.
    """
    sojourn, large = Sojourn(), files.large(Sojourn.name)
    copies = [await _closed_copy(path) for path in (files.small(Sojourn.name), large)]
    cases = [
        Case(name=name, act=partial(_open, contestant, path), finish=_close, every=every)
        for contestant, _, every, _ in entrants
        for name, path in (
            (f"{contestant.name}/small", files.small(contestant.name)),
            (f"{contestant.name}/large", files.large(contestant.name)),
        )
    ]
    cases += [
        Case(name=f"closed/{size}", act=partial(_open, sojourn, path), finish=_close)
        for size, path in zip(("small", "large"), copies, strict=True)
    ]
    head = await _head(large)
    cases += _fork_cases(partial(sojourn.open_store, large), head, finish=_close_store)
    return await alternate(cases, rounds=rounds)


async def measure_on_open_stores(files: Files, *, rounds: int) -> dict[str, Sample]:
    """Resume and fork Sojourn's sessions on stores that are open already."""
    small, large = files.small(Sojourn.name), files.large(Sojourn.name)
    head = await _head(large)
    stores = [await Sojourn().open_store(path) for path in (small, large)]
    cases = [
        Case(name=f"resume/{size}", act=partial(_resume, store))
        for size, store in zip(("small", "large"), stores, strict=True)
    ]
    cases += _fork_cases(partial(_same, stores[1]), head)
    samples = await alternate(cases, rounds=rounds)
    for store in stores:
        await store.close()
    return samples


def _fork_cases(
    opener: Callable[[], Awaitable[Store]], head: int, *, finish: Callable[[Store], Awaitable[None]] | None = None
) -> list[Case]:
    """Return a case per place to fork at.

    In the middle and in the first percent the exact place is random, so that what has to be replayed after the nearest
    snapshot is the average.
    """
    chance = random.Random(3)
    middle, early = head // 2, max(head // 100 - SNAPSHOT_EVERY, 1)
    places: dict[str, Callable[[], int | None]] = {
        "head": lambda: None,
        "middle": lambda: middle + chance.randrange(SNAPSHOT_EVERY),
        "first percent": lambda: early + chance.randrange(min(SNAPSHOT_EVERY, head // 100)),
    }
    return [
        Case(name=f"fork/{place}", act=partial(_fork, opener), prepare=choose, finish=finish)
        for place, choose in places.items()
    ]


def _append_case(live: Live, act: Callable[[Any], Awaitable[None]], name: str, *, every: int = 1) -> Case:
    numbers = itertools.count(1_000_000)
    return Case(name=name, act=act, prepare=lambda: live.prepare(next(numbers)), every=every)


async def _read_last(live: Live, _: Any) -> None:
    await live.last_messages(RECENT)


async def _read_session(session: Session, _: Any) -> None:
    await session.last_messages(RECENT)


async def _open(contestant: Contestant, path: Path, _: Any) -> Live:
    return await contestant.open(path)


async def _close(live: Live) -> None:
    await live.close()


async def _same(store: Store) -> Store:
    return store


async def _resume(store: Store, _: Any) -> None:
    session = await Session.open(store, SESSION)
    assert session.state.head == session.head


async def _fork(opener: Callable[[], Awaitable[Store]], place: int | None) -> Store:
    store = await opener()
    row = await store.fork_session(SESSION, new_session_id(), at=place)
    session = await Session.open(store, row.header.session_id)
    assert session.state.head == session.head
    return store


async def _head(path: Path) -> int:
    async with await Sojourn().open_store(path) as store:
        return (await store.get_session(SESSION)).header.head


async def _close_store(store: Store) -> None:
    await store.close()


async def _closed_copy(path: Path) -> Path:
    """Return a copy of the file whose session was closed as it should be, which keeps a snapshot of its end."""
    copy = _copy(path, "closed")
    store = await Sojourn().open_store(copy)
    session = await Session.open(store, SESSION)
    await session.close()
    await store.close()
    return copy


def _copy(path: Path, name: str) -> Path:
    """Return a copy of a file that nobody has open."""
    copy = path.with_name(f"{name}-{path.name}")
    shutil.copyfile(path, copy)
    return copy


def _written() -> int | None:
    """Return how many bytes this process has written so far, if the system tells."""
    counters = Path("/proc/self/io")
    if not counters.exists():
        return None
    return int(dict(line.split(": ") for line in counters.read_text("ascii").splitlines())["wchar"])
