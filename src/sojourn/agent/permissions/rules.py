"""What is written down about single skills."""

from typing import Final, Literal

from sojourn.errors import InvalidInputError
from sojourn.model.value import Value

Kin = Literal["parent", "children", "family"]
"""Whom an agent may reach: who started it, whom it started, or both."""

ANY_SKILL: Final = "*"
"""A rule of this name is for the skills that have none of their own."""

HITL_REQUIRED_ACTIONS: Final = ("file_delete", "git_push", "shell_exec", "package_install", "file_rename")
"""Skills that a careful setup asks about, whatever else is free."""


class SkillRule(Value, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What holds for one skill, beside its agent's level.

    Attributes:
        enabled: False switches it off, at every level; True opens it to a sandboxed agent, even if it works on no
            path (but never if it runs commands); None is as the level has it.
        allowed_paths: where it may read or write, in place of the agent's paths; None for those, empty for nowhere.
        timeout: seconds that it may take; None for its own.
        requires_confirmation: True asks each time, False never (unless the skill itself says so); None is as the
            level has it.
        allowed_targets: the agents that it may reach, by kinship or by id; None for all, empty for none.
    """

    enabled: bool | None = None
    allowed_paths: tuple[str, ...] | None = None
    timeout: float | None = None
    requires_confirmation: bool | None = None
    allowed_targets: Kin | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_paths(self.allowed_paths)
        if self.timeout is not None and not self.timeout > 0:
            raise InvalidInputError(f"a skill may take some time, got {self.timeout!r:.50} seconds")
        if isinstance(self.allowed_targets, str) and self.allowed_targets not in ("parent", "children", "family"):
            raise InvalidInputError(
                f"targets are parent, children, family or a list of ids, got {self.allowed_targets!r:.50}"
            )


def check_paths(paths: object) -> None:
    """Refuse paths that are no list of texts; one text would be taken for a list of letters.

    Raises:
        InvalidInputError: they are not.
    """
    listed = isinstance(paths, list | tuple) and all(isinstance(path, str) for path in paths)
    if paths is not None and not listed:
        raise InvalidInputError(f"allowed paths are a list of texts, or None for everywhere, got {paths!r:.100}")
