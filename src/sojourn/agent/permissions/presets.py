"""Permissions that go by a name."""

from collections.abc import Callable
from typing import Final

from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.rules import ANY_SKILL, HITL_REQUIRED_ACTIONS, SkillRule
from sojourn.errors import InvalidInputError


def _hitl() -> Permissions:
    free = Permissions(rules={ANY_SKILL: SkillRule(requires_confirmation=False)})
    return free.confirming(*HITL_REQUIRED_ACTIONS)


PRESETS: Final[dict[str, Callable[[], Permissions]]] = {
    "yolo": lambda: Permissions(level="yolo"),
    "trusted": lambda: Permissions(level="trusted"),
    "sandboxed": lambda: Permissions(level="sandboxed", allowed_paths=(".",)),
    "hitl": _hitl,
}


def preset(name: str) -> Permissions:
    """Return permissions by name: a level's usual ones, or "hitl", where only the dangerous actions are asked about.

    A sandboxed agent works in its working folder.

    Raises:
        InvalidInputError: there is no preset of this name.
    """
    if name not in PRESETS:
        raise InvalidInputError(f"presets are {', '.join(PRESETS)}, got {name!r:.50}")
    return PRESETS[name]()
