"""Skills, prompts and resources of another program, over MCP (`pip install 'sojourn[mcp]'`).

    python examples/mcp_server_skills.py
    python examples/mcp_server_skills.py --model claude-sonnet-4-6

The other program is this file, started with --serve. Without --model a script plays the model, so that it runs without
a key and without a network.
"""

import argparse
import asyncio
import os
import sys

import sojourn
from sojourn import CommandControlAgent, Mcp, McpHooks, ToolCall, read_servers

# The form that other programs use, too: `{"mcpServers": {name: {"command": ...} or {"url": ...}}}`.
CONFIG = {"mcpServers": {"harbour": {"command": sys.executable, "args": [__file__, "--serve"]}}}


async def talk(model: sojourn.Provider) -> None:
    async with sojourn.open("memory:") as app, Mcp(read_servers(CONFIG)) as mcp:
        await mcp.ready()
        print(f"servers: {', '.join(f'{name} is {status.value}' for name, status in mcp.statuses.items())}")
        skills = sojourn.SkillRegistry()
        for source in mcp.sources:
            skills.add_source(source)
        print(f"skills: {', '.join(skills.names)}")

        session = await app.sessions.create()
        agent = sojourn.Agent(model, session=session, app=app, skills=skills)
        front = CommandControlAgent(agent, hooks=McpHooks(mcp))
        for text in ("When is high tide?", "/greet Ada", "What do the @rules say?"):  # a tool, a prompt, a resource
            print(f"you: {text}\nit:  {await front.ask(text)}")
    await model.close()


def serve() -> None:
    """Be the other program: one tool, one prompt and one resource, over standard input and output."""
    from mcp.server import MCPServer  # noqa: PLC0415 - only the server needs it

    server = MCPServer("harbour")

    @server.tool()
    def high_tide() -> str:
        """Tell when the tide is high."""
        return "at 14:30"

    @server.prompt()
    def greet(who: str) -> str:
        """Greet somebody."""
        return f"Greet {who} as a harbour master would."

    @server.resource("harbour://rules", name="rules")
    def rules() -> str:
        """Tell the rules of the harbour."""
        return "No swimming in the basin."

    server.run()


def scripted() -> sojourn.Provider:
    """Play the model's part: it calls the tool, and otherwise repeats what it was given."""
    call = ToolCall(id="call-1", name="high_tide", arguments={})
    return sojourn.ScriptedProvider(
        [
            sojourn.Message(role="assistant", tool_calls=(call,)),
            lambda request: f"High tide is {request.messages[-1].text}.",
            lambda request: f"(asked: {request.messages[-1].text})",
            lambda request: "Do not swim." if "No swimming" in request.messages[-1].text else "I cannot see them.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help="be the server")
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol or ollama:NAME")
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    try:
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        asyncio.run(talk(model))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
