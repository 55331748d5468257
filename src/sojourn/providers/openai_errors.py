"""What went wrong at a server that speaks the OpenAI protocol: in a few words, and whether it may pass by itself."""

from typing import Any, Final

import openai

MAX_CHARACTERS: Final = 300
_BY_STATUS: Final = {
    401: "it refuses the API key; check the key",
    403: "it refuses the API key for this; check the key's rights",
    404: "it knows no such model or address; check both",
    413: "the request is too large for it",
    429: "it has had too many requests, or the quota is used up; wait, or raise the limit",
}
_PASSING: Final = frozenset({408, 409, 429})
_LASTING: Final = ("invalid", "context_length", "content_policy", "insufficient_quota", "bio_policy", "misalignment")
"""How the names of errors begin that the same request would meet again."""


def in_words(error: openai.OpenAIError) -> str:
    """Return what *error* means. The server's own words are in it, cut short, where no key can be among them."""
    match error:
        case openai.APITimeoutError():
            return "it did not answer in time"
        case openai.APIStatusError(status_code=status) if status in _BY_STATUS:
            return _BY_STATUS[status]
        case openai.APIStatusError(status_code=status) if 300 <= status < 400:
            return "it sends us on to another address; if that is right, give it as the base_url"
        case openai.APIStatusError(status_code=status):
            return f"it answered with status {status}: {short(_told(error))}"
        case openai.APIConnectionError():
            return "it cannot be reached; check the address and whether it runs"
        case _:
            return short(str(error))


def may_pass(error: openai.OpenAIError) -> bool:
    """Tell whether the same request may do better in a while: it was not reached, is overloaded, or broke off."""
    match error:
        case openai.APIStatusError(status_code=status):
            return status_may_pass(status)
        case openai.APIConnectionError():
            return True
        case openai.APIError():
            return event_may_pass(error.code, error.type)
        case _:
            return False


def status_may_pass(status: int) -> bool:
    """Tell whether a request that was answered with *status* may do better in a while."""
    return status in _PASSING or status >= 500


def event_may_pass(*names: Any) -> bool:
    """Tell whether an error within a stream may pass, by its code and its type: numbers, names or nothing.

    What is unknown may pass: the server had begun to answer, so it had accepted the request.
    """
    for name in names:
        if isinstance(name, int) or (isinstance(name, str) and name.isdecimal()):
            return status_may_pass(int(name))
    return not any(isinstance(name, str) and name.startswith(_LASTING) for name in names)


def _told(error: openai.APIStatusError) -> str:
    """Return what the server says, without the JSON around it."""
    told = error.body.get("message") if isinstance(error.body, dict) else None
    return told if isinstance(told, str) else error.message


def short(text: str) -> str:
    """Return *text* in one line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_CHARACTERS else f"{line[:MAX_CHARACTERS]}..."
