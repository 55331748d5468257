"""The skills that an agent usually gets."""

from collections.abc import Iterable, Mapping

from sojourn.agent.skills.builtin.arranging import Arranging
from sojourn.agent.skills.builtin.commands import Commands
from sojourn.agent.skills.builtin.files import Files
from sojourn.agent.skills.builtin.moment import Moment
from sojourn.agent.skills.builtin.named_values import variable_skills
from sojourn.agent.skills.builtin.remembering import memory_skills
from sojourn.agent.skills.builtin.results import result_skills
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.builtin.searching import Searching
from sojourn.agent.skills.builtin.web import Web, is_installed
from sojourn.agent.skills.services import SESSION, ServiceContainer
from sojourn.agent.skills.skill import Skill
from sojourn.clock import Clock, SystemClock


def standard_skills(
    services: ServiceContainer,
    *,
    roots: Roots,
    clock: Clock | None = None,
    hosts: Iterable[str] = (),
    commands: bool = True,
    environment: Mapping[str, str] | None = None,
) -> tuple[Skill, ...]:
    """Return the skills that make sense for an agent with these *services*, always in the same order.

    Args:
        services: what the agent has; without a session there is nothing to remember in, and no such skill.
        roots: where files may be read and written, and commands run; where there are none, no such skill.
        clock: tells the time.
        hosts: what may be fetched beyond this machine's own network; nothing is fetched without the extra `web`.
        commands: whether commands may be run at all.
        environment: what commands are told, without its secrets; this process's own unless given.
    """
    skills: list[Skill] = []
    if roots.folders != ():
        skills += [*Files(roots, services=services).skills(), *Arranging(roots, services=services).skills()]
        skills += Searching(roots).skills()
        if commands:
            skills += Commands(roots, environment=environment, services=services).skills()
    if is_installed():
        skills += Web(hosts).skills()
    skills += Moment(clock or SystemClock()).skills()
    if services.has(SESSION):
        skills += [*memory_skills(services), *variable_skills(services), *result_skills(services)]
    return tuple(skills)
