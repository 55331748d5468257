"""Reading which servers there are: the forms that are understood, and the sentences for those that are not."""

from typing import Any

import pytest

from sojourn.agent.mcp.config import McpServer, Timing, read_servers
from sojourn.errors import InvalidInputError


def read(entry: Any, **options: Any) -> McpServer:
    (server,) = read_servers({"mcpServers": {"one": entry}}, **options)
    return server


def test_a_program_has_its_arguments_and_environment() -> None:
    server = read({"command": "python", "args": ["-m", "thing"], "env": {"KEY": "k"}, "cwd": "/work"})

    assert server == McpServer(name="one", command="python", args=("-m", "thing"), env={"KEY": "k"}, cwd="/work")
    assert not server.is_remote


def test_an_address_has_its_headers() -> None:
    server = read({"type": "http", "url": "https://host/mcp", "headers": {"Authorization": "Bearer t"}})

    assert server == McpServer(name="one", url="https://host/mcp", headers={"Authorization": "Bearer t"})
    assert server.is_remote


@pytest.mark.parametrize("args", [["mcp-remote"], ["-y", "mcp-remote"], ["-y", "mcp-remote@0.1.2"]])
def test_a_program_that_passes_on_is_read_as_the_address(args: list[str]) -> None:
    server = read({"command": "npx", "args": [*args, "https://host/mcp", "--header", "X-Key: 12:34"]})

    assert server == McpServer(name="one", url="https://host/mcp", headers={"X-Key": "12:34"})


def test_servers_come_in_the_order_of_the_file_without_those_that_are_switched_off() -> None:
    entry = {"command": "x"}
    named = {"b": entry, "off": entry | {"disabled": True}, "a": entry, "no": entry | {"enabled": False}}

    assert [server.name for server in read_servers({"mcpServers": named})] == ["b", "a"]


def test_no_servers_are_none() -> None:
    assert read_servers({}) == ()


def test_names_are_made_to_fit() -> None:
    named = {"Brave Search": {"command": "x"}, "github.com/some/one": {"command": "y"}}

    assert [server.name for server in read_servers({"mcpServers": named})] == ["Brave_Search", "github_com_some_one"]


def test_only_what_is_enabled_and_not_disabled_is_offered() -> None:
    server = read({"command": "x", "enabled": ["a", "b"], "disabled": ["b"]})

    assert [tool for tool in "abc" if server.offers(tool)] == ["a"]


def test_without_lists_everything_is_offered() -> None:
    assert read({"command": "x", "enabled": True, "disabled": False}).offers("anything")


def test_the_defaults_are_those_that_are_named() -> None:
    timing = read({"command": "x"}).timing

    assert (timing.call, timing.health_interval, timing.health_timeout, timing.unhealthy_after) == (60.0, 10.0, 5.0, 2)
    assert (timing.retry_delay, timing.retry_factor, timing.max_retry_delay) == (2.0, 1.5, 30.0)
    assert (timing.max_attempts, timing.progress_interval) == (None, 2.0)


def test_a_server_can_have_a_time_limit_of_its_own() -> None:
    server = read({"command": "x", "timeout": 5}, timing=Timing(health_interval=7.0))

    assert server.timing == Timing(call=5.0, health_interval=7.0)


def test_gaps_are_filled_from_the_environment_that_is_handed_in() -> None:
    entry = {"url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${TOKEN:-none}"}}
    server = read(entry, environment={"HOST": "h"})

    assert server.url == "https://h/mcp"
    assert server.headers == {"Authorization": "Bearer none"}


def test_without_an_environment_gaps_stay() -> None:
    assert read({"command": "x", "args": ["${A}"]}).args == ("${A}",)


def test_secrets_are_not_shown() -> None:
    program = read({"command": "x", "env": {"KEY": "s3cret"}})
    address = read({"url": "https://me:s3cret@host/mcp?key=s3cret", "headers": {"K": "s3cret"}})

    assert "s3cret" not in f"{program!r} {address!r} {address.place}"
    assert address.place == "https://host/mcp"


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("python", "must be an object with a command or a url"),
        ({}, "needs either a command or a url"),
        ({"command": "x", "url": "https://h"}, "needs either a command or a url"),
        ({"command": 3}, "command must be a text"),
        ({"command": "x\0y"}, "command must be a text"),
        ({"command": "x", "args": "-m"}, "args must be a list of texts"),
        ({"command": "x", "args": [1]}, "args must be a list of texts"),
        ({"command": "x", "env": {"A": 1}}, "env must be an object of texts"),
        ({"command": "x", "enabled": "a"}, "enabled must be a list of texts"),
        ({"command": "x", "timeout": "long"}, "timeout is a number of seconds"),
        ({"command": "x", "timeout": 0}, "timeout is a number of seconds"),
        ({"command": "x", "timeout": True}, "timeout is a number of seconds"),
        ({"command": "x", "timeout": float("nan")}, "timeout is a number of seconds"),
        ({"command": "x", "type": "http"}, "has type 'http' but a command"),
        ({"command": "x", "type": "smoke"}, "unknown type 'smoke'"),
        ({"url": "https://h", "headers": {"X-Key": "a\r\nX-Other: b"}}, "the header 'X-Key' cannot be sent"),
        ({"url": "https://h", "headers": {"X Key": "a"}}, "the header 'X Key' cannot be sent"),
        ({"url": "ftp://host"}, "needs an address that begins with http"),
        ({"url": "https://"}, "needs an address that begins with http"),
        ({"url": "http://[half"}, "needs an address that begins with http"),
        ({"url": "http://host:99999999/mcp"}, "needs an address that begins with http"),
        ({"command": "npx", "args": ["mcp-remote"]}, "runs mcp-remote without an address"),
        ({"type": "sse", "url": "https://h/sse"}, "uses the old SSE transport, which is not supported"),
        ({"transport": "SSE", "url": "https://h/sse"}, "uses the old SSE transport"),
        ({"command": "npx", "args": ["mcp-remote", "https://h", "--transport", "sse-only"]}, "the old SSE transport"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence_that_names_the_server(entry: Any, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence) as raised:
        read(entry)

    assert "'one'" in str(raised.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"mcpServers": []}, "mcpServers must be an object"),
        ({"mcpServers": {" ": {"command": "x"}}}, "a server needs a name"),
        ({"mcpServers": {"a b": {"command": "x"}, "a/b": {"command": "x"}}}, "two servers would both be called 'a_b'"),
    ],
)
def test_a_file_that_cannot_be_used_gets_a_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        read_servers(data)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(InvalidInputError, match="'one' needs the variable TOKEN, which is not set"):
        read({"command": "x", "env": {"T": "${TOKEN}"}}, environment={})
