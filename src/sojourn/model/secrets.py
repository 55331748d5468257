"""What must not be shown to others: keys, passwords and tokens, found where there is hardly a doubt.

Only what is secret by its form (a key with its maker's prefix, a private key, a signed token) or by what it is assigned
to (a password, an authorization header, the credentials in an address) is found. A hash, a commit, a uuid or a picture
is as random as a key, and is none.
"""

import re
from typing import Final, Literal, NamedTuple

SecretKind = Literal["api_key", "private_key", "token", "authorization", "password", "credentials"]


class Secret(NamedTuple):
    """Where a secret stands in a text: characters *start* to *end*."""

    kind: SecretKind
    start: int
    end: int


_ALONE: Final = r"(?<![A-Za-z0-9+/_-])"
"""Within a longer run of such letters it is a part of something else, a picture for one."""
_KEYS: Final = (
    ("sk-(?:ant-|proj-|svcacct-|or-v1-)", "[A-Za-z0-9_-]{16,}"),
    ("sk-", "[A-Za-z0-9]{20,}"),
    ("[spr]k_(?:live|test)_", "[A-Za-z0-9]{10,}"),
    ("gh[pousr]_", "[A-Za-z0-9]{20,}"),
    ("github_pat_", "[A-Za-z0-9_]{20,}"),
    ("glpat-", "[A-Za-z0-9_-]{16,}"),
    ("(?:AKIA|ASIA)", "[0-9A-Z]{16}(?![A-Za-z0-9])"),
    ("xox[abeprs]-", "[A-Za-z0-9-]{10,}"),
    ("xapp-[0-9]-", "[A-Za-z0-9-]{10,}"),
    ("AIza", "[0-9A-Za-z_-]{35}"),
    (r"ya29\.", "[0-9A-Za-z_-]{20,}"),
    ("hf_", "[A-Za-z0-9]{24,}"),
    ("gsk_", "[A-Za-z0-9]{24,}"),
    ("npm_", "[A-Za-z0-9]{36}"),
    ("nxk_", "[A-Za-z0-9_-]{16,}"),
    (r"SG\.", r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("dop_v1_", "[a-f0-9]{64}"),
    ("shp(?:at|ca|pa|ss)_", "[a-fA-F0-9]{32}"),
    ("AGE-SECRET-KEY-1", "[0-9A-Z]{50,}"),
)
"""How keys begin, by who makes them, and how they go on."""
_NO_VALUE: Final = (
    r"(?!\[|\$|<|\{|\(|\*{2,}|%[({]|(?:os|env|environ|process|config|settings|self|getenv|getpass|secrets|input)\b[.(\[]"
    r"|(?:none|null|nil|true|false|str|string|int|bool|bytes|any|optional|required|undefined|xxx+|\.\.\.)\b"
    r"|\w{0,40}(?:password|passwd|passphrase|pwd)\b)"
)
"""A value that is none: a reference to it, a variable of its name, its type, or that there is none."""
_ASSIGNED: Final = r"[\"']?\s{0,3}(?::=|=>|=|:)\s{0,3}"
_WORD_FOR_IT: Final = r"(?:password|passwd|passphrase|pwd(?![\"']?\s{0,3}[:=]\s{0,3}[\"']?[/~]))"
"""In the environment, PWD is a folder."""
_NAMED: Final = (
    r"(?<![A-Za-z])(?:api[_-]?key|apikey|secret[_-]?key|access[_-]?key|private[_-]?key"
    r"|client[_-]?secret|(?:access|auth|refresh|session|bot|bearer|api)[_-]?token|token|secret)"
)
_KEY_HINTS: Final = (
    "sk-", "_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "akia", "asia", "xox",
    "xapp-", "aiza", "ya29.", "hf_", "gsk_", "npm_", "nxk_", "sg.", "dop_v1_", "shpat_", "shpca_", "shppa_", "shpss_",
    "age-secret-key-1",
)  # fmt: skip
_PASSWORD_HINTS: Final = ("pass", "pwd")
_FORMS: Final[tuple[tuple[SecretKind, tuple[str, ...], re.Pattern[str]], ...]] = (
    (
        "private_key",
        ("-----begin",),
        re.compile(
            r"(?P<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?:(?!-----).)*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s]*))",
            re.DOTALL,
        ),
    ),
    ("api_key", _KEY_HINTS, re.compile(rf"{_ALONE}(?P<s>{'|'.join(''.join(key) for key in _KEYS)})")),
    (
        "token",
        ("eyj",),
        re.compile(rf"{_ALONE}(?P<s>eyJ[A-Za-z0-9_-]{{8,}}\.eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}})"),
    ),
    (
        "authorization",
        ("author",),
        re.compile(
            r"\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|digest|apikey)\s{1,3}"
            r"(?P<s>[A-Za-z0-9._~+/=-]{6,})",
            re.IGNORECASE,
        ),
    ),
    ("authorization", ("bearer",), re.compile(r"\b[Bb]earer\s{1,3}(?P<s>(?=[^\s\d]{0,80}\d)[A-Za-z0-9._~+/-]{16,}=*)")),
    (
        "credentials",
        ("://",),
        re.compile(r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@\"'<>\[\]]{0,80}:(?P<s>[^\s/@\"'<>\[\]]{1,200})@"),
    ),
    (
        "password",
        _PASSWORD_HINTS,
        re.compile(rf"{_WORD_FOR_IT}{_ASSIGNED}(?P<q>[\"'])(?P<s>{_NO_VALUE}[^\"'\n]{{3,}})(?P=q)", re.IGNORECASE),
    ),
    (
        "password",
        _PASSWORD_HINTS,
        re.compile(rf"{_WORD_FOR_IT}=(?P<s>{_NO_VALUE}[^\s\"'&,;)\]}}\[(]{{3,}}+)(?![(\[])", re.IGNORECASE),
    ),
    (
        "password",
        _PASSWORD_HINTS,
        re.compile(
            rf"{_WORD_FOR_IT}{_ASSIGNED}(?P<s>{_NO_VALUE}(?=[^\s\d]{{0,80}}\d)[^\s\"'&,;)\]}}\[(]{{5,}}+)(?![(\[])",
            re.IGNORECASE,
        ),
    ),
    (
        "api_key",
        ("key", "token", "secret"),
        re.compile(
            rf"{_NAMED}{_ASSIGNED}[\"']?(?P<s>{_NO_VALUE}(?=[A-Za-z_.~+/=-]{{0,80}}\d)(?=[\d_.~+/=-]{{0,80}}[A-Za-z])"
            r"[A-Za-z0-9_.~+/=-]{12,}+)(?![(\[])",
            re.IGNORECASE,
        ),
    ),
)
"""Each form: its kind, letters of which every such secret or what stands before it holds some, and how it looks.

Nearly no text holds any of these letters, and looking for them takes a tenth of the time.
"""

_BEGINNINGS: Final = "|".join(["[spr]k[-_]", *(beginning for beginning, _ in _KEYS)])
_ALIKE: Final = re.compile(
    rf"\b(?:{_BEGINNINGS})[A-Za-z0-9_.-]{{8,}}|\beyJ[\w-]{{8,}}|-----BEGIN|://[^/\s:@]+:[^/\s@]+@"
)


def resembles_secret(text: str) -> bool:
    """Tell whether *text* holds what begins like a secret, cut off or made up as it may be."""
    return bool(_ALIKE.search(text))


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets in *text*, in order; where two overlap, they are one."""
    folded = text.casefold()
    found = sorted(
        (
            Secret(kind, match.start("s"), match.end("s"))
            for kind, hints, form in _FORMS
            if any(hint in folded for hint in hints)
            for match in form.finditer(text)
        ),
        key=lambda secret: (secret.start, -secret.end),
    )
    apart: list[Secret] = []
    for secret in found:
        if apart and secret.start < apart[-1].end:
            apart[-1] = apart[-1]._replace(end=max(apart[-1].end, secret.end))
        else:
            apart.append(secret)
    return apart


def without_secrets(text: str) -> str:
    """Return *text* with `[redacted:kind]` in place of each secret; a text without any is returned as it is."""
    while found := find_secrets(text):
        parts, at = [], 0
        for secret in found:
            parts += [text[at : secret.start], f"[redacted:{secret.kind}]"]
            at = secret.end
        text = "".join((*parts, text[at:]))
    return text
