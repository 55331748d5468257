"""What can be said about a call: by the rules, and by the human who is asked."""

from dataclasses import dataclass
from enum import StrEnum


class Approval(StrEnum):
    """What a human can answer. Who has no answer says no."""

    NO = "no"
    ONCE = "once"
    """This call, and no other."""
    FILE = "file"
    """The tool may use this file from now on."""
    FOLDER = "folder"
    """The tool may use what is within this folder from now on."""
    SESSION = "session"
    """The tool may run from now on, in this session."""
    APPROVE_ALL = "approve_all"
    """Yes, and to everything else that this turn asks."""
    DENY_ALL = "deny_all"
    """No, and to everything else that this turn asks."""

    @property
    def is_yes(self) -> bool:
        """Whether the call may run."""
        return self not in (Approval.NO, Approval.DENY_ALL)

    @property
    def ends_asking(self) -> bool:
        """Whether it answers the rest of the turn, too."""
        return self in (Approval.APPROVE_ALL, Approval.DENY_ALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The call may run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call may not run; *reason* says which rule forbids it, in one sentence."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A human has to say: the question, what he can answer, and the files and folders that it is about."""

    question: str
    options: tuple[Approval, ...]
    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


Verdict = Allowed | Refused | Ask
