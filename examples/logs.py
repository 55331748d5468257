"""Logs for people: what was said as Markdown, what was measured, and what went over the wire.

    python examples/logs.py                          # in a temporary folder, shown and removed
    python examples/logs.py --logs ./logs --model local

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os
import tempfile
from pathlib import Path

import sojourn
from sojourn import TextPart, ThinkingPart


async def talk(model: sojourn.Provider, folder: Path) -> Path:
    config = sojourn.LogConfig(base_dir=folder, streams=sojourn.LogStream.ALL)
    with sojourn.SessionLogger(config) as logger:
        async with sojourn.open("memory:") as app:
            session = await app.sessions.create()
            agent = sojourn.Agent(model, session=session, app=app, logger=logger, instructions="Be brief.")
            await agent.ask("What is the capital of Peru? My key is sk-ant-" + "a1B2" * 8)
            await agent.ask("And of Norway?")
            await agent.close()  # writes down the rest
        return logger.session_dir


def show(log: Path) -> None:
    """Print what there is. The journal does without it: a log is a view, and can be thrown away."""
    for file in sorted(log.iterdir()):
        print(f"{file.name:12} {file.stat().st_size:6} bytes")
    print()
    print((log / "context.md").read_text(encoding="utf-8"))


def scripted() -> sojourn.Provider:
    """Play the model's part: it thinks, and answers."""
    thought = (ThinkingPart(text="That is Lima."), TextPart(text="Lima."))
    return sojourn.ScriptedProvider([sojourn.Message(role="assistant", content=thought), "Oslo."])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, help="the folder for logs; without it, a temporary one")
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol, ollama:NAME or local")
    given = parser.parse_args()
    try:
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        with tempfile.TemporaryDirectory() as temporary:
            show(asyncio.run(talk(model, given.logs or Path(temporary))))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
