"""What choosing a row does."""

from typing import Final

from sojourn.tui.host import Host
from sojourn.tui.panels.rows import Act

_BUSY: Final = "wait until the answer is there, or stop it with esc"


def open_session(session_id: str) -> Act:
    """Go on in another session, unless the model is answering."""

    async def act(app: Host) -> None:
        if app.chat.turns.is_busy:
            app.notify(_BUSY, severity="warning")
        else:
            await app.open_session(session_id)

    return act


def begin_session() -> Act:
    """Let what is said next begin a session, unless the model is answering."""

    async def act(app: Host) -> None:
        if app.chat.turns.is_busy:
            app.notify(_BUSY, severity="warning")
        else:
            await app.action_new_session()

    return act


def show_screen(name: str) -> Act:
    """Show a screen."""

    async def act(app: Host) -> None:
        app.action_show(name)

    return act


def review_fact(fact_id: str) -> Act:
    """Show what there is to know about a fact, and let it be changed."""

    async def act(app: Host) -> None:
        from sojourn.tui.review import ReviewScreen  # noqa: PLC0415 - a screen is imported when it is first shown

        app.action_show("review")
        if isinstance(app.screen, ReviewScreen):
            app.screen.look_for(fact_id)

    return act


def jump_to(seq: int) -> Act:
    """Show where in the talk something was said."""

    async def act(app: Host) -> None:
        app.follow(at=seq)

    return act


def switch_tool(server: str, tool: str, *, on: bool) -> Act:
    """Offer a tool of a server to models, or do so no more."""

    async def act(app: Host) -> None:
        mcp = app.conversation.mcp
        if mcp is not None:
            source = mcp.source(server)
            (source.enable if on else source.disable)(tool)

    return act


def retry_server(server: str) -> Act:
    """Try to connect with a server now."""

    async def act(app: Host) -> None:
        if app.conversation.mcp is not None:
            app.conversation.mcp.retry(server)

    return act
