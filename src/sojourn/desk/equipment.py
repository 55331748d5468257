"""What a model may do in a chat: read the project, and, if the person says so, change it and run commands."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sojourn.agent.permissions.approvals import Approver
from sojourn.agent.permissions.gate import PermissionGate, WhenNobody
from sojourn.agent.permissions.presets import preset
from sojourn.agent.skills.builtin.roots import Roots
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.agent.skills.services import SESSION, ServiceContainer
from sojourn.agent.skills.source import SkillSource
from sojourn.engine.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """Skills of one session, and who is asked before they run."""

    skills: SkillRegistry
    gate: PermissionGate


def equip(
    session: Session,
    *,
    folder: Path,
    environment: Mapping[str, str],
    approver: Approver | None,
    when_nobody: WhenNobody = "deny",
    sources: Iterable[SkillSource] = (),
) -> Equipment:
    """Return the usual skills for *session*, on what is in *folder*, and those of *sources*.

    What only reads may run; for the rest *approver* asks the person. Without one it is as *when_nobody* says: refused,
    or left as a question in the session.
    """
    from sojourn.agent.skills.builtin.standard import standard_skills  # noqa: PLC0415 - who looks on needs no skills

    services = ServiceContainer({SESSION: session})
    skills = SkillRegistry(services)
    for skill in standard_skills(services, roots=Roots.of([folder]), clock=session.clock, environment=environment):
        skills.register(skill)
    for source in sources:
        skills.add_source(source)
    gate = PermissionGate(session, preset("trusted"), approver=approver, when_nobody=when_nobody, cwd=folder)
    return Equipment(skills=skills, gate=gate)
