"""MCP servers: other programs that lend an agent their tools, prompts and resources.

`config` reads which servers there are, `sdk` opens a `link` to one, `connection` keeps it reachable, `source` makes
skills of its tools, `servers` owns them all, and `hooks` lets a user write `/prompt` and `@resource`. What a server
says comes from outside: it is bounded, and shown as what it is. May import the engine and the agent's skills; needs
the extra `mcp`.
"""
