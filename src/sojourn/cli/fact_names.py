"""Which fact a person means: by its number in `facts ls`, by its id or the beginning of it, or by words of it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from sojourn.cli.subject import Opened
from sojourn.desk.wording import one_line
from sojourn.errors import InvalidInputError, NotFoundError, SojournError
from sojourn.model.ids import SessionId
from sojourn.model.knowledge import Fact

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.session import Session

_FRONT: Final = "fact-"
"""What every id that was made of a sentence begins with; nobody has to type it."""
_LEAST: Final = 4
"""Characters that make a piece of an id."""
_SHORT: Final = 8
_NAMED: Final = 5


class Meant(NamedTuple):
    """A fact, and the sessions that hold it: the one that is looked at, or those of the project or user."""

    fact: Fact
    sessions: tuple[SessionId, ...]


def short_id(fact_id: str) -> str:
    """Return as much of a fact's id as people need to name it."""
    return fact_id.removeprefix(_FRONT)[:_SHORT] if fact_id.startswith(_FRONT) else fact_id


def numbered(session: "Session") -> dict[str, int]:
    """Return the number of each fact that the session holds: the same in every list, whatever it leaves out."""
    return {fact.fact_id: number for number, fact in enumerate(session.facts, 1)}


def find_fact(session: "Session", name: str, *, by_piece: bool = True) -> Fact:
    """Return the fact of *session* that *name* names; only *by_piece* may it be a part of its words.

    Raises:
        NotFoundError: there is none; its notes name those of which it is only a part.
        InvalidInputError: there are several; its notes name them.
    """
    facts = tuple(session.facts)
    found = _matching(facts, name, by_number=True, by_piece=by_piece)
    partly = [] if found or by_piece else _matching(facts, name, by_number=True)
    if partly:
        raise _naming(NotFoundError(f"{name!r:.100} is a part of a fact: give its number, id or all words"), partly)
    return _only(name, found)


async def find_fact_anywhere(opened: Opened, name: str) -> Meant:
    """Return the fact that *name* names in the session, or else among what its project and its user share.

    By its whole id a fact is found, too, that the session's state does not hold any more.

    Raises:
        NotFoundError, InvalidInputError: as for `find_fact`.
    """
    session, memory = opened.session, opened.app.memory
    own = _matching(tuple(session.facts), name, by_number=True)
    own = own or await memory.find_facts(session, fact_id=f"{_FRONT}{_bare(name.strip())}")
    if own:
        return Meant(_only(name, own), (session.id,))
    state = session.state
    shared = list(await memory.user_facts(state.user_id))
    if state.project is not None:
        shared += await memory.project_facts(state.project, user_id=state.user_id)
    by_id = {one.fact.fact_id: one for one in shared}
    fact = _only(name, _matching([one.fact for one in by_id.values()], name, by_number=False))
    return Meant(fact, by_id[fact.fact_id].sessions)


def _matching(facts: Sequence[Fact], name: str, *, by_number: bool, by_piece: bool = True) -> list[Fact]:
    wanted = name.strip()
    if by_number and wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(facts):
        return [facts[int(wanted) - 1]]
    for fits in (
        lambda fact: wanted in (fact.fact_id, fact.fact_id.removeprefix(_FRONT)),
        lambda fact: wanted.casefold() == fact.content.casefold(),
        lambda fact: len(_bare(wanted)) >= _LEAST and _bare(fact.fact_id).startswith(_bare(wanted)),
        lambda fact: by_piece and len(wanted) >= _LEAST and wanted.casefold() in fact.content.casefold(),
    ):
        if found := [fact for fact in facts if fits(fact)]:
            return found
    return []


def _bare(fact_id: str) -> str:
    return fact_id.removeprefix(_FRONT)


def _only(name: str, found: Iterable[Fact]) -> Fact:
    facts = list(found)
    if len(facts) == 1:
        return facts[0]
    if not facts:
        raise NotFoundError(f"there is no fact {name!r:.100}; sojourn facts ls --status all lists them")
    raise _naming(InvalidInputError(f"{name!r:.100} names {len(facts)} facts; give the id, or more of it"), facts)


def _naming(error: SojournError, facts: Sequence[Fact]) -> SojournError:
    for fact in facts[:_NAMED]:
        error.add_note(f"{fact.fact_id}  {one_line(fact.content)}")
    return error
