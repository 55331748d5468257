"""How the engine behaves: one frozen value, made by whoever opens it. Nothing in the engine reads the environment."""

from dataclasses import dataclass
from typing import Literal

KeepProfile = Literal["ask", "yes", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the engine.

    Attributes:
        keep_profile: whether what is learned about the user is written. "ask" is "no" until somebody answers.
        idle_minutes: how long a session that nobody uses stays open in memory.
        retention_days: how old an archived or trashed session may become before `prune` proposes to remove it; None
            keeps everything for ever. Nothing is ever removed without being asked.
    """

    keep_profile: KeepProfile = "ask"
    idle_minutes: float = 30.0
    retention_days: float | None = None
