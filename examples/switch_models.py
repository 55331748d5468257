"""One session, several models: each turn may be another's, and the session keeps who said what, and what it took.

    python examples/switch_models.py                                          # two scripted ones
    python examples/switch_models.py --model claude-sonnet-4-6 --model ollama:llama3.2 --model local

Without --model scripts play the models, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os

import sojourn

SCRIPTED = ("scripted:I am the first, and say hello.", "scripted:I am the second, and I can read what was said.")


async def talk(names: list[str]) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        for name in names:
            # Without a name it takes the best there is: SOJOURN_MODEL, a key, an Ollama server, the local model.
            choice = await asyncio.to_thread(sojourn.choose_model, name, environment=os.environ)
            print(f"{choice.model} of {choice.provider} (because {choice.why}):")
            model = choice.open()
            try:
                print(f"  {await sojourn.Agent(model, session=session, app=app).ask('Who are you, in a few words?')}")
            finally:
                await model.close()

        print(f"the session has {session.state.conversation.message_count} messages")
        async for entry in session.messages.all():
            if isinstance(entry.event, sojourn.events.MessageAdded):
                message = entry.event.message
                print(f"  {message.model or 'you'}: {message.text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", help="give it several times; each answers once")
    given = parser.parse_args()
    try:
        asyncio.run(talk(given.model or list(SCRIPTED)))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
