"""The three ways to answer a question: directly, with a light plan, with a deep one.

Each gives a text, and leaves what it did in the research. What an earlier attempt found is used again: steps that are
done are not done twice.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import anyio

from sojourn.agent.reasoning.work import Work
from sojourn.context.fence import fenced
from sojourn.model.events import PlanStep, Strategy
from sojourn.model.planning import SIMILAR, without_label
from sojourn.model.reasoning import PlanMode, ResearchPlan
from sojourn.model.wording import says_the_same

LIGHT_STEPS: Final = 2
FINDINGS_SHOWN: Final = 3
GAPS_SHOWN: Final = 3
MAX_STEPS: Final = 30
"""Steps that a plan may grow to while it is worked on."""
_FINDING: Final = 2_000
"""Characters of an earlier finding that a light step is shown."""
MAX_PROGRESS: Final = 12_000
"""Characters of the progress that a plan or a step is shown, so that it leaves room for an answer in small windows."""


async def answer_directly(work: Work) -> str:
    """Have the question answered as it is; on a second attempt, with a line on what was tried."""
    await work.tell("on_direct_execution")
    text = work.query
    if len(work.tracker.attempts) > 1:
        text = f"{text}\n\n[Previous attempt context: {work.tracker.to_compact_context()}]"
    return (await work.run(text)).text


async def plan_lightly(work: Work) -> str:
    """Split the question into one or two parts, and have these answered."""
    await work.tell("on_light_planning")
    plan = await _planned(work, "light", "light_planning")
    if not plan.subtasks:
        return (await work.run(work.query)).text
    known = work.tracker.findings()
    most = min(LIGHT_STEPS, work.analysis.estimated_iterations or LIGHT_STEPS)
    todo = _todo(work)[:most]
    if work.config.parallel_execution and _are_independent(todo):
        found = await _side_by_side(work, todo)
    else:
        found = [await _light_step(work, step, number, len(todo)) for number, step in enumerate(todo, 1)]
    results = [*known, *(text for text in found if text.strip())]
    if len(results) <= 1:
        return "".join(results)
    await work.tell("on_synthesis")
    return await work.components.synthesiser.synthesise(work.query, results)


async def reason_deeply(work: Work) -> str:
    """Plan the whole, work on it step by step, and after each step see what is missing."""
    await work.tell("on_deep_reasoning")
    plan = await _planned(work, "deep", "deep_reasoning")
    results = work.tracker.findings()
    number = 0
    while number < plan.max_iterations and (todo := _todo(work)):
        most = min(plan.max_iterations, number + len(todo))
        number += 1
        step = todo[0]
        await work.tell("on_iteration", number, most, step.description)
        found = await work.run_step(step, _with_progress(work, step.description))
        results += [found] if found.strip() else []
        if await _is_complete(work, results, step, number):
            break
    if number == 0:  # every part was answered by an earlier attempt, and that was not enough
        found = (await work.run(_with_progress(work, work.query))).text
        results += [found] if found.strip() else []
    helpful = await work.components.synthesiser.filter(work.query, results)
    await work.tell("on_synthesis")
    return await work.components.synthesiser.synthesise(work.query, helpful) if helpful else ""


STRATEGIES: Final[dict[Strategy, Callable[[Work], Awaitable[str]]]] = {
    "direct": answer_directly,
    "light_planning": plan_lightly,
    "deep_reasoning": reason_deeply,
}


# --- plans and steps


async def _planned(work: Work, mode: PlanMode, strategy: Strategy) -> ResearchPlan:
    await work.tell("on_planning")
    progress = bounded(work.tracker.to_context_text(strategy)) if len(work.tracker.attempts) > 1 else ""
    plan = await work.components.planner.plan(
        work.query, mode=mode, analysis=work.analysis, progress=progress, tools=work.tools()
    )
    if plan.subtasks:
        await work.research.set_plan(plan, strategy)
    await work.tell("on_planning_complete", plan, mode)
    return plan


def _todo(work: Work) -> list[PlanStep]:
    """Return the steps that are to be done; one that was under way when its process ended is to be done again."""
    steps = work.tracker.plan.steps if work.tracker.plan else ()
    return [step for step in steps if step.status in {"pending", "in_progress"}]


def _are_independent(steps: Sequence[PlanStep]) -> bool:
    ids = {step.id for step in steps}
    return len(steps) > 1 and not any(ids.intersection(step.depends_on) for step in steps)


async def _light_step(work: Work, step: PlanStep, number: int, most: int) -> str:
    await work.tell("on_iteration", number, most, step.description)
    return await work.run_step(step, _with_findings(work, step.description))


async def _side_by_side(work: Work, steps: Sequence[PlanStep]) -> list[str]:
    found = dict.fromkeys(range(len(steps)), "")

    async def run(place: int, step: PlanStep) -> None:
        found[place] = await _light_step(work, step, place + 1, len(steps))

    try:
        async with anyio.create_task_group() as tasks:
            for place, step in enumerate(steps):
                tasks.start_soon(run, place, step)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return list(found.values())


async def _is_complete(work: Work, results: Sequence[str], step: PlanStep, iteration: int) -> bool:
    """Evaluate what there is so far, and add what is still to be asked behind *step*."""
    await work.tell("on_evaluation")
    evaluation = await work.components.evaluator.evaluate(work.query, results)
    await work.research.add_evaluation(evaluation)
    after = step.id
    for query in () if evaluation.is_complete else evaluation.additional_queries:
        steps = work.tracker.plan.steps if work.tracker.plan else ()
        if len(steps) < MAX_STEPS and not any(_are_the_same(query, known.description) for known in steps):
            after = (await work.research.add_dynamic_step(query, after=after, iteration=iteration)).id
    return evaluation.is_complete


def _are_the_same(one: str, other: str) -> bool:
    return says_the_same(without_label(one), without_label(other), least=SIMILAR)


# --- what a step is asked


def _with_findings(work: Work, text: str) -> str:
    """Return a step's text with what the last steps found and what is known to be missing."""
    plan = work.tracker.plan
    steps = plan.get_completed_steps()[-FINDINGS_SHOWN:] if plan else []
    findings = [f"- {finding[:_FINDING]}" for step in steps for finding in step.findings]
    gaps = [f"- {gap}" for gap in work.tracker.insights.knowledge_gaps[:GAPS_SHOWN]]
    parts = [text]
    if findings:
        parts.append(fenced("context", bounded("\n".join(findings)), source="findings of earlier steps"))
    if gaps:
        parts.append(fenced("context", "\n".join(gaps), source="what is still missing"))
    return "\n\n".join(parts)


def _with_progress(work: Work, text: str) -> str:
    progress = bounded(work.tracker.to_context_text("deep_reasoning", "full"))
    return f"{text}\n\n{fenced('context', progress, source='research so far')}"


def bounded(text: str, most: int = MAX_PROGRESS) -> str:
    """Return *text*; if it is too long, its beginning and its end, which say what is asked and what to heed."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end]}\n... [{len(text) - most:,} characters omitted]\n{text[-end:]}"
