"""What went wrong at a server that speaks the OpenAI protocol, in a few words that say what to do about it."""

from typing import Final

import openai

MAX_CHARACTERS: Final = 300
_BY_STATUS: Final = {
    401: "it refuses the API key; check the key",
    403: "it refuses the API key for this; check the key's rights",
    404: "it knows no such model or address; check both",
    413: "the request is too large for it",
    429: "it has had too many requests, or the quota is used up; wait, or raise the limit",
}


def in_words(error: openai.OpenAIError) -> str:
    """Return what *error* means. The server's own words are in it, cut short, where no key can be among them."""
    match error:
        case openai.APITimeoutError():
            return "it did not answer in time"
        case openai.APIStatusError(status_code=status) if status in _BY_STATUS:
            return _BY_STATUS[status]
        case openai.APIStatusError(status_code=status):
            return f"it answered with status {status}: {_short(error.message)}"
        case openai.APIConnectionError():
            return "it cannot be reached; check the address and whether it runs"
        case _:
            return _short(str(error))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_CHARACTERS else f"{line[:MAX_CHARACTERS]}..."
