"""Reads one assertion, clean of markup and lead-in, as a technical fact."""

from typing import Final

from sojourn.memory.extraction.rules.technical_nouns import Form, Said, without_relative
from sojourn.memory.extraction.rules.technical_ours import OUR_FORMS
from sojourn.memory.extraction.rules.technical_verbs import VERB_FORMS

_FORMS: Final[tuple[Form, ...]] = (*OUR_FORMS, *VERB_FORMS)


def read_statement(text: str) -> list[Said]:
    """Return what *text* says: usually one fact or none, several for "Redis for caching and SQS for mail"."""
    text = without_relative(text)
    for pattern, reader in _FORMS:
        if (match := pattern.match(text)) and (found := reader(match)):
            return found
    return []
