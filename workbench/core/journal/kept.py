"""The newest entries of a record, within a bound, at the price of an append.

Takes:  entries as tuples, each with its weight in bytes
Gives:  those that are within the bounds, oldest first, and how many are gone
Never:  holds more than the bounds and one page; never shows what is over them

Entries are written to a page, and old pages are thrown away as wholes: to look at each entry
that falls out would cost more than to write it. What of the oldest page is over a bound is
left out when somebody reads. One thread writes; any thread may read at the same time.

Source: design section 7.9.
"""

from collections import deque
from itertools import chain
from typing import Final

from workbench.core.journal.entry import Raw

PAGE: Final = 256
"""Entries of a page."""
_PARTS: Final = 64
"""A page is full, too, when it holds this part of the bytes that are kept."""


class Kept:
    """A ring of pages.

    Args:
        capacity: most entries kept; must be positive.
        byte_capacity: most bytes kept; the newest entry stays whatever its weight.
    """

    def __init__(self, capacity: int, byte_capacity: int) -> None:
        if capacity <= 0 or byte_capacity <= 0:
            raise ValueError(f"a journal needs room ({capacity} entries, {byte_capacity} bytes)")
        self._capacity = capacity
        self._byte_capacity = byte_capacity
        self._page: list[Raw] = []
        self._bytes = 0
        """Of the page that is written."""
        self._page_bytes = byte_capacity // _PARTS
        self._full: deque[tuple[int, list[Raw], int]] = deque()
        """The pages before it, oldest first: bytes, entries, how many entries came before."""
        self._full_bytes = self._full_entries = 0
        self._before = 0
        """How many entries came before the page that is written."""
        self._missing = 0
        """How many came before the first page."""

    def add(self, raw: Raw, weight: int) -> None:
        """Write one entry; its weight is that of its frame and its words, in bytes."""
        page = self._page
        page.append(raw)
        self._bytes = held = self._bytes + weight
        if held > self._page_bytes or len(page) >= PAGE:
            self._turn()

    def load(self, raws: list[Raw], missing: int) -> None:
        """Begin with these entries, after so many that are missing."""
        self._before = self._missing = missing
        for raw in raws:
            self.add(raw, weight(raw))

    def newest(self) -> list[Raw]:
        """Return what is within the bounds, oldest first."""
        return self._look()[1]

    @property
    def dropped(self) -> int:
        """How many older entries there were."""
        return self._look()[0]

    def _look(self) -> tuple[int, list[Raw]]:
        # In this order: a page that is full meanwhile is then found twice, and not missed.
        page, full = self._page, self._full.copy()
        before = full[0][2] if full else self._missing
        pages = [entries for _, entries, _ in full]
        if not any(entries is page for entries in pages):
            pages.append(page)
        held = list(chain.from_iterable(pages))
        start = max(0, len(held) - self._capacity)
        if self._full_bytes + self._bytes > self._byte_capacity:
            start = max(start, self._first_within(held))
        return before + start, held[start:]

    def _first_within(self, held: list[Raw]) -> int:
        left, place = self._byte_capacity, len(held)
        while place and (left := left - weight(held[place - 1])) >= 0:
            place -= 1
        return min(place, len(held) - 1)

    def _turn(self) -> None:
        """Begin a new page, and throw away the old ones that nothing needs."""
        full, page = self._full, self._page
        full.append((self._bytes, page, self._before))
        self._before += len(page)
        self._full_bytes += self._bytes
        self._full_entries += len(page)
        self._page, self._bytes = [], 0
        while len(full) > 1:
            size, oldest, _ = full[0]
            entries = self._full_entries - len(oldest)
            # Without it there must still be enough for either bound.
            if entries < self._capacity and self._full_bytes - size < self._byte_capacity:
                return
            full.popleft()
            self._full_bytes -= size
            self._full_entries = entries


def weight(raw: Raw) -> int:
    """Return the weight of one entry, in bytes of its frame and characters of its words."""
    frame, noted, facts = raw[4], raw[6], raw[7]
    heavy = 0 if frame is None else len(frame)
    if noted is None:
        return heavy  # as most entries are: a frame that nothing was said about
    if facts is not None:
        heavy += len(facts.body) + len(facts.stderr)
    return heavy + sum(len(text) for text in noted if text is not None)
