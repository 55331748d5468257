"""Which model talks when somebody asks for one, and why that one.

What is named wins: first what is given, then `SOJOURN_MODEL`. Then a key that is set, then an Ollama server that
answers, then the small model in this process. Nothing is probed if an earlier rule decides. Nothing here reads the
process's environment: the door hands in what it holds.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Final
from urllib.parse import urldefrag, urlsplit

from sojourn.errors import InvalidInputError, MissingExtraError
from sojourn.providers import local, ollama
from sojourn.providers.anthropic_messages import AnthropicMessages
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.protocol import Provider
from sojourn.providers.retrying import Retrying
from sojourn.providers.scripted import ScriptedProvider

ANTHROPIC_MODEL: Final = "claude-sonnet-5-5"
OPENAI_MODEL: Final = "gpt-6.1-sol"
OPENROUTER_MODEL: Final = "openrouter/auto"
OPENROUTER_URL: Final = "https://openrouter.ai/api/v1"
OWN_KEY: Final = "SOJOURN_API_KEY"
"""The key for a server that is named by its address: a vendor's key is never sent to another server."""

_FORMS: Final = (
    "claude-NAME or anthropic:NAME, gpt-NAME or openai:NAME, openai-chat:NAME, openrouter:NAME, ollama:NAME, "
    "http://HOST:PORT/v1#NAME, local, local:PATH.gguf or scripted:TEXT"
)
_SCRIPTED: Final = 32_000
"""What a scripted model takes: as much as a context ever needs."""
_VENDOR_OF: Final = (
    (re.compile(r"claude-"), "anthropic"),
    (re.compile(r"gpt-|chatgpt-|codex-|o\d"), "openai"),
    (re.compile(r".*\.gguf$"), "local"),
)
_IN_ORDER: Final = (
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("OPENROUTER_API_KEY", "openrouter"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A model that was chosen and is not opened yet.

    Attributes:
        provider: who runs it: `anthropic`, `openai`, `openai-chat`, `openrouter`, `ollama`, `server` (an address),
            `local` or `scripted`.
        model: its name there.
        why: in one sentence, why this one.
        window: how many tokens it takes, where that is decided here and not by the model's name.
        costs: whether its tokens cost money.
    """

    provider: str
    model: str
    why: str
    window: int | None = None
    costs: bool = True
    make: Callable[[], Provider] = field(repr=False, compare=False)  # holds the key

    def open(self) -> Provider:
        """Return the model, to be closed by the caller. Nothing is connected or loaded before the first request."""
        return self.make()


def choose(model: str | None = None, *, environment: Mapping[str, str], base_url: str | None = None) -> Choice:
    """Return the model that *model* names, or the best there is.

    It blocks for a moment if it has to ask whether an Ollama server is there: call it on a thread, or before the event
    loop.

    Args:
        model: a name in one of the forms that the error for any other lists; a vendor alone takes its usual model.
        environment: the process's variables: keys, `SOJOURN_MODEL`, `OLLAMA_HOST`.
        base_url: where the named model is served, in place of its vendor's own address.

    Raises:
        InvalidInputError: the name has none of these forms, or its key is not set.
        MissingExtraError: there is no model, or a package that it needs is missing; it says what to do.
        ModelUnavailableError: *model* asks for any model of an Ollama server, and none answers.
    """
    known = {name: value.strip() for name, value in environment.items() if value.strip()}
    if model is not None:
        return _named(model.strip(), known, base_url, why="you named it")
    if "SOJOURN_MODEL" in known:
        return _named(known["SOJOURN_MODEL"], known, base_url, why="SOJOURN_MODEL names it")
    if base_url is not None:
        raise InvalidInputError("an address alone names no model: give the model's name, too")
    for variable, vendor in _IN_ORDER:
        if variable in known:
            return _named(vendor, known, None, why=f"{variable} is set")
    return _on_this_machine(known)


def _on_this_machine(known: Mapping[str, str]) -> Choice:
    """Return what runs here: a model of an Ollama server, else the small one in this process."""
    if find_spec("openai") is not None:
        host = ollama.address(known)
        found = ollama.find_model(host)
        if found is not None:
            return _ollama(found, known, host, why=f"no key is set, and Ollama answers at {host}")
    if not local.missing():
        return _local("", why="no key is set and no Ollama server answers, and this one needs neither")
    raise MissingExtraError(
        "there is no model to talk to; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY, or start Ollama, "
        f"or install a small model: {' and '.join(local.missing())}"
    )


def _named(name: str, known: Mapping[str, str], base_url: str | None, *, why: str) -> Choice:
    if name.startswith(("http://", "https://")):
        return _served(name, known, why=why)
    vendor, colon, rest = name.partition(":")
    if not colon and vendor not in _VENDORS:
        vendor, rest = next((who for form, who in _VENDOR_OF if form.match(name)), ""), name
        if base_url is not None and vendor in {"", "local"}:
            return _server(name, base_url, known, why=why)
    if vendor == "ollama" and not rest:
        return _any_of_ollama(known, base_url, why=why)
    make = _VENDORS.get(vendor)
    if make is None:
        if base_url is not None:  # such a name may well have a colon: `llama3.2:3b`
            return _server(name, base_url, known, why=why)
        raise InvalidInputError(f"model {name!r:.100}: give {_FORMS}")
    return make(rest.strip(), known, base_url, why)


# --- vendors, each with its key


def _anthropic(model: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:
    _require("anthropic")
    name = model or ANTHROPIC_MODEL
    key = _key("ANTHROPIC_API_KEY", name, known)
    where = base_url or known.get("ANTHROPIC_BASE_URL")
    made = partial(_retrying, AnthropicMessages, name, base_url=where, api_key=key)
    return Choice(provider="anthropic", model=name, why=why, make=made)


def _openai(model: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:
    _require("openai")
    name = model or OPENAI_MODEL
    key = _key("OPENAI_API_KEY", name, known)
    where = base_url or known.get("OPENAI_BASE_URL")
    made = partial(_retrying, OpenAiResponses, name, base_url=where, api_key=key)
    return Choice(provider="openai", model=name, why=why, make=made)


def _openai_chat(model: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:
    _require("openai")
    name = model or OPENAI_MODEL
    key = _key("OPENAI_API_KEY", name, known)
    where = base_url or known.get("OPENAI_BASE_URL")
    made = partial(_retrying, OpenAiChat, name, base_url=where, api_key=key)
    return Choice(provider="openai-chat", model=name, why=why, make=made)


def _openrouter(model: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:
    _require("openai")
    name = model or OPENROUTER_MODEL
    key = _key("OPENROUTER_API_KEY", name, known)
    made = partial(_retrying, OpenAiChat, name, base_url=base_url or OPENROUTER_URL, api_key=key)
    return Choice(provider="openrouter", model=name, why=why, make=made)


# --- servers without a vendor


def _served(address: str, known: Mapping[str, str], *, why: str) -> Choice:
    base_url, name = urldefrag(address)
    if not name:
        raise InvalidInputError(
            f"model {address!r:.100}: name the model behind a #, as in http://127.0.0.1:8000/v1#NAME"
        )
    return _server(name, base_url, known, why=why)


def _server(name: str, base_url: str, known: Mapping[str, str], *, why: str) -> Choice:
    _require("openai")
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidInputError(f"address {base_url!r:.100}: give one that begins with http:// or https://")
    made = partial(_retrying, OpenAiChat, name, base_url=base_url, api_key=known.get(OWN_KEY))
    return Choice(provider="server", model=name, why=why, make=made)


def _named_of_ollama(model: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:
    return _ollama(model, known, base_url or ollama.address(known), why=why)


def _any_of_ollama(known: Mapping[str, str], base_url: str | None, *, why: str) -> Choice:
    host = base_url or ollama.address(known)
    return _ollama(ollama.get_model(host), known, host, why=f"{why}, and Ollama has it at {host}")


def _ollama(model: str, known: Mapping[str, str], host: str, *, why: str) -> Choice:
    _require("openai")
    base_url = host if urlsplit(host).path.strip("/") else f"{host.rstrip('/')}/v1"
    made = partial(_retrying, OpenAiChat, model, base_url=base_url, api_key=None)
    return Choice(provider="ollama", model=model, why=why, window=ollama.window(known), costs=False, make=made)


# --- in this process


def _in_this_process(path: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:  # noqa: ARG001 - as the others
    if base_url is not None:
        raise InvalidInputError("the local model runs in this process and has no address")
    return _local(path, why=why)


def _local(path: str, *, why: str) -> Choice:
    # It is made once to see whether all is there; that loads nothing.
    model = local.LocalModel(path or None)
    made = partial(local.LocalModel, path or None)
    return Choice(provider="local", model=model.model, why=why, window=model.window, costs=False, make=made)


def _scripted(text: str, known: Mapping[str, str], base_url: str | None, why: str) -> Choice:  # noqa: ARG001 - as the others
    made = partial(ScriptedProvider, otherwise=text)
    return Choice(provider="scripted", model="scripted", why=why, window=_SCRIPTED, costs=False, make=made)


_VENDORS: Final[Mapping[str, Callable[[str, Mapping[str, str], str | None, str], Choice]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "openai-chat": _openai_chat,
    "openrouter": _openrouter,
    "ollama": _named_of_ollama,
    "local": _in_this_process,
    "scripted": _scripted,
}


def _retrying(make: Callable[..., Provider], model: str, *, base_url: str | None, api_key: str | None) -> Provider:
    # The SDKs try again themselves before an answer begins, and wait as long as the server asks them to; the other is
    # for an answer that breaks off before its first word. A person who waits hears after four tries in all.
    return Retrying(make(model, base_url=base_url, api_key=api_key, retries=1), tries=2)


def _key(variable: str, model: str, known: Mapping[str, str]) -> str:
    if variable not in known:
        raise InvalidInputError(f"{model} needs a key: set {variable}")
    return known[variable]


def _require(package: str) -> None:
    if find_spec(package) is None:
        raise MissingExtraError(f"this model needs the package {package}: pip install 'sojourn[{package}]'")
