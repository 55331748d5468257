"""What a user writes to get at prompts and resources: `/name arguments` and `@resource`.

`/name` at the beginning runs a prompt of a server, and what the prompt makes takes the place of the text. `@name`
anywhere pulls in a resource, by its name or its address, in front of the text. `server:` before either says whose.
All other text passes unchanged, a path like `/etc/hosts` and an address like `me@example.org` included.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from sojourn.agent.mcp.offers import McpPrompt, McpResource, PromptMessage
from sojourn.agent.mcp.servers import Mcp
from sojourn.context.fence import fenced
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.value import Value

MAX_RESOURCE: Final = 100_000
"""Characters of a resource that are pulled in."""
MAX_RESOURCES: Final = 10
"""Resources that one text may pull in."""
_SHOWN: Final = 12
_COMMAND: Final = re.compile(r"/(?P<name>[A-Za-z0-9_][\w.:-]*)(?:\s+(?P<rest>.*))?", re.DOTALL)
_MENTION: Final = re.compile(r"(?<![^\s(\[\"'])@(?P<name>[A-Za-z0-9_][^\s<>\"']*)")
_BEHIND: Final = ".,;:!?)]}'\""
_WORD: Final = re.compile(
    r"""(?:(?P<key>[\w.-]+)=)?(?P<value>"[^"]*"(?!\S)|'[^']*'(?!\S)|(?(key)\S*|\S+))""",
)
_TAG: Final = re.compile(r"<(?=\W*resource(?![A-Za-z]))", re.IGNORECASE)


class Expanded(Value, frozen=True, kw_only=True):
    """A user's text with what it asked for.

    Attributes:
        text: what goes to the model.
        prompt: the prompt that was run, as `server:name`; empty if none was.
        resources: what was pulled in, each as `server:uri`.
        notes: for the user: what looks like a resource and is none.
    """

    text: str
    prompt: str = ""
    resources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def expand(text: str, mcp: Mcp) -> Expanded:
    """Return *text* with its prompt run and its resources pulled in.

    A word like `@property` that names nothing stays as it is, with a note; what says which server, or is an address,
    must exist.

    Raises:
        NotFoundError: there is no such prompt or resource; the sentence names those that there are.
        InvalidInputError: the prompt's arguments are missing, or there are too many resources.
        McpError: the server could not do it.
    """
    command = _COMMAND.fullmatch(text.strip())
    if command is not None:
        return await _run_prompt(command["name"], command["rest"] or "", mcp)
    return await _pull_in(text, mcp)


async def _run_prompt(name: str, rest: str, mcp: Mcp) -> Expanded:
    server, prompt = _find_prompt(name, mcp)
    arguments = read_arguments(prompt, rest)
    messages = await mcp.connection(server).prompt(prompt.name, arguments)
    return Expanded(text=_as_text(messages), prompt=f"{server}:{prompt.name}")


def _find_prompt(name: str, mcp: Mcp) -> tuple[str, McpPrompt]:
    prompts = mcp.prompts
    found = [(server, prompt) for server, prompt in prompts if name in {prompt.name, f"{server}:{prompt.name}"}]
    if not found:
        known = _listed(f"/{prompt.name}" for _, prompt in prompts)
        raise NotFoundError(f"no prompt is called /{name}; there are: {known}")
    if len(found) > 1:
        which = _listed(f"/{server}:{prompt.name}" for server, prompt in found)
        raise InvalidInputError(f"several servers have a prompt /{name}; say which: {which}")
    return found[0]


def read_arguments(prompt: McpPrompt, rest: str) -> dict[str, str]:
    """Return the arguments of *prompt* that *rest* gives: `key=value`, or in order; the last takes what is left.

    An argument with spaces is put in quotes; what the last one takes is kept as it is written, lines and all.

    Raises:
        InvalidInputError: one that is required is missing, or there are more than the prompt takes.
    """
    names = [argument.name for argument in prompt.arguments]
    arguments: dict[str, str] = {}
    positional: list[re.Match[str]] = []
    for word in _WORD.finditer(rest):
        if word["key"] in names:
            arguments[word["key"]] = _unquoted(word["value"])
        else:
            positional.append(word)
    arguments |= _in_order([name for name in names if name not in arguments], positional, prompt)
    missing = [argument.name for argument in prompt.arguments if argument.required and argument.name not in arguments]
    if missing:
        raise InvalidInputError(f"/{prompt.name} needs {' and '.join(missing)}: {_usage(prompt)}")
    return arguments


