"""Several agents in one process: they share a model and nothing else. One may start another, which may do less.

    python examples/agent_pool.py
    python examples/agent_pool.py --model gpt-6.1-sol

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os

import sojourn
from sojourn import ModelRequest, PooledAgent


async def ask(agent: PooledAgent, question: str) -> None:
    events = agent.send(question)
    pieces = [event.text async for event in events if isinstance(event, sojourn.turn_events.ContentChunk)]
    print(f"{agent.agent_id}: {''.join(pieces)}")


async def talk(model: sojourn.Provider) -> None:
    async with sojourn.open("memory:") as app:
        pool = sojourn.AgentPool(app, model, sojourn.PoolSettings(permissions=sojourn.Permissions(level="trusted")))
        poet = await pool.create("poet", sojourn.AgentConfig(system_prompt="You answer in a line of verse."))
        cook = await pool.create("cook", sojourn.AgentConfig(system_prompt="You answer with a recipe."))
        await asyncio.gather(ask(poet, "I like rain."), ask(cook, "I like soup."))  # at the same time
        await asyncio.gather(ask(poet, "What do I like?"), ask(cook, "What do I like?"))

        child = await pool.create("apprentice", sojourn.AgentConfig(parent="cook"))
        await ask(child, "Peel the onions.")
        for one in pool.list():
            print(f"  {one.agent_id}: {one.message_count} messages, started by {one.parent or 'nobody'}")
        print(f"  the apprentice is {child.permissions.level if child.permissions else 'free'}")

        await pool.destroy("cook")  # and whom it started; what they said is kept in their sessions
        print(f"left: {', '.join(one.agent_id for one in pool.list())}")
        await pool.close()
    await model.close()


def scripted() -> sojourn.Provider:
    """Play the model's part: it knows what its agent was told, and not what the other was."""

    def answer(request: ModelRequest) -> str:
        said = " ".join(message.text for message in request.messages)
        likes = [what for what in ("rain", "soup") if f"I like {what}" in said]
        return f"You like {' and '.join(likes)}." if likes else "Yes, chef."

    return sojourn.ScriptedProvider(otherwise=answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol, ollama:NAME or local")
    given = parser.parse_args()
    try:
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        asyncio.run(talk(model))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
