"""Tools that run at the same time. Their results stand in the order of the calls, whoever came back first.

    python examples/parallel_tools.py
    python examples/parallel_tools.py --model gpt-6.1-sol

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os
import time

import sojourn
from sojourn import ToolCall

skills = sojourn.SkillRegistry()
TAKES = {"Oslo": 0.3, "Lima": 0.1, "Pune": 0.2}


@skills.skill
async def weather(city: str) -> str:
    """Tell the weather in Oslo, Lima or Pune."""
    await asyncio.sleep(TAKES[city])
    return f"{city}: sunny"


async def talk(model: sojourn.Provider) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        # A model asks for it by giving any of its calls the argument `_parallel: true`.
        agent = sojourn.Agent(
            model,
            session=session,
            skills=skills,
            instructions="Calls that need nothing of each other: give one of them `_parallel: true`.",
        )
        began = time.monotonic()
        async for event in agent.run_turn("How is the weather in Oslo, Lima and Pune?"):
            match event:
                case sojourn.turn_events.ToolBatchStarted(tool_calls=calls, parallel=parallel):
                    began = time.monotonic()
                    print(f"{len(calls)} calls, {'all at once' if parallel else 'one after the other'}")
                case sojourn.turn_events.ToolCompleted(output=output):
                    print(f"  came back: {output}")
                case sojourn.turn_events.ToolBatchCompleted():
                    print(f"  all of them in {time.monotonic() - began:.1f} s")
                case sojourn.turn_events.ContentChunk(text=text):
                    print(text, end="")
        print("\nWhat the model was shown:")
        context = await session.context()
        for message in context.messages:
            if message.role == "tool":
                print(f"  {message.text}")
    await model.close()


def scripted() -> sojourn.Provider:
    """Play the model's part: three calls in one message, and an answer."""
    calls = [
        ToolCall(id=f"call-{number}", name="weather", arguments={"city": city, "_parallel": True})
        for number, city in enumerate(TAKES)
    ]
    return sojourn.ScriptedProvider(
        [sojourn.Message(role="assistant", tool_calls=tuple(calls)), "It is sunny in all three."]
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
