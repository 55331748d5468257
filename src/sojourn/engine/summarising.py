"""Having a talk summarised: without its secrets, in parts if it is long, within the budget, at a known price."""

from collections.abc import Sequence

from msgspec.structs import replace

from sojourn.context.compaction.cut import in_parts
from sojourn.context.compaction.shape import bounded
from sojourn.context.compaction.summariser import Summariser
from sojourn.context.compaction.written_by_model import LINE_TOKENS
from sojourn.context.secrets import redacted_line
from sojourn.context.talk import Line
from sojourn.context.tokens import TokenCounter, count_message
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.learner import FailureHandler, heard
from sojourn.errors import BudgetExceededError
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, UsageRecorded
from sojourn.model.secrets import without_secrets
from sojourn.model.usage import Usage


class Unwritten(Exception):  # noqa: N818 - no error of the product: whoever asks for a summary says what follows
    """There is no summary, and why; *usage* was paid all the same."""

    def __init__(self, reason: str, usage: Sequence[Usage]) -> None:
        super().__init__(reason)
        self.usage = tuple(usage)


class SummaryWriter:
    """Has summaries written by *summariser*, or by *fallback* if that fails. Holds nothing of what it reads."""

    def __init__(
        self,
        summariser: Summariser,
        *,
        counter: TokenCounter,
        fallback: Summariser | None = None,
        budget: SessionBudget | None = None,
        on_failure: FailureHandler,
    ) -> None:
        self._summariser = summariser
        self._fallback = fallback
        self._counter = counter
        self._budget = budget
        self._on_failure = on_failure

    async def write(self, previous: str, lines: Sequence[Line], *, max_tokens: int) -> tuple[str, list[Usage]]:
        """Return what *previous* and *lines* say in at most *max_tokens*, and what that cost.

        Raises:
            Unwritten: nobody could write it.
        """
        shown = [redacted_line(line) for line in lines]
        known = without_secrets(previous)
        try:
            return await self._write(self._summariser, known, shown, max_tokens)
        except Unwritten as unwritten:
            if self._fallback is None:
                raise
            text, usage = await self._write(self._fallback, known, shown, max_tokens)
            return text, [*unwritten.usage, *usage]

    async def _write(
        self, summariser: Summariser, text: str, lines: Sequence[Line], max_tokens: int
    ) -> tuple[str, list[Usage]]:
        usage: list[Usage] = []
        for part in in_parts(lines, self._counter, summariser.most_tokens, line_most=LINE_TOKENS):
            try:
                if summariser.is_model and self._budget is not None:
                    self._budget.check_run_budget(self._price(text, part, usage) + max_tokens)
                summary = await summariser.summarise(text, part, max_tokens=max_tokens)
            except BudgetExceededError as error:
                raise Unwritten(error.detail, usage) from error
            except Exception as error:  # a summariser may be anybody's code; nothing is changed by its failure
                self._on_failure("summarising what was said", error)
                raise Unwritten(f"the summary could not be written: {error}", usage) from error
            usage += [summary.usage] if summary.usage is not None else []
            text = bounded(summary.text.strip(), max_tokens, self._counter)
            if not text:
                raise Unwritten("the summariser gave no summary", usage)
        return text, usage

    def _price(self, text: str, part: Sequence[Line], usage: Sequence[Usage]) -> int:
        """Return the tokens of the next question, and of those that were paid and are not recorded yet."""
        shown = sum(min(count_message(self._counter, line.message), LINE_TOKENS) for line in part)
        paid = sum(one.input_tokens + one.output_tokens + one.cache_read_tokens for one in usage)
        return shown + self._counter.count(text) + paid


def line_of(entry: Entry) -> Line:
    """Return a message as it was said: without what Sojourn itself put into it."""
    assert isinstance(entry.event, MessageAdded)  # noqa: S101 - callers choose messages
    message, injected = entry.event.message, heard(entry).injected
    if not injected or not isinstance(message.content, str):
        return Line(message=message, seq=entry.seq)
    parts, end = [], 0
    for start, stop in sorted(injected):
        parts.append(message.content[end : max(start, end)])
        end = max(end, stop)
    return Line(message=replace(message, content="".join((*parts, message.content[end:]))), seq=entry.seq)


def recorded(usage: Usage) -> UsageRecorded:
    """Return the event that says what a summary cost."""
    return UsageRecorded.of(usage, purpose="summarisation")
