"""Which servers there are, and how patient to be with them.

The form is the one that most programs share: `{"mcpServers": {name: {...}}}`, where a server is a program
(`command`, `args`, `env`, `cwd`) or an address (`url`, `headers`). A program `mcp-remote` is read as the address that
it would pass on. What cannot be used is refused with a sentence that names the server; nothing is started here.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from sojourn.agent.skills.names import fitting_name
from sojourn.errors import InvalidInputError
from sojourn.model.value import Value

_GAP: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_HTTP_TYPES: Final = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp"})
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REMOTE: Final = "mcp-remote"


class Timing(Value, frozen=True, kw_only=True):
    """How long things may take, in seconds.

    Attributes:
        connect: until a server must have said hello.
        call: one call of a tool, one prompt, one resource.
        health_interval: between two looks whether a server still answers.
        health_timeout: until it must have answered.
        unhealthy_after: so many failures in a row, and the connection is made anew.
        retry_delay: before the first attempt to connect anew.
        retry_factor: how much longer each further wait is.
        max_retry_delay: the longest wait.
        max_attempts: after so many failed attempts it is an error; None never gives up.
        progress_interval: how often it is told that one waits.
        refresh_interval: between two readings of a server's lists, however often it says that they changed.
    """

    connect: float = 30.0
    call: float = 60.0
    health_interval: float = 10.0
    health_timeout: float = 5.0
    unhealthy_after: int = 2
    retry_delay: float = 2.0
    retry_factor: float = 1.5
    max_retry_delay: float = 30.0
    max_attempts: int | None = None
    progress_interval: float = 2.0
    refresh_interval: float = 1.0

    def delay(self, failed: int) -> float:
        """Return how long to wait when *failed* attempts went wrong since the connection was lost."""
        longest = self.max_retry_delay
        wait = self.retry_delay
        for _ in range(failed):
            if wait >= longest:
                break
            wait *= self.retry_factor
        return min(wait, longest)


class McpServer(Value, frozen=True, kw_only=True):
    """One server: a program to start, or an address to call.

    Attributes:
        name: what it is called here: letters, digits, `_` and `-`.
        command: the program; empty where there is a *url*.
        args: its arguments.
        env: its environment, besides the few harmless variables that every program gets.
        cwd: the folder in which it runs; empty for ours.
        url: the address of its streamable HTTP endpoint; empty where there is a *command*.
        headers: sent with each request.
        enabled: the only tools that are offered; None for all.
        disabled: tools that are not offered.
        timing: how patient to be.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    enabled: tuple[str, ...] | None = None
    disabled: tuple[str, ...] = ()
    timing: Timing = Timing()

    def __repr__(self) -> str:
        # Without environment, headers and query: they hold keys.
        return f"McpServer({self.name!r}, {self.place!r})"

    @property
    def is_remote(self) -> bool:
        """Whether it is an address."""
        return bool(self.url)

    @property
    def place(self) -> str:
        """Where it is, without what may be secret: the program, or the address up to its path."""
        if not self.url:
            return self.command
        address = urlsplit(self.url)
        return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"

    def offers(self, tool: str) -> bool:
        """Tell whether *tool* may be offered to a model."""
        return tool not in self.disabled and (self.enabled is None or tool in self.enabled)


def read_servers(
    data: Mapping[str, Any], *, environment: Mapping[str, str] | None = None, timing: Timing | None = None
) -> tuple[McpServer, ...]:
    """Return the servers that *data* names, in its order; those that are switched off are left out.

    A name is made to fit: "Brave Search" becomes `Brave_Search`. With *environment*, `${NAME}` and
    `${NAME:-default}` in texts are filled in from it.

    Raises:
        InvalidInputError: a server cannot be used as it is written. None was read.
    """
    named = data.get("mcpServers", {})
    if not isinstance(named, Mapping):
        raise InvalidInputError("mcpServers must be an object: a name for each server")
    servers: dict[str, McpServer] = {}
    for given, value in named.items():
        name, entry = _entry(given, value)
        if name in servers:
            raise InvalidInputError(f"two servers would both be called {name!r}; rename {given!r}")
        if entry.get("disabled") is not True and entry.get("enabled") is not False:
            servers[name] = _server(name, _filled(name, entry, environment), timing or Timing())
    return tuple(servers.values())


def _entry(name: object, entry: object) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(name, str) or not name.strip():
        raise InvalidInputError("a server needs a name")
    if not isinstance(entry, Mapping):
        raise InvalidInputError(f"server {name!r} must be an object with a command or a url")
    return fitting_name(name.strip()), entry


