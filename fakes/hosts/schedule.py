"""What is due when, in an order that does not depend on chance.

Takes:  entries with an absolute time
Gives:  those that are due: by time, and first in first out at the same time
Never:  waits or reads a clock

Event loops promise no order among timers of one time, so no host gives each output a
timer of its own.
"""

import heapq
from collections.abc import Callable
from typing import Generic, TypeVar

Entry = TypeVar("Entry")


class Schedule(Generic[Entry]):
    """Entries that wait for their time."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Entry]] = []
        self._order = 0

    @property
    def next_at(self) -> float | None:
        """When the next entry is due; None when nothing waits."""
        return self._heap[0][0] if self._heap else None

    def add(self, at: float, entry: Entry) -> None:
        """Keep an entry until `at`."""
        self._order += 1
        heapq.heappush(self._heap, (at, self._order, entry))

    def pop(self, now: float) -> list[Entry]:
        """Take out at most one entry that is due; call it until it gives none."""
        if not self._heap or self._heap[0][0] > now:
            return []
        return [heapq.heappop(self._heap)[2]]

    def drop(self, unwanted: Callable[[Entry], bool]) -> None:
        """Forget every entry that `unwanted` picks."""
        self._heap = [one for one in self._heap if not unwanted(one[2])]
        heapq.heapify(self._heap)

    def clear(self) -> None:
        """Forget everything."""
        self._heap.clear()
