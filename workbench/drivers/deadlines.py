"""When the wait for each open request of one peer ends, at the price of one timer for all.

Takes:  requests as they go out, and how long each may wait
Gives:  each request that has waited too long to whoever ends it
Never:  ends a request early, and never asks for more wakings than one a microsecond and
        open request

Each call of a tool has a deadline, and nearly each call is answered long before. A timer for
each would cost a third of such a call. Here a deadline is one small object in a dictionary;
the clock is asked to wake up for the earliest alone, and it is found out then what is left.

Source: design section 7.7; field case R06.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from workbench.drivers.patience import Patience
from workbench.transports.base import Clock, Timer

_EACH_S: Final = 1e-6
"""Seconds between two wakings for each open request; with very many, some end this much late,
so that a crowd that ends one by one is not looked through for each of them."""


class Deadline(Struct):
    """When the wait for one answer ends; what moves it is asked once it has come."""

    due_at: float
    """Clock seconds."""
    began_at: float
    """Clock seconds."""
    link: Any
    """What the request went over; its `held_s` are the seconds in which it held requests."""
    held_s: float
    """Seconds the link had held requests back when this was looked at last."""
    method: str
    timeout_s: float
    patience: Patience | None


class Deadlines:
    """The deadlines of one peer's open requests.

    Args:
        clock: source of time and of the one timer.
        expire: called with the request's id, its deadline, and the seconds it has waited.
    """

    def __init__(self, clock: Clock, expire: Callable[[int, Deadline, float], None]) -> None:
        self.open: dict[int, Deadline] = {}
        """By request id; whoever waits takes a deadline out when the wait is over."""
        self._wakes_at = math.inf
        """Clock seconds."""
        self._clock = clock
        self._expire = expire
        self._timer: Timer | None = None

    def add(self, request_id: int, deadline: Deadline) -> None:
        """Watch over a request that has just been sent."""
        self.open[request_id] = deadline
        if deadline.due_at < self._wakes_at:
            self._wake_at(deadline.due_at)
        elif self._wakes_at <= deadline.began_at:
            # The timer is overdue: the clock has leapt, so everything is looked at now.
            self._wake_at(deadline.began_at)

    def _wake_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._wakes_at = when
        self._timer = self._clock.call_at(when, self._woken)

    def forget(self) -> None:
        """Drop the timer: the peer is closed, and may be used on another loop."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._wakes_at = None, math.inf

    def _woken(self) -> None:
        self._timer, self._wakes_at = None, math.inf
        now = self._clock.now()
        over = [
            (request_id, deadline)
            for request_id, deadline in self.open.items()
            if deadline.due_at <= now and _put_off(deadline) <= now
        ]
        loop = asyncio.get_running_loop()
        for request_id, deadline in over:
            del self.open[request_id]
            # In a turn of its own: one that fails must not take the others along.
            loop.call_soon(self._expire, request_id, deadline, now - deadline.began_at)
        earliest = min((one.due_at for one in self.open.values()), default=None)
        if earliest is not None:
            self._wake_at(max(earliest, now + _EACH_S * len(self.open)))


def _put_off(deadline: Deadline) -> float:
    """Ask what moves a deadline that has come, and return when it is due now."""
    # While somebody was signing in, the request was not out.
    more_s = deadline.link.held_s - deadline.held_s
    deadline.held_s += more_s
    patience, due_at = deadline.patience, deadline.due_at
    put_off_to = due_at if patience is None else patience.ends_at()
    deadline.due_at = max(due_at, put_off_to) + more_s
    return deadline.due_at
