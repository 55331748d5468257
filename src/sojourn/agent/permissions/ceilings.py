"""What an agent may hand on to one that it starts: less than it has itself, whatever it asks for."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from sojourn.agent.permissions.levels import CEILINGS, MAX_DEPTH, Level
from sojourn.agent.permissions.paths import in_common, is_within, resolved
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.rules import ANY_SKILL, Kin, SkillRule
from sojourn.errors import InvalidInputError

Targets = Kin | tuple[str, ...] | None


def for_child(
    parent: Permissions,
    *,
    cwd: Path,
    level: Level | None = None,
    child_cwd: Path | None = None,
    allowed_paths: Iterable[str] | None = None,
    rules: Mapping[str, SkillRule] | None = None,
) -> Permissions:
    """Return permissions for an agent that is started by one that has *parent*'s and works in *cwd*.

    Without a *level* it gets the highest there is below its parent's. Without *allowed_paths* a sandboxed one gets its
    own folder (*child_cwd*, by default its parent's), another what its parent has. What the parent's rules switch off,
    confine or ask about stays so, and every path is absolute, so that it means the same wherever the child goes.

    Raises:
        InvalidInputError: the parent may start none, not of this level, or not with these paths or targets.
    """
    ceiling = CEILINGS[parent.level]
    if parent.depth >= MAX_DEPTH:
        raise InvalidInputError(f"agents start others at most {MAX_DEPTH} deep")
    if not ceiling:
        raise InvalidInputError(f"a {parent.level} agent may not start others")
    wanted = ceiling[0] if level is None else level
    if wanted not in ceiling:
        raise InvalidInputError(f"a {parent.level} agent starts agents that are {' or '.join(ceiling)}, not {wanted}")
    held = parent.anchored(cwd)
    home = cwd if child_cwd is None else child_cwd
    if allowed_paths is None and wanted == "sandboxed":
        allowed_paths = (str(home),)
    paths = _narrowed(held.allowed_paths, allowed_paths, cwd=home)
    own = rules or {}
    merged = {
        name: _merged(held, own.get(name) or own.get(ANY_SKILL) or SkillRule(), name, general=paths, cwd=home)
        for name in dict.fromkeys((*held.rules, *own))
    }
    return Permissions(level=wanted, allowed_paths=paths, rules=merged, depth=parent.depth + 1)


def _narrowed(held: tuple[str, ...] | None, asked: Iterable[str] | None, *, cwd: Path) -> tuple[str, ...] | None:
    """Return *asked* as absolute paths, each within what is *held*; without any, what is held."""
    if asked is None:
        return held
    if isinstance(asked, str):
        raise InvalidInputError(f"allowed paths are a list of texts, got the text {asked!r:.100}")
    wanted = [resolved(path, cwd=cwd) for path in asked]
    if held is not None:
        folders = [Path(path) for path in held]
        outside = next((place for place in wanted if not is_within(place, folders)), None)
        if outside is not None:
            raise InvalidInputError(f"an agent cannot hand on {outside}, which it may not use itself")
    return tuple(map(str, wanted))


def _merged(held: Permissions, own: SkillRule, name: str, *, general: tuple[str, ...] | None, cwd: Path) -> SkillRule:
    """Return the child's rule for the skill *name*: its *own*, kept within what its parent has."""
    above = held.rule_for(name)
    paths = own.allowed_paths
    if paths is not None:
        paths = _narrowed(held.paths_for(name), paths, cwd=cwd)
    elif above.allowed_paths is not None:
        paths = above.allowed_paths if general is None else _shared(general, above.allowed_paths)
    return SkillRule(
        enabled=_enabled(above.enabled, own.enabled, free=held.level == "yolo"),
        allowed_paths=paths,
        timeout=min((seconds for seconds in (above.timeout, own.timeout) if seconds is not None), default=None),
        requires_confirmation=True if above.requires_confirmation else own.requires_confirmation,
        allowed_targets=_reached(above.allowed_targets, own.allowed_targets),
    )


def _enabled(above: bool | None, own: bool | None, *, free: bool) -> bool | None:
    """Return whether the child's skill is on: only what is open to its parent without asking can be opened to it."""
    if above is False or own is False:
        return False
    return own if above or free else None


def _shared(general: tuple[str, ...], above: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(str, in_common(map(Path, general), map(Path, above))))


def _reached(above: Targets, own: Targets) -> Targets:
    """Return whom the child's skill may reach: nobody that its parent's may not."""
    if above is None or own in (above, None):
        return above if own is None else own
    if isinstance(above, tuple) and isinstance(own, tuple):
        return tuple(one for one in own if one in above)
    if above == "family" and own in ("parent", "children"):
        return own
    raise InvalidInputError(f"targets {own!r:.100} are not within {above!r:.100}")
