"""The servers of tools: how each connection is doing, and which of its tools models are offered."""

from typing import Final

from sojourn.agent.mcp.status import Status
from sojourn.desk.wording import count
from sojourn.tui.panels.actions import retry_server, switch_tool
from sojourn.tui.panels.glance import Glance, Server
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_MARKS: Final = {
    Status.CONNECTED: ("●", "success"),
    Status.CONNECTING: ("◌", "warning"),
    Status.RECONNECTING: ("◌", "warning"),
    Status.DISCONNECTED: ("○", ""),
    Status.ERROR: ("✗", "error"),
}


class ServersPanel(Panel):
    """MCP servers. Choosing a tool switches it on or off; choosing a server that is lost tries it again."""

    NAME = "MCP"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        return (glance.servers,)

    def head(self, glance: Glance) -> str:
        connected = sum(server.status is Status.CONNECTED for server in glance.servers)
        return f"{connected} of {len(glance.servers)}"

    def rows(self, glance: Glance) -> list[Row]:
        return [row for server in glance.servers for row in _rows_of(server, glance)]


def _rows_of(server: Server, glance: Glance) -> list[Row]:
    mark, colour = _MARKS[server.status]
    is_lost = server.status in {Status.ERROR, Status.RECONNECTING}
    rows = [
        Row(
            mark=mark,
            mark_style=glance.colours.get(colour, ""),
            text=f"{written(server.name, most=30)}  {server.status.value}",
            act=retry_server(server.name) if is_lost else None,
        )
    ]
    if is_lost and server.reason:
        rows.append(Row(text=f"{written(server.reason)} (enter tries again)", style="dim"))
    offers = [
        count(number, noun) for number, noun in ((server.prompts, "prompt"), (server.resources, "resource")) if number
    ]
    if offers:
        rows.append(Row(text=" · ".join(offers), style="dim"))
    for tool in server.tools:
        sign = "[x]" if tool.is_on else "[ ]"
        act = switch_tool(server.name, tool.name, on=not tool.is_on)
        rows.append(Row(text=f"{sign} {written(tool.name, most=40)}", style="" if tool.is_on else "dim", act=act))
    return rows
