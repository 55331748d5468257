"""Permissions that go by a name, or that the environment asks for."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.rules import ANY_SKILL, HITL_REQUIRED_ACTIONS, SkillRule
from sojourn.errors import InvalidInputError


def asking_only_about(names: Iterable[str] = HITL_REQUIRED_ACTIONS) -> Permissions:
    """Return permissions under which these skills are asked about, those that say so of themselves, and no others."""
    return Permissions(rules={ANY_SKILL: SkillRule(requires_confirmation=False)}).confirming(*names)


def asking_about_all_but(names: Iterable[str] = ()) -> Permissions:
    """Return permissions under which every skill is asked about, even one that only reads, but for these."""
    free = {name: SkillRule(requires_confirmation=False) for name in names}
    return Permissions(rules={ANY_SKILL: SkillRule(requires_confirmation=True), **free})


DANGEROUS: Final = ("run_command", "delete_file", "move_file")
"""The skills that come with Sojourn and do what `HITL_REQUIRED_ACTIONS` name."""
INSIDE: Final = (
    "current_time",
    "remember",
    "recall",
    "forget",
    "set_focus",
    "set_variable",
    "get_variables",
    "read_more",
)
"""Skills that reach nothing but the session itself and the clock."""


def _sandboxed() -> Permissions:
    inside = dict.fromkeys(INSIDE, SkillRule(enabled=True))
    return Permissions(level="sandboxed", allowed_paths=(".",), rules=inside)


PRESETS: Final[dict[str, Callable[[], Permissions]]] = {
    "yolo": lambda: Permissions(level="yolo"),
    "trusted": lambda: Permissions(level="trusted"),
    "sandboxed": _sandboxed,
    "hitl": lambda: asking_only_about((*HITL_REQUIRED_ACTIONS, *DANGEROUS)),
}

_SWITCHES: Final = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def preset(name: str) -> Permissions:
    """Return permissions by name: a level's usual ones, or "hitl", where only the dangerous actions are asked about.

    A sandboxed agent works in its working folder, and with what the session itself holds.

    Raises:
        InvalidInputError: there is no preset of this name.
    """
    if name not in PRESETS:
        raise InvalidInputError(f"presets are {', '.join(PRESETS)}, got {name!r:.50}")
    return PRESETS[name]()


def from_environment(environment: Mapping[str, str]) -> Permissions:
    """Return what the variables of an *environment* ask for; without any, what "hitl" is.

    `APPROVAL_ENABLED=false` lets everything run. `APPROVAL_REQUIRE_TOOLS=true` asks about every skill that
    `APPROVAL_TOOL_WHITELIST`, a list with commas, does not name. Else `HITL_REQUIRED_ACTIONS`, such a list as well,
    names the skills that are asked about.

    Raises:
        InvalidInputError: a switch is neither on nor off.
    """
    if not _is_on(environment, "APPROVAL_ENABLED", otherwise=True):
        return preset("yolo")
    if _is_on(environment, "APPROVAL_REQUIRE_TOOLS", otherwise=False):
        return asking_about_all_but(_names(environment.get("APPROVAL_TOOL_WHITELIST", "")))
    actions = environment.get("HITL_REQUIRED_ACTIONS")
    return asking_only_about(HITL_REQUIRED_ACTIONS if actions is None else _names(actions))


def _is_on(environment: Mapping[str, str], name: str, *, otherwise: bool) -> bool:
    value = environment.get(name, "").strip().lower()
    if not value:
        return otherwise
    if value not in _SWITCHES:
        raise InvalidInputError(f"{name} is true or false, got {value!r:.50}")
    return _SWITCHES[value]


def _names(text: str) -> list[str]:
    return [name for name in (part.strip() for part in text.split(",")) if name]
