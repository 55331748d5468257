"""What can be typed after a slash in the app: the chat's own commands, those with a screen, and servers' prompts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from sojourn.desk import slash_commands
from sojourn.desk.conversation import Conversation

if TYPE_CHECKING:  # few have servers of tools
    from sojourn.agent.mcp.servers import Mcp

SHOWS: Final[Mapping[str, str]] = {
    "find": "find",
    "sessions": "find",
    "resume": "find",
    "tree": "branches",
    "rewind": "branches",
    "context": "context",
    "facts": "review",
    "cost": "spending",
    "help": "keys",
}
"""Which screen a command opens when nothing stands behind it."""
_ABOUT: Final[Mapping[str, str]] = {
    "find": "find a session by its title or by what was said",
    "tree": "see the forks of this session, and go to one",
    "rewind": "go back to something said before",
    "context": "see what the model is sent next, and why",
    "exit": "leave; what was said is kept",
}
"""What those are for that the chat for lines does not have."""


def app_commands() -> dict[str, str]:
    """Return what each command is for, by its name, in the order of the alphabet."""
    return dict(sorted({**_ABOUT, **slash_commands.offered()}.items()))


def is_app_command(line: str, conversation: Conversation) -> bool:
    """Tell whether *line* is a command of the app. What may be a prompt of a server is something to say."""
    first = line.split(maxsplit=1)[0] if line.strip() else ""
    is_ours = first.startswith("/") and first[1:].lower() in {*app_commands(), "quit"}
    return is_ours or slash_commands.is_command(line, conversation)


def prompt_commands(mcp: "Mcp | None") -> dict[str, str]:
    """Return the prompts of servers, each by the name that one types: with its server's, where two share one."""
    prompts = mcp.prompts if mcp is not None else ()
    names = [prompt.name for _, prompt in prompts]
    found: dict[str, str] = {}
    for server, prompt in prompts:
        name = prompt.name if names.count(prompt.name) == 1 else f"{server}:{prompt.name}"
        gaps = " ".join(f"<{one.name}>" if one.required else f"[{one.name}]" for one in prompt.arguments)
        found[name] = " · ".join(part for part in (gaps, prompt.description or prompt.title, server) if part)
    return found
