"""The way down for a process group: ask, insist, force; each step bounded.

::

    its input ends ──eof_s──▶ SIGTERM ──term_s──▶ SIGKILL ──kill_s──▶ given up
          └────────────────── nobody left in the group ──▶ done ◀──────┘

Takes:  a group, three graces, and the news that its leader has exited
Gives:  one call when nobody is left, or when nothing more can be done
Never:  blocks the loop, signals a group that is gone, or needs a task: once begun it goes
        on by itself, even when whoever began it is cancelled

Spec: 2026-07-28 basic/transports/stdio, "Shutdown". Case: a server that ignores the end of
its input and SIGTERM; a launcher that dies before its server.
"""

import asyncio
import signal
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from workbench.transports.groups import (
    KILL,
    let_go,
    living_members,
    send_signal,
)

POLL_S: Final = 0.01
"""How often an orphaned group is looked at; only a leader's exit is announced."""
ORPHAN_GRACE_S: Final = 0.1
"""How long the rest of a group may live on after its leader before it is asked to end."""


class Graces(Struct, frozen=True):
    """How long each step waits before the next, in seconds."""

    eof_s: float = 2.0
    term_s: float = 1.0
    kill_s: float = 1.0


class Ladder:
    """One run down the steps.

    Args:
        loop: the loop whose timers are used; real time, since processes die in real time.
        group: id of the group, equal to the process id of its leader.
        graces: how long each step waits.
        end_input: closes the leader's input; called first, once.
        done: called once at the end, with True when nobody is left.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        group: int,
        graces: Graces,
        end_input: Callable[[], None],
        done: Callable[[bool], None],
    ) -> None:
        self._loop = loop
        self._group = group
        self._eof_s = graces.eof_s
        self._steps = [(signal.SIGTERM, graces.term_s), (KILL, graces.kill_s)]
        self._end_input = end_input
        self._done = done
        self._begun = self._over = self._leaderless = self._signalled = False
        self._members: frozenset[str] = frozenset()
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Start the way down; later calls change nothing."""
        if self._begun:
            return
        self._begun = True
        self._end_input()
        self._wait(ORPHAN_GRACE_S if self._leaderless else self._eof_s)
        if self._leaderless:
            self._look()

    def leader_exited(self) -> None:
        """Take the news that the leader exited and was buried."""
        self._leaderless = True
        if not self._begun or self._over:
            return
        left_s = self._deadline - self._loop.time()
        self._wait(left_s if self._signalled else min(ORPHAN_GRACE_S, left_s))
        self._look()

    def _wait(self, seconds: float) -> None:
        self._deadline = self._loop.time() + max(seconds, 0.0)
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        soon = self._loop.time() + POLL_S if self._leaderless else self._deadline
        self._timer = self._loop.call_at(min(soon, self._deadline), self._turn)

    def _turn(self) -> None:
        if self._look():
            return
        if self._loop.time() < self._deadline:
            self._set_timer()
        elif self._steps:
            number, grace_s = self._steps.pop(0)
            self._signalled = True
            send_signal(self._group, number)
            self._wait(grace_s)
        else:
            self._finish(False)

    def _look(self) -> bool:
        """End the run if nobody is left."""
        if not self._leaderless:
            return False
        self._members = living_members(self._group, self._members)
        if self._members:
            return False
        self._finish(True)
        return True

    def _finish(self, gone: bool) -> None:
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
        if gone:
            let_go(self._group)
        self._done(gone)
