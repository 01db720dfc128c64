"""Reads lists anew when they have changed, however often that is announced.

Takes:  a peer and which of its lists is stale
Gives:  a fresh list in the cache, and a call to whoever merges menus
Never:  reads one list twice at once, and never lets a peer that announces a change with
        every reading keep this client busy

Source: fault matrix C08; field case of a `list_changed` storm; design section 7.7.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from workbench.core.cause import cause
from workbench.core.journal.journal import Journal
from workbench.core.menu.offers import PROMPTS, RESOURCES, TEMPLATES, Sort
from workbench.core.recovery.restart import RecoveryPolicy, delay_s
from workbench.core.subscription import List
from workbench.core.wire.keys import TOOLS_LIST
from workbench.drivers.catalogue import Catalogue
from workbench.drivers.pool import Pool
from workbench.transports.base import Clock, Timer

QUIET_S: Final = 5.0
"""A change this long after the last reading, in seconds, begins a new count."""
FREE: Final = 2
"""Readings in a row that need no pause: a change that comes during a reading is usual."""
PAUSES: Final = RecoveryPolicy(first_delay_s=1.0, cap_s=30.0)
_SORTS: Final[dict[str, tuple[Sort, ...]]] = {
    "prompts": (PROMPTS,),
    "resources": (RESOURCES, TEMPLATES),
}


class _Turn:
    """The reading of one list."""

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.stale = False
        self.streak = 0
        self.done_at = float("-inf")
        self.timer: Timer | None = None


class Refresh:
    """Every list of one client that is being read anew.

    Args:
        pool: the peers.
        catalogue: reads what is not tools.
        clock: source of time.
        journal: where decisions go.
        draw: gives a random number from 0 to 1 for each pause.
    """

    def __init__(
        self,
        pool: Pool,
        catalogue: Catalogue,
        clock: Clock,
        journal: Journal,
        draw: Callable[[], float],
    ) -> None:
        self.on_tools: Callable[[str], object] | None = None
        """Called with the peer's name once its tools were read anew."""
        self._pool = pool
        self._catalogue = catalogue
        self._clock = clock
        self._journal = journal
        self._draw = draw
        self._turns: dict[tuple[str, List], _Turn] = {}

    def changed(self, peer: str, kind: List) -> None:
        """Drop what was read of a list and read it anew, now or after a pause; returns at once."""
        for method in _methods(kind):
            self._pool.cache.invalidate(peer, method)
        turn = self._turns.setdefault((peer, kind), _Turn())
        turn.stale = True
        if turn.task is None and turn.timer is None:
            self._start(peer, kind, turn)

    async def close(self) -> None:
        """Stop reading."""
        turns, self._turns = tuple(self._turns.values()), {}
        tasks = [turn.task for turn in turns if turn.task is not None]
        for turn in turns:
            turn.stale = False
            if turn.timer is not None:
                turn.timer.cancel()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _start(self, peer: str, kind: List, turn: _Turn) -> None:
        now = self._clock.now()
        turn.streak = turn.streak + 1 if now - turn.done_at < QUIET_S else 1
        pause_s = 0.0
        if turn.streak > FREE:
            pause_s = delay_s(turn.streak - FREE, self._draw(), PAUSES)
            what = f"read {kind} again in {pause_s:.1f} s: changed {turn.streak} times in a row"
            self._journal.decided(now, peer, "subscribe", what, rule="SUB-08")
        if pause_s > 0:
            # The pause itself is no quiet.
            turn.done_at = now + pause_s
            turn.timer = self._clock.call_at(now + pause_s, lambda: self._run(peer, kind, turn))
        else:
            self._run(peer, kind, turn)

    def _run(self, peer: str, kind: List, turn: _Turn) -> None:
        turn.timer = None
        if self._turns.get((peer, kind)) is not turn:
            return  # closed meanwhile
        turn.stale = False
        work = self._read(peer, kind)
        turn.task = asyncio.get_running_loop().create_task(work, name=f"refresh of {peer}")
        turn.task.add_done_callback(lambda done: self._done(peer, kind, turn, done))

    async def _read(self, peer: str, kind: List) -> None:
        if peer not in self._pool.ready:
            return
        if kind == "tools":
            await self._pool.list_one(peer)
            if self.on_tools is not None:
                self.on_tools(peer)
            return
        for sort in _SORTS[kind]:
            if self._catalogue.declares(peer, sort):
                await self._catalogue.list_one(peer, sort)

    def _done(self, peer: str, kind: List, turn: _Turn, done: asyncio.Task[None]) -> None:
        turn.task = None
        turn.done_at = self._clock.now()
        if done.cancelled():
            return
        problem = done.exception()
        if problem is not None:  # a fault of ours: it must not end silently
            what = f"reading {kind} anew failed: {cause(problem)}"
            self._journal.decided(turn.done_at, peer, "subscribe", what)
        if turn.stale and self._turns.get((peer, kind)) is turn:
            self._start(peer, kind, turn)


def _methods(kind: List) -> tuple[str, ...]:
    sorts = _SORTS.get(kind)
    return (TOOLS_LIST,) if sorts is None else tuple(sort.method for sort in sorts)
