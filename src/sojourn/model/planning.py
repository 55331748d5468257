"""How a plan becomes steps, and how a new plan changes the steps that there are.

What was done stays done and nothing is deleted: a part of the new plan that says what a step says is that step; a step
that is still to do and not in the new plan is skipped.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from sojourn.model.events import PlanStep
from sojourn.model.reasoning import ResearchPlan, SubTask
from sojourn.model.wording import normalised, says_the_same

SIMILAR: Final = 0.7
"""How many of all their words two descriptions must share to be the same step."""
_LABEL: Final = re.compile(
    r"\s*(?:(?:sub-?task|step|task)\s*#?\d+\s*[.:)–-]?\s*|(?:sub-?task|step|task)\s*[.:)–-]\s*|#?\d+\s*[.:)]\s+|[-*•]\s+)",
    re.IGNORECASE,
)


def first_steps(plan: ResearchPlan) -> tuple[PlanStep, ...]:
    """Return the steps of a research's first plan: `step_0`, `step_1` ..."""
    return refined_steps((), plan)


def refined_steps(
    steps: Sequence[PlanStep], plan: ResearchPlan, *, current_step_id: str | None = None
) -> tuple[PlanStep, ...]:
    """Return *steps* as *plan* changes them: first what is not to be done any more, then what is, in the plan's order.

    A part of the plan that a step says already is that step: left as it is if it is done or under way, else to be done,
    in the new words. Any other part is a new step, spawned from the current one.
    """
    todo: dict[str, PlanStep] = {}
    parts: list[tuple[str, SubTask]] = []
    for subtask in plan.subtasks:
        match = _similar(subtask.query, (*steps, *todo.values()))
        if match is None:
            match = PlanStep(id=_free_id(steps, todo), description=subtask.query, spawned_from=current_step_id)
        elif match.status in {"completed", "in_progress"} or match.id in todo:
            continue
        todo[match.id] = replace(match, description=subtask.query, status="pending")
        parts.append((match.id, subtask))
    rest = tuple(
        replace(step, status="skipped") if step.status == "pending" else step for step in steps if step.id not in todo
    )
    everything = (*rest, *todo.values())
    for step_id, subtask in parts:
        depends_on = _ids_of(subtask.dependencies, everything, own=step_id)
        todo[step_id] = replace(todo[step_id], depends_on=depends_on or todo[step_id].depends_on)
    return (*rest, *todo.values())


def without_label(description: str) -> str:
    """Return *description* without what only numbers it: "Step 2:", "1.", a bullet."""
    return _LABEL.sub("", description, count=1) if _LABEL.match(description) else description


def _similar(description: str, steps: Iterable[PlanStep]) -> PlanStep | None:
    """Return the step that says what *description* says: in the same words, else in nearly the same."""
    bare = without_label(description)
    known = [(step, without_label(step.description)) for step in steps]
    exact = next((step for step, text in known if normalised(text) == normalised(bare)), None)
    return exact or next((step for step, text in known if says_the_same(text, bare, least=SIMILAR)), None)


def _ids_of(dependencies: Iterable[str], steps: Sequence[PlanStep], *, own: str) -> tuple[str, ...]:
    known = {step.id for step in steps}
    found = []
    for text in dependencies:
        match = _similar(text, steps)
        step_id = text if text in known else match.id if match else None
        if step_id is not None and step_id != own:
            found.append(step_id)
    return tuple(dict.fromkeys(found))


def _free_id(steps: Sequence[PlanStep], todo: dict[str, PlanStep]) -> str:
    taken = {step.id for step in steps} | set(todo)
    number = len(taken)
    while f"step_{number}" in taken:
        number += 1
    return f"step_{number}"


def dynamic_id(steps: Sequence[PlanStep], *, iteration: int) -> str:
    """Return the id of the next step that comes up in this iteration, while the plan is worked on."""
    taken = {step.id for step in steps}
    number = 0
    while f"step_dynamic_{iteration}_{number}" in taken:
        number += 1
    return f"step_dynamic_{iteration}_{number}"
