"""Thinking as hard as a question needs: an answer is judged, and tried harder until it is good enough.

    python examples/reasoning.py
    python examples/reasoning.py --model claude-sonnet-4-6 "Compare SQLite and PostgreSQL for a chat server."

Without --model a script plays the model, so that it runs without a key and without a network.
"""

import argparse
import asyncio
import os

import sojourn
from sojourn import ReasoningCallbacks

callbacks = ReasoningCallbacks(
    is_reasoning_enabled=lambda: True,
    on_analysis_complete=lambda found: print(f"  the question is {found.complexity_level}"),
    on_strategy_selected=lambda strategy, why: print(f"  {strategy}: {why}"),
    on_planning_complete=lambda plan, _mode: print(f"  plan: {', '.join(part.query for part in plan.subtasks)}"),
    on_quality_check_complete=lambda verdict: print(f"  judged {verdict.confidence}: {verdict.reasoning}"),
    on_auto_escalation=lambda before, after, *_: print(f"  not good enough, so {before} becomes {after}"),
)


async def talk(model: sojourn.Provider, question: str) -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        agent = sojourn.Agent(
            model,
            session=session,
            app=app,
            reasoning=sojourn.ReasoningConfig(),  # .with_profile("strict") wants more
            reasoning_callbacks=callbacks,
        )
        print(await agent.ask(question))

        # What was tried is in the research; only the answer that was given is in the conversation.
        # A model that can call no tools answers at once, and there is no research.
        for research in session.research.history:
            print(f"attempts: {research.attempts}, messages: {session.state.conversation.message_count}")
        print(f"tokens: {session.state.metadata.tokens_by_purpose}")
        print(f"learned: {[fact.content for fact in session.facts]}")
    await model.close()


def scripted() -> sojourn.Provider:
    """Play the model's parts: it analyses, answers badly, is judged, plans, answers well, and is judged again."""
    return sojourn.ScriptedProvider(
        [
            "**Complexity Level:** SIMPLE\n**Recommended Strategy:** direct\n**Reasoning:** A plain question.",
            "Because of the disk.",
            "**Quality Assessment:** INSUFFICIENT\n**Confidence Score:** 0.3\n**Reasoning:** Nothing was measured.",
            "1. [HIGH PRIORITY] Measure where the time goes",
            "Nine of ten milliseconds go into fsync: one for every row, where one for a hundred would do.",
            "**Quality Assessment:** SUFFICIENT\n**Confidence Score:** 0.9\n**Reasoning:** Measured and explained.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="?", default="Why is the import of our orders slow?")
    parser.add_argument("--model", help="a real model, such as claude-sonnet-4-6, gpt-6.1-sol or ollama:NAME")
    given = parser.parse_args()
    try:
        model = sojourn.choose_model(given.model, environment=os.environ).open() if given.model else scripted()
        asyncio.run(talk(model, given.question))
    except sojourn.SojournError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
