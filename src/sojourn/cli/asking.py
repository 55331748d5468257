"""Questions that the engine has for the person: they come from its thread, and are asked on the person's."""

import asyncio
import queue
from collections.abc import Callable
from concurrent.futures import Future

from sojourn.agent.permissions.verdicts import Approval
from sojourn.model.interrupts import Interrupt

Ask = Callable[[Interrupt], Approval]


class _Question:
    """One question, in the event loop that it comes from."""

    def __init__(self, interrupt: Interrupt) -> None:
        self.interrupt = interrupt
        self.approval = Approval.NO
        self.answered = asyncio.Event()
        self.is_open = True
        self._loop = asyncio.get_running_loop()

    def answer(self, approval: Approval) -> None:
        """Bring the answer back, from the person's thread."""
        self.approval = approval
        self._loop.call_soon_threadsafe(self.answered.set)


class Asking:
    """Brings questions to the person and answers back. Lives as long as the chat."""

    def __init__(self) -> None:
        self._questions: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()

    async def approve(self, interrupt: Interrupt) -> Approval:
        """Return what the person says; called in the event loop. Cancelling it takes the question back."""
        question = _Question(interrupt)
        self._questions.put(question)
        try:
            await question.answered.wait()
        finally:
            question.is_open = False
        return question.approval

    def serve(self, work: "Future[None]", ask: Ask) -> None:
        """Ask, on this thread, whatever comes while *work* goes on; raise what it raises."""
        work.add_done_callback(lambda _: self._questions.put(None))
        while (question := self._questions.get()) is not None:
            if question.is_open:
                question.answer(ask(question.interrupt))
        work.result()
