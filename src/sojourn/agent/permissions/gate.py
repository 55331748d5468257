"""The gate before a session's tools: decides by its permissions, and asks a human where they say so.

A question is in the journal before anybody is asked, and so is its answer before the tool runs. Nothing is kept here
that a restart would lose but that a human said "all" to what the turn asks: a turn that is resumed is another turn,
and reads that from the answers of the calls that it goes on with.
"""

from pathlib import Path
from typing import Any, Final, Literal

import anyio

from sojourn.agent.events import ApprovalRequested
from sojourn.agent.gate import Announce, Waiting
from sojourn.agent.permissions.approvals import (
    Approver,
    Questions,
    answer_question,
    approval_of,
    drop_questions,
    is_of,
    lasting,
    raise_question,
    read_questions,
    wait_for_end,
)
from sojourn.agent.permissions.policy import Permissions
from sojourn.agent.permissions.shown import shown
from sojourn.agent.permissions.verdicts import Allowed, Approval, Ask, Refused, Verdict
from sojourn.agent.skills.skill import Skill, traits_of
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, NotPendingError
from sojourn.model.conversation import OpenCall
from sojourn.model.events import ToolRefused
from sojourn.model.interrupts import MAX_OPEN, Interrupt
from sojourn.model.message import ToolCall

WhenNobody = Literal["deny", "wait", "leave"]
"""What happens without an approver: the call is refused, the turn waits for an answer, or it is put aside."""

REJECTED: Final = "Rejected by human approval gate."
"""What the model is told when a human said no."""
NOBODY_TO_ASK: Final = "Rejected: a human has to approve this tool, and nobody can be asked."
TAKEN_BACK: Final = "Rejected: the question whether this tool may run was taken back, or its time is over."
TOO_MANY: Final = f"Rejected: {MAX_OPEN} questions wait for an answer already."


