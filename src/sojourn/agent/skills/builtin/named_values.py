"""The session's variables, for the model."""

from typing import Any, Final

import msgspec

from sojourn.agent.skills.builtin.origin import causes_of
from sojourn.agent.skills.builtin.page import MAX_CHARS, middle_out
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.agent.skills.variables import check_name
from sojourn.engine.session import Session
from sojourn.errors import NotFoundError

_SHOWN: Final = 2_000
"""Characters of a value when all are shown."""


def variable_skills(services: ServiceContainer) -> tuple[Skill, ...]:
    """Return the skills that set and show the variables of the session of *services*."""
    inward = SkillTraits(reads_only=True, inward=True)  # the session changes, and nothing outside of it
    return (
        skill_of(set_variable, traits=inward, services=services),
        skill_of(get_variables, traits=inward, services=services),
    )


async def set_variable(name: str, value: Any, session: Session) -> str:
    """Keep a value under a name. Later, $name in the argument of any tool stands for it.

    Args:
        name: letters, digits and underscores.
        value: any JSON.
    """
    await session.variables.set(check_name(name), value, causes=await causes_of(session, "set_variable"))
    return f"${name} is set."


async def get_variables(session: Session, names: list[str] | None = None) -> ToolResult:
    """Show variables and their values. Long values are shortened when all are shown.

    Args:
        names: which; all of them unless given.
    """
    known = session.variables.to_dict()
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise NotFoundError(f"variable {', '.join(unknown)!r:.200}")
    asked = known if names is None else {name: known[name] for name in names}
    most = min(_SHOWN if names is None else MAX_CHARS, MAX_CHARS // max(len(asked), 1))
    lines = [f"${name} = {middle_out(msgspec.json.encode(value).decode(), most=most)}" for name, value in asked.items()]
    return ToolResult(output="\n".join(lines) or "There are no variables.", data=asked)
