"""Very many deadlines that nearly never come due, at the price of one timer of the loop.

Takes:  callbacks and the times at which they are due
Gives:  each callback on the loop, once its time has come and unless it was cancelled
Never:  runs a cancelled callback, and never keeps more of them than it has live ones

Each call of a tool has a deadline, and nearly each call is answered long before. A timer of
the loop's own costs a third of such a call: it is an object that copies a context, compared
in Python, and its cancelling is dear, too. Here a deadline is one small object in a heap;
the loop is asked to wake up for the earliest alone, and finds out then what is left.
"""

import asyncio
import itertools
import math
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, Final

_WHEN, _CALLBACK, _TIMERS = 0, 2, 3
_FEW: Final = 64
"""Cancelled timers that may lie about before it is worth while to look for them."""


class LoopTimer(list[Any]):
    """A pending callback of a `Timers`; it is its own place in the heap.

    A list of when, the order of arrival, the callback, and the `Timers`: lists are compared
    without a line of Python, and made without one, too.
    """

    __slots__ = ()

    def cancel(self) -> None:
        """Forget the callback; harmless when it already ran."""
        if self[_CALLBACK] is not None:
            self[_CALLBACK] = None
            self[_TIMERS].cancelled()

    def run(self) -> None:
        """Run the callback, unless it was cancelled meanwhile."""
        callback, self[_CALLBACK] = self[_CALLBACK], None
        if callback is not None:
            callback()


class Timers:
    """The deadlines of one loop.

    Args:
        loop: runs the callbacks.
        now: the time that deadlines are given in, in seconds.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, now: Callable[[], float]) -> None:
        self.loop = loop
        self._now = now
        self._heap: list[LoopTimer] = []
        self._order = itertools.count().__next__
        self._dead = 0
        """Cancelled timers in the heap."""
        self._wakes_at = math.inf
        self._wake: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, when: float, callback: Callable[[], None]) -> LoopTimer:
        """Run `callback` once `now()` has reached `when`."""
        timer = LoopTimer((when, self._order(), callback, self))
        heappush(self._heap, timer)
        if when < self._wakes_at:
            self._wake_at(when)
        return timer

    def cancelled(self) -> None:
        """Count one that lies about, and clear up when they are most."""
        self._dead += 1
        if self._dead > _FEW and self._dead * 2 > len(self._heap):
            self._heap = [timer for timer in self._heap if timer[_CALLBACK] is not None]
            heapify(self._heap)
            self._dead = 0

    def _wake_at(self, when: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wakes_at = when
        self._wake = self.loop.call_later(max(0.0, when - self._now()), self._woken)

    def _woken(self) -> None:
        self._wake, self._wakes_at = None, math.inf
        heap, now = self._heap, self._now()
        while heap and (heap[0][_WHEN] <= now or heap[0][_CALLBACK] is None):
            timer = heappop(heap)
            if timer[_CALLBACK] is None:
                self._dead -= 1
            else:
                # In a turn of its own: one that fails must not take the others along.
                self.loop.call_soon(timer.run)
        if heap:
            self._wake_at(heap[0][_WHEN])
