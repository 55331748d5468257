"""What one agent may do: a value that decides about a call, and asks nobody.

It touches nothing but the disk, to see where paths lead. Who asks the human, and what becomes of his answer, is the
gate's.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from sojourn.agent.permissions.levels import CEILINGS, MAX_DEPTH, Level
from sojourn.agent.permissions.paths import folder_of, is_within, resolved
from sojourn.agent.permissions.rules import ANY_SKILL, SkillRule, check_paths
from sojourn.agent.permissions.verdicts import Allowed, Approval, Ask, Refused, Verdict
from sojourn.agent.skills.skill import SkillTraits
from sojourn.errors import InvalidInputError
from sojourn.model.allowances import Allowance
from sojourn.model.value import Value

_MOST_PATHS: Final = 5
_MOST_CHARACTERS: Final = 4_000
"""A call on more paths, or longer ones, is allowed once or always; nobody reads such a list before he says yes."""
_LONGEST_SHOWN: Final = 200


class Permissions(Value, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How far one agent is trusted, and what is different for single skills.

    Attributes:
        level: how far.
        allowed_paths: where it may work; None for everywhere, empty for nowhere. A relative one is seen from the
            working folder.
        rules: what holds for single skills, by name; the one named `*` is for all others.
        depth: how many agents are above it.
    """

    level: Level = "trusted"
    allowed_paths: tuple[str, ...] | None = None
    rules: dict[str, SkillRule] = {}
    depth: int = 0

    def __post_init__(self) -> None:
        if self.level not in CEILINGS:
            raise InvalidInputError(f"a level is one of {', '.join(CEILINGS)}, got {self.level!r:.50}")
        check_paths(self.allowed_paths)
        if not 0 <= self.depth <= MAX_DEPTH:
            raise InvalidInputError(f"agents are at most {MAX_DEPTH} deep, got {self.depth!r:.50}")

    def decide(
        self,
        name: str,
        traits: SkillTraits,
        arguments: Mapping[str, Any],
        *,
        allowances: Iterable[Allowance] = (),
        cwd: Path,
    ) -> Verdict:
        """Say whether the skill *name* may run with *arguments*, seen from the folder *cwd*.

        What a rule forbids is not asked about. What a human allowed before (*allowances*) is not asked about again.
        A skill that says of itself that it needs approval asks at every level but yolo, which asks nothing.
        """
        rule = self.rule_for(name)
        if rule.enabled is False:
            return Refused(reason=f"Tool '{name}' is switched off in this session.")
        try:
            places = subjects(traits, arguments, cwd=cwd)
            forbidden = self._forbidden(name, traits, places, cwd=cwd)
        except InvalidInputError as error:
            return Refused(reason=f"Tool '{name}' cannot be judged: {error.detail}.")
        if forbidden is not None:
            return Refused(reason=forbidden)
        if not self._asks(traits, rule) or _was_allowed(name, places, allowances):
            return Allowed()
        return _question(name, traits, places)

    def rule_for(self, name: str) -> SkillRule:
        """Return what is written about the skill: its own rule, else the one for all others."""
        return self.rules.get(name) or self.rules.get(ANY_SKILL) or SkillRule()

    def paths_for(self, name: str) -> tuple[str, ...] | None:
        """Return where the skill may work: what its rule says, else what holds for the agent."""
        of_rule = self.rule_for(name).allowed_paths
        return self.allowed_paths if of_rule is None else of_rule

    def timeout_for(self, name: str, traits: SkillTraits) -> float | None:
        """Return how many seconds the skill may take; None for no limit."""
        of_rule = self.rule_for(name).timeout
        return traits.timeout if of_rule is None else of_rule

    def may_reach(self, name: str, target: str, *, parent: str | None = None, children: Iterable[str] = ()) -> bool:
        """Tell whether the skill may reach the agent *target*, given the agent's own *parent* and *children*."""
        match self.rule_for(name).allowed_targets:
            case None:
                return True
            case "parent":
                return target == parent
            case "children":
                return target in children
            case "family":
                return target == parent or target in children
            case ids:
                return target in ids

    def anchored(self, cwd: Path) -> "Permissions":
        """Return the same permissions with absolute paths, so that they mean the same in every folder.

        Raises:
            InvalidInputError: a path is none.
        """

        def absolute(paths: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if paths is None else tuple(str(resolved(path, cwd=cwd)) for path in paths)

        rules = {name: replace(rule, allowed_paths=absolute(rule.allowed_paths)) for name, rule in self.rules.items()}
        return replace(self, allowed_paths=absolute(self.allowed_paths), rules=rules)

    def confirming(self, *names: str) -> "Permissions":
        """Return permissions that ask each time before one of these skills runs, and are the same otherwise."""
        asking = {name: replace(self.rule_for(name), requires_confirmation=True) for name in names}
        return replace(self, rules={**self.rules, **asking})

    def _forbidden(self, name: str, traits: SkillTraits, places: tuple[Path, ...], *, cwd: Path) -> str | None:
        """Return which rule keeps the skill from these *places*, or from running at all."""
        if self.level == "sandboxed":
            if traits.runs_commands:
                return f"Tool '{name}' runs commands, and a sandboxed agent may not."
            if not places and self.rule_for(name).enabled is not True:
                return f"Tool '{name}' works on no path, and no rule opens it to a sandboxed agent."
        free = self.level == "yolo" or (self.level == "trusted" and traits.reads_only)
        paths = self.rule_for(name).allowed_paths if free else self.paths_for(name)
        if paths is None:
            return None
        if not paths:
            return f"Tool '{name}' may not run here: no path is allowed to it."
        folders = [resolved(path, cwd=cwd) for path in paths]
        outside = next((place for place in places if not is_within(place, folders)), None)
        if outside is None:
            return None
        allowed = ", ".join(str(folder) for folder in folders[:_MOST_PATHS])
        return f"Tool '{name}' may not use {outside}: only what is within {allowed} is allowed."

    def _asks(self, traits: SkillTraits, rule: SkillRule) -> bool:
        if self.level == "yolo":
            return False
        if traits.needs_approval:
            return True
        if rule.requires_confirmation is not None:
            return rule.requires_confirmation
        return self.level == "trusted" and not traits.reads_only


def subjects(traits: SkillTraits, arguments: Mapping[str, Any], *, cwd: Path) -> tuple[Path, ...]:
    """Return the places that a call is about: those it names, else, for a skill that works on disk, *cwd*.

    Raises:
        InvalidInputError: one of them is no path.
    """
    given: list[Any] = []
    for argument in traits.path_arguments:
        value = arguments.get(argument)
        if isinstance(value, list | tuple):
            given += value
        elif value is not None:
            given.append(value)
    if not given and (traits.path_arguments or traits.runs_commands):
        given = ["."]
    return tuple(dict.fromkeys(resolved(path, cwd=cwd) for path in given))


def _was_allowed(name: str, places: tuple[Path, ...], allowances: Iterable[Allowance]) -> bool:
    """Tell whether a human allowed the skill for the session, or for every one of *places*."""
    own = [one for one in allowances if one.tool == name]
    if any(one.scope == "session" for one in own):
        return True
    return bool(places) and all(any(_covers(one, place) for one in own) for place in places)


def _covers(allowance: Allowance, place: Path) -> bool:
    if allowance.path is None:
        return False
    if allowance.scope == "file":
        return place == Path(allowance.path)
    return allowance.scope == "folder" and is_within(place, [Path(allowance.path)])


def _question(name: str, traits: SkillTraits, places: tuple[Path, ...]) -> Ask:
    paths = tuple(map(str, places))
    shown = ", ".join(
        path if len(path) <= _LONGEST_SHOWN else f"…{path[-_LONGEST_SHOWN:]}" for path in paths[:_MOST_PATHS]
    )
    if len(places) > _MOST_PATHS:
        shown = f"{shown} and {len(places) - _MOST_PATHS} more"
    if traits.runs_commands:
        wish = f"run a command in {shown}"
    elif places:
        wish = f"{'read' if traits.reads_only else 'change'} {shown}"
    else:
        wish = "run"
    question = f"Tool '{name}' wants to {wish}. Allow it?"
    if not places or len(places) > _MOST_PATHS or sum(map(len, paths)) > _MOST_CHARACTERS:
        return Ask(question=question, options=_options(), paths=paths)
    folders = tuple(dict.fromkeys(str(folder_of(place)) for place in places))
    has_files = not traits.runs_commands and not all(place.is_dir() for place in places)
    return Ask(
        question=question,
        options=_options(files=has_files, folders=True),
        paths=paths,
        folders=folders,
    )


def _options(*, files: bool = False, folders: bool = False) -> tuple[Approval, ...]:
    wanted = {Approval.FILE: files, Approval.FOLDER: folders}
    return tuple(option for option in Approval if wanted.get(option, True))
