"""What an agent offers its model: a registry, or anything that can be made into one."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill
from sojourn.providers.protocol import ToolDefinition


@runtime_checkable
class Skills(Protocol):
    """What an agent can do: `SkillRegistry` is one."""

    def get(self, name: str) -> Skill | None: ...

    def definitions(self) -> tuple[ToolDefinition, ...]: ...


@runtime_checkable
class HasServices(Protocol):
    """Skills that get what they need from a container."""

    @property
    def services(self) -> ServiceContainer: ...


def as_skills(skills: Skills | Iterable[Skill | Callable[..., Any]] | None) -> Skills | None:
    """Return *skills* as a registry, if they are none yet.

    Raises:
        InvalidInputError: one of them is neither a skill nor a function.
    """
    if skills is None or isinstance(skills, Skills):
        return skills
    made = SkillRegistry()
    for skill in skills:
        made.register(skill)
    return made
