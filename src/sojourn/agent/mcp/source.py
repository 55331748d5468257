"""A server's tools as skills. A model sees the names that the server gives, as far as models take them.

A name once given stays with its tool as long as the servers are open: a model that learned it never reaches another
tool by it. Two servers may have tools of one name: the later one's is called `server__tool`.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

from sojourn.agent.mcp.connection import Connection
from sojourn.agent.mcp.offers import McpTool
from sojourn.agent.skills.names import fitting_name, qualified_name
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.errors import McpError


class SkillNames:
    """Which tool has which name. Lives as long as the servers that share it."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def __repr__(self) -> str:
        return f"SkillNames({len(self._names)} given)"

    def name_of(self, server: str, tool: str) -> str:
        """Return the name of a server's tool: always the same, and no other tool's."""
        name = self._names.get((server, tool))
        if name is None:
            name = next(name for name in _candidates(server, tool) if name not in self._taken)
            self._names[server, tool] = name
            self._taken.add(name)
        return name


def _candidates(server: str, tool: str) -> tuple[str, ...]:
    # The last is as good as unique: what identifies the tool, hashed.
    mark = hashlib.sha256(f"{server}\n{tool}".encode("utf-8", "surrogatepass")).hexdigest()
    return fitting_name(tool), qualified_name(server, tool), mark


class McpSkill:
    """One tool of a server. It may outlive its connection; then it says so when it is called."""

    def __init__(self, tool: McpTool, *, name: str, source: "McpSource") -> None:
        self._tool = tool
        self._name = name
        self._source = source

    def __repr__(self) -> str:
        return f"McpSkill({self._name!r} of {self._source.name!r})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def description(self) -> str:
        return self._tool.description or self._tool.title or f"{self._tool.name} of {self._source.name}"

    @property
    def parameters(self) -> dict[str, Any]:
        return {"type": "object", "properties": {}} | self._tool.parameters

    @property
    def traits(self) -> SkillTraits:
        return SkillTraits(
            timeout=self._source.connection.server.timing.call,
            needs_approval=self._tool.destructive,
            reads_only=self._tool.read_only and not self._tool.destructive,
        )

    async def execute(self, /, **arguments: Any) -> ToolResult:
        """Run the tool at its server; whatever goes wrong there is an error that the model is told."""
        if not self._source.is_enabled(self._tool.name):
            return ToolResult(error=f"The tool {self._name} is switched off. Do without it.")
        try:
            return await self._source.connection.call(self._tool.name, arguments)
        except McpError as error:
            return ToolResult(error=f"The tool {self._name} could not be run: {error.detail}.")


class McpSource:
    """The skills of one server, as they are at the moment. Lives as long as its connection is used."""

    def __init__(self, connection: Connection, *, names: SkillNames | None = None) -> None:
        self.connection = connection
        self._names = names or SkillNames()
        self._switched: dict[str, bool] = {}

    def __repr__(self) -> str:
        return f"McpSource({self.name!r}, {self.connection.status})"

    @property
    def name(self) -> str:
        """The server's name."""
        return self.connection.name

    def skills(self) -> Sequence[Skill]:
        """Return a skill for each tool that is on offer and not switched off, in the server's order."""
        tools = {tool.name: tool for tool in self.connection.artifacts.tools}
        return tuple(
            McpSkill(tool, name=self._names.name_of(self.name, tool.name), source=self)
            for tool in tools.values()
            if self.is_enabled(tool.name)
        )

    def is_enabled(self, tool: str) -> bool:
        """Tell whether *tool*, by the server's name of it, is offered to models."""
        switched = self._switched.get(tool)
        return self.connection.server.offers(tool) if switched is None else switched

    def enable(self, tool: str) -> None:
        """Offer *tool* from now on, whatever the configuration says."""
        self._switched[tool] = True

    def disable(self, tool: str) -> None:
        """Offer *tool* no more."""
        self._switched[tool] = False
