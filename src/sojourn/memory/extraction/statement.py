"""What an extractor finds: statements, each with the words it rests on and how likely it is to be right.

A confidence is a frequency: of all that is stated with 0.8, about 80 % is right.
"""

from typing import Any, Final, Literal, get_args

from sojourn.model.events import FactScope, Span
from sojourn.model.ids import Seq
from sojourn.model.interaction import Intent
from sojourn.model.message import Role
from sojourn.model.profile import LISTS
from sojourn.model.value import Value

ACCEPTED: Final = 0.7
"""A statement that is at least so sure is taken as true; a less sure one waits for a review."""

Kind = Literal["profile", "facts", "decisions", "tasks", "files", "intent", "topic"]
KINDS: Final[frozenset[Kind]] = frozenset(get_args(Kind))
"""All that can be extracted; each can be switched off."""

Trust = Literal["user", "assistant", "external"]
"""Who said it. Only what the user says is taken as true; what others say about the user waits for a review."""


class Heard(Value, frozen=True, kw_only=True):
    """A message as an extractor sees it. *seq* is its entry in the journal, 0 if it is not in one.

    *injected* are the parts of the text that Sojourn itself put there, as (start, end): they are evidence of nothing.
    """

    role: Role
    text: str
    seq: Seq = Seq(0)
    injected: tuple[tuple[int, int], ...] = ()


class Exchange(Value, frozen=True, kw_only=True):
    """What is read at one time: what the user said, what was answered, what tools returned in between.

    *before* are the last messages before it, oldest first. They are read to understand it ("no, 31": what is 31?), and
    never for statements of their own.
    """

    user: Heard | None = None
    assistant: Heard | None = None
    tools: tuple[Heard, ...] = ()
    before: tuple[Heard, ...] = ()


class Statement(Value, frozen=True, kw_only=True):
    """What all statements share: how likely it is right, who said it, and in which words of which messages."""

    confidence: float
    trust: Trust
    evidence: tuple[Span, ...]

    @property
    def accepted(self) -> bool:
        """Whether it is taken as true without a review."""
        return self.trust == "user" and self.confidence >= ACCEPTED


class ProfileStatement(Statement, frozen=True, kw_only=True):
    """Something about the user that is a field of the profile. *former* is the value that it is said to replace.

    With *removes*, the field does not hold the value any more; with value None, not any value at all.
    """

    field: str
    value: str | int | None
    removes: bool = False
    former: str | int | None = None


class FactStatement(Statement, frozen=True, kw_only=True):
    """Anything else that is worth keeping, as one sentence that can be understood alone, in the third person.

    *slot* names the question that it answers ("api/rate limit"), *value* is the answer ("1000/hour"): another value of
    the same slot replaces it. With *removes*, the fact or what fills the slot does not hold any more; the content then
    says which, in the user's words.
    """

    content: str
    slot: str | None = None
    value: str | None = None
    scope: FactScope = "session"
    about: Literal["user"] | None = None
    tags: tuple[str, ...] = ()
    removes: bool = False

    @property
    def accepted(self) -> bool:
        # A tool or a web page may say anything; what the assistant says of the user is a guess of its own.
        if self.trust == "assistant":
            return self.about != "user" and self.confidence >= ACCEPTED
        return self.trust == "user" and self.confidence >= ACCEPTED


class DecisionStatement(Statement, frozen=True, kw_only=True):
    """Something that was decided."""

    text: str


class TaskStatement(Statement, frozen=True, kw_only=True):
    """Something that remains to be done, or, with *done*, that is finished or given up."""

    text: str
    done: bool = False


class FileStatement(Statement, frozen=True, kw_only=True):
    """A file that was read, made, changed, renamed or deleted, or only named."""

    path: str
    action: Literal["read", "created", "edited", "renamed", "deleted", "mentioned"] = "mentioned"


class Extraction(Value, frozen=True, kw_only=True):
    """All that was found in one exchange."""

    profile: tuple[ProfileStatement, ...] = ()
    facts: tuple[FactStatement, ...] = ()
    decisions: tuple[DecisionStatement, ...] = ()
    tasks: tuple[TaskStatement, ...] = ()
    files: tuple[FileStatement, ...] = ()
    intent: Intent | None = None
    topic: str | None = None

    def user_info(self) -> dict[str, Any]:
        """Return what was accepted about the user, by profile field: one value, or a list for a field that has many."""
        found: dict[str, Any] = {}
        for statement in self.profile:
            if statement.removes or not statement.accepted:
                continue
            if statement.field in LISTS:
                found.setdefault(statement.field, []).append(statement.value)
            else:
                found[statement.field] = statement.value
        return found
