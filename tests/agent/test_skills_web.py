"""Fetching pages: from where, how much, and what becomes of them."""

from collections.abc import Iterator
from typing import Any

import pytest

from sojourn.agent.skills.builtin import web
from sojourn.agent.skills.builtin.addresses import Addresses
from sojourn.agent.skills.builtin.html_text import text_of
from sojourn.agent.skills.builtin.page import MAX_CHARS
from sojourn.agent.skills.skill import ToolResult, traits_of
from sojourn.errors import InvalidInputError
from sojourn.testing.wire import Reply, WireServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


async def fetch(url: str, *hosts: str) -> ToolResult:
    return await web.Web(hosts).skills()[0].execute(url=url)


def serve(wire: WireServer, body: bytes | str, kind: str = "text/plain", **more: Any) -> str:
    data = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": kind, **more.pop("headers", {})}
    wire.route("/page", lambda _: Reply(body=data, headers=headers, **more))
    return f"{wire.address}/page"


async def test_a_page_of_this_machine_is_fetched_by_address_and_by_name(wire: WireServer) -> None:
    url = serve(wire, "hello")
    by_address = await fetch(url)
    by_name = await fetch(url.replace("127.0.0.1", "localhost"))

    assert by_address.output == by_name.output == "hello"
    assert wire.requests[0].headers["host"] == url.removeprefix("http://").removesuffix("/page")
    assert wire.requests[1].headers["host"].startswith("localhost:")
    assert "authorization" not in wire.requests[0].headers


@pytest.mark.parametrize(
    "url",
    [
        "http://8.8.8.8/",
        "http://[2001:4860:4860::8888]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/",
        "http://0.0.0.0/",
        "http://[::ffff:8.8.8.8]/",
        "http://134744072/",
    ],
)
async def test_other_machines_are_not_asked(url: str) -> None:
    assert "may not be asked" in (await fetch(url)).error or "is not known" in (await fetch(url)).error


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://localhost/", "/etc/passwd", "", "http://", "http://a b/", "x"]
)
async def test_what_is_no_address_is_refused(url: str) -> None:
    assert (await fetch(url)).error.startswith("fetch_url: ")


async def test_an_address_with_a_password_is_refused(wire: WireServer) -> None:
    assert "password" in (await fetch(wire.address.replace("127", "me:secret@127"))).error
    assert not wire.requests


async def test_where_a_page_leads_is_checked_again(wire: WireServer) -> None:
    serve(wire, "there")
    wire.route("/moved", lambda _: Reply(status=302, headers={"Location": "/page"}))
    wire.route("/out", lambda _: Reply(status=302, headers={"Location": "http://8.8.8.8/"}))
    wire.route("/file", lambda _: Reply(status=302, headers={"Location": "file:///etc/passwd"}))
    wire.route("/round", lambda _: Reply(status=302, headers={"Location": "/round"}))

    assert (await fetch(f"{wire.address}/moved")).output == f"there\n[from {wire.address}/page]"
    assert "may not be asked" in (await fetch(f"{wire.address}/out")).error
    assert "is no address" in (await fetch(f"{wire.address}/file")).error
    assert "more than 5 times" in (await fetch(f"{wire.address}/round")).error


async def test_only_text_is_read(wire: WireServer) -> None:
    assert "is image/png, not text" in (await fetch(serve(wire, b"\x89PNG", "image/png"))).error
    assert "binary data" in (await fetch(serve(wire, b"a\0b", ""))).error
    assert (await fetch(serve(wire, '{"a": 1}', "application/problem+json"))).output == '{"a": 1}'
    assert (await fetch(serve(wire, b"caf\xe9", "text/plain; charset=latin-1"))).output == "café"
    assert (await fetch(serve(wire, b"caf\xe9", "text/plain; charset=no-such"))).output == "caf�"
    assert (await fetch(serve(wire, ""))).output == "[there is nothing in it]"


async def test_of_a_giant_page_the_beginning_is_shown(wire: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    result = await fetch(serve(wire, "x" * (MAX_CHARS + 1)))
    assert result.output == f"{'x' * MAX_CHARS}\n[only the first {MAX_CHARS:,} characters are shown]"

    monkeypatch.setattr(web, "MAX_BYTES", 10)
    assert (await fetch(serve(wire, "y" * 100))).data == "y" * 10


async def test_a_server_that_fails_is_an_error_with_what_it_says(wire: WireServer) -> None:
    assert "answers 500 Internal Server Error: boom" in (await fetch(serve(wire, "boom", status=500))).error
    assert "cannot be fetched" in (await fetch(serve(wire, "x", disconnect=True))).error
    assert "cannot be fetched" in (await fetch(serve(wire, "x" * 100, cut=True))).error
    assert "cannot be fetched" in (await fetch("http://127.0.0.1:1/")).error


class Several(Addresses):
    """Knows one host, with an address where nobody is, and one where somebody is."""

    async def of(self, host: str, port: int) -> list[str]:
        return ["127.0.0.2", "127.0.0.1"]


async def test_another_address_of_a_host_is_tried_if_nobody_is_at_the_first(wire: WireServer) -> None:
    fetching = web.Web()
    fetching._addresses = Several()
    url = serve(wire, "found").replace("127.0.0.1", "two-homes.test")

    assert (await fetching.fetch_url(url)).output == "found"
    assert wire.requests[0].headers["host"].startswith("two-homes.test:")


async def test_a_server_that_cannot_prove_who_it_is_is_not_believed(wire: WireServer) -> None:
    url = serve(wire, "hello").replace("http:", "https:")

    assert "cannot be fetched" in (await fetch(url)).error
    assert not wire.requests


async def test_a_proxy_of_the_environment_is_not_used(wire: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    assert (await fetch(serve(wire, "hello"))).output == "hello"


def test_hosts_widen_what_may_be_asked() -> None:
    addresses = Addresses(["example.com", "*.docs.org", "169.254.169.254"])

    assert addresses.allows("Example.com.", "8.8.8.8")
    assert addresses.allows("a.docs.org", "8.8.8.8")
    assert not addresses.allows("docs.org.evil.com", "8.8.8.8")
    assert not addresses.allows("example.com", "169.254.169.254")
    assert addresses.allows("169.254.169.254", "169.254.169.254")
    assert Addresses(["*"]).allows("anything", "8.8.8.8")
    assert not Addresses(["*"]).allows("metadata", "169.254.169.254")


async def test_a_host_that_nobody_knows_is_said() -> None:
    with pytest.raises(InvalidInputError, match="is not known"):
        await Addresses().of("no-such-host.invalid", 80)


def test_of_a_page_the_text_remains() -> None:
    html = """<html><head><title>T</title><style>x{}</style></head><body><h1>Head</h1>
      <p>One &amp; <b>two</b><script>alert("</p>")</script> three<br>four</p><ul><li>a<li>b</ul></body>"""

    assert text_of(html) == "T\n\nHead\n\nOne & two three\nfour\n\n- a\n- b"
    assert text_of("<p>never</b> <i>closed") == "never closed"
    assert text_of("plain < text & more") == "plain < text & more"


async def test_html_is_fetched_as_text(wire: WireServer) -> None:
    assert (await fetch(serve(wire, "<p>Hi</p><script>no()</script>", "text/html"))).output == "Hi"


def test_fetching_changes_nothing() -> None:
    assert traits_of(web.Web().skills()[0]).reads_only
