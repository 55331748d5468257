"""A function as a skill: its name, its docstring and its annotations say all that a model needs to know."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
from anyio import to_thread

from sojourn.agent.skills.names import check_skill_name
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.signature import as_json, read_signature
from sojourn.agent.skills.skill import SkillTraits, ToolResult
from sojourn.agent.storable import storable
from sojourn.errors import InvalidInputError, NotFoundError

TraitsFor = Callable[[dict[str, Any]], SkillTraits]


class FunctionSkill:
    """A skill that calls a function. Made by `skill_of`; it holds nothing between two calls."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        traits: SkillTraits | None = None,
        traits_for: TraitsFor | None = None,
        services: ServiceContainer | None = None,
    ) -> None:
        """Read *function*'s signature and docstring; the arguments are those of `skill_of`."""
        self._function = function
        self._name = check_skill_name(name or getattr(function, "__name__", ""))
        self._signature = read_signature(function)
        self._traits = traits or SkillTraits()
        self._traits_for = traits_for
        self._services = services if services is not None else ServiceContainer()
        called = function.func if isinstance(function, partial) else function
        self._is_async = inspect.iscoroutinefunction(called) or inspect.iscoroutinefunction(
            getattr(called, "__call__", None)  # noqa: B004 - of an object that can be called, this is what runs
        )

    def __repr__(self) -> str:
        return f"FunctionSkill({self._name})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def description(self) -> str:
        return self._signature.description

    @property
    def parameters(self) -> dict[str, Any]:
        return self._signature.schema

    @property
    def traits(self) -> SkillTraits:
        """What is good to know before it runs, whatever the arguments."""
        return self._traits

    def traits_for(self, arguments: dict[str, Any]) -> SkillTraits:
        """Return what is good to know before it runs with *arguments*."""
        return self._traits if self._traits_for is None else self._traits_for(arguments)

    async def execute(self, /, **arguments: Any) -> ToolResult:
        """Call the function; a plain one on a thread, which is left to itself on a cancel.

        Arguments that do not fit, and whatever the function finds wrong with them (`InvalidInputError`,
        `NotFoundError`), are an error in the result.
        """
        try:
            given = self._signature.checked(arguments)
            for one in self._signature.injected:
                given[one.parameter] = one.found_in(self._services, self._name)
            call = partial(self._function, **given)
            returned = call() if self._is_async else await to_thread.run_sync(call, abandon_on_cancel=True)
            if inspect.isawaitable(returned):  # a plain function that wraps an async one returns what is to be awaited
                returned = await returned
        except InvalidInputError as error:
            return ToolResult(error=storable(f"{self._name}: {error.detail or error}"))
        except NotFoundError as error:
            return ToolResult(error=storable(f"{self._name}: {error}"))
        return self._result(returned)

    def _result(self, returned: Any) -> ToolResult:
        if isinstance(returned, ToolResult):
            data = returned.data if _is_json(returned.data) else None
            return ToolResult(output=storable(returned.output), error=storable(returned.error), data=data)
        if isinstance(returned, str):
            return ToolResult(output=storable(returned))
        if returned is None and self._signature.returns_nothing:
            return ToolResult(output="Done.")
        try:
            text = msgspec.json.encode(returned, enc_hook=as_json)
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            kind = type(returned).__name__
            return ToolResult(error=storable(f"{self._name} ran, but its result, a {kind}, is no JSON: {error}"))
        return ToolResult(output=text.decode(), data=msgspec.json.decode(text))


def skill_of(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    traits: SkillTraits | None = None,
    traits_for: TraitsFor | None = None,
    services: ServiceContainer | None = None,
) -> FunctionSkill:
    """Return *function*, sync or async, as a skill.

    The docstring is the description, its `Args:` describe the parameters, and the annotations say what they take:
    anything that msgspec can read from JSON. A text that it returns is the output; a `ToolResult` is the result;
    anything else is the output as JSON, and the result's data.

    Args:
        function: what to call. Parameters annotated with `Session`, `ServiceContainer` or `CancellationToken` are
            filled by the agent, and no model hears of them.
        name: what the model calls it; the function's own name unless given.
        traits: what is good to know before it runs.
        traits_for: the same for given arguments, which have not been checked; *traits* then say the worst.
        services: where the parameters come from that the agent fills.

    Raises:
        InvalidInputError: a model cannot call it, or its name cannot be used.
    """
    return FunctionSkill(function, name=name, traits=traits, traits_for=traits_for, services=services)


def _is_json(data: Any) -> bool:
    """Tell whether *data* can be kept in a variable."""
    try:
        msgspec.json.encode(data)
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return False
    return True
