"""A tool that needs a human's yes, who is not there: the turn is put aside, and resumed when he has answered.

    python examples/approvals_days_later.py                            # all three steps, each in a process of its own

    python examples/approvals_days_later.py --store work.db ask        # on Monday
    python examples/approvals_days_later.py --store work.db answer yes # on Thursday, on any machine that has the store
    python examples/approvals_days_later.py --store work.db resume     # and the turn goes on where it stood

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
from sojourn import ToolCall

SESSION = "release"
skills = sojourn.SkillRegistry()


@skills.skill
def deploy(version: str) -> str:
    """Bring a version to production."""
    return f"version {version} is live"


def agent_for(model: sojourn.Provider, session: sojourn.Session) -> sojourn.Agent:
    # The usual permissions ask about all that does more than read. "leave" puts the turn aside where "wait" would wait.
    gate = sojourn.PermissionGate(session, sojourn.Permissions(), when_nobody="leave")
    return sojourn.Agent(model, session=session, skills=skills, gate=gate)


async def ask(model: sojourn.Provider, store: Path) -> None:
    async with sojourn.open(store) as app:
        session = await app.sessions.create(SESSION)
        async for event in agent_for(model, session).run_turn("Deploy version 2.1, please."):
            match event:
                case sojourn.turn_events.ContentChunk(text=text):
                    print(text, end="")
                case sojourn.turn_events.SessionWaiting(interrupt=question):
                    print(f"put aside: {question.question}")
                case sojourn.turn_events.SessionCompleted():
                    print(" (The model did not call the tool.)")


async def answer(store: Path, *, yes: bool) -> None:
    async with sojourn.open(store) as app:
        session = await app.sessions.open(SESSION)
        for question in session.interrupts.pending():
            print(f"answered: {question.question} {'Yes' if yes else 'No'}.")
            await session.interrupts.answer(question.interrupt_id, approved=yes)


async def resume(model: sojourn.Provider, store: Path) -> None:
    async with sojourn.open(store) as app:
        session = await app.sessions.open(SESSION)
        async for event in agent_for(model, session).resume():
            match event:
                case sojourn.turn_events.ToolCompleted(output=output):
                    print(f"resumed: {output}")
                case sojourn.turn_events.ContentChunk(text=text):
                    print(text, end="")
                case sojourn.turn_events.SessionWaiting():
                    print("still nobody has answered")
        print()


def story(model: list[str]) -> None:
    """Take the three steps, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        again = [sys.executable, __file__, "--store", str(Path(folder, "work.db")), *model]
        for step in (["ask"], ["answer", "yes"], ["resume"]):
            subprocess.run([*again, *step], check=False)  # noqa: S603 - this very program


def scripted(step: str) -> sojourn.Provider:
    """Play the model's part: it calls the tool, and says how it went."""
    if step == "ask":
        call = ToolCall(id="call-1", name="deploy", arguments={"version": "2.1"})
        return sojourn.ScriptedProvider([sojourn.Message(role="assistant", tool_calls=(call,))])
    return sojourn.ScriptedProvider(otherwise=lambda request: f"The tool said: {request.messages[-1].text}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["ask", "answer", "resume"])
    parser.add_argument("word", nargs="?", choices=["yes", "no"], default="no", help="what to answer")
    parser.add_argument("--store", type=Path, help="the file that keeps the session; without it, all steps are taken")
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol, ollama:NAME or local")
    given = parser.parse_args()
    if given.store is None or given.step is None:
        story(["--model", given.model] if given.model else [])
        return
    try:
        if given.step == "answer":
            asyncio.run(answer(given.store, yes=given.word == "yes"))
            return
        model = (
            sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted(given.step)
        )
        asyncio.run(ask(model, given.store) if given.step == "ask" else resume(model, given.store))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
