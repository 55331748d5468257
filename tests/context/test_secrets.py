"""Secrets are taken out before anybody summarises, and nothing else is."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.context.secrets import redacted_line, redacted_message
from sojourn.context.talk import Line
from sojourn.model.ids import Seq
from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.model.secrets import find_secrets, resembles_secret, without_secrets

LETTERS = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"
SECRETS = [
    ("api_key", f"use sk-ant-api03-{LETTERS} for it", f"sk-ant-api03-{LETTERS}"),
    ("api_key", f"key: sk-proj-{LETTERS}", f"sk-proj-{LETTERS}"),
    ("api_key", f"OPENAI=sk-{LETTERS}", f"sk-{LETTERS}"),
    ("api_key", "sk_" + f"live_{LETTERS}", "sk_" + f"live_{LETTERS}"),
    ("api_key", f"git clone with ghp_{LETTERS}{LETTERS[:4]}", f"ghp_{LETTERS}{LETTERS[:4]}"),
    ("api_key", "AKIA" + "QWERTYUIOPASDFGH is the id", "AKIA" + "QWERTYUIOPASDFGH"),
    ("api_key", f"(glpat-{LETTERS[:20]})", f"glpat-{LETTERS[:20]}"),
    ("api_key", f'api_key = "{LETTERS}"', LETTERS),
    ("api_key", f"export SERVICE_ACCESS_TOKEN={LETTERS}", LETTERS),
    ("api_key", '{"client_secret": "9f8e7d6c5b4a3f2e1d0c"}', "9f8e7d6c5b4a3f2e1d0c"),
    ("token", "it sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "eyJhbGciOiJIUzI1NiJ9"),
    ("authorization", "Authorization: Bearer abcdefghij", "abcdefghij"),
    ("authorization", "authorization: Basic YWxpY2U6c2VjcmV0", "YWxpY2U6c2VjcmV0"),
    ("authorization", f"curl -H 'X-Auth: Bearer {LETTERS}'", LETTERS),
    ("password", "password=hunter2", "hunter2"),
    ("password", "DB_PASSWORD=letmein", "letmein"),
    ("password", 'password: "correct horse"', "correct horse"),
    ("password", "spring.datasource.password=Tr0ub4dor&3", "Tr0ub4dor"),
    ("password", "pwd: abc123", "abc123"),
    ("credentials", "postgresql://app:s3cr3t@db.internal:5432/main", "s3cr3t"),
    ("credentials", "redis://:p4ss@cache:6379", "p4ss"),
    (
        "private_key",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcd\n-----END RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA",
    ),
    ("private_key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA", "b3BlbnNzaC1rZXktdjEA"),
]
HARMLESS = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes it",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    f"the request id is {uuid.UUID(int=12345678901234567890123456789012345678)}",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4AKIAAKIAQWERTYUIOPASDFGHsk",
    "the password is required, and must have 12 letters",
    "password: str | None = None",
    "password=os.environ['DB_PASSWORD']",
    "password = getpass('Password: ')",
    'password: "${DB_PASSWORD}"',
    "password=<your password>",
    "password=********",
    "connect(user=user, password=password, key_password=key_password)",
    "PWD=/home/ana/work",
    '"OLDPWD": "/home/ana"',
    "scheme://[user:passwd@]proxy",
    "max_tokens=4096, token_count: 12345678901234",
    "tokenizer: cl100k_base",
    "token: int = 0",
    "bearer authentication-middleware-configuration is on",
    "Authorization: required",
    "see https://example.com:8080/path@2x.png",
    "git@example.com:team/project.git",
    "mail bob@example.com or alice:bob@example",
    "sk-learn is a library, and sk-lern is a typo",
    "secret: we never told anybody",
    "the secret = patience",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
    "eyJ is how a token begins",
    "api_key=load_api_key_from_vault_v2()",
    "the AKIA prefix",
    "secret_key = settings.SECRET_KEY_2024_VALUE",
]


@pytest.mark.parametrize(("kind", "text", "secret"), SECRETS)
def test_a_secret_is_replaced_by_what_it_is(kind: str, text: str, secret: str) -> None:
    shown = without_secrets(text)

    assert secret not in shown
    assert f"[redacted:{kind}]" in shown


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_random_or_only_speaks_of_secrets_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_what_stands_around_a_secret_stays() -> None:
    text = "connect to postgresql://app:s3cr3t@db.internal:5432/main, then run `make`"

    assert without_secrets(text) == (
        "connect to postgresql://app:[redacted:credentials]@db.internal:5432/main, then run `make`"
    )


PIECES = st.one_of(
    st.sampled_from([text for _, text, _ in SECRETS] + HARMLESS),
    st.sampled_from(["password=", "token: ", "://a:", "@", "Bearer ", "sk-", "-----BEGIN PRIVATE KEY-----", '"', " "]),
    st.text(alphabet="aZ09_-./:=@'\" \n[]", max_size=12),
)


@given(st.lists(PIECES, max_size=6).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = without_secrets(text)

    assert without_secrets(once) == once


@given(st.lists(PIECES, max_size=6).map("".join))
def test_a_text_without_a_match_is_returned_to_the_letter_and_one_with_a_match_is_not(text: str) -> None:
    assert (without_secrets(text) == text) == (not find_secrets(text))


@given(st.text())
def test_any_text_can_be_redacted(text: str) -> None:
    assert find_secrets(without_secrets(text)) == []


def test_a_message_loses_the_secrets_in_its_parts_and_in_the_arguments_of_its_calls() -> None:
    picture = MediaPart(media_type="image/png", data=b"password=hunter2")
    message = Message(
        role="assistant",
        content=(
            TextPart(text="password=hunter2"),
            ThinkingPart(text="pwd: abc123"),
            DataPart(data={"list": ["password=hunter2"], "number": 3}),
            picture,
        ),
        tool_calls=(
            ToolCall(id="1", name="connect", arguments={"password": "hunter2", "host": "db", "port": 5432}),
            ToolCall(id="2", name="connect", arguments_text='{"password": "hunter2"'),
        ),
    )

    line = redacted_line(Line(message=message, seq=Seq(7)))

    shown = line.message
    assert line.seq == 7
    assert isinstance(shown.content, tuple)
    assert shown.content[-1] == picture
    assert "hunter2" not in repr(shown.content[:-1])
    assert "abc123" not in repr(shown.content[:-1])
    assert shown.tool_calls[0].arguments == {"password": "[redacted:password]", "host": "db", "port": 5432}
    assert "hunter2" not in (shown.tool_calls[1].arguments_text or "")


def test_what_the_provider_sent_to_the_letter_goes_nowhere() -> None:
    message = Message(role="user", content="hi").with_raw(b'{"password": "hunter2"}')

    assert redacted_message(message) == Message(role="user", content="hi")


@pytest.mark.parametrize("text", ["sk-ant-abcd1234", "ghp_shortened", "AKIAEXAMPLE1", "see -----BEGIN", "a://b:c@d"])
def test_what_begins_like_a_secret_is_noticed_even_where_it_is_none(text: str) -> None:
    assert resembles_secret(text)


def test_plain_words_do_not_resemble_a_secret() -> None:
    assert not resembles_secret("We use sk-learn, and the key hangs behind the door.")
