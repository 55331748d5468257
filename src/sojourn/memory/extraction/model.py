"""Extraction by a language model: slower and dearer than rules, and it understands what no rule foresees.

Nothing of its answer is taken on trust. `prompts` shows it what was said as data, `findings` reads whatever comes back,
and `grounding` believes only what stands on words that were really said.
"""

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Final

import anyio
import msgspec

from sojourn.clock import Clock, SystemClock
from sojourn.errors import ExtractionError, InvalidInputError, ModelError
from sojourn.memory.extraction import prompts
from sojourn.memory.extraction.budget import Budget, Price, Spending
from sojourn.memory.extraction.findings import Findings, read_answer
from sojourn.memory.extraction.grounding import grounded
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import KINDS, Exchange, Extraction, Heard, Kind
from sojourn.model.events import UsageRecorded
from sojourn.providers.structured import StructuredAnswer, StructuredModel

_log = logging.getLogger(__name__)
TIMEOUT: Final = 30.0
BATCH: Final = 8
CACHE: Final = 1000
MAX_CHARACTERS: Final = 24_000
"""Characters that are shown in one call; a batch that has more is split."""
CHARACTERS_PER_TOKEN: Final = 4
ANSWER_TOKENS: Final = 600
"""For each exchange of a call."""
MOST_ANSWER_TOKENS: Final = 6_000

OnUsage = Callable[[str, UsageRecorded], Awaitable[None]]
OnSpent = Callable[[str], None]


