"""Lists that never grow past a limit: the newest stay, nothing stands in them twice."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def with_newest(
    items: tuple[T, ...], new: T, *, limit: int, same: Callable[[T, T], bool] | None = None
) -> tuple[T, ...]:
    """Return *items* with *new* at the end, without earlier ones that are the *same*, at most *limit* long."""
    kept: Iterable[T] = items if same is None else (item for item in items if not same(item, new))
    return (*kept, new)[-limit:]


def with_new(items: tuple[T, ...], new: T, *, limit: int) -> tuple[T, ...]:
    """Return *items* with *new* at the end unless it stands there already, at most *limit* long."""
    return items if new in items else (*items, new)[-limit:]


def with_each(items: tuple[T, ...], new: Iterable[T], *, limit: int) -> tuple[T, ...]:
    """Return *items* with each of *new* at the end unless it stands there already, at most *limit* long."""
    for item in new:
        items = with_new(items, item, limit=limit)
    return items
