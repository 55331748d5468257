"""The connection itself: what it is made of, how it is opened and closed, and what it needs."""

import subprocess
import sys

import anyio
import pytest

from sojourn.errors import InvalidInputError, MissingExtraError, ModelError
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_client import OpenAiClient
from sojourn.testing.wire import Reply, WireServer
from sojourn.testing.wire_openai import OpenAiWire
from tests.providers.openai_talks import HELLO, answered


@pytest.mark.parametrize(
    ("model", "base_url", "api_key", "complaint"),
    [
        ("", None, "sk-test", "name the model"),
        ("m", None, None, "api_key"),
        ("m", "https://api.openai.com/v1", "", "api_key"),
        ("m", "https://eu.api.openai.com/v1", None, "api_key"),
        ("m", "localhost:1234", None, "base_url"),
        ("m", "ftp://host/v1", None, "base_url"),
        ("m", "http://", None, "base_url"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(
    model: str, base_url: str | None, api_key: str | None, complaint: str
) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        OpenAiChat(model, base_url=base_url, api_key=api_key)


@pytest.mark.parametrize("api_key", ["sk- test", "sk-té", "sk-\x00", "sk-a\nX-Other: b"])
def test_what_cannot_be_a_key_is_refused_and_not_shown(api_key: str) -> None:
    with pytest.raises(InvalidInputError, match="copy it anew") as caught:
        OpenAiChat("m", api_key=api_key)

    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(("timeout", "retries"), [(0.0, 1), (-1.0, 1), (float("nan"), 1), (1.0, -1)])
def test_numbers_that_make_no_sense_are_refused(timeout: float, retries: int) -> None:
    with pytest.raises(InvalidInputError, match="timeout and retries"):
        OpenAiChat("m", api_key="sk-test", timeout=timeout, retries=retries)


@pytest.mark.parametrize(
    ("base_url", "is_openai"),
    [
        ("https://api.openai.com/v1", True),
        ("https://eu.api.openai.com/v1", True),
        ("https://mine.openai.azure.com/openai/v1", True),
        ("https://openrouter.ai/api/v1", False),
        ("https://api.openai.com.example.org/v1", False),
        ("https://notapi.openai.com/v1", False),
    ],
)
def test_openais_own_servers_are_known_by_their_names(base_url: str, is_openai: bool) -> None:
    client = OpenAiClient("m", base_url=base_url, api_key="sk-test", timeout=1.0, retries=0, fallbacks=())

    assert client.is_openai == is_openai


def test_the_name_tells_the_model_and_the_server_but_no_password_and_no_key() -> None:
    model = OpenAiChat("m", base_url="http://me:secret@localhost:1234/v1", api_key="sk-test")

    assert model.name == "m@localhost:1234"
    assert repr(model) == "OpenAiChat('m@localhost:1234')"


@pytest.mark.anyio
async def test_questions_that_come_while_it_is_opened_are_all_answered() -> None:
    with WireServer() as server:
        wire = OpenAiWire(server)
        for number in range(4):
            wire.say(str(number))
        async with OpenAiChat("m", base_url=wire.base_url) as model:
            answers: list[str] = []

            async def ask() -> None:
                answers.append((await answered(model)).message.text)

            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(ask)

    assert sorted(answers) == ["0", "1", "2", "3"]


@pytest.mark.anyio
async def test_a_key_is_sent_without_the_line_that_it_was_read_with() -> None:
    with WireServer() as server:
        wire = OpenAiWire(server)
        wire.say("Hello")
        async with OpenAiChat("m", base_url=wire.base_url, api_key="sk-test\n") as model:
            await answered(model)

    assert server.requests[0].headers["authorization"] == "Bearer sk-test"


@pytest.mark.anyio
@pytest.mark.parametrize("is_streamed", [True, False])
async def test_a_redirect_takes_neither_key_nor_talk_to_another_server(is_streamed: bool) -> None:
    with WireServer() as elsewhere, WireServer() as server:
        other, wire = OpenAiWire(elsewhere), OpenAiWire(server)
        other.say("Hello")
        wire.chat.add(Reply(status=307, headers={"Location": f"{other.base_url}/chat/completions"}))

        async with OpenAiChat("m", base_url=wire.base_url, api_key="sk-test") as model:
            with pytest.raises(ModelError, match="another address"):
                await (answered(model) if is_streamed else model.complete(HELLO))

    assert elsewhere.requests == []


@pytest.mark.anyio
async def test_a_model_that_is_closed_while_it_is_opened_stays_closed() -> None:
    model = OpenAiChat("m", base_url="http://localhost:1/v1")

    async with anyio.create_task_group() as group:

        async def ask() -> None:
            with pytest.raises(ModelError, match="is closed"):
                await model.complete(HELLO)

        group.start_soon(ask)
        await anyio.lowlevel.checkpoint()
        await model.close()

    assert model._client._client is None


@pytest.mark.anyio
async def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    model = OpenAiChat("m", base_url="http://localhost:1/v1")

    with pytest.raises(MissingExtraError, match=r"pip install 'sojourn\[openai\]'"):
        await model.complete(HELLO)


def test_the_sdk_is_not_imported_before_it_is_needed() -> None:
    code = (
        "import sys, sojourn, sojourn.providers.openai_chat, sojourn.providers.openai_responses, "
        "sojourn.providers.retrying, sojourn.providers.structured, sojourn.testing.wire_openai; "
        "print(*({'openai', 'httpx2', 'pydantic'} & {*sys.modules}))"
    )

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == ""
