"""The tools that a model called in one message: run one after the other, or all at once, each with a result.

One after the other, the first that fails stops those behind it. All at once, when any call says `_parallel`, nobody
stops anybody. Arguments that begin with `_` are for the batch and not for the skill: `_parallel`, and `_output`, the
variable that gets the result.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import anyio
from msgspec.structs import replace

from sojourn.agent.cancellation import checkpoint
from sojourn.agent.events import ToolBatchCompleted, ToolBatchHalted, ToolBatchStarted, ToolCompleted, ToolStarted
from sojourn.agent.gate import Announce, Gate, TimesSkills
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult, traits_of
from sojourn.agent.skills.variables import output_name, split_arguments, with_values
from sojourn.agent.storable import storable
from sojourn.agent.talk import HALTED, Outcome, Talk
from sojourn.context.tool_results import shown_text
from sojourn.errors import InvalidInputError
from sojourn.model.codec import CODEC
from sojourn.model.events import VariableSet
from sojourn.model.message import ToolCall

PARALLEL: Final = "_parallel"


class Skills(Protocol):
    """Where skills are found by name."""

    def get(self, name: str) -> Skill | None: ...


class ToolMemory(Protocol):
    """What tools gave earlier, so that the same question need not be asked twice."""

    def find(self, name: str, arguments: dict[str, Any]) -> str | None:
        """Return what the tool gave with these arguments, if that still holds."""
        ...

    async def note(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        success: bool,
        result: str | None = None,
        error: str | None = None,
        seconds: float = 0.0,
        changes: bool = False,
    ) -> None:
        """Remember what a tool gave. *changes* says that it is known to have changed something outside."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A call that is ready to run, or *problem*, why it cannot."""

    call: ToolCall
    skill: Skill | None = None
    arguments: dict[str, Any]
    output: str | None = None
    traits: SkillTraits = field(default_factory=SkillTraits)
    problem: str = ""


