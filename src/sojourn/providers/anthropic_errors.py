"""What went wrong at a server that speaks the Messages API: in a few words, and whether it may pass by itself.

Whatever the server says about an error is shown cut short and without the key, should the key be among it.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import anthropic
import httpx2

from sojourn.errors import ModelError, ModelUnavailableError
from sojourn.providers.anthropic_reading import UnreadableError
from sojourn.providers.protocol import RawLog

MAX_CHARACTERS: Final = 300
_BY_STATUS: Final = {
    401: "it refuses the API key; check the key",
    403: "it refuses the API key for this; check the key's rights",
    404: "it knows no such model or address; check both",
    408: "it took too long and gave up; try again",
    409: "it was busy with something else; try again",
    413: "the request is too large for it",
    429: "it has had too many requests, or the quota is used up; wait, or raise the limit",
    529: "it is overloaded; try again in a while",
}
_BY_TYPE: Final = {
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "invalid_request_error": 400,
    "billing_error": 402,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""An error within a stream came after status 200; its type says which status it would have had."""
_PASSING: Final = frozenset({408, 409, 429})
_FIRST_OF_SERVER: Final = 500


@contextmanager
def translated(name: str, *, key: str | None, raw_log: RawLog | None) -> Iterator[None]:
    """Turn the SDK's errors into those of a `Provider`, and write the answer of the server down.

    Args:
        name: the provider's name, with which each error begins.
        key: what must not be in any error or log.
        raw_log: is told of an answer that refuses the request.
    """
    try:
        yield
    except anthropic.APIStatusError as error:
        if raw_log is not None:
            _write_down(raw_log, error, _body(error.body, key))
        kind = ModelUnavailableError if _may_pass(_status(error)) else ModelError
        raise kind(f"{name}: {_status_in_words(error, key)}") from _cause(error, key)
    except anthropic.APITimeoutError as error:
        raise ModelUnavailableError(f"{name}: it did not answer in time") from _cause(error, key)
    except anthropic.APIConnectionError as error:
        words = "it cannot be reached; check the address and whether it runs"
        raise ModelUnavailableError(f"{name}: {words}") from _cause(error, key)
    except httpx2.TimeoutException as error:
        raise ModelUnavailableError(f"{name}: it stopped in the middle of its answer") from _cause(error, key)
    except httpx2.HTTPError as error:
        raise ModelUnavailableError(f"{name}: the connection broke in the middle of its answer") from _cause(error, key)
    except UnreadableError as error:
        raise ModelError(f"{name}: {_short(str(error), key)}") from _cause(error, key)
    except UnicodeEncodeError as error:
        raise ModelError(f"{name}: what was said holds half a character, which cannot be sent") from _cause(error, key)
    except ValueError as error:  # neither JSON nor UTF-8
        raise ModelUnavailableError(f"{name}: what it sent is damaged") from _cause(error, key)
    except anthropic.AnthropicError as error:
        raise ModelError(f"{name}: {_short(str(error), key)}") from _cause(error, key)


def _write_down(raw_log: RawLog, error: anthropic.APIStatusError, body: dict[str, Any]) -> None:
    if error.status_code < 300:  # it came as a piece of a stream that had begun well
        raw_log.on_chunk(body)
    else:
        raw_log.on_response(error.status_code, body)


def _status(error: anthropic.APIStatusError) -> int:
    """Return the status that says what went wrong, wherever the error came."""
    if error.status_code >= 300:
        return error.status_code
    return _BY_TYPE.get(str(error.type), _FIRST_OF_SERVER)


def _may_pass(status: int) -> bool:
    return status in _PASSING or status >= _FIRST_OF_SERVER


def _status_in_words(error: anthropic.APIStatusError, key: str | None) -> str:
    status = _status(error)
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    said = _short(error.api_message if isinstance(error.api_message, str) else error.message, key)
    if status < 400:
        return "it sends us on to another address; if that is right, give it as the base_url"
    if error.status_code < 300:
        return f"it broke off with an error: {said}"
    return f"it answered with status {status}: {said}"


def _body(body: object, key: str | None) -> dict[str, Any]:
    hidden = _hidden(body, key)
    return hidden if isinstance(hidden, dict) else {"error": hidden}


def _hidden(value: Any, key: str | None) -> Any:
    """Return JSON without the key, wherever in it the server repeated it."""
    match value:
        case str():
            return value.replace(key, "[key]") if key else value
        case list():
            return [_hidden(item, key) for item in value]
        case dict():
            return {_hidden(name, key): _hidden(item, key) for name, item in value.items()}
        case _:
            return value


def _short(text: str, key: str | None) -> str:
    line = " ".join(str(_hidden(text, key)).split())
    return line if len(line) <= MAX_CHARACTERS else f"{line[:MAX_CHARACTERS]}..."


def _cause(error: Exception, key: str | None) -> Exception | None:
    """Return the error as a cause that may be printed; none, if it would print the key."""
    return None if key and key in "".join(traceback.format_exception(error)) else error
