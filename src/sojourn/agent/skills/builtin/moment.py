"""What time it is."""

from zoneinfo import ZoneInfo

from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.clock import Clock
from sojourn.errors import InvalidInputError


class Moment:
    """The time of a clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def skills(self) -> tuple[Skill, ...]:
        """Return the skill that tells the time."""
        return (skill_of(self.current_time, traits=SkillTraits(reads_only=True)),)

    def current_time(self, zone: str = "UTC") -> ToolResult:
        """Tell what day and time it is now.

        Args:
            zone: a time zone such as Europe/Berlin.
        """
        try:
            now = self._clock.now().astimezone(ZoneInfo(zone))
        except (KeyError, ValueError, OSError) as error:
            raise InvalidInputError(f"{zone!r:.100} is no time zone that is known here; UTC always is") from error
        return ToolResult(
            output=f"{now:%A}, {now.isoformat(sep=' ', timespec='seconds')} ({zone})", data=now.isoformat()
        )
