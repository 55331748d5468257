"""What the session knows, for the model: remember, recall, forget, and what is in focus.

What is remembered this way points at the message that asked for it and at what the user had said, so that it goes when
they are forgotten.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

from sojourn.agent.skills.builtin.origin import causes_of
from sojourn.agent.skills.function import skill_of
from sojourn.agent.skills.services import ServiceContainer
from sojourn.agent.skills.skill import Skill, SkillTraits, ToolResult
from sojourn.context.fence import harmless
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.memory.index.document import Hit
from sojourn.model.knowledge import Fact

SOURCE: Final = "assistant"
_HITS: Final = 8
_SNIPPET: Final = 500
_FOR_GOOD: Final = SkillTraits(needs_approval=True, inward=True)
Scope = Literal["session", "project", "user"]
FocusType = Literal[
    "general", "task", "journal", "planning", "exploration", "exploring", "entity", "fact", "message", "clarification"
]


def memory_skills(services: ServiceContainer) -> tuple[Skill, ...]:
    """Return the skills that work on what the session of *services* knows."""
    inward = SkillTraits(reads_only=True, inward=True)  # the session changes, and nothing outside of it
    return (
        skill_of(remember, traits=inward, services=services),
        skill_of(recall, traits=inward, services=services),
        skill_of(forget, traits=_FOR_GOOD, traits_for=_forgetting, services=services),
        skill_of(set_focus, traits=inward, services=services),
    )


async def remember(fact: str, session: Session, scope: Scope = "session") -> str:
    """Keep something for later: one statement that is worth knowing in another talk, too. It survives restarts.

    Args:
        fact: the statement, as a whole sentence that says by itself what it is about.
        scope: where it holds: in this session, in all sessions of the project, or in all of the user's.
    """
    learned = await session.facts.learn(fact, source=SOURCE, scope=scope, causes=await causes_of(session, "remember"))
    if learned.status == "retired":
        return f"Not remembered: it was said not to hold any more ({learned.retired_reason or 'retired'})."
    waiting = ", and waits until the user accepts it" if learned.status == "candidate" else ""
    return f"Remembered as {learned.fact_id}{waiting}: {learned.content}"


async def recall(question: str, session: Session, scope: Scope = "user") -> ToolResult:
    """Look up what is known, and what was said, about something: in this talk and in earlier ones.

    Args:
        question: what to look for, as a question or as words.
        scope: how far to look: in this session, in all sessions of the project, or in all of the user's.
    """
    answer = await session.query(question)
    found: list[str] = []
    try:
        hits: Sequence[Hit] = await session.search(question, scope=scope, limit=_HITS)
        found = [_hit(hit) for hit in hits if hit.reasons]  # without one, it is only the nearest of what there is
    except InvalidInputError:  # without an app there is no index; the session still has its facts
        found = [f"- fact {fact.fact_id}: {fact.content}" for fact in session.facts.search(question, limit=_HITS)]
    if answer.text is not None:
        first = f"Answer (sure to {answer.confidence:.0%}): {answer.text}"
    else:
        first = "No sure answer; the nearest, if it is about that at all:" if found else "Nothing is known about that."
    return ToolResult(output=harmless("\n".join([first, *found])), data={"answer": answer.text, "found": found})


async def forget(fact: str, session: Session, *, for_good: bool = False) -> str:
    """Take back something that is remembered.

    Args:
        fact: its id (fact-...), or the statement itself.
        for_good: remove it for ever, with all that was derived from it, after the user agreed; else it only does not
            hold any more.
    """
    found = _fact(session, fact)
    if for_good:
        await session.forget("fact", found.fact_id)
        return f"Forgot {found.fact_id} for good. What was said about it in messages is still there."
    await session.facts.retire(found.fact_id, "the assistant took it back", causes=await causes_of(session, "forget"))
    return f"{found.fact_id} does not hold any more: {found.content}"


async def set_focus(
    focus_type: FocusType, session: Session, focus_id: str | None = None, context: dict[str, Any] | None = None
) -> str:
    """Say what is being worked on now, in place of what was.

    Args:
        focus_type: what kind of thing it is; general for nothing in particular.
        focus_id: its id or name, if it has one.
        context: more about it.
    """
    await session.focus.set(focus_type, focus_id, context=context, causes=await causes_of(session, "set_focus"))
    return f"In focus: {focus_type}{f' {focus_id}' if focus_id else ''}."


def _forgetting(arguments: dict[str, Any]) -> SkillTraits:
    return SkillTraits(reads_only=True, inward=True) if arguments.get("for_good") in (None, False) else _FOR_GOOD


def _fact(session: Session, fact: str) -> Fact:
    found = session.facts.find(fact) or session.facts.find_similar(fact)
    if found is None:
        raise NotFoundError(f"fact {fact!r:.100}; recall tells which there are")
    return found


def _hit(hit: Hit) -> str:
    document = hit.document
    what = f"fact {document.fact_id}" if document.kind == "fact" else f"{document.role} at {document.at:%Y-%m-%d %H:%M}"
    return f"- {what}: {' '.join(hit.snippet[:_SNIPPET].split())}"
