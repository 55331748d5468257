"""`sojourn facts review`: candidates wait until somebody says whether they hold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from sojourn.cli import diagnostics
from sojourn.cli.evidence import explanation_lines
from sojourn.cli.fact_names import find_fact, numbered
from sojourn.cli.fact_rows import fact_data, fact_lines, fact_rows
from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.prompting import ask, can_ask
from sojourn.cli.subject import changing, session_option
from sojourn.clock import SystemClock
from sojourn.desk.visible import safe
from sojourn.desk.wording import count
from sojourn.model.knowledge import Fact

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.session import Session

_ANSWERS: Final = ("a", "r", "e", "w", "s", "q")
_QUESTION: Final = "accept, retire, edit, why, skip or quit? [a/r/e/w/s/q] "


class _Reviewed(NamedTuple):
    """What became of the candidates."""

    accepted: list[Fact]
    retired: list[Fact]


@click.command("review")
@session_option
@click.option("--accept", "accepted", metavar="FACT", multiple=True, help="It holds; may be given several times.")
@click.option("--retire", "retired", metavar="FACT", multiple=True, help="It does not; may be given several times.")
@on_store
async def review(place: Place, *, reference: str, accepted: tuple[str, ...], retired: tuple[str, ...]) -> Result:
    """Look at what waits to be accepted, the most important first.

    On a terminal you are asked about one after the other. Else they are listed, and --accept and --retire say what is
    to become of them.
    """
    async with changing(place, reference) as (_, session):
        if accepted or retired:
            done = await _told(session, accepted, retired)
        elif can_ask():
            done = await _asked(session)
        else:
            done = _Reviewed([], [])
        waiting, numbers = session.facts.review(), numbered(session)
    listed = [*done.accepted, *done.retired] or waiting
    return Result(
        data={
            "session_id": session.id,
            "accepted": [_data(fact, numbers) for fact in done.accepted],
            "retired": [_data(fact, numbers) for fact in done.retired],
            "waiting": [_data(fact, numbers) for fact in waiting],
        },
        lines=fact_rows(listed, SystemClock().now(), numbers=numbers),
        notes=_notes(done, waiting),
    )


def _data(fact: Fact, numbers: dict[str, int]) -> dict[str, Any]:
    return fact_data(fact, number=numbers.get(fact.fact_id))


def _notes(done: _Reviewed, waiting: Sequence[Fact]) -> list[str]:
    notes = []
    if done.accepted or done.retired:
        notes.append(f"{len(done.accepted)} accepted, {len(done.retired)} retired")
    notes.append(f"{count(len(waiting), 'candidate')} left" if waiting else "nothing waits to be accepted")
    return notes


async def _told(session: "Session", accepted: tuple[str, ...], retired: tuple[str, ...]) -> _Reviewed:
    """Do what the options say: everything is found before anything is changed."""
    good = {fact.fact_id: fact for fact in (find_fact(session, name) for name in accepted)}
    bad = {fact.fact_id: fact for fact in (find_fact(session, name) for name in retired)}
    both = good.keys() & bad.keys()
    if both:
        raise click.UsageError(f"{', '.join(sorted(both))}: a fact is accepted or retired, not both")
    return _Reviewed(
        [await session.facts.activate(fact_id) for fact_id in good],
        [await session.facts.retire(fact_id, "not accepted") for fact_id in bad],
    )


async def _asked(session: "Session") -> _Reviewed:
    """Ask about one candidate after the other, until the person has enough."""
    done = _Reviewed([], [])
    candidates = session.facts.review()
    for place, fact in enumerate(candidates, 1):
        diagnostics.note("")
        for line in fact_lines(fact, SystemClock().now()):
            diagnostics.note(safe(line))
        answer = _answer(f"{place} of {len(candidates)}: {_QUESTION}")
        while answer == "w":
            for line in explanation_lines(await session.why(fact), fact.spans):
                diagnostics.note(safe(line))
            answer = _answer(_QUESTION)
        match answer:
            case "a":
                done.accepted.append(await session.facts.activate(fact.fact_id))
            case "r":
                done.retired.append(await session.facts.retire(fact.fact_id, "not accepted"))
            case "e":
                text = ask("it says: ")
                if text:
                    done.accepted.append(await session.facts.correct(fact.fact_id, text))
            case "q" | None:
                break
    return done


def _answer(question: str) -> str | None:
    """Return the first letter of what is answered, asked until it is an answer; None at the end of the input."""
    while (answer := ask(question)) is not None:
        if answer.casefold().startswith(_ANSWERS):
            return answer[0].casefold()
    return None
