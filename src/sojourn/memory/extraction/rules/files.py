"""The files that an exchange names, and what was done to each.

A file is told by how it is spelled: a known ending, a path with a known root, or a name such as `Dockerfile`. URLs,
mail addresses, dates, fractions, "and/or", module paths and the names of libraries ("node.js") are none. The action is
that of the nearest verb before the name in the same sentence; without one the file is only mentioned.
"""

import re
from typing import Final, Literal

from sojourn.memory.extraction.rules.technical_words import TOOLS
from sojourn.memory.extraction.statement import FileStatement, Heard, Trust
from sojourn.model.events import Span

Action = Literal["read", "created", "edited", "renamed", "deleted", "mentioned"]

MAX_READ: Final = 40_000
MAX_FILES: Final = 30
_REACH: Final = 70
"""How many characters before a name its verb may stand."""

_ENDINGS: Final = (
    r"(?:tar\.gz|tgz|py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xlsx?"
    r"|docx?|odt|ods|pdf|pptx?|html?|xhtml"
    r"|css|scss|sass|less|go|rs|java|kt|kts|swift|rb|erb|php|c|h|cc|cpp|cxx|hpp|cs|fs|vb|sh|bash|zsh|fish|ps1|bat"
    r"|cmd|sql|db|sqlite3?|log|lock|xml|xsd|svg|png|jpe?g"
    r"|gif|webp|bmp|ico|tiff?|heic|mp3|mp4|wav|mov|mkv|avi|ogg|zip|gz|bz2|xz|7z|rar|tar|parquet|feather|avro|pkl|npy"
    r"|npz|h5|hdf5|pth|onnx|safetensors|gguf|tex|bib|rst|md|mdx"
    r"|adoc|txt|rtf|vue|svelte|astro|proto|graphql|gql|tf|tfvars|tfstate|gradle|properties|rmd|jl|exs?|erl|hs|lua"
    r"|dart|scala|clj|pl|pm|plist|wasm|dll|exe|bin|iso|pem|crt|cer|key|patch"
    r"|diff|bak|tmp|eml|ics|vcf|epub|mobi|ttf|woff2?|psd|ai|blend|obj|stl|dwg|r)"
)
_NAMES: Final = (
    r"(?:Dockerfile|Makefile|Jenkinsfile|Procfile|Vagrantfile|Gemfile|Rakefile|Podfile|Brewfile|Pipfile|Justfile"
    r"|Caddyfile"
    r"|Containerfile|README|CHANGELOG|CODEOWNERS)"
)
_DOTTED: Final = (
    r"\.(?:env|gitignore|gitattributes|bashrc|zshrc|profile|bash_profile|vimrc|npmrc|nvmrc|dockerignore|editorconfig"
    r"|eslintrc|prettierrc|babelrc|flake8|pylintrc|htaccess|pypirc|netrc"
    r"|tmux\.conf|gitconfig|gitlab-ci\.yml|pre-commit-config\.yaml)(?:\.\w+)?"
)
_PART: Final = r"[\w.@+-]+"
_PATH: Final = re.compile(
    r"(?<![\w@:/.\\~<-])(?:"
    rf"(?P<windows>[A-Za-z]:\\(?:[^\\/:*?\"<>|\s,;]+\\)*[^\\/:*?\"<>|\s,;`)']+)"
    rf"|(?P<path>(?:~/|\.{{1,2}}/|/)?(?:{_PART}/)+(?:{_PART})?|~/{_PART}|/{_PART})"
    rf"|(?P<dotted>{_DOTTED})(?![\w/])"
    rf"|(?P<file>[A-Za-z0-9_][\w+-]*(?:\.[\w+-]+)*?\.{_ENDINGS})(?![\w/@(]|\.\w)"
    rf"|(?P<name>{_NAMES})(?![\w/])"
    r")"
)
_ENDED: Final = re.compile(rf"[\w@+-][\w.@+-]*\.{_ENDINGS}$|^{_NAMES}$|^{_DOTTED}$")
_ROOTS: Final = frozenset({
    "etc", "var", "usr", "home", "tmp", "opt", "root", "users", "mnt", "srv", "data", "dev", "proc", "sys", "bin",
    "lib", "boot", "media", "workspace", "app",
})  # fmt: skip
_HIDDEN: Final = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|\b(?:https?|ftp|ssh|git|file)://\S+|\bwww\.\S+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]+",
    re.DOTALL,
)
_SINGLE: Final = re.compile(r"[A-Za-z]\.[A-Za-z]$")
_VERBS: Final[dict[Action, str]] = {
    "renamed": (r"renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|mv"),
    "deleted": (r"delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|rm|erased?|trash(?:ed)?|got\s+rid\s+of"),
    "edited": (
        r"edit(?:s|ed|ing)?|updat(?:e|es|ed|ing)|chang(?:e|es|ed|ing)|modif(?:y|ies|ied|ying)|fix(?:es|ed|ing)?"
        r"|refactor(?:s|ed|ing)?|rewr(?:ite|ote|itten|iting)|append(?:s|ed)?"
        r"|patch(?:ed)?|adjust(?:ed)?|tweak(?:ed)?|format(?:ted)?|extend(?:ed)?|correct(?:ed)?|clean(?:ed)?\s+up"
        r"|insert(?:ed)?|overw(?:rite|rote)|bump(?:ed)?|replac(?:e|ed)|put"
    ),
    "created": (
        r"creat(?:e|es|ed|ing)|wrote|writ(?:e|es|ing)|generat(?:e|es|ed|ing)|add(?:s|ed|ing)?|sav(?:e|es|ed|ing)"
        r"|export(?:s|ed|ing)?|mak(?:e|es|ing)|made|touch(?:ed)?|scaffold(?:ed)?"
        r"|produc(?:e|ed)|introduc(?:e|ed)|dump(?:ed)?|draft(?:ed)?|download(?:ed)?"
    ),
    "read": (
        r"read(?:s|ing)?|open(?:s|ed|ing)?|look(?:s|ed|ing)?\s+(?:at|in|into|through|over)|have\s+a\s+look\s+at"
        r"|take\s+a\s+look\s+at|check(?:s|ed|ing)?(?:\s+out)?|review(?:s|ed|ing)?|view(?:ed)?"
        r"|inspect(?:ed)?|show(?:\s+me)?|cat|load(?:s|ed|ing)?|pars(?:e|ed|ing)|see|summari[sz]e|scan(?:ned)?|print"
        r"|analy[sz]e|examine(?:d)?"
    ),
    "mentioned": (
        r"is|are|was|were|has|have|fails?|failed|says?|lives?|mentions?|imports?|compare|use[sd]?|find|found|run|ran"
        r"|execute"
    ),
}
_VERB: Final = re.compile(
    "|".join(rf"(?P<{action}>\b(?:{words})\b)" for action, words in _VERBS.items()), re.IGNORECASE
)
_NOT: Final = re.compile(r"(?:not|n['’]t|never|without|why|if|should|did)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_ENDS_SENTENCE: Final = re.compile(r"[.!?]\s|\n|;\s")
_ADDED_TO: Final = re.compile(
    r"\b(?:to|into|in|from|of)\s+(?:the\s+|my\s+|our\s+|your\s+|this\s+)?(?:file\s+|bottom\s+of\s+|end\s+of\s+"
    r"|top\s+of\s+)*[`'\"(]*$",
    re.IGNORECASE,
)


def files(heard: Heard, *, trust: Trust) -> list[FileStatement]:
    """Return the files that the message names, each once, with the first thing that was done to it."""
    text = heard.text[:MAX_READ]
    if "." not in text and "/" not in text and "\\" not in text and "file" not in text and "README" not in text:
        return []
    for start, end in heard.injected:
        text = text[:start] + " " * max(0, min(end, len(text)) - start) + text[end:]
    text = _HIDDEN.sub(lambda match: " " * len(match.group()), text)
    found: dict[str, FileStatement] = {}
    for match in _PATH.finditer(text):
        path = match.group().rstrip(".,:")
        if not _is_file(match, path):
            continue
        action = _action(text, match.start())
        known = found.get(path)
        if known is not None and (known.action != "mentioned" or action == "mentioned"):
            continue
        if known is None and len(found) == MAX_FILES:
            break
        found[path] = FileStatement(
            path=path,
            action=action,
            confidence=0.95 if match["path"] or match["windows"] else 0.92,
            trust=trust,
            evidence=(Span(seq=heard.seq, start=match.start(), end=match.start() + len(path)),),
        )
    return list(found.values())


def _is_file(match: "re.Match[str]", path: str) -> bool:
    if match["windows"]:
        return len(path) > 3
    if match["dotted"] or match["name"]:
        return True
    last = path.rstrip("/").rsplit("/", 1)[-1]
    ended = bool(_ENDED.search(last))
    if match["file"]:
        stem = path.split(".", 1)[0].lower()
        library = (
            path.lower().endswith((".js", ".net", ".ai"))
            and path.count(".") == 1
            and (stem in TOOLS or stem in _LIBRARIES)
        )
        return not library and not _SINGLE.fullmatch(path) and not re.fullmatch(r"[\d.]+\w?", path)
    if path.startswith(("~/", "./", "../")):
        return len(last) > 1 and (ended or path.startswith("~/") or path.count("/") > 1)
    if path.startswith("/"):
        root = path[1:].split("/", 1)[0].lower()
        return (ended or root in _ROOTS) and not path.endswith("/") and path.count("/") > 1
    return ended and not re.match(r"[\d/.]+$", path) and "." in last and not _is_host(path)


def _is_host(path: str) -> bool:
    return bool(re.match(r"[\w-]+\.(?:com|org|net|io|dev|ai|co|gov|edu|example|local)\b", path))


def _action(text: str, start: int) -> Action:
    """Return what the nearest verb before the name does to it."""
    before = text[max(0, start - _REACH) : start]
    cut = None
    for cut in _ENDS_SENTENCE.finditer(before):  # noqa: B007  # the last one counts
        pass
    if cut is not None:
        before = before[cut.end() :]
    verb = None
    for verb in _VERB.finditer(before):  # noqa: B007  # the nearest one counts
        pass
    if verb is None or verb.lastgroup is None:
        return "mentioned"
    if _NOT.search(before[: verb.start()]):
        return "mentioned"
    action: Action = next(action for action in _VERBS if action == verb.lastgroup)
    between = before[verb.end() :]
    if action == "created" and verb.group().lower().startswith(("add", "put")) and _ADDED_TO.search(between):
        return "edited"
    if action == "deleted" and re.search(r"\b(?:from|in)\s", between):
        return "edited"
    return action


_LIBRARIES: Final = frozenset({
    "next", "nuxt", "vue", "node", "three", "d3", "react", "ember", "backbone", "express", "chart", "moment",
    "socket", "p5", "alpine", "knockout", "asp", "nest", "discord", "handlebars",
})  # fmt: skip