class ModelExtractor(StateExtractor):
    """Asks *model* what exchanges state. Serves any number of sessions; keeps spending and a cache in memory.

    Args:
        model: which model to ask.
        kinds: what to look for; asking for less costs less, and for nothing, nothing.
        every_turns: how many exchanges are to wait before it is worth a call: what `due` tells whoever keeps them.
        batch: how many exchanges go into one call.
        budget: what one session may spend. When it is spent, nothing is asked and nothing found any more.
        price: what the model costs; without it, a limit of money is never reached.
        timeout: seconds that one call may take.
        cache: how many exchanges are remembered with what was found in them.
        on_usage: told after each call which session it was for and what it used; to be journaled.
        on_spent: told once for each session that its budget is spent; otherwise it is logged.
    """

    def __init__(
        self,
        model: StructuredModel,
        *,
        kinds: Collection[Kind] = KINDS,
        every_turns: int = 1,
        batch: int = BATCH,
        budget: Budget | None = None,
        price: Price | None = None,
        timeout: float = TIMEOUT,
        cache: int = CACHE,
        on_usage: OnUsage | None = None,
        on_spent: OnSpent | None = None,
        clock: Clock | None = None,
    ) -> None:
        _check(kinds, every_turns, batch, timeout, cache)
        self._model = model
        self._kinds = tuple(sorted(kinds))
        self._every_turns = every_turns
        self._batch = batch
        self._price = price
        self._timeout = timeout
        self._cache_size = cache
        self._on_usage = on_usage
        self._on_spent = on_spent
        self._clock = clock or SystemClock()
        self._schema = prompts.schema(self._kinds)
        self._known: OrderedDict[bytes, Findings] = OrderedDict()
        self.spending = Spending(budget or Budget())

    @property
    def name(self) -> str:
        """Which model is asked."""
        return self._model.name

    def forget(self) -> None:
        """Forget what was found so far: somebody wants something forgotten, and it may be among it."""
        self._known.clear()

    def due(self, waiting: int) -> bool:
        """Tell whether so many waiting exchanges are worth a call."""
        return waiting >= self._every_turns

    async def extract(self, exchange: Exchange) -> Extraction:
        """Return what *exchange* states, as a batch of one."""
        return (await self.extract_batch([exchange]))[0]

    async def extract_batch(self, exchanges: Sequence[Exchange], *, session: str = "") -> list[Extraction]:
        """Return what each exchange states. Those of one call are of one session, whose budget pays for them.

        What was asked before is not asked again, unless it has fallen out of the cache. If one call of several fails,
        what the others found is in the cache, so that trying again costs only what failed.

        Raises:
            ExtractionError: the model failed, took too long, or answered with nothing that can be read.
        """
        keys = [self._key(exchange) for exchange in exchanges]
        found = {key: self._known[key] for key in keys if key in self._known}
        for key in found:
            self._known.move_to_end(key)
        asked = {
            key: exchange
            for key, exchange in zip(keys, exchanges, strict=True)
            if key not in found and self._kinds and _has_text(exchange)
        }
        for group in self._groups(asked):
            answered = await self._ask(group, session)
            if answered is None:
                break
            found |= answered
        return [grounded(found.get(key, Findings()), exchange) for key, exchange in zip(keys, exchanges, strict=True)]

    async def _ask(self, group: dict[bytes, Exchange], session: str) -> dict[bytes, Findings] | None:
        """Return what the model found in *group*; None if the session has nothing left to spend."""
        exchanges = list(group.values())
        fence = prompts.new_fence(exchanges)
        system, prompt = prompts.system_prompt(self._kinds), prompts.data_prompt(exchanges, fence)
        question_tokens = (len(system) + len(prompt)) // CHARACTERS_PER_TOKEN
        if not self.spending.allows(session, tokens=question_tokens):
            self._say_spent(session)
            return None
        began = self._clock.monotonic()
        try:
            with anyio.fail_after(self._timeout):
                answer = await self._model.structured(
                    system=system,
                    prompt=prompt,
                    schema=self._schema,
                    max_tokens=min(ANSWER_TOKENS * len(exchanges) + ANSWER_TOKENS, MOST_ANSWER_TOKENS),
                )
        except TimeoutError as error:
            # A call that is cut off is usually billed, and its bill never seen.
            self.spending.add(session, tokens=question_tokens)
            raise ExtractionError(f"{self.name} took longer than {self._timeout:g} seconds") from error
        except ModelError as error:
            raise ExtractionError(error.detail or str(error)) from error
        seconds = max(self._clock.monotonic() - began, 0.0)
        try:
            read = read_answer(answer.text, exchanges=len(exchanges), kinds=self._kinds)
            findings = dict(zip(group, read, strict=True))
            self._remember(findings)
        finally:
            await self._record(answer, session, seconds=seconds)  # it is paid for, whatever can be made of it
        return findings

    async def _record(self, answer: StructuredAnswer, session: str, *, seconds: float) -> None:
        usage = UsageRecorded(
            purpose="extraction",
            model=answer.model or self.name,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cache_read_tokens=answer.cache_read_tokens,
            seconds=seconds,
        )
        if self._price is not None:
            usage = msgspec.structs.replace(usage, cost_micros=self._price.micros(usage))
        self.spending.add(
            session,
            tokens=usage.input_tokens + usage.output_tokens + usage.cache_read_tokens,
            cost_micros=usage.cost_micros or 0,
        )
        if self._on_usage is not None:
            await self._on_usage(session, usage)

    def _say_spent(self, session: str) -> None:
        if not self.spending.is_news(session):
            return
        if self._on_spent is not None:
            self._on_spent(session)
        else:
            _log.warning("session %r has spent its budget for extraction; %s is not asked any more", session, self.name)

    def _groups(self, asked: dict[bytes, Exchange]) -> Iterator[dict[bytes, Exchange]]:
        """Cut what is to be asked into calls."""
        group: dict[bytes, Exchange] = {}
        size = 0
        for key, exchange in asked.items():
            length = sum(len(text) for _, text in prompts.seen(exchange))
            if group and (len(group) == self._batch or size + length > MAX_CHARACTERS):
                yield group
                group, size = {}, 0
            group[key] = exchange
            size += length
        if group:
            yield group

    def _remember(self, findings: dict[bytes, Findings]) -> None:
        self._known |= findings
        while len(self._known) > self._cache_size:
            self._known.popitem(last=False)

    def _key(self, exchange: Exchange) -> bytes:
        """Return what an exchange is remembered by: all that the model is shown of it, and the model itself."""
        shown = (prompts.VERSION, self.name, self._kinds, prompts.seen(exchange))
        return hashlib.sha256(repr(shown).encode()).digest()


def _has_text(exchange: Exchange) -> bool:
    heard: tuple[Heard | None, ...] = (exchange.user, exchange.assistant, *exchange.tools)
    return any(one is not None and prompts.shown_text(one).strip() for one in heard)


def _check(kinds: Collection[Kind], every_turns: int, batch: int, timeout: float, cache: int) -> None:
    unknown = set(kinds) - KINDS
    if unknown:
        raise InvalidInputError(f"kinds={sorted(unknown)}: choose among {', '.join(sorted(KINDS))}")
    for name, number in (("every_turns", every_turns), ("batch", batch), ("cache", cache)):
        if number < 1:
            raise InvalidInputError(f"{name}={number}: give 1 or more")
    if not timeout > 0:
        raise InvalidInputError(f"timeout={timeout}: give more than 0 seconds")
