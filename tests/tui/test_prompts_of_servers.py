"""What is typed after a slash reaches who it is meant for: the app, or a server of tools."""

import pytest

from sojourn.agent.mcp.servers import Mcp
from sojourn.desk.conversation import Conversation, Partner
from sojourn.tui.chat.commands import is_app_command
from tests.tui.apps import PROJECT, conversation, engine


@pytest.mark.anyio
async def test_what_is_no_command_of_the_app_goes_to_the_servers_if_there_are_any() -> None:
    async with engine() as app:
        alone = conversation(app)
        partner = Partner(provider=alone.provider, choice=alone.choice)
        served = Conversation(app, partner, project=PROJECT, mcp=Mcp(()))

        for line in ("/find", "/exit", "/quit", "/cost", "/Rename x", "/tree"):
            assert is_app_command(line, served)
            assert is_app_command(line, alone)
        assert not is_app_command("/greet Ada", served)
        assert is_app_command("/greet Ada", alone)  # which then says that there is none
        for line in ("find it", "/etc/hosts", "", "  "):
            assert not is_app_command(line, served)
