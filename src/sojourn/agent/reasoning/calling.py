"""Calling what somebody handed in, whether it is a plain function or an async one."""

import inspect
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar, cast

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


async def called(
    function: Callable[Parameters, Returned | Awaitable[Returned]],
    *arguments: Parameters.args,
    **named: Parameters.kwargs,
) -> Returned:
    """Return what *function* returns, waiting for it if it is async."""
    returned = function(*arguments, **named)
    if inspect.isawaitable(returned):
        return cast(Returned, await returned)
    return returned
