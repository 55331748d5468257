"""Where skills come from that an agent does not own itself: a server of tools, a folder of plugins."""

from collections.abc import Sequence
from typing import Protocol

from sojourn.agent.skills.skill import Skill


class SkillSource(Protocol):
    """Offers skills, and may offer others later. It is asked before each call of a model, so it answers at once."""

    @property
    def name(self) -> str:
        """Tells it from other sources: letters, digits, `_` and `-`."""
        ...

    def skills(self) -> Sequence[Skill]:
        """Return what it offers now, always in the same order."""
        ...
