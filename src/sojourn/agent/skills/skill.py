"""What a skill is: a name, what it is good for, what it takes, and how it is done."""

from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from sojourn.model.value import Value
from sojourn.providers.protocol import ToolDefinition

TIMEOUT: Final = 30.0
"""Seconds that a skill may take, unless it says otherwise."""


class ToolResult(Value, frozen=True, kw_only=True):
    """What a skill returned: an output, or an error that says what the model can do about it.

    *data* is the result as JSON where that is more than its text: it is what a variable gets.
    """

    output: str = ""
    error: str = ""
    data: Any = None

    @property
    def success(self) -> bool:
        """Whether there is no error."""
        return not self.error

    @property
    def text(self) -> str:
        """What the model is shown."""
        return self.error or self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTraits:
    """What is good to know before a skill runs.

    Attributes:
        timeout: seconds that it may take; None for no limit.
        needs_approval: a human must allow each run, whatever the rules say (unless he allowed it for longer).
        reads_only: it changes nothing outside.
        runs_commands: it starts programs.
        inward: it works on the session itself, so nothing new is learned from what it returns.
        path_arguments: its arguments that are paths of files or folders.
        literal_arguments: its arguments that are taken to the letter, such as a script, where a dollar means something
            else: a variable is put in only if it is all that is given.
    """

    timeout: float | None = TIMEOUT
    needs_approval: bool = False
    reads_only: bool = False
    runs_commands: bool = False
    inward: bool = False
    path_arguments: tuple[str, ...] = ()
    literal_arguments: tuple[str, ...] = ()


class Skill(Protocol):
    """Something that a model can call."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameters(self) -> dict[str, Any]:
        """What it takes, as a JSON Schema of an object."""
        ...

    async def execute(self, **arguments: Any) -> ToolResult:
        """Do it. An exception becomes an error that the model is told; cancelling must leave nothing half-done."""
        ...


@runtime_checkable
class HasTraits(Protocol):
    """A skill that says more about itself."""

    @property
    def traits(self) -> SkillTraits: ...


@runtime_checkable
class HasCallTraits(Protocol):
    """A skill that is more harmless with some arguments than with others; its `traits` say the worst."""

    def traits_for(self, arguments: dict[str, Any]) -> SkillTraits:
        """Return what is good to know before it runs with *arguments*."""
        ...


def traits_of(skill: Skill, arguments: dict[str, Any] | None = None) -> SkillTraits:
    """Return what is known about *skill*, or about running it with *arguments*: what it says, or the defaults."""
    if arguments is not None and isinstance(skill, HasCallTraits):
        return skill.traits_for(arguments)
    return skill.traits if isinstance(skill, HasTraits) else SkillTraits()


def definition_of(skill: Skill) -> ToolDefinition:
    """Return *skill* as a model is told of it."""
    return ToolDefinition(name=skill.name, description=skill.description, parameters=skill.parameters)
