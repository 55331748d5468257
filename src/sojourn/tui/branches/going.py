"""Going to a node of the tree. What was there before stays as it was, and can be gone back to."""

from dataclasses import dataclass

from sojourn.engine.sessions import SessionManager
from sojourn.errors import InvalidInputError
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Store
from sojourn.tui.branches.nodes import Parts, Said
from sojourn.tui.chat.items import place_before


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Which session to open, what to put into the prompt, and what to tell the person."""

    session_id: SessionId
    prompt: str | None = None
    told: str | None = None


async def go(sessions: SessionManager, store: Store, node: Said | Parts, *, is_last: bool) -> Goal:
    """Make ready to go on from *node*.

    From something that the person said in the open session, it is taken back, to be said differently; from anything
    else there, the talk goes on behind it. Both are a rewind. In another branch the same is a fork, and a branch as a
    whole is opened. *is_last* tells that nothing comes behind the node in its session.
    """
    if isinstance(node, Parts):
        return await _to_branch(sessions, node)
    if node.branch is not None:
        alive = node.branch.header.superseded_by is None and node.branch.header.trashed_at is None
        if is_last and alive and not node.item.is_prompt:
            return Goal(session_id=node.session_id)
        return await fork(sessions, store, node)
    if node.item.is_prompt:
        rewound = await sessions.rewind(node.session_id, at=await place_before(store, node.session_id, node.item))
        told = "say it differently; what was said before is kept as a branch"
        return Goal(session_id=rewound.id, prompt=node.item.text, told=told)
    if is_last:
        return Goal(session_id=node.session_id)
    rewound = await sessions.rewind(node.session_id, at=node.item.seq)
    return Goal(session_id=rewound.id, told="it goes on from here; what came after is kept as a branch")


async def fork(sessions: SessionManager, store: Store, node: Said | Parts) -> Goal:
    """Begin a session that goes on from *node*; before it, with its text in the prompt, if the person said it."""
    told = "a fork: the other session stays as it is"
    if isinstance(node, Parts):
        return Goal(session_id=(await sessions.fork(node.branch.header.session_id)).id, told=told)
    if node.item.is_prompt:
        forked = await sessions.fork(node.session_id, at=await place_before(store, node.session_id, node.item))
        return Goal(session_id=forked.id, prompt=node.item.text, told=told)
    return Goal(session_id=(await sessions.fork(node.session_id, at=node.item.seq)).id, told=told)


async def _to_branch(sessions: SessionManager, node: Parts) -> Goal:
    header = node.branch.header
    if header.trashed_at is not None:
        raise InvalidInputError("this branch is in the trash: find it with ctrl+r, and take it out with d")
    if header.superseded_by is None:
        return Goal(session_id=header.session_id)
    forked = await sessions.fork(header.session_id)
    return Goal(session_id=forked.id, told="a fork of what was left behind: it goes on where it ended")
