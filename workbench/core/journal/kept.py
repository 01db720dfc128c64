"""The newest entries of a record, within a bound, at the price of an append.

Takes:  entries as tuples, each with its weight in bytes
Gives:  a number for each; those that are within the bounds, oldest first; how many are gone
Never:  holds more than the bounds and one page; never shows what is over them

Entries are written to a page, and old pages are thrown away as wholes: to look at each entry
that falls out would cost more than to write it, and the numbers of a page need no room, for
they follow from its first. What of the oldest page is over a bound is left out when somebody
reads. One thread writes; any thread may read at the same time.

Source: design section 7.9.
"""

from collections import deque
from typing import Final, NamedTuple, TypeAlias

from workbench.core.journal.entry import EntryKind, Raw
from workbench.core.journal.facts import Facts

PAGE: Final = 64
"""Entries of a page."""
_PARTS: Final = 64
"""A page is full, too, when it holds this part of the bytes that are kept."""


Unnumbered: TypeAlias = tuple[
    float,
    str,
    EntryKind,
    bytes | None,
    str | None,
    tuple[str, str, str | None, str | None, str] | None,
    Facts | None,
]
"""A `Raw` without its number: at, peer, kind, frame, method, noted, facts."""


class _Page(NamedTuple):
    entries: list[Unnumbered]
    bytes: int
    before: int
    """How many entries came before."""
    first: int
    """Number of the first entry."""


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
        self._open = _Page([], 0, 0, 1)
        """The page that is written; its bytes are counted beside it."""
        self._entries = self._open.entries
        self._bytes = 0
        self._page_bytes = byte_capacity // _PARTS
        self._full: deque[_Page] = deque()
        """The pages before it, oldest first."""
        self._full_bytes = self._full_entries = 0
        self._number = 0

    def add(self, entry: Unnumbered, weight: int) -> int:
        """Write one entry and return its number, one more than that of the last.

        Args:
            entry: without a number.
            weight: that of its frame and its words, in bytes.
        """
        entries = self._entries
        entries.append(entry)
        self._bytes = held = self._bytes + weight
        self._number = number = self._number + 1
        if held > self._page_bytes or len(entries) >= PAGE:
            self._turn()
        return number

    def load(self, raws: list[Raw], missing: int) -> None:
        """Begin with these entries and their own numbers, after so many that are missing."""
        self._number = missing
        self._begin(missing, missing + 1)
        for raw in raws:
            if raw[0] != self._number + 1:
                self._turn()
                self._number = raw[0] - 1
                self._begin(self._open.before, raw[0])
            self.add(raw[1:], weight(raw[1:]))

    def newest(self) -> list[Raw]:
        """Return what is within the bounds, oldest first."""
        return self._look()[1]

    @property
    def dropped(self) -> int:
        """How many older entries there were."""
        return self._look()[0]

    def _look(self) -> tuple[int, list[Raw]]:
        # In this order: a page that is full meanwhile is then found twice, and not missed.
        opened, pages = self._open, list(self._full.copy())
        if not any(page.entries is opened.entries for page in pages):
            pages.append(opened)
        held: list[Raw] = [
            (number, *entry)
            for page in pages
            for number, entry in enumerate(page.entries.copy(), page.first)
        ]
        start = max(0, len(held) - self._capacity)
        if self._full_bytes + self._bytes > self._byte_capacity:
            start = max(start, self._first_within(held))
        return pages[0].before + start, held[start:]

    def _first_within(self, held: list[Raw]) -> int:
        left, place = self._byte_capacity, len(held)
        while place and (left := left - weight(held[place - 1][1:])) >= 0:
            place -= 1
        return min(place, len(held) - 1)

    def _begin(self, before: int, first: int) -> None:
        self._open = _Page([], 0, before, first)
        self._entries, self._bytes = self._open.entries, 0

    def _turn(self) -> None:
        """Begin a new page, and throw away the old ones that nothing needs."""
        full, page = self._full, self._open
        count = len(page.entries)
        if not count:
            return
        full.append(page._replace(bytes=self._bytes))
        self._full_bytes += self._bytes
        self._full_entries += count
        self._begin(page.before + count, self._number + 1)
        while len(full) > 1:
            oldest = full[0]
            entries = self._full_entries - len(oldest.entries)
            # Without it there must still be enough for either bound.
            if entries < self._capacity and self._full_bytes - oldest.bytes < self._byte_capacity:
                return
            full.popleft()
            self._full_bytes -= oldest.bytes
            self._full_entries = entries


def weight(entry: Unnumbered) -> int:
    """Return the weight of one entry, in bytes of its frame and characters of its words."""
    frame, noted, facts = entry[3], entry[5], entry[6]
    heavy = 0 if frame is None else len(frame)
    if noted is None:
        return heavy  # as most entries are: a frame that nothing was said about
    if facts is not None:
        heavy += len(facts.body) + len(facts.stderr)
    return heavy + sum(len(text) for text in noted if text is not None)
