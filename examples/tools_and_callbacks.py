"""Functions that a model can call, and callbacks that tell what happens while it does.

    python examples/tools_and_callbacks.py
    python examples/tools_and_callbacks.py --model ollama:llama3.2

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os

import sojourn
from sojourn import ToolCall

skills = sojourn.SkillRegistry()
STOCK = {"apples": 12, "pears": 0}


@skills.skill
def in_stock(fruit: str) -> int:
    """Tell how many pieces of a fruit there are.

    Args:
        fruit: its name, in the plural.
    """
    return STOCK[fruit]


@skills.skill
def order(fruit: str, pieces: int = 10) -> str:
    """Order more of a fruit."""
    if pieces > 100:
        raise ValueError("100 pieces is the most")  # the model is told, and can do better
    STOCK[fruit] += pieces
    return f"ordered {pieces} {fruit}"


callbacks = sojourn.Callbacks(
    on_tool_call=lambda name, _id: print(f"  [the model calls {name}]"),
    on_tool_active=lambda name, _id: print(f"  [{name} runs]"),
    on_batch_progress=lambda name, _id, ok, error: print(f"  [{name}: {'done' if ok else error}]"),
    on_batch_halt=lambda: print("  [one failed: those behind it do not run]"),
)


async def talk(model: sojourn.Provider) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = sojourn.Agent(model, session=session, app=app, skills=skills, callbacks=callbacks)
        print(await agent.ask("Are there pears? If not, order five hundred of them, or as many as you can."))
        print(f"stock: {STOCK}")
        print(f"calls: {session.state.metadata.tool_usage}, success: {session.state.metadata.tool_success_rate}")
    await model.close()


def scripted() -> sojourn.Provider:
    """Play the model's part: three calls, one of which fails, and an answer."""

    def calling(number: int, name: str, **arguments: object) -> sojourn.Message:
        call = ToolCall(id=f"call-{number}", name=name, arguments=arguments)
        return sojourn.Message(role="assistant", tool_calls=(call,))

    return sojourn.ScriptedProvider(
        [
            calling(1, "in_stock", fruit="pears"),
            calling(2, "order", fruit="pears", pieces=500),
            calling(3, "order", fruit="pears", pieces=100),
            "There were none, so I ordered a hundred, which is the most.",
        ]
    )


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
