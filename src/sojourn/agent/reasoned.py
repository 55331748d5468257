"""A turn that is thought through: attempts are made beside the conversation, and only the good one enters it."""

from collections.abc import Callable, Sequence

from sojourn.agent.batch import ToolMemory
from sojourn.agent.events import ContentChunk, IterationCompleted, ModelAnswered, TurnEvent
from sojourn.agent.gate import Announce
from sojourn.agent.journal_talk import JournalTalk
from sojourn.agent.loop import Answered, TurnLoop
from sojourn.agent.reasoning.announcing import Announcer
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Executed, ToolUse
from sojourn.agent.reasoning.loop import AdaptiveReasoningLoop
from sojourn.agent.scratch_talk import ScratchTalk
from sojourn.agent.talk import Talk
from sojourn.context.budget import Limits
from sojourn.errors import InvalidInputError
from sojourn.model.message import Message
from sojourn.model.usage import Usage
from sojourn.providers.protocol import Provider

LoopFor = Callable[[Talk, Announce, ToolMemory], TurnLoop]


class ReasonedTurns:
    """Answers the questions of one session by adaptive reasoning. Lives as long as its agent."""

    def __init__(
        self,
        talk: JournalTalk,
        provider: Provider,
        loop_for: LoopFor,
        *,
        config: ReasoningConfig,
        callbacks: ReasoningCallbacks | None = None,
        limits: Limits | None = None,
        tools: Callable[[], Sequence[str]],
    ) -> None:
        """Answer in *talk*; *loop_for* makes what works on one attempt.

        Without *callbacks* every question is analysed; with them, `is_reasoning_enabled` decides.
        """
        self._talk = talk
        self._loop_for = loop_for
        self._announce: Announce | None = None
        self._reasoning = AdaptiveReasoningLoop.of(
            talk.session,
            self._execute,
            provider,
            config=config,
            callbacks=callbacks or ReasoningCallbacks(is_reasoning_enabled=lambda: True),
            models=talk.session.models,
            limits=limits,
            tools=tools,
        )

    @property
    def can_reason(self) -> bool:
        """Whether the model can judge its answers; without that a plain turn says the same, and streams it."""
        return self._reasoning.can_reason

    async def answer(self, question: str, announce: Announce) -> Answered:
        """Answer *question*, which stands in the conversation, and add the answer to it.

        Raises:
            ModelError, BudgetExceededError: there is no answer; what was found out is kept in the research.
        """
        self._announce = announce
        asked_at = self._talk.session.state.conversation.last_message
        announcer = Announcer(announce)
        try:
            outcome = await self._reasoning.run(
                question,
                callbacks=announcer.callbacks,
                causes=() if asked_at is None else (asked_at,),
            )
        finally:
            self._announce = None
            announcer.end()
        said = await self._talk.answer(Message(role="assistant", content=outcome.text), Usage(), seconds=0.0)
        if said.message is not None:
            announce(ModelAnswered(message=said.message, usage=said.usage))
        announce(IterationCompleted(iteration=outcome.attempts, will_continue=False))
        return Answered(text=outcome.text)

    async def _execute(self, query: str) -> Executed:
        """Have one query answered beside the conversation."""
        if self._announce is None:
            raise InvalidInputError("an attempt is made within a turn")
        scratch = ScratchTalk(self._talk, query)
        loop = self._loop_for(scratch, _without_words(self._announce), self._reasoning.tool_memory)
        answered = await loop.run()
        return Executed(
            text=answered.text,
            tools=tuple(
                ToolUse(
                    name=done.call.name,
                    arguments=done.arguments,
                    success=done.success,
                    result=done.text,
                    seconds=done.seconds,
                )
                for done in scratch.outcomes
            ),
        )


def _without_words(announce: Announce) -> Announce:
    """Tell what is done, and not what is said: nobody has judged it yet."""

    def tell(event: TurnEvent) -> None:
        if not isinstance(event, ContentChunk | ModelAnswered | IterationCompleted):
            announce(event)

    return tell
