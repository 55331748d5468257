"""The process that `sojourn demo` kills: it records two turns, begins a third, and waits in the middle of it.

Run as a module with the store's location; it says `ready` when it stands in the middle of the third turn.
"""

import asyncio
import sys

import sojourn
from sojourn.model.message import ToolCall

SESSION = "demo"
READY = "ready"


async def record(location: str) -> None:
    """Record the session at *location*, and never come back."""
    async with sojourn.open(location) as app:
        session = await app.sessions.create(SESSION, title="Trip to Lisbon")
        async with session.turn():
            told = await session.messages.user("I want to go from Madrid to Lisbon in May. I prefer trains.")
            await session.facts.learn("The trip goes from Madrid to Lisbon in May", causes=[told.seq])
            await session.focus.set("task", "lisbon", context={"title": "Book the trip"})
            await session.messages.assistant("There is a night train. Shall I look up the price?")
            await session.messages.used(model="demo", input_tokens=412, output_tokens=28, cost_micros=1_650)
        async with session.turn():
            await session.messages.user("Yes, please.")
            await session.messages.assistant(tool_calls=[ToolCall(id="call-1", name="price", arguments={"class": 2})])
            await session.messages.tool_started("call-1", "price", {"class": 2})
            await session.messages.tool_ran("call-1", "price", seconds=0.4)
            result = await session.messages.tool("call-1", "39 EUR")
            await session.facts.learn("The night train costs 39 EUR", source="tool", causes=[result.seq])
            await session.messages.assistant("It costs 39 EUR. Shall I book it?")
            await session.messages.used(model="demo", input_tokens=498, output_tokens=41, cost_micros=2_109)
        async with session.turn():
            agreed = await session.messages.user("Yes, book it.")
            await session.working_set.decide("Take the night train", causes=[agreed.seq])
            await session.messages.assistant(tool_calls=[ToolCall(id="call-2", name="book_ticket", arguments={})])
            await session.messages.tool_started("call-2", "book_ticket")
            await app.store.save_partial(SESSION, "I am booking the ni")
            print(READY, flush=True)  # noqa: T201 - a signal to the parent process
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(record(sys.argv[1]))
