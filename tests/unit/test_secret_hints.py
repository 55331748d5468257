"""Looking for a few letters first loses no secret."""

from hypothesis import given
from hypothesis import strategies as st

from sojourn.model import secrets

PIECES = [
    "sk-ant-", "sk-", "sk_live_", "rk_test_", "ghp_", "ghr_", "github_pat_", "glpat-", "AKIA", "ASIA", "xoxb-",
    "xapp-1-", "AIza", "ya29.", "hf_", "gsk_", "npm_", "nxk_", "SG.", "dop_v1_", "shpat_", "shpss_", "AGE-SECRET-KEY-1",
    "eyJ", "-----BEGIN RSA PRIVATE KEY-----", "Authorization: Bearer ", "PROXY-AUTHORIZATION=basic ", "bearer ",
    "https://", "PassWord=", "passphrase: '", "PWD=", "api-key: ", "API\u212aEY=", "client_\u017fecret => ", "token=",
    "@", ":", ".", "'", '"', "\n", " ", "abcdefgh12345678", "ABCDEFGH12345678", "0123456789abcdef", "x9",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_what_is_found_is_what_every_form_finds(text: str) -> None:
    everywhere = [(match.start("s"), match.end("s")) for _, _, form in secrets._FORMS for match in form.finditer(text)]
    found = secrets.find_secrets(text)

    assert bool(found) == bool(everywhere)
    assert all(any(one.start <= start and end <= one.end for one in found) for start, end in everywhere)
