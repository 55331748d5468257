"""Which sessions read entries of which others, over a whole tenant. Needs the structure lock to stay true."""

from sojourn.errors import SessionNotFoundError
from sojourn.model.ids import SessionId
from sojourn.store.files.line import Origin
from sojourn.store.files.shelf import Shelf


class Kinship:
    """The bases of all sessions of a tenant, read once."""

    def __init__(self, shelf: Shelf) -> None:
        self.origins: dict[SessionId, Origin] = {}
        for session_id in shelf.home.session_ids():
            known = shelf.find(session_id)
            if known is not None:
                self.origins[session_id] = known.origin

    def origin(self, session_id: SessionId) -> Origin:
        """Return where the session's earlier entries are.

        Raises:
            SessionNotFoundError: there is no such session.
        """
        if session_id not in self.origins:
            raise SessionNotFoundError(f"session={session_id}")
        return self.origins[session_id]

    def forks(self, session_id: SessionId) -> list[tuple[SessionId, int]]:
        """Return the sessions that read entries which *session_id* stores, with the last that each reads, sorted."""
        return sorted((fork, origin.base_seq) for fork, origin in self.origins.items() if origin.base == session_id)

    def descendants(self, session_id: SessionId) -> set[SessionId]:
        """Return *session_id* and all that read from it at any remove."""
        found: set[SessionId] = set()
        waiting = [session_id]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += [fork for fork, _ in self.forks(one)]
        return found

    def relatives(self, session_id: SessionId) -> set[SessionId]:
        """Return all whose entries *session_id* reads, itself, and all that read entries of any of these."""
        root = session_id
        while (base := self.origin(root).base) is not None:
            root = base
        return self.descendants(root)

    def oldest_last(self) -> list[SessionId]:
        """Return all sessions, each before the one it reads from."""
        depths: dict[SessionId, int] = {}
        for session_id in self.origins:
            depth, origin = 0, self.origins[session_id]
            while origin.base in self.origins:
                depth, origin = depth + 1, self.origins[origin.base]
            depths[session_id] = depth
        return sorted(depths, key=lambda one: (-depths[one], one))
