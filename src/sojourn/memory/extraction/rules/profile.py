"""What people state about themselves, as the extractor asks for it."""

from collections.abc import Sequence

from sojourn.memory.extraction.rules.about_user import About, of_assistant, statements
from sojourn.memory.extraction.rules.reading import Reading
from sojourn.memory.extraction.statement import FactStatement, Heard, ProfileStatement

__all__ = ["About", "assistant_statements", "profile_statements", "statements", "user_facts"]


def profile_statements(user: Reading, before: Sequence[Heard] = ()) -> tuple[ProfileStatement, ...]:
    """Return the fields of the profile that the user states. `statements` has these and the facts in one reading."""
    return statements(user, before).profile


def user_facts(user: Reading, before: Sequence[Heard] = ()) -> tuple[FactStatement, ...]:
    """Return what else the user states about himself, each as a sentence in the third person."""
    return statements(user, before).facts


def assistant_statements(assistant: Reading) -> About:
    """Return what the assistant says about the user; nothing of it is accepted without the user's word."""
    return of_assistant(assistant)