class Batch:
    """Runs calls of tools. Lives for one turn."""

    def __init__(
        self,
        skills: Skills | None,
        talk: Talk,
        *,
        announce: Announce,
        monotonic: Callable[[], float],
        gate: Gate | None = None,
        memory: ToolMemory | None = None,
        max_parallel: int,
    ) -> None:
        self._skills = skills
        self._talk = talk
        self._announce = announce
        self._monotonic = monotonic
        self._gate = gate
        self._memory = memory
        self._max_parallel = max_parallel

    async def run(self, calls: Sequence[ToolCall]) -> None:
        """Run *calls*, and give each a result.

        Raises:
            Waiting: a human has to allow one of them first; it, and those behind it, were not started.
        """
        parallel = any(call.arguments.get(PARALLEL) is True for call in calls)
        self._announce(ToolBatchStarted(tool_calls=tuple(calls), parallel=parallel))
        await (self._all_at_once(calls) if parallel else self._one_by_one(calls))
        self._announce(ToolBatchCompleted())

    async def _one_by_one(self, calls: Sequence[ToolCall]) -> None:
        for place, call in enumerate(calls):
            await checkpoint()
            prepared = await self._admitted(self._prepared(call))
            outcome = await self._run(prepared, failure="Skill execution error: ")
            if not outcome.success:
                self._announce(ToolBatchHalted())
                rest = [Outcome(call=other, text=HALTED, success=False, ran=False) for other in calls[place + 1 :]]
                await self._talk.tools_done(rest)
                return

    async def _all_at_once(self, calls: Sequence[ToolCall]) -> None:
        ready: list[_Prepared] = []
        for call in calls:
            prepared = await self._admitted(self._prepared(call))  # a human is asked one thing at a time
            if prepared.skill is not None:
                ready.append(prepared)
            else:  # refused: its result is kept now, or it would be refused again if the turn is put aside
                await self._run(prepared, failure="Execution error: ")
        await checkpoint()
        limiter = anyio.CapacityLimiter(self._max_parallel)

        async def run(prepared: _Prepared) -> None:
            async with limiter:
                await self._run(prepared, failure="Execution error: ")

        try:
            async with anyio.create_task_group() as tasks:
                for prepared in ready:
                    tasks.start_soon(run, prepared)
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    # --- one call

    def _prepared(self, call: ToolCall) -> _Prepared:
        own, internal = split_arguments(call.arguments)
        skill = self._skills.get(call.name) if self._skills is not None else None
        if skill is None:
            return _Prepared(call=call, arguments=own, problem=f"Unknown skill: {call.name}")
        if call.arguments_text is not None:
            problem = f"Skill execution error: the arguments are not a JSON object: {call.arguments_text:.200}"
            return _Prepared(call=call, arguments=own, problem=problem)
        try:
            output = output_name(internal)
            arguments = with_values(own, self._talk.variables, literal=traits_of(skill).literal_arguments)
            traits = traits_of(skill, arguments)
        except InvalidInputError as error:
            return _Prepared(call=call, arguments=own, problem=f"Skill execution error: {error.detail}")
        except Exception as error:  # noqa: BLE001 - what a skill says of itself is anybody's code, too
            return _Prepared(call=call, arguments=own, problem=f"Skill execution error: {error}")
        return _Prepared(call=call, skill=skill, arguments=arguments, output=output, traits=traits)

    async def _admitted(self, prepared: _Prepared) -> _Prepared:
        if self._gate is None or prepared.skill is None:
            return prepared
        refusal = await self._gate.admit(prepared.call, prepared.skill, prepared.arguments, announce=self._announce)
        if refusal is None:
            return prepared
        return _Prepared(call=prepared.call, arguments=prepared.arguments, problem=refusal)

    async def _run(self, prepared: _Prepared, *, failure: str) -> Outcome:
        call = prepared.call
        self._announce(ToolStarted(name=call.name, tool_id=call.id))
        outcome = await self._outcome(prepared, failure=failure)
        await self._talk.tools_done([outcome])
        self._announce(
            ToolCompleted(
                name=call.name,
                tool_id=call.id,
                success=outcome.success,
                error="" if outcome.success else shown_text(outcome.text, call.id),
                output=shown_text(outcome.text, call.id),
                seconds=outcome.seconds,
            )
        )
        return outcome

    async def _outcome(self, prepared: _Prepared, *, failure: str) -> Outcome:
        call, skill, arguments = prepared.call, prepared.skill, prepared.arguments
        if skill is None:
            return Outcome(call=call, text=prepared.problem, arguments=arguments, success=False, ran=False)
        known = self._memory.find(call.name, arguments) if self._memory is not None else None
        if known is not None:
            return Outcome(
                call=call, text=known, arguments=arguments, success=True, ran=False, output=prepared.output, value=known
            )
        await self._talk.tool_started(call, arguments)
        began = self._monotonic()
        result = await _executed(skill, arguments, most=self._most_seconds(prepared), failure=failure)
        seconds = max(0.0, self._monotonic() - began)
        if self._memory is not None:
            await self._memory.note(
                call.name,
                arguments,
                success=result.success,
                result=result.output if result.success else None,
                error=result.error or None,
                seconds=seconds,
                changes=_changes(prepared.traits),
            )
        done = Outcome(
            call=call,
            text=result.text,
            arguments=arguments,
            success=result.success,
            seconds=seconds,
            inward=prepared.traits.inward,
        )
        return _with_variable(done, prepared.output, result, failure=failure)

    def _most_seconds(self, prepared: _Prepared) -> float | None:
        gate: object = self._gate
        if prepared.skill is not None and isinstance(gate, TimesSkills):
            return gate.timeout_for(prepared.skill, prepared.arguments)
        return prepared.traits.timeout


async def _executed(skill: Skill, arguments: dict[str, Any], *, most: float | None, failure: str) -> ToolResult:
    """Run *skill*. Whatever goes wrong in it is a result; only a cancel of the turn is not."""
    with anyio.move_on_after(most) as limit:
        try:
            result: object = await skill.execute(**arguments)
            if isinstance(result, ToolResult):
                return result
            return ToolResult(error=f"{failure}it returned a {type(result).__name__}, which is no result")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return ToolResult(error=f"{failure}it was cancelled from inside")
        except SystemExit as error:  # as a command line's own code raises: it ends the skill, and not the program
            return ToolResult(error=f"{failure}it tried to end the program, with {error.code!r:.100}")
        except Exception as error:  # noqa: BLE001 - a skill is anybody's code, and the model is told
            return ToolResult(error=f"{failure}{str(error) or type(error).__name__}")
    assert limit.cancelled_caught  # noqa: S101 - everything else has returned or raised
    return ToolResult(error=f"{failure}it took longer than {most:g} seconds and was stopped")


def _with_variable(done: Outcome, name: str | None, result: ToolResult, *, failure: str) -> Outcome:
    """Return *done* with the value of the variable *name*; as a failure, if a variable cannot hold it."""
    if name is None or not result.success:
        return done
    value = storable(result.output) if result.data is None else result.data
    try:
        CODEC.encode(VariableSet(name=name, value=value))
    except InvalidInputError as error:
        problem = f"{failure}it ran, but ${name} cannot hold its result: {error.detail}\n{result.text}"
        return replace(done, text=problem, success=False)
    return replace(done, output=name, value=value)


def _changes(traits: SkillTraits) -> bool:
    """Tell whether a skill is known to change something: it starts programs, or works on files and not by reading."""
    return traits.runs_commands or (bool(traits.path_arguments) and not traits.reads_only)