class PermissionGate:
    """Lets a session's calls through, or not. Lives as long as its agent.

    Questions are asked one after the other, so that an answer to one can spare the next.
    """

    def __init__(
        self,
        session: Session,
        permissions: Permissions,
        *,
        approver: Approver | None = None,
        when_nobody: WhenNobody = "deny",
        cwd: Path | None = None,
    ) -> None:
        """Guard *session* by *permissions*.

        Args:
            session: where questions, answers and allowances are kept.
            permissions: what may run.
            approver: asks whoever is here; somebody elsewhere may answer first.
            when_nobody: what happens if there is no approver.
            cwd: the folder from which paths are seen; it must be the skills' own, by default the process's.

        Raises:
            InvalidInputError: `when_nobody` is none of its three words, or an allowed path is none.
        """
        if when_nobody not in ("deny", "wait", "leave"):
            raise InvalidInputError(f"when nobody is there: deny, wait or leave, got {when_nobody!r:.50}")
        self._session = session
        self._cwd = Path.cwd() if cwd is None else cwd
        self._permissions = permissions.anchored(self._cwd)
        self._approver = approver
        self._when_nobody = when_nobody
        self._asking = anyio.Lock()
        self._rest_of_turn: tuple[str, Interrupt] | None = None

    def __repr__(self) -> str:
        return f"PermissionGate({self._session.id!r}, {self._permissions.level})"

    def in_session(self, session: Session) -> "PermissionGate":
        """Return a gate with the same rules that guards *session*."""
        return PermissionGate(
            session, self._permissions, approver=self._approver, when_nobody=self._when_nobody, cwd=self._cwd
        )

    @property
    def permissions(self) -> Permissions:
        """What it decides by, with absolute paths."""
        return self._permissions

    def timeout_for(self, skill: Skill, arguments: dict[str, Any]) -> float | None:
        """Return how many seconds *skill* may take: what its rule says, else what it says itself; None is for ever."""
        return self._permissions.timeout_for(skill.name, traits_of(skill, arguments))

    async def admit(self, call: ToolCall, skill: Skill, arguments: dict[str, Any], *, announce: Announce) -> str | None:
        """Return None if *skill* may run with *arguments*; else why not, in the words that the model is told.

        A call that was asked about before, in this process or another, is not asked about again: its question is
        waited for, or its answer counts. But if an argument differs by now, or a path leads elsewhere, the answer was
        about something else.

        Raises:
            Waiting: the question is in the journal, and the turn is to be put aside until it is answered.
        """
        await self._session.refresh()
        verdict = self._decide(skill, arguments)
        if isinstance(verdict, Ask):
            async with self._asking:
                # Anew after every answer: a human takes his time, and the disk does not wait for him.
                while isinstance(verdict := self._decide(skill, arguments), Ask):
                    settled = await self._settle(call, skill.name, arguments, verdict, announce)
                    if settled is not None:
                        return await self._obey(call, arguments, settled)
        return await self._rule(call, arguments, verdict)

    def _decide(self, skill: Skill, arguments: dict[str, Any]) -> Verdict:
        allowances = self._session.state.allowances.granted
        traits = traits_of(skill, arguments)
        return self._permissions.decide(skill.name, traits, arguments, allowances=allowances, cwd=self._cwd)

    async def _rule(self, call: ToolCall, arguments: dict[str, Any], verdict: Allowed | Refused) -> str | None:
        """Do as the rules say; what was asked about the call needs no answer any more."""
        await drop_questions(self._session, (call.id,), reason="the rules decide it by now")
        if isinstance(verdict, Allowed):
            return None
        return await self._refuse(call, arguments, verdict.reason)

    async def _settle(
        self, call: ToolCall, tool: str, arguments: dict[str, Any], ask: Ask, announce: Announce
    ) -> Interrupt | str | None:
        """Return the question whose end settles the call, or why nobody is asked; None once a human was asked.

        Raises:
            Waiting: nobody is here to be asked, and the turn is to be put aside.
        """
        asked_at = self._asked_at(call)
        questions = await read_questions(self._session, after=self._since(asked_at))
        own = questions.find(call.id, after=asked_at or 0)
        if own is not None and not is_of(own, tool, arguments, ask):
            await drop_questions(self._session, (call.id,), reason="the call is not what it was")
            own = None
        if own is not None and own.status != "pending":
            return own
        rest = self._find_rest(questions)
        if rest is not None:
            await drop_questions(self._session, (call.id,), reason="the whole turn was answered")
            return rest
        if self._approver is None and self._when_nobody == "deny":
            await drop_questions(self._session, (call.id,), reason="nobody can be asked")
            return NOBODY_TO_ASK
        if own is None:
            try:
                own = await raise_question(self._session, call.id, tool, arguments, ask, asked_at=asked_at)
            except InvalidInputError:
                if len(self._session.interrupts.pending()) < MAX_OPEN:
                    raise
                return TOO_MANY
        announce(ApprovalRequested(call=call, interrupt=own))
        if self._approver is None and self._when_nobody == "leave":
            raise Waiting(own)
        await self._wait_for_answer(own)
        return None

    def _asked_at(self, call: ToolCall) -> int | None:
        calls: tuple[OpenCall, ...] = self._session.state.conversation.open_calls
        return next((one.asked_at for one in reversed(calls) if one.call_id == call.id), None)

    def _since(self, asked_at: int | None) -> int:
        """Return behind which entry stands all that was asked about the call, and in the turn."""
        turn = self._session.state.conversation.turn
        head = self._session.head
        return min(head if asked_at is None else asked_at, head if turn is None else turn.started_at)

    def _find_rest(self, questions: Questions) -> Interrupt | None:
        """Return the answer to all that this turn asks, if there is one."""
        turn, remembered = self._session.state.conversation.turn, self._rest_of_turn
        held = remembered[1] if remembered and turn and remembered[0] == turn.turn_id else None
        return questions.find_answer_to_all() or held

    async def _wait_for_answer(self, interrupt: Interrupt) -> None:
        """Wait until the question has ended: the approver is asked, and whoever is elsewhere may be first."""
        approver = self._approver
        if approver is None:
            await wait_for_end(self._session, interrupt.interrupt_id)
            return
        try:
            async with anyio.create_task_group() as tasks:

                async def watch() -> None:
                    await wait_for_end(self._session, interrupt.interrupt_id)
                    tasks.cancel_scope.cancel()

                tasks.start_soon(watch)
                approval = await approver(interrupt)
                with anyio.CancelScope(shield=True):  # else the watcher, who hears of it first, would cut this off
                    await self._say(interrupt, approval)
                tasks.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _say(self, interrupt: Interrupt, approval: Approval) -> None:
        """Answer the question; if somebody else was first, his answer counts."""
        try:
            await answer_question(self._session, interrupt.interrupt_id, approval)
        except NotPendingError:
            return

    async def _obey(self, call: ToolCall, arguments: dict[str, Any], settled: Interrupt | str) -> str | None:
        """Do as the end of a question says, for this call and for as long as it lasts, or refuse for a reason."""
        if isinstance(settled, str):
            return await self._refuse(call, arguments, settled)
        interrupt = settled
        if interrupt.status != "resolved":
            return await self._refuse(call, arguments, TAKEN_BACK, interrupt)
        approval, turn = approval_of(interrupt), self._session.state.conversation.turn
        if approval.ends_asking and turn is not None:
            self._rest_of_turn = (turn.turn_id, interrupt)
        if not approval.is_yes:
            return await self._refuse(call, arguments, REJECTED, interrupt)
        granted = lasting(interrupt, self._session.state.allowances.granted)
        if granted:
            await self._session.append(*granted, causes=self._entries_of(interrupt))
        return None

    async def _refuse(
        self, call: ToolCall, arguments: dict[str, Any], reason: str, interrupt: Interrupt | None = None
    ) -> str:
        """Write down that the call may not run, and return *reason*."""
        event = ToolRefused(
            call_id=call.id,
            name=call.name,
            reason=reason,
            arguments=shown(arguments),
            interrupt_id=None if interrupt is None else interrupt.interrupt_id,
        )
        asked_at = self._asked_at(call)
        causes = [] if asked_at is None else [asked_at]
        await self._session.append(event, causes=(*causes, *(() if interrupt is None else self._entries_of(interrupt))))
        return reason

    def _entries_of(self, interrupt: Interrupt) -> tuple[int, ...]:
        """Return where the question was raised, and where it was answered."""
        closed = self._session.state.interrupts.closed.get(interrupt.interrupt_id)
        return (interrupt.seq,) if closed is None else (closed.raised, closed.resolved)
