"""How sessions that were forked from each other are related, and in what they differ."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from sojourn.engine.loading import load_state
from sojourn.errors import InvalidInputError
from sojourn.model.events import SessionMoved
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import SessionState
from sojourn.store.protocol import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A session in a tree of forks, with the forks that were made of it."""

    header: SessionHeader
    forks: tuple["Branch", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonPoint:
    """The last entry that two sessions share, in the session that stores it."""

    session_id: SessionId
    seq: Seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that two branches hold differently; None means that a branch does not hold it."""

    component: str
    name: str
    ours: Any
    theirs: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two branches side by side: where they part, how far each went, and what they hold differently."""

    common: CommonPoint
    our_entries: int
    their_entries: int
    differences: tuple[Difference, ...]


async def find_tree(store: Store, session_id: str) -> Branch:
    """Return the tree of forks that hangs on *session_id*, this session at its root."""
    headers = deque([(await store.get_session(session_id)).header])
    found: list[tuple[SessionHeader, list[SessionId]]] = []
    while headers:  # not by recursion: a fork may hang on a fork a thousand times
        header = headers.popleft()
        forks = await store.list_forks(header.session_id)
        found.append((header, forks))
        headers += [(await store.get_session(fork_id)).header for fork_id in forks]
    branches: dict[SessionId, Branch] = {}
    for header, forks in reversed(found):
        branches[header.session_id] = Branch(header=header, forks=tuple(branches[fork_id] for fork_id in forks))
    return branches[found[0][0].session_id]


async def find_common_point(store: Store, ours: str, theirs: str) -> CommonPoint:
    """Return the last entry that both sessions share.

    Raises:
        InvalidInputError: they are one session, or share nothing.
    """
    if ours == theirs:
        raise InvalidInputError(f"session={ours}: a session has no branch point with itself")
    our_path, their_path = await _ancestry(store, ours), await _ancestry(store, theirs)
    for session_id, seq in our_path.items():
        if session_id in their_path:
            return CommonPoint(session_id=session_id, seq=min(seq, their_path[session_id]))
    raise InvalidInputError(f"sessions {ours} and {theirs} share no history")


async def compare(store: Store, ours: str, theirs: str) -> Comparison:
    """Say where two branches part and what they hold differently."""
    common = await find_common_point(store, ours, theirs)
    our_state, their_state = (await load_state(store, ours)).state, (await load_state(store, theirs)).state
    return Comparison(
        common=common,
        our_entries=our_state.head - common.seq,
        their_entries=their_state.head - common.seq,
        differences=tuple(_differences(our_state, their_state)),
    )


def holdings(state: SessionState) -> dict[tuple[str, str], Any]:
    """Return what a state holds that can be compared and merged, by component and name, as plain values."""
    profile = state.user_profile
    held: dict[tuple[str, str], Any] = {("user_profile", name): getattr(profile, name) for name in profile.origins}
    for fact in state.knowledge_base.facts.values():
        held["knowledge_base", fact.fact_id] = {"content": fact.content, "status": fact.status}
    for name, value in state.variables.values.items():
        held["variables", name] = value
    memory = state.working_memory
    held["working_memory", "focus"] = [memory.focus_type, memory.focus_id, memory.focus_context]
    held["working_memory", "short_term_memory"] = memory.short_term_memory
    held["working_set", "summary"] = state.working_set.summary
    for decision in state.working_set.decisions:
        held["working_set", f"decision: {decision.text}"] = True
    for task in state.working_set.open_tasks:
        held["working_set", f"task: {task.task_id}"] = task.text
    for pinned in state.working_set.pinned_facts:
        held["working_set", f"pinned: {pinned}"] = True
    for file in state.working_set.files_touched:
        held["working_set", f"file: {file.path}"] = file.action
    return held


def _differences(ours: SessionState, theirs: SessionState) -> list[Difference]:
    our_things, their_things = holdings(ours), holdings(theirs)
    return [
        Difference(component=component, name=name, ours=our_things.get((component, name)), theirs=other)
        for component, name in dict.fromkeys([*our_things, *their_things])
        if our_things.get((component, name)) != (other := their_things.get((component, name)))
    ]


async def _ancestry(store: Store, session_id: str) -> dict[SessionId, Seq]:
    """Return the session and those it was forked from, each with the last entry that is shared with it."""
    header = (await store.get_session(session_id)).header
    path = {header.session_id: header.head}
    while header.forked_from is not None and header.forked_at is not None:
        parent = await store.find_session(header.forked_from)
        if parent is None:
            break  # it was purged
        path[header.forked_from] = min(path[header.session_id], header.forked_at)
        header = parent.header
    return path


async def follow_project(store: Store, fork: SessionHeader, project: str | None) -> None:
    """Let a new fork belong to its parent's *project*: where it belongs is not of the past that it goes back to."""
    if fork.project != project:
        await store.append(fork.session_id, [SessionMoved(project=project)])
