"""How a research reads: as context for a model, in four lengths, and as a report for a person.

The headings are fixed words, so that a prompt can refer to them. Every section says only what there is to say.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from sojourn.model.events import PlanStep, Strategy
from sojourn.model.progress import ExecutionAttempt, ResearchProgress, ToolExecution

Verbosity = Literal["minimal", "compact", "medium", "full"]

_BY_STRATEGY: Final[dict[Strategy, Verbosity]] = {
    "direct": "compact",
    "light_planning": "medium",
    "deep_reasoning": "full",
}


def context_text(
    progress: ResearchProgress,
    strategy: Strategy,
    *,
    verbosity: Verbosity | None = None,
    max_attempts: int | None = None,
    max_tool_executions: int | None = None,
) -> str:
    """Return *progress* as Markdown for a model that is about to go on with *strategy*."""
    chosen = verbosity or ("minimal" if len(progress.attempts) <= 1 else _BY_STRATEGY[strategy])
    full = chosen == "full"
    attempts = (3 if full else 2) if max_attempts is None else max(max_attempts, 0)
    runs = (50 if full else 20) if max_tool_executions is None else max(max_tool_executions, 0)
    sections = [_header(progress, strategy)]
    if chosen != "minimal":
        sections.append(_attempts(progress, limit=attempts, full=full))
    if chosen in {"medium", "full"}:
        sections += [
            _plan(progress, full=full),
            _tools(progress, limit=runs, full=full),
            _insights(progress, full=full),
            _guidance(progress, strategy, full=full),
        ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def minimal_text(progress: ResearchProgress) -> str:
    """Return the question and its complexity."""
    return f"Query: {progress.query}\nComplexity: {progress.complexity.complexity_level}"


def compact_line(progress: ResearchProgress) -> str:
    """Return attempts, tool calls, steps, the first gaps and the reusable results in one line."""
    counted = f"Progress: {len(progress.attempts)} attempts, {len(progress.tool_executions)} tool calls"
    if progress.plan is not None:
        counted += f", {len(progress.plan.get_completed_steps())}/{len(progress.plan.steps)} steps done"
    parts = [counted]
    if progress.insights.knowledge_gaps:
        parts.append(f"Gaps: {', '.join(_one_line(gap) for gap in progress.insights.knowledge_gaps[:3])}")
    if progress.tool_cache:
        parts.append(f"Cached: {len(progress.tool_cache)} results")
    return " | ".join(parts)


def token_estimate(text: str) -> int:
    """Return about how many tokens *text* is, at four characters each."""
    return len(text) // 4


def progress_report(progress: ResearchProgress) -> str:
    """Return *progress* for a person: the figures, the attempts, the plan, what is known and what is missing."""
    figures = progress.get_statistics()
    outcomes = f"{figures['tool_calls_successful']} successful, {figures['tool_calls_failed']} failed"
    lines = [
        f"Research: {_one_line(progress.query)}",
        f"Complexity: {progress.complexity.complexity_level}",
        f"Started: {progress.created_at.isoformat(timespec='seconds')}",
        f"Ended: {progress.ended_at.isoformat(timespec='seconds')}" if progress.ended_at else "Ended: not yet",
        f"Tool calls: {figures['tool_calls']} ({outcomes}, {figures['tool_results_cached']} reusable)",
        "",
        f"Attempts: {figures['attempts']}",
        *(f"  {number}. {_attempt_title(attempt)}" for number, attempt in enumerate(progress.attempts, start=1)),
    ]
    if progress.plan is not None:
        lines += ["", f"Plan: {_steps_completed(progress.plan.steps)}"]
        lines += [f"  [{step.status}] {_one_line(step.description)}" for step in progress.plan.steps]
    for title, texts in (
        ("Confirmed facts", progress.insights.confirmed_facts),
        ("Partial findings", progress.insights.partial_findings),
        ("Knowledge gaps", progress.insights.knowledge_gaps),
    ):
        if texts:
            lines += ["", f"{title}:", *(f"  - {_one_line(text)}" for text in texts)]
    return "\n".join(lines)


# --- the sections


def _header(progress: ResearchProgress, strategy: Strategy) -> list[str]:
    return [
        "# Research Progress Context",
        "",
        f"**Query**: {progress.query}",
        f"**Complexity**: {progress.complexity.complexity_level}",
        f"**Current Execution Level**: {strategy}",
    ]


def _attempts(progress: ResearchProgress, *, limit: int, full: bool) -> list[str]:
    earlier = [attempt for attempt in progress.attempts if attempt is not progress.current_attempt]
    shown = list(enumerate(earlier, start=1))[-limit:] if limit else []
    if not shown:
        return []
    lines = ["## Previous Execution Attempts"]
    for number, attempt in shown:
        lines += ["", f"### Attempt {number}: {_attempt_title(attempt)}"]
        evaluation = attempt.evaluation
        if evaluation is not None and evaluation.reasoning:
            lines.append(f"- Evaluation: {_cut(evaluation.reasoning, None if full else 200)}")
        if evaluation is not None and evaluation.missing_aspects:
            missing = evaluation.missing_aspects if full else evaluation.missing_aspects[:3]
            lines.append(f"- Missing: {', '.join(map(_one_line, missing))}")
    return lines


def _plan(progress: ResearchProgress, *, full: bool) -> list[str]:
    if progress.plan is None or not progress.plan.steps:
        return []
    completed, pending = progress.plan.get_completed_steps(), progress.plan.get_pending_steps()
    lines = ["## Research Plan Progress", "", _steps_completed(progress.plan.steps), ""]
    for step in completed if full else completed[-5:]:
        lines.append(f"✓ {_one_line(step.description)}")
        lines += [f"  - {_one_line(finding)}" for finding in (step.findings if full else step.findings[-2:])]
    for mark, status in (("→", "in_progress"), ("✗", "failed")):
        lines += [f"{mark} {_one_line(step.description)}" for step in progress.plan.steps if step.status == status]
    lines += [f"○ {_one_line(step.description)}" for step in (pending if full else pending[:10])]
    return lines


def _tools(progress: ResearchProgress, *, limit: int, full: bool) -> list[str]:
    runs = progress.tool_executions
    if not runs:
        return []
    failed = [run for run in runs if not run.success]
    lines = [
        "## Tool Execution History",
        "",
        f"Total: {len(runs)} calls ({len(runs) - len(failed)} successful, {len(failed)} failed)",
    ]
    recent: Sequence[ToolExecution] = runs[-limit:] if limit else ()
    latest = {run.tool_name: run for run in recent if run.success}
    counts = Counter(run.tool_name for run in recent if run.success)
    for name, run in latest.items():
        preview = _cut(run.result or "", 200 if full else 100)
        lines.append(f"- {name} ({counts[name]}x): {preview}")
    shown = failed if full else failed[-5:]
    if shown:
        lines += ["", "Failed:", *(f"- {run.tool_name}: {_cut(run.error or '', 200)}" for run in shown)]
    return lines


def _insights(progress: ResearchProgress, *, full: bool) -> list[str]:
    insights = progress.insights
    lines: list[str] = []
    if full and insights.confirmed_facts:
        lines += ["", "Confirmed facts:", *_bullets(insights.confirmed_facts[:10])]
    if insights.knowledge_gaps:
        gaps = insights.knowledge_gaps if full else insights.knowledge_gaps[:5]
        lines += ["", "Knowledge gaps:", *_bullets(gaps)]
    if insights.quality_feedback:
        feedback = [_cut(text, None if full else 150) for text in insights.quality_feedback[-3:]]
        lines += ["", "Quality feedback:", *_bullets(feedback)]
    return ["## Accumulated Insights", *lines] if lines else []


def _guidance(progress: ResearchProgress, strategy: Strategy, *, full: bool) -> list[str]:
    if strategy == "direct":
        return []
    lines = [
        "## Guidance for Current Execution",
        "",
        "- Review the completed steps and build on what they found",
        "- Focus on the knowledge gaps",
        "- Avoid redundant tool calls: reuse the results above",
        "- Address the quality feedback",
    ]
    improvements = progress.insights.recommended_improvements[: 10 if full else 5]
    if improvements:
        lines += ["", "Recommended improvements:", *_bullets(improvements)]
    return lines


# --- lines


def _attempt_title(attempt: ExecutionAttempt) -> str:
    parts: list[str] = [attempt.status]
    if attempt.quality_score is not None:
        parts.append(f"quality {attempt.quality_score:.2f}")
    if attempt.outcome:
        parts.append(_one_line(attempt.outcome))
    return f"{attempt.strategy} ({', '.join(parts)})"


def _steps_completed(steps: Sequence[PlanStep]) -> str:
    return f"{sum(step.status == 'completed' for step in steps)}/{len(steps)} steps completed"


def _bullets(texts: Sequence[str]) -> list[str]:
    return [f"- {_one_line(text)}" for text in texts]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int | None) -> str:
    line = _one_line(text)
    return line if most is None or len(line) <= most else f"{line[:most]}..."
