"""What a server has on offer, as values of our own: tools, prompts and resources. Nobody else sees the SDK's types."""

from typing import Any

from sojourn.model.value import Value


class McpTool(Value, frozen=True, kw_only=True):
    """A tool. *parameters* is a JSON Schema of an object; the hints are what the server says of itself."""

    name: str
    title: str = ""
    description: str = ""
    parameters: dict[str, Any] = {}
    read_only: bool = False
    destructive: bool = False


class PromptArgument(Value, frozen=True, kw_only=True):
    """Something that a prompt takes."""

    name: str
    description: str = ""
    required: bool = False


class McpPrompt(Value, frozen=True, kw_only=True):
    """A prompt: a text with gaps, which a user runs by its name."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class McpResource(Value, frozen=True, kw_only=True):
    """Something that can be read. Of a template, *uri* has gaps in braces and cannot be read as it is."""

    uri: str
    name: str = ""
    description: str = ""
    mime_type: str = ""
    is_template: bool = False


class Artifacts(Value, frozen=True, kw_only=True):
    """All that a server has on offer, in the server's order."""

    tools: tuple[McpTool, ...] = ()
    prompts: tuple[McpPrompt, ...] = ()
    resources: tuple[McpResource, ...] = ()


class PromptMessage(Value, frozen=True, kw_only=True):
    """A message that a prompt made."""

    role: str
    text: str


NOTHING = Artifacts()