def _in_order(names: Sequence[str], words: Sequence[re.Match[str]], prompt: McpPrompt) -> dict[str, str]:
    if words and not names:
        raise InvalidInputError(f"/{prompt.name} takes no more arguments: {_usage(prompt)}")
    texts = [_unquoted(word[0]) for word in words]
    if len(words) > len(names):
        last = len(names) - 1
        texts[last:] = [_as_written(words[last:])]
    return dict(zip(names, texts, strict=False))


def _as_written(words: Sequence[re.Match[str]]) -> str:
    """Return the text from the first word to the last, unless a `key=value` stands between them."""
    text = words[0].string[words[0].start() : words[-1].end()]
    whole = sum(1 for _ in _WORD.finditer(text)) == len(words)
    return text if whole else " ".join(word[0] for word in words)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _usage(prompt: McpPrompt) -> str:
    gaps = (f"<{argument.name}>" if argument.required else f"[{argument.name}]" for argument in prompt.arguments)
    return " ".join((f"/{prompt.name}", *gaps))


def _as_text(messages: Sequence[PromptMessage]) -> str:
    if all(message.role == "user" for message in messages):
        return "\n\n".join(message.text for message in messages)
    return "\n\n".join(f"{message.role}: {message.text}" for message in messages)


async def _pull_in(text: str, mcp: Mcp) -> Expanded:
    found: dict[str, tuple[str, str]] = {}
    notes: list[str] = []
    for mention in _MENTION.finditer(text):
        name = mention["name"].rstrip(_BEHIND)
        target = _find_resource(name, mcp)
        if target is not None:
            found[":".join(target)] = target
        elif mcp.resources:
            notes.append(_unknown(name, mcp))
    if len(found) > MAX_RESOURCES:
        raise InvalidInputError(f"a text may pull in {MAX_RESOURCES} resources, not {len(found)}")
    blocks = [_block(identity, await mcp.connection(server).read(uri)) for identity, (server, uri) in found.items()]
    return Expanded(text="\n\n".join([*blocks, text]), resources=tuple(found), notes=tuple(notes))


def _find_resource(name: str, mcp: Mcp) -> tuple[str, str] | None:
    """Return the server and the address of what *name* means; None if it may just be a word."""
    readable = [(server, resource) for server, resource in mcp.resources if not resource.is_template]
    found = [(server, resource.uri) for server, resource in readable if _is_called(name, server, resource)]
    if len(found) > 1:
        which = _listed(f"@{server}:{uri}" for server, uri in found)
        raise InvalidInputError(f"several resources are called @{name}; say which: {which}")
    if found:
        return found[0]
    server, _, uri = name.partition(":")
    if server in mcp.connections and "://" in uri:
        return server, uri  # made from a template, perhaps; the server knows
    if (server in mcp.connections and uri) or "://" in name:
        raise NotFoundError(_unknown(name, mcp))
    return None


def _is_called(name: str, server: str, resource: McpResource) -> bool:
    return name in {resource.uri, resource.name, f"{server}:{resource.uri}", f"{server}:{resource.name}"}


def _unknown(name: str, mcp: Mcp) -> str:
    known = _listed(f"@{resource.name or resource.uri}" for _, resource in mcp.resources if not resource.is_template)
    return f"no resource is called @{name}; there are: {known}"


def _listed(names: Iterable[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "none"


def _block(identity: str, text: str) -> str:
    if len(text) > MAX_RESOURCE:
        text = f"{text[:MAX_RESOURCE]}\n[{len(text) - MAX_RESOURCE} more characters are left out]"
    return fenced("resource", _TAG.sub("‹", text), id=identity)
