"""An Ollama server: where it is, and which of its models to talk to. Talking itself is the OpenAI protocol's."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from sojourn.errors import InvalidInputError, ModelUnavailableError

PORT: Final = 11434
WINDOW: Final = 4096
"""What Ollama lets a model take, if nobody says otherwise. What is longer it cuts without a word."""
_PATIENCE: Final = 0.5
"""Seconds: a server on this machine answers at once, or is not there."""
_MOST: Final = 4 * 1024 * 1024
_NO_TALK: Final = ("embed", "bert", "minilm", "rerank")
"""What is in the names of models that make vectors, and cannot talk."""


def address(environment: Mapping[str, str]) -> str:
    """Return where the server is: what `OLLAMA_HOST` says, in any of the ways that Ollama itself takes.

    Raises:
        InvalidInputError: it says something else.
    """
    given = environment.get("OLLAMA_HOST", "").strip()
    parts = urlsplit(given if "://" in given else f"//{given}")
    try:
        port = parts.port
    except ValueError as error:
        raise InvalidInputError(f"OLLAMA_HOST={given!r:.100}: its port is no number") from error
    host = parts.hostname or "127.0.0.1"
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - where a server listens; it is reached here
        host = "127.0.0.1"
    if parts.scheme not in {"", "http", "https"}:
        raise InvalidInputError(f"OLLAMA_HOST={given!r:.100}: give HOST:PORT")
    usual = {"http": 80, "https": 443}.get(parts.scheme, PORT)
    return f"{parts.scheme or 'http'}://{f'[{host}]' if ':' in host else host}:{port or usual}"


def window(environment: Mapping[str, str]) -> int:
    """Return how many tokens its models take: what `OLLAMA_CONTEXT_LENGTH` says, else what Ollama does by itself."""
    told = environment.get("OLLAMA_CONTEXT_LENGTH", "").strip()
    return int(told) if told.isdecimal() and int(told) > 0 else WINDOW


def find_model(host: str) -> str | None:
    """Return the model that was used or fetched last; None if no server answers there, or it has none that talks."""
    try:
        return get_model(host)
    except ModelUnavailableError:
        return None


def get_model(host: str) -> str:
    """Return the model that was used or fetched last, of those that can talk.

    Raises:
        ModelUnavailableError: no server answers there, or it has no such model.
    """
    tags = _tags(host)
    listed = tags.get("models") if isinstance(tags, dict) else None
    names = [name for entry in (listed if isinstance(listed, list) else []) if (name := _name(entry))]
    if not names:
        raise ModelUnavailableError(f"Ollama at {host} has no model that talks; fetch one with: ollama pull NAME")
    return names[0]  # Ollama lists the newest first


def _name(entry: Any) -> str:
    """Return the name of a listed model, nothing if it does not talk."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return ""
    able = entry.get("capabilities")
    if isinstance(able, list):
        return entry["name"] if "completion" in able else ""
    return "" if any(word in entry["name"].lower() for word in _NO_TALK) else entry["name"]


def _tags(host: str) -> Any:
    parts = urlsplit(host)
    secure = parts.scheme == "https"
    # Not through a proxy, which a general client would use: this asks who is there.
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname or "127.0.0.1", parts.port or PORT, timeout=_PATIENCE)
    try:
        connection.request("GET", "/api/tags", headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = response.read(_MOST)
        if response.status != http.client.OK:
            raise ModelUnavailableError(f"no Ollama server at {host}: it answers with status {response.status}")
        return json.loads(body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ModelUnavailableError(f"no Ollama server answers at {host}; start it with: ollama serve") from error
    finally:
        connection.close()
