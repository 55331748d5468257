"""Whether a correction wins: dialogues in which something is said, put right, and often said wrongly again.

`written/corrections.jsonl` has the dialogues. Each goes message by message through the whole engine, with the rules as
extractor; then everything under `holds` must be believed, and nothing under `never`. A *field* is one of the profile; a
*fact* is believed if one accepted fact, or a field of the profile, holds all its words. In dialogues of the kind "no
correction" nothing is put right, and nothing may be lost.

    python benchmarks/memory_corrections.py
"""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import sojourn
from sojourn import Session, Settings
from sojourn.model.message import ToolCall
from sojourn.model.profile import LISTS, SCALARS
from sojourn.model.wording import words

WRITTEN: Final = Path(__file__).parent / "written" / "corrections.jsonl"


def measure(data: Path | None, *, quick: bool) -> dict[str, Any]:  # noqa: ARG001 - it needs no data, and is quick
    """Run every dialogue; return the share that is won, and what went wrong in the others."""
    dialogues = [json.loads(line) for line in WRITTEN.read_text("utf-8").splitlines()]
    failed = asyncio.run(_run(dialogues))
    return {
        "figures": {"corrections_won": 1 - len(failed) / len(dialogues)},
        "detail": {"dialogues": len(dialogues), "failed": failed},
    }


async def _run(dialogues: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    failed = {}
    async with sojourn.open("memory:", settings=Settings(keep_profile="yes")) as app:
        for dialogue in dialogues:
            session = await app.sessions.create(dialogue["id"])
            for turn in dialogue["turns"]:
                await _say(session, turn["role"], turn["text"])
                await app.background.drain()
            wrong = [
                *(f"missing: {_shown(claim)}" for claim in dialogue["holds"] if not _believes(session, claim)),
                *(f"believed: {_shown(claim)}" for claim in dialogue["never"] if _believes(session, claim)),
            ]
            if wrong:
                failed[dialogue["id"]] = {"kind": dialogue["kind"], "wrong": wrong, "held": _held(session)}
    return failed


async def _say(session: Session, role: str, text: str) -> None:
    if role == "user":
        await session.messages.user(text)
    elif role == "assistant":
        await session.messages.assistant(text)
    else:
        call = f"call-{session.head}"
        await session.messages.assistant("", tool_calls=[ToolCall(id=call, name="look_up", arguments={})])
        await session.messages.tool(call, text)


def _believes(session: Session, claim: dict[str, Any]) -> bool:
    if "field" in claim:
        return session.state.user_profile.holds(claim["field"], claim["value"])
    asked = {word for part in claim["fact"] for word in words(part)}
    return any(asked <= set(words(text)) for text in _held(session))


def _held(session: Session) -> list[str]:
    """Return all that is believed at the end, in words."""
    profile = session.state.user_profile
    fields = [f"{name} {getattr(profile, name)}" for name in (*SCALARS, *LISTS) if getattr(profile, name)]
    return [fact.content for fact in session.facts.with_status("active")] + fields


def _shown(claim: dict[str, Any]) -> str:
    return f"{claim['field']} = {claim['value']}" if "field" in claim else " ".join(claim["fact"])


if __name__ == "__main__":
    print(json.dumps(measure(None, quick=False), indent=1, ensure_ascii=False))
