"""A talk that outlives its process, even one that is killed in the middle of an answer.

    python examples/chat_with_memory.py                                      # tells a whole story in a temporary folder
    python examples/chat_with_memory.py --store talk.db --say "I'm Ada."     # one turn of a talk of your own
    python examples/chat_with_memory.py --store talk.db --say "Who am I?" --model local

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import sojourn
from sojourn import ModelRequest


async def talk(model: sojourn.Provider, store: Path, say: str, *, die: bool = False) -> None:
    async with sojourn.open(store) as app:
        session = await app.sessions.get_or_create("my-talk")  # begun once, and found again ever after
        # What is streamed is on the disk every 20 characters, to show it here; every 2,048 or half a second otherwise.
        agent = sojourn.Agent(model, session=session, app=app, settings=sojourn.AgentSettings(partial_characters=20))
        print(f"you: {say}\nit:  ", end="")
        shown = 0
        async for piece in agent.send(say):
            print(piece, end="", flush=True)
            shown += len(piece)
            if die and shown > 80:
                os._exit(9)  # as hard as kill -9: nothing is closed, nothing is tidied up
        print()
        await model.close()


async def look(store: Path) -> None:
    """Print what is kept. A turn that was cut off has what there was of it, and never stands in the way."""
    async with sojourn.open(store) as app:
        session = await app.sessions.open("my-talk")
        print(f"\nkept: {session.state.conversation.message_count} messages, {len(list(session.facts))} facts")
        async for entry in session.messages.all():
            event = entry.event
            if isinstance(event, sojourn.events.MessageAdded):
                cut_off = " [cut off]" if event.message.partial else ""
                print(f"  {entry.seq:3} {event.message.role:9} {event.message.text}{cut_off}")


def story(model: list[str]) -> None:
    """Talk in four processes; the third is killed while it answers."""
    with tempfile.TemporaryDirectory() as folder:
        again = [sys.executable, __file__, "--store", str(Path(folder, "talk.db")), *model]
        for say, *more in (
            ["I'm Ada, and the staging server runs on port 8443."],
            ["Which port was it?"],
            ["Tell me a long story.", "--die"],
            ["Who am I?"],
        ):
            done = subprocess.run([*again, "--say", say, *more], check=False)  # noqa: S603 - this very program
            if done.returncode:
                print(f" ... killed in the middle (exit {done.returncode})")
        subprocess.run([*again, "--look"], check=True)  # noqa: S603 - this very program


def scripted() -> sojourn.Provider:
    """Play the model's part: it knows only what stands in its context, which comes from the session."""

    def answer(request: ModelRequest) -> str:
        asked = request.messages[-1].text
        known = " ".join(message.text for message in request.messages)
        if "Which port" in asked:
            return "It runs on port 8443." if "8443" in known else "I do not know."
        if "Who am I" in asked:
            return "You are Ada." if "Ada" in known else "I do not know."
        return "Once upon a time there was a port. " * 20 if "story" in asked else "Noted."

    return sojourn.ScriptedProvider(otherwise=answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, help="the file that keeps the talk; without it, a story is told")
    parser.add_argument("--say", default="Hello!")
    parser.add_argument("--look", action="store_true", help="say nothing, show what is kept")
    parser.add_argument("--die", action="store_true", help="end this process in the middle of the answer")
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol, ollama:NAME or local")
    given = parser.parse_args()
    if given.store is None:
        story(["--model", given.model] if given.model else [])
        return
    try:
        if given.look:
            asyncio.run(look(given.store))
            return
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        asyncio.run(talk(model, given.store, given.say, die=given.die))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
