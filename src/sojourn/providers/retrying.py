"""Trying again: a model around a model, for failures that pass by themselves."""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

import anyio

from sojourn.errors import InvalidInputError, ModelUnavailableError
from sojourn.providers.protocol import ModelRequest, Provider, RawLog, StreamComplete, StreamEvent

FIRST: Final = 0.5
LONGEST: Final = 30.0


class Retrying:
    """Asks *provider* again when it cannot be reached, is overloaded or broke off before it said anything.

    Once something was said, it is not taken back: the error goes on to who listens. It lives as long as the provider,
    and closing it closes that.

    Args:
        provider: who is asked.
        tries: how often, at most.
        pause: waits for so many seconds.
        first: seconds before the second try; each further wait is twice as long, up to *longest*.
        longest: no wait is longer.
        chance: a number from 0 to 1, by which a wait is shortened by up to a quarter: many that failed together must
            not come back together.

    Raises:
        InvalidInputError: *tries* is less than 1.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        tries: int = 3,
        pause: Callable[[float], Awaitable[None]] = anyio.sleep,
        first: float = FIRST,
        longest: float = LONGEST,
        chance: Callable[[], float] = random.random,
    ) -> None:
        if tries < 1:
            raise InvalidInputError(f"tries {tries}: give 1 or more")
        self._provider = provider
        self._tries = tries
        self._pause = pause
        self._first = first
        self._longest = longest
        self._chance = chance

    def __repr__(self) -> str:
        return f"Retrying({self._provider!r}, tries={self._tries})"

    @property
    def model(self) -> str:
        return self._provider.model

    @property
    def name(self) -> str:
        return self._provider.name

    @property
    def takes_tools(self) -> bool:
        return self._provider.takes_tools

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield what the provider yields, from the first try that yields anything. The errors are those of the last."""
        for attempt in range(1, self._tries + 1):
            came = False
            try:
                async with aclosing(self._provider.stream(request, raw_log=raw_log)) as events:
                    async for event in events:
                        came = True
                        yield event
            except ModelUnavailableError:
                if came or attempt == self._tries:
                    raise
            else:
                return
            await self._wait(attempt)

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return what the provider returns at the first try that succeeds. The errors are those of the last."""
        for attempt in range(1, self._tries):
            try:
                return await self._provider.complete(request, raw_log=raw_log)
            except ModelUnavailableError:
                await self._wait(attempt)
        return await self._provider.complete(request, raw_log=raw_log)

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()

    async def _wait(self, attempt: int) -> None:
        whole = min(self._first * 2.0 ** (attempt - 1), self._longest)
        await self._pause(whole * (1 - self._chance() / 4))
