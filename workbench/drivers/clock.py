"""The only reader of real time, and a clock that a person or a test moves.

Source: design section 3, "time, ids and chance are arguments".
"""

import asyncio
import heapq
import itertools
import threading
import time
from collections.abc import Callable

from workbench.transports.base import Timer


class SystemClock:
    """Monotonic real time."""

    now = staticmethod(time.monotonic)
    """Return monotonic seconds, the same as every event loop's own clock here."""

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Run `callback` on the running loop at `when` (monotonic seconds)."""
        loop = asyncio.get_running_loop()
        return loop.call_later(max(0.0, when - time.monotonic()), callback)


class ManualClock:
    """Time that stands still until `advance`; safe to move from another thread.

    Args:
        start: the first value of `now()`, in seconds.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._waiting: list[tuple[float, int, _ManualTimer]] = []
        self._order = itertools.count()
        self._lock = threading.Lock()

    def now(self) -> float:
        """Return the present time in seconds."""
        return self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Run `callback` on the now running loop once the clock has been moved to `when`."""
        timer = _ManualTimer(asyncio.get_running_loop(), callback)
        with self._lock:
            if when > self._now:
                heapq.heappush(self._waiting, (when, next(self._order), timer))
                return timer
        timer.fire()
        return timer

    def advance(self, seconds: float) -> None:
        """Move time forward and hand every callback that became due to its own loop.

        Raises:
            ValueError: if `seconds` is negative; time does not go back.
        """
        if seconds < 0:
            raise ValueError(f"time cannot go back ({seconds} s)")
        self.move_to(self._now + seconds)

    def move_to(self, when: float) -> None:
        """Move time forward to exactly `when`, free of rounding; a moment that is past stays so.

        Args:
            when: clock seconds.
        """
        due: list[_ManualTimer] = []
        with self._lock:
            self._now = max(self._now, when)
            while self._waiting and self._waiting[0][0] <= self._now:
                due.append(heapq.heappop(self._waiting)[2])
        for timer in due:
            timer.fire()

    def next_due(self) -> float | None:
        """Return when the earliest pending callback is due, or None when nothing waits."""
        with self._lock:
            live = [when for when, _, timer in self._waiting if not timer.cancelled]
        return min(live, default=None)


class _ManualTimer:
    def __init__(self, loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
        self.cancelled = False
        self._loop = loop
        self._callback = callback

    def cancel(self) -> None:
        self.cancelled = True

    def fire(self) -> None:
        if not self.cancelled and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._run)

    def _run(self) -> None:
        if not self.cancelled:
            self._callback()
