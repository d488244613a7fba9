"""Many points in parcels of bounded size, a bounded number of them on their way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")


def parcels(sizes: Iterable[int], limit: int) -> Iterator[slice]:
    """Cut a sequence of things into slices that weigh at most `limit`; what is heavier alone goes alone.

    Example:
        >>> list(parcels([3, 3, 3, 9, 1], 6))
        [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    start = weight = end = 0
    for size in sizes:
        if end > start and weight + size > limit:
            yield slice(start, end)
            start, weight = end, 0
        weight += size
        end += 1
    if end > start:
        yield slice(start, end)


def send_all(items: Iterable[T], send: Callable[[T], object], *, at_once: int) -> None:
    """Send all items; the next is not even taken while `at_once` are on their way.

    Raises:
        Exception: the first that `send` raised; no further item is taken then.
    """
    with ThreadPoolExecutor(at_once, thread_name_prefix="send") as senders:
        going: set[Future[object]] = set()
        for item in items:
            going.add(senders.submit(send, item))
            if len(going) == at_once:
                done, going = wait(going, return_when=FIRST_COMPLETED)
                for one in done:
                    one.result()
        for one in going:
            one.result()
