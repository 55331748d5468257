"""One question, one answer, nothing kept.

    python examples/chat_single_turn.py "Why is the sky blue?"
    python examples/chat_single_turn.py --model claude-sonnet-4-6 "Why is the sky blue?"

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os

import sojourn


async def talk(model: sojourn.Provider, question: str) -> None:
    # Without a session and without a context, each turn stands alone.
    agent = sojourn.Agent(model, instructions="Answer in one sentence.")
    try:
        async for piece in agent.send(question):  # as it comes; `await agent.ask(question)` is all of it at once
            print(piece, end="", flush=True)
        print()
    finally:
        await model.close()


def scripted() -> sojourn.Provider:
    """Play the model's part."""
    return sojourn.ScriptedProvider(["Air scatters blue light more than red, so blue comes from everywhere."])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="?", default="Why is the sky blue?")
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol, ollama:NAME or local")
    given = parser.parse_args()
    try:
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        asyncio.run(talk(model, given.question))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
