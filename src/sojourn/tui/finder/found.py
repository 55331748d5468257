"""What a view has found so far: sessions by their titles, and sessions by what was said in them."""

from dataclasses import replace

from sojourn.engine.app import Sojourn
from sojourn.engine.project import Project
from sojourn.model.ids import SessionId
from sojourn.tui.finder.lines import SessionLine
from sojourn.tui.finder.matches import Match, find_matches
from sojourn.tui.finder.shelf import Kept, Shelf
from sojourn.tui.finder.view import View


class Found:
    """Lives until the view changes."""

    def __init__(self, app: Sojourn, view: View, *, here: Project) -> None:
        """Find what *view* asks for, for a person who is in the project *here*."""
        self._app = app
        self._here = here
        self._shelf = Shelf(app.store, view)
        self._matches: list[Match] = []
        self._forks: dict[SessionId, int] = {}
        self.view = view

    @property
    def is_whole(self) -> bool:
        """Whether every session was read that belongs here by its title."""
        return self._shelf.is_whole

    async def read_on(self) -> None:
        """Read more sessions, if there are more."""
        await self._shelf.read_on()

    async def search(self) -> None:
        """Look for the words in what was said."""
        self._matches = await find_matches(self._app, self.view)

    async def count_forks(self) -> None:
        """Find out how many sessions were forked from each."""
        await self._shelf.count_forks()
        for match in self._matches:
            session_id = match.header.session_id
            if session_id not in self._forks:
                self._forks[session_id] = len(await self._app.store.list_forks(session_id))

    async def renew(self, session_id: SessionId) -> None:
        """Read one session again: something about it has changed."""
        await self._shelf.renew(session_id)
        row = await self._app.store.find_session(session_id)
        self._matches = [
            replace(match, header=row.header) if row is not None and match.header.session_id == session_id else match
            for match in self._matches
        ]

    def lines(self, *, is_open: SessionId | None = None) -> list[SessionLine]:
        """Return those whose title has the words, then those where only what was said has them.

        *is_open* is the session that the person is in.
        """
        kept = self._shelf.kept()
        matches = {match.header.session_id: match for match in self._matches if self.view.holds(match.header)}
        titled = {one.header.session_id for one in kept}
        said = [
            Kept(header=match.header, forks=self._forks.get(key, 0))
            for key, match in matches.items()
            if key not in titled
        ]
        now = self._app.clock.now()
        return [
            SessionLine(
                header=one.header,
                now=now,
                here=self._here,
                depth=one.depth,
                forks=one.forks,
                damage=one.damage,
                match=matches.get(one.header.session_id),
                words=self.view.text,
                is_open=one.header.session_id == is_open,
                shows_project=self.view.scope == "all",
            )
            for one in (*kept, *said)
        ]

    def nothing(self) -> str:
        """Return what to say when nothing was found."""
        view = self.view
        other = "; tab looks into every project" if view.scope == "project" else ""
        if view.text:
            where = "no such title in the trash" if view.place == "trash" else "nothing was found"
            return f"{where}{other}"
        match view.place:
            case "active":
                return f"no sessions yet: esc goes back, and what you say begins one{other}"
            case "archived":
                return f"nothing was archived{other}"
            case "trash":
                return f"the trash is empty{other}"
