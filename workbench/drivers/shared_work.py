"""One piece of work for everybody who wants the same at the same time.

Takes:  a key, and how the work is done
Gives:  its result to all who asked while it was running
Never:  goes on when nobody waits for it any more, and never keeps a result

Source: fault matrix C08, "at most one refetch running".
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SharedWork(Generic[T]):
    """Work in progress, by key."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[T]] = {}
        self._waiting: dict[asyncio.Task[T], int] = {}

    async def do(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of the work under this key, starting it unless it is running.

        Args:
            key: same key, same work.
            work: called when nothing runs under the key.

        Raises:
            asyncio.CancelledError: if this caller was cancelled; the work goes on as long as
                somebody else waits for it.
        """
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.get_running_loop().create_task(work())
            self._waiting[task] = 0
        self._waiting[task] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                if self._running.get(key) is task:
                    del self._running[key]
                task.cancel()
