"""Which parts a question has, and in which order to work on them."""

import logging
import re
from collections.abc import Sequence
from typing import Final

from sojourn.agent.reasoning.advisor import Advisor
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.context.fence import fenced
from sojourn.errors import ModelError
from sojourn.model.progress import cut_result
from sojourn.model.reasoning import ComplexityAnalysis, PlanMode, ResearchPlan, SubTask

_log: Final = logging.getLogger(__name__)
LIGHT_SUBTASKS: Final = 2
_MAX_TOKENS: Final = 2_000
_QUERY: Final = 8_000
_PART: Final = 2_000
_PRIORITIES: Final = {"high": 1, "medium": 2, "low": 3}
_PLAIN_PRIORITY: Final = 2
_TASK: Final = re.compile(r"^[ \t]*\**(?:#+ *)?([0-9]{1,3})[.)]\**[ \t]+(?:\**\[([^\]\n]{1,40})\]\**:?[ \t]*)?(.+)$")
_TOOLS: Final = re.compile(r"^[ \t]*[-*]?[ \t]*\**tools?\**:\**[ \t]*(.+)$", re.IGNORECASE)
_DEPENDS: Final = re.compile(r"^[ \t]*[-*]?[ \t]*\**depends on\**:\**[ \t]*(.+)$", re.IGNORECASE)
_SYSTEM: Final = """\
You split a question into parts that an assistant with tools can work on one after the other. Do not answer it.
Write at most {most} parts, the fewest that will do, each a full sentence that can be understood alone, in this form:
1. [HIGH PRIORITY] what to find out
   Tools: the tools that help, by name
   Depends on: the numbers of parts whose results it needs
Priorities are HIGH, MEDIUM and LOW. Leave out the lines that do not apply. Do not plan what is known already."""


class Planner:
    """Has a model plan. Without an advisor, or if it fails, the question itself is the plan."""

    def __init__(self, advisor: Advisor | None, *, config: ReasoningConfig | None = None) -> None:
        self._advisor = advisor
        self._config = config or ReasoningConfig()

    async def plan(
        self,
        query: str,
        *,
        mode: PlanMode,
        analysis: ComplexityAnalysis | None = None,
        progress: str = "",
        tools: Sequence[str] = (),
    ) -> ResearchPlan:
        """Return the parts of *query*: at most two in a light plan. *progress* is what is known already."""
        most = min(LIGHT_SUBTASKS, self._config.max_subtasks) if mode == "light" else self._config.max_subtasks
        if self._advisor is None:
            return _question_itself(query, analysis)
        prompt = [fenced("query", query[:_QUERY])]
        prompt += [fenced("context", progress, source="progress so far")] if progress else []
        prompt += [f"Tools at hand: {', '.join(tools)}"] if tools else []
        try:
            said = await self._advisor.ask(
                "\n\n".join(prompt), system=_SYSTEM.format(most=most), max_tokens=_MAX_TOKENS
            )
        except ModelError as error:
            _log.warning("the question could not be planned, it is worked on as one part: %s", error.detail)
            return _question_itself(query, analysis)
        subtasks = read_subtasks(said, most=most)
        if len(subtasks) < self._config.min_subtasks:
            return _question_itself(query, analysis)
        return ResearchPlan(
            original_query=query,
            subtasks=subtasks,
            max_iterations=self._config.max_iterations,
            complexity_analysis=analysis,
        )


def read_subtasks(text: str, *, most: int) -> tuple[SubTask, ...]:
    """Return the parts that a model listed by number, with their priorities, tools and dependencies.

    Of more than *most* the most important are kept, in the order they were listed in.
    """
    numbers: list[str] = []
    parts: list[SubTask] = []
    needs: list[str] = []
    for line in text.splitlines():
        if task := _TASK.match(line):
            number, mark, words = task.groups()
            query = words.strip().strip("*").strip()[:_PART].strip()
            if query and (mark is None or _priority(mark) is not None):
                numbers.append(number)
                parts.append(SubTask(query=query, priority=_priority(mark) or _PLAIN_PRIORITY))
                needs.append("")
        elif parts and (tools := _TOOLS.match(line)):
            parts[-1] = _with_tools(parts[-1], tools.group(1))
        elif parts and (depends := _DEPENDS.match(line)):
            needs[-1] = depends.group(1)
    by_number = dict(zip(numbers, parts, strict=True))
    linked = [_with_needs(part, need, by_number) for part, need in zip(parts, needs, strict=True)]
    best = sorted(range(len(linked)), key=lambda place: (linked[place].priority, place))[:most]
    return tuple(linked[place] for place in sorted(best))


def _priority(mark: str | None) -> int | None:
    word = (mark or "").split()[0].casefold() if (mark or "").split() else ""
    return _PRIORITIES.get(word)


def _with_tools(part: SubTask, listed: str) -> SubTask:
    names = tuple(name for name in (one.strip().strip("`*.") for one in listed.split(",")) if name)
    hints = None if not names or names[0].casefold() in {"none", "n/a"} else names[:10]
    return SubTask(query=part.query, priority=part.priority, tool_hints=hints, dependencies=part.dependencies)


def _with_needs(part: SubTask, needs: str, by_number: dict[str, SubTask]) -> SubTask:
    named = (by_number.get(number) for number in re.findall(r"[0-9]{1,3}", needs))
    queries = tuple(dict.fromkeys(other.query for other in named if other is not None and other.query != part.query))
    return SubTask(query=part.query, priority=part.priority, tool_hints=part.tool_hints, dependencies=queries)


def _question_itself(query: str, analysis: ComplexityAnalysis | None) -> ResearchPlan:
    part = SubTask(query=cut_result(query, most=_QUERY))
    return ResearchPlan(original_query=query, subtasks=(part,), max_iterations=1, complexity_analysis=analysis)
