"""What the answer to a question that waits does to the session."""

from typing import cast

from sojourn.agent.permissions.approvals import answer_question
from sojourn.agent.permissions.verdicts import Approval
from sojourn.engine.nouns.interrupts import ReviewDecision
from sojourn.engine.session import Session
from sojourn.model.interrupts import Interrupt


async def reply(session: Session, interrupt: Interrupt, answer: str) -> None:
    """Write the person's *answer* to *interrupt*: a choice of its card, or a text.

    Raises:
        SojournError: it was answered elsewhere, or there is no such question.
    """
    interrupts = session.interrupts
    match interrupt.kind:
        case "confirmation" if interrupt.data.get("options"):
            await answer_question(session, interrupt.interrupt_id, Approval(answer))
        case "confirmation":
            await interrupts.answer(interrupt.interrupt_id, approved=answer == "yes")
        case "clarification":
            await interrupts.answer(interrupt.interrupt_id, text=answer)
        case "agent_review":
            await interrupts.answer(interrupt.interrupt_id, decision=cast(ReviewDecision, answer))
        case _:
            await interrupts.cancel(interrupt.interrupt_id, "seen")
