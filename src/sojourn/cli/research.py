"""`sojourn research`: how far a question has been looked into, and what was found. A person may work on it, too."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, get_args

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.subject import changing, looking_at, session_option
from sojourn.clock import SystemClock
from sojourn.desk.wording import ago, count, one_line
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import InsightKind, PlanStep, StepStatus
from sojourn.model.research import ResearchHeader

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.nouns.live_research import LiveResearch
    from sojourn.engine.session import Session
    from sojourn.model.tracker import ResearchProgressTracker

_MARKS: Final[dict[StepStatus, str]] = {
    "completed": "✔",
    "in_progress": "◌",
    "pending": "○",
    "skipped": "–",
    "failed": "✗",
}
_KINDS: Final[dict[str, InsightKind]] = {
    "fact": "confirmed_facts",
    "finding": "partial_findings",
    "gap": "knowledge_gaps",
    "feedback": "quality_feedback",
    "improvement": "recommended_improvements",
}
"""What a note may be, and the kind of insight that it is."""
_WORDS: Final = 300


@click.group("research", cls=Group, usual="show")
def research() -> None:
    """How far a question has been looked into, and what was found. Alone it shows that."""


@research.command("show")
@click.argument("research_id", metavar="[ID]", required=False)
@session_option
@on_store
async def show(place: Place, *, research_id: str | None, reference: str) -> Result:
    """Show the research that is going on, or the one with this ID, and those that ended: steps, findings, gaps."""
    async with looking_at(place, reference) as session:
        wanted = _named(session, research_id) if research_id is not None else _active_id(session)
        tracker = await session.research.get(wanted) if wanted is not None else None
        history = session.research.history
    lines = list(_tracker_lines(tracker)) if tracker is not None else []
    if research_id is None and history:
        lines += [*([""] if lines else []), "ended", *[_header_line(header) for header in reversed(history)]]
    notes = [] if tracker is not None else ["no research is going on"]
    return Result(
        data={
            "session_id": session.id,
            "research": _tracker_data(tracker) if tracker is not None else None,
            "history": [msgspec.to_builtins(header) for header in history],
        },
        lines=lines,
        notes=notes,
    )


@research.command("start")
@click.argument("question")
@click.argument("steps", metavar="[STEP]...", nargs=-1)
@session_option
@on_store
async def start(place: Place, *, question: str, steps: tuple[str, ...], reference: str) -> Result:
    """Begin to look into QUESTION, in these steps, and print the research's id. One that is going on ends."""
    async with changing(place, reference) as (_, session):
        given_up = session.state.active_research
        begun = await session.research.start(question)
        if steps:
            await _plan(begun, steps)
        tracker = begun.tracker
    return Result(
        data={"session_id": session.id, "research": _tracker_data(tracker)},
        lines=[tracker.research_id],
        notes=[f"ended without an answer: {one_line(given_up.query)}"] if given_up is not None else [],
    )


@research.command("add")
@click.argument("description", metavar="STEP")
@click.option("--after", metavar="STEP", help="Behind this step, by its number or id; at the end by default.")
@session_option
@on_store
async def add(place: Place, *, description: str, after: str | None, reference: str) -> Result:
    """Add a STEP to the plan of the research that is going on."""
    async with changing(place, reference) as (_, session):
        active = await _active(session)
        if active.tracker.plan is None:
            if after is not None:
                raise NotFoundError(f"there is no step {after!r:.50}: the plan has no steps yet")
            await _plan(active, (description,))
        else:
            await active.add_dynamic_step(description, after=_step(active, after).id if after is not None else None)
        tracker = active.tracker
    return _result(session, tracker)


@research.command("step")
@click.argument("name", metavar="STEP")
@click.argument("status", type=click.Choice(get_args(StepStatus)))
@click.option("--found", "findings", metavar="TEXT", multiple=True, help="What it found; may be given several times.")
@session_option
@on_store
async def step(place: Place, *, name: str, status: StepStatus, findings: tuple[str, ...], reference: str) -> Result:
    """Say how STEP stands, by its number or id: in_progress, completed, failed, skipped or pending again."""
    return await _moved(place, reference, name, status, findings)


@research.command("complete")
@click.argument("name", metavar="STEP")
@click.option("--found", "findings", metavar="TEXT", multiple=True, help="What it found; may be given several times.")
@session_option
@on_store
async def complete(place: Place, *, name: str, findings: tuple[str, ...], reference: str) -> Result:
    """Say that STEP is done, by its number or id, and what it found."""
    return await _moved(place, reference, name, "completed", findings)


@research.command("note")
@click.argument("text")
@click.option(
    "--kind",
    type=click.Choice(list(_KINDS)),
    default="finding",
    help="What it is: confirmed, found so far, missing, a judgement, or what to do better.",
)
@session_option
@on_store
async def note(place: Place, *, text: str, kind: str, reference: str) -> Result:
    """Note something that the research came to know, or that is missing."""
    async with changing(place, reference) as (_, session):
        active = await _active(session)
        await active.add_insight(_KINDS[kind], text)
        tracker = active.tracker
    return _result(session, tracker)


