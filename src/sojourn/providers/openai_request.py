"""What requests of both OpenAI protocols have in common."""

from typing import Any, Final, Literal

from sojourn.providers.protocol import ToolDefinition

_LITTLE: Final = 2_048
_MUCH: Final = 16_384


def effort(tokens: int) -> Literal["low", "medium", "high"]:
    """Return how hard a model is to think that may take *tokens* tokens for it: the protocols know only these words."""
    if tokens <= _LITTLE:
        return "low"
    return "medium" if tokens < _MUCH else "high"


def parameters(tool: ToolDefinition) -> dict[str, Any]:
    """Return the schema of a tool's arguments; servers want an object even where there are none."""
    return tool.parameters or {"type": "object", "properties": {}}
