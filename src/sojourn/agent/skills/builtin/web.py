"""Fetching a page."""

import ssl
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin

from anyio import to_thread

from sojourn.agent.skills.builtin.addresses import Addresses
from sojourn.agent.skills.builtin.html_text import text_of
from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    import httpx2

MAX_BYTES: Final = 2_000_000
MAX_REDIRECTS: Final = 5
SECONDS: Final = 20.0
_ERROR_CHARS: Final = 500
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TEXTS: Final = ("text/", "application/json", "application/xml", "application/javascript", "application/yaml")
_HEADERS: Final = {"Accept": "text/*, application/json;q=0.9, */*;q=0.1", "Accept-Encoding": "identity"}


class _Answer(NamedTuple):
    status: str
    code: int
    kind: str
    body: str
    is_cut: bool
    leads_to: str | None


class Web:
    """Pages of this machine and its private network, and of *hosts*; see `Addresses`.

    Raises:
        MissingExtraError: the package that fetches is not installed.
    """

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        if not is_installed():
            raise MissingExtraError("httpx2 is missing: pip install 'sojourn[web]'")
        self._addresses = Addresses(hosts)
        self._tls: ssl.SSLContext | None = None

    def skills(self) -> tuple[Skill, ...]:
        """Return the skill that fetches."""
        return (skill_of(self.fetch_url, traits=SkillTraits(timeout=SECONDS + 10, reads_only=True)),)

    async def fetch_url(self, url: str) -> ToolResult:
        """Fetch a page or a text file from the net, by GET. Of a page of HTML, the text is returned.

        Args:
            url: the address, which begins with http:// or https://.
        """
        import httpx2  # noqa: PLC0415 - an extra

        place, answer = url, None
        try:
            for _ in range(MAX_REDIRECTS + 1):
                answer = await self._ask(place)
                if answer.leads_to is None:
                    break
                place = answer.leads_to
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise InvalidInputError(
                f"{place!r:.300} cannot be fetched: {str(error) or type(error).__name__}"
            ) from error
        if answer is None or answer.leads_to is not None:
            raise InvalidInputError(f"{url!r:.300} leads from one address to the next, more than {MAX_REDIRECTS} times")
        return _result(answer, url, place)

    async def _ask(self, place: str) -> _Answer:
        """Ask one address; if it leads elsewhere, that is for the next round, where it is checked as well."""
        import httpx2  # noqa: PLC0415 - an extra

        url = httpx2.URL(place)
        if url.scheme not in {"http", "https"} or not url.host:
            raise InvalidInputError(f"{place!r:.300} is no address that begins with http:// or https://")
        if url.userinfo:
            raise InvalidInputError("an address with a password in it is not fetched")
        addresses = await self._addresses.of(url.host, url.port or (443 if url.scheme == "https" else 80))
        tls = await self._context() if url.scheme == "https" else False
        async with httpx2.AsyncClient(trust_env=False, timeout=SECONDS, follow_redirects=False, verify=tls) as client:
            for address in addresses[:-1]:
                try:
                    return await _fetch(client, url, address)
                except httpx2.ConnectError:
                    continue  # it may have another
            return await _fetch(client, url, addresses[-1])

    async def _context(self) -> ssl.SSLContext:
        """Return what checks the servers' certificates; it takes a while to make."""
        import httpx2  # noqa: PLC0415 - an extra

        if self._tls is None:
            self._tls = await to_thread.run_sync(httpx2.create_ssl_context)
        return self._tls


def is_installed() -> bool:
    """Tell whether there is what fetches."""
    return find_spec("httpx2") is not None


async def _fetch(client: "httpx2.AsyncClient", url: "httpx2.URL", address: str) -> _Answer:
    """Ask *address* for what *url* names."""
    request = client.build_request(
        "GET",
        url.copy_with(host=address),
        headers={**_HEADERS, "Host": url.netloc.decode("ascii")},
        extensions={"sni_hostname": url.host},
    )
    response = await client.send(request, stream=True)
    try:
        return await _read(response, str(url))
    finally:
        await response.aclose()


async def _read(response: "httpx2.Response", place: str) -> _Answer:
    status = f"{response.status_code} {response.reason_phrase}".strip()
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    location = response.headers.get("location")
    if response.status_code in _REDIRECTS and location:
        return _Answer(status, response.status_code, kind, "", is_cut=False, leads_to=urljoin(place, location))
    if kind and not kind.startswith(_TEXTS) and not kind.endswith(("+json", "+xml")):
        raise InvalidInputError(f"{place!r:.300} is {kind[:100]}, not text")
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BYTES:
            break
    if not kind and b"\0" in body:
        raise InvalidInputError(f"{place!r:.300} is binary data, not text")
    text = _decoded(bytes(body[:MAX_BYTES]), response.charset_encoding)
    return _Answer(status, response.status_code, kind, text, is_cut=len(body) > MAX_BYTES, leads_to=None)


def _decoded(body: bytes, charset: str | None) -> str:
    try:
        return body.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):  # a charset that nobody knows
        return body.decode("utf-8", "replace")


def _result(answer: _Answer, asked: str, place: str) -> ToolResult:
    text = text_of(answer.body) if answer.kind in {"text/html", "application/xhtml+xml"} else answer.body
    if answer.code >= 400:
        return ToolResult(error=f"fetch_url: {place:.300} answers {answer.status}: {text[:_ERROR_CHARS]}".strip())
    notes: list[Any] = []
    if place != asked:
        notes.append(f"[from {place:.300}]")
    if len(text) > MAX_CHARS or answer.is_cut:
        notes.append(f"[only the first {min(len(text), MAX_CHARS):,} characters are shown]")
    if not text:
        notes.append("[there is nothing in it]")
    return ToolResult(output="\n".join([text[:MAX_CHARS], *notes] if text else notes), data=text[:MAX_CHARS])