@research.command("end")
@click.argument("answer", metavar="[ANSWER]", required=False)
@session_option
@on_store
async def end(place: Place, *, answer: str | None, reference: str) -> Result:
    """End the research that is going on, with this ANSWER or without one. What it found becomes facts."""
    async with changing(place, reference) as (_, session):
        await _active(session)
        known = {fact.fact_id for fact in session.facts}
        header = await session.research.end(answer)
        new = [fact for fact in session.facts if fact.fact_id not in known]
    if header is None:
        raise NotFoundError("no research is going on")
    return Result(
        data={
            "session_id": session.id,
            "research": msgspec.to_builtins(header),
            "facts": [msgspec.to_builtins(fact) for fact in new],
        },
        lines=[_header_line(header)],
        notes=[f"{count(len(new), 'fact')} learned from it"] if new else [],
    )


async def _moved(place: Place, reference: str, name: str, status: StepStatus, findings: tuple[str, ...]) -> Result:
    async with changing(place, reference) as (_, session):
        active = await _active(session)
        await active.update_step_status(_step(active, name).id, status, findings)
        tracker = active.tracker
    return _result(session, tracker)


async def _active(session: "Session") -> "LiveResearch":
    active = await session.research.active()
    if active is None:
        raise NotFoundError("no research is going on; sojourn research start begins one")
    return active


async def _plan(active: "LiveResearch", steps: tuple[str, ...]) -> None:
    """Make *steps* the plan of a research that has none."""
    from sojourn.model.reasoning import ResearchPlan, SubTask  # noqa: PLC0415

    tasks = tuple(SubTask(query=text) for text in steps)
    await active.set_plan(ResearchPlan(original_query=active.tracker.query, subtasks=tasks), "direct")


def _active_id(session: "Session") -> str | None:
    active = session.state.active_research
    return None if active is None else active.research_id


def _named(session: "Session", wanted: str) -> str:
    """Return the whole id of a research of which *wanted* is the beginning, if the state knows it."""
    known = [header.research_id for header in session.research.history]
    known += [active] if (active := _active_id(session)) is not None else []
    found = [one for one in known if one == wanted] or [one for one in dict.fromkeys(known) if one.startswith(wanted)]
    if len(found) > 1:
        raise InvalidInputError(f"{wanted!r:.100} names {len(found)} researches; give more of the id")
    return found[0] if found else wanted


def _step(active: "LiveResearch", name: str) -> PlanStep:
    """Return the step that *name* names, by its number or its id."""
    steps = active.tracker.plan.steps if active.tracker.plan is not None else ()
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(steps):
        return steps[int(name) - 1]
    found = next((one for one in steps if one.id == name), None)
    if found is None:
        raise NotFoundError(f"there is no step {name!r:.50}; the plan has {count(len(steps), 'step')}")
    return found


def _result(session: "Session", tracker: "ResearchProgressTracker") -> Result:
    return Result(
        data={"session_id": session.id, "research": _tracker_data(tracker)}, lines=list(_tracker_lines(tracker))
    )


def _tracker_data(tracker: "ResearchProgressTracker") -> dict[str, Any]:
    return {**msgspec.to_builtins(tracker), "statistics": tracker.get_statistics()}


def _header_line(header: ResearchHeader) -> str:
    steps = f"{header.steps_completed}/{header.steps} steps" if header.steps else "no steps"
    when = ago(header.ended_at, SystemClock().now())
    return f"  {header.research_id}  {when}  {steps}  {one_line(header.query)}"


def _tracker_lines(tracker: "ResearchProgressTracker") -> Iterator[str]:
    """Yield a research for people: the question, the steps, what came of it."""
    yield Strong(one_line(tracker.query, _WORDS))
    now = SystemClock().now()
    told = tracker.get_statistics()
    facts = [tracker.research_id, f"began {ago(tracker.created_at, now)}"]
    facts += [f"{told['plan_steps_completed']} of {count(told['plan_steps'], 'step')}"] if told["plan_steps"] else []
    facts += [count(told["tool_calls"], "tool call")] if told["tool_calls"] else []
    facts += [f"ended {ago(tracker.ended_at, now)}"] if tracker.ended_at is not None else []
    yield Dim(f"  {' · '.join(facts)}")
    for number, one in enumerate(tracker.plan.steps if tracker.plan is not None else (), 1):
        yield f"{_MARKS[one.status]} {number}. {one_line(one.description, _WORDS)}"
        for finding in one.findings:
            yield Dim(f"     {one_line(finding, _WORDS)}")
    for attempt in tracker.attempts:
        score = f", scored {attempt.quality_score:.2f}" if attempt.quality_score is not None else ""
        outcome = f": {one_line(attempt.outcome)}" if attempt.outcome else ""
        yield Dim(f"  tried {attempt.strategy.replace('_', ' ')}, {attempt.status.replace('_', ' ')}{score}{outcome}")
    for name, kind in _KINDS.items():
        for text in getattr(tracker.insights, kind):
            yield f"  {name}: {one_line(text, _WORDS)}"
    if tracker.response:
        yield f"  answer: {one_line(tracker.response, _WORDS)}"