def _server(name: str, entry: Mapping[str, Any], timing: Timing) -> McpServer:
    command = _text(name, entry, "command")
    url = _text(name, entry, "url")
    args = _texts(name, entry, "args") or ()
    headers = _pairs(name, entry, "headers")
    kind = _kind(name, entry)
    remote = _remote(args)
    if remote is not None:
        url, passed_on = _passed_on(name, remote)
        command, headers = "", headers | passed_on
    if bool(command) == bool(url):
        raise InvalidInputError(f"server {name!r} needs either a command or a url")
    if command and kind in _HTTP_TYPES:
        raise InvalidInputError(f"server {name!r} has type {kind!r} but a command; give its url")
    if url:
        _check_url(name, url)
        _check_headers(name, headers)
    return McpServer(
        name=name,
        command=command,
        args=() if url else args,
        env={} if url else _pairs(name, entry, "env"),
        cwd="" if url else _text(name, entry, "cwd"),
        url=url,
        headers=headers if url else {},
        enabled=None if entry.get("enabled") is True else _texts(name, entry, "enabled"),
        disabled=() if entry.get("disabled") is False else _texts(name, entry, "disabled") or (),
        timing=_timing(name, entry, timing),
    )


def _kind(name: str, entry: Mapping[str, Any]) -> str:
    kind = (_text(name, entry, "type") or _text(name, entry, "transport")).lower()
    if kind == "sse":
        raise _sse(name)
    if kind and kind != "stdio" and kind not in _HTTP_TYPES:
        raise InvalidInputError(f"server {name!r} has the unknown type {kind!r}; there are stdio and http")
    return kind


def _sse(name: str) -> InvalidInputError:
    return InvalidInputError(
        f"server {name!r} uses the old SSE transport, which is not supported; give the url of its streamable HTTP"
    )


def _remote(args: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return what follows `mcp-remote`, if that is what the arguments run."""
    program = 0
    while program < len(args) and args[program] in {"-y", "--yes"}:
        program += 1
    if program < len(args) and args[program].partition("@")[0] == _REMOTE:
        return args[program + 1 :]
    return None


def _passed_on(name: str, remote: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    if not remote:
        raise InvalidInputError(f"server {name!r} runs {_REMOTE} without an address")
    headers = {}
    for option, value in pairwise(remote[1:]):
        if option == "--transport" and value.startswith("sse-only"):
            raise _sse(name)
        if option == "--header":
            key, _, text = value.partition(":")
            headers[key.strip()] = text.strip()
    return remote[0], headers


def _check_url(name: str, url: str) -> None:
    try:
        address = urlsplit(url)
        usable = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidInputError(f"server {name!r} needs an address that begins with http:// or https://")


def _check_headers(name: str, headers: Mapping[str, str]) -> None:
    for header, value in headers.items():
        if not _HEADER.fullmatch(header) or not (value.isascii() and value.isprintable()):
            raise InvalidInputError(f"server {name!r}: the header {header!r} cannot be sent")


def _timing(name: str, entry: Mapping[str, Any], timing: Timing) -> Timing:
    seconds = entry.get("timeout")
    if seconds is None:
        return timing
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InvalidInputError(f"server {name!r}: timeout is a number of seconds, not {seconds!r}")
    return Timing.from_dict(timing.to_dict() | {"call": float(seconds)})


def _text(name: str, entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise InvalidInputError(f"server {name!r}: {key} must be a text")
    return value.strip()


def _texts(name: str, entry: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    value = entry.get(key)
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) and "\0" not in item for item in value):
        raise InvalidInputError(f"server {name!r}: {key} must be a list of texts")
    return tuple(value)


def _pairs(name: str, entry: Mapping[str, Any], key: str) -> dict[str, str]:
    value = entry.get(key) or {}
    if not isinstance(value, Mapping) or not all(
        isinstance(item, str) and "\0" not in item for pair in value.items() for item in pair
    ):
        raise InvalidInputError(f"server {name!r}: {key} must be an object of texts")
    return dict(value)


def _filled(name: str, entry: Mapping[str, Any], environment: Mapping[str, str] | None) -> Mapping[str, Any]:
    if environment is None:
        return entry

    def fill(value: Any) -> Any:
        match value:
            case str():
                return _GAP.sub(found, value)
            case list() | tuple():
                return [fill(item) for item in value]
            case Mapping():
                return {key: fill(item) for key, item in value.items()}
            case _:
                return value

    def found(gap: re.Match[str]) -> str:
        variable, default = gap.group(1), gap.group(2)
        if variable in environment:
            return environment[variable]
        if default is None:
            raise InvalidInputError(f"server {name!r} needs the variable {variable}, which is not set")
        return default

    return {key: fill(value) for key, value in entry.items()}
