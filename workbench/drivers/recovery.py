"""Brings lost peers back: counts their starts, pauses between them, and says what comes next.

Takes:  the pool, and word of every peer that was lost or connected
Gives:  the peer ready again, listed and merged; or a reason why it is left alone
Never:  decides: `workbench.core.recovery.comeback` does, for this driver and for the stepper alike

What is remembered belongs to the peer's name and outlives its transports.

Source: design section 7.7; fault matrix C04; field case R01; seed skill, recovery.
"""

import asyncio
import math
from collections.abc import Callable

from msgspec.structs import replace

from workbench.core.cause import cause
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.recovery.comeback import (
    Said,
    Standing,
    Turn,
    by_hand,
    came_up,
    in_words,
    stayed_down,
    wanted_now,
    went_down,
)
from workbench.core.recovery.restart import RecoveryPolicy, Restart, Verdict
from workbench.core.text.visible import visible
from workbench.drivers import log
from workbench.drivers.pool import Pool
from workbench.drivers.verdict import Status
from workbench.transports.base import Clock, Timer


class _Case:
    """Where one peer stands, and what is under way for it."""

    def __init__(self) -> None:
        self.standing = Standing()
        self.seen: object = None
        """The verdict that was counted last; one attempt may be reported by several."""
        self.timer: Timer | None = None
        self.task: asyncio.Task[None] | None = None


class Recovery:
    """The starts of every peer of one client (`workbench.drivers.pool.Warden`).

    Args:
        pool: the peers.
        clock: source of time.
        journal: where each decision goes.
        policy: how eager; None only counts, restarts nothing and forbids nothing.
        draw: gives a random number from 0 to 1 for each pause.
    """

    def __init__(
        self,
        pool: Pool,
        clock: Clock,
        journal: Journal,
        policy: RecoveryPolicy | None,
        draw: Callable[[], float],
    ) -> None:
        self.on_ready: Callable[[str], object] | None = None
        """Called with the name of each peer that was connected, at once."""
        self.on_gone: Callable[[str], object] | None = None
        """Called with the name of each peer that was lost, or is being closed to restart."""
        self.on_listed: Callable[[str], object] | None = None
        """Called with the name of a peer that was brought back and listed."""
        self._pool = pool
        self._clock = clock
        self._journal = journal
        self._policy = policy
        self._rules = policy or RecoveryPolicy()
        self._draw = draw
        self._cases: dict[str, _Case] = {}

    # -- what the pool and the owners tell ---------------------------------------------

    def may_start(self, name: str) -> bool:
        """Say whether the budget allows a start now, whoever wants it."""
        if self._policy is None:
            return True
        case, now = self._case(name), self._clock.now()
        standing, wanted = wanted_now(case.standing, now, self._rules)
        if wanted.verdict is Verdict.NOW:
            return True
        self._say(name, in_words(wanted, now))
        log.planned(name, in_words(wanted, now).what, wanted.why, self._journal.redactor)
        if case.timer is None:
            case.standing = standing
            self._set_timer(name, case, wanted)
        return False

    def connected(self, name: str) -> None:
        """Count an attempt that is over."""
        case, owner = self._case(name), self._pool.members[name].owner
        if owner.verdict is case.seen:
            return
        case.seen = owner.verdict
        now = self._clock.now()
        if owner.status is not Status.READY:
            before, chance, kind = self._before_absence(name, case)
            self._take(name, case, stayed_down(before, now, chance, self._rules, kind))
            return
        # At once, before anybody can ask: what another lifetime said is old news.
        self._pool.forget(name)
        self._take(name, case, came_up(case.standing, now, self._rules))
        if self.on_ready is not None:
            self.on_ready(name)

    def lost(self, name: str) -> None:
        """Take note that a ready peer is gone, and plan its return."""
        case = self._case(name)
        case.seen = self._pool.members[name].owner.verdict
        if self.on_gone is not None:
            self.on_gone(name)
        before, chance, kind = self._before_absence(name, case)
        self._take(name, case, went_down(before, self._clock.now(), chance, self._rules, kind))

    def prospects(self, name: str) -> str:
        """Say what will be done about a peer that is away, as hint for a report; "" for nothing."""
        case = self._cases.get(name)
        plan = None if case is None else case.standing.plan
        if case is None or plan is None or self._policy is None:
            return ""
        now_then = f"restart({visible(name)!r}) does it now."
        if plan.at is None:
            return f"It is left alone after {plan.why}. {now_then}"
        # Whole seconds: jitter is no news for a reader.
        wait_s = max(1, math.ceil(plan.at - self._clock.now()))
        if case.timer is None and case.task is None:
            return f"It may be started again in {wait_s} s ({plan.why}). {now_then}"
        return f"It is started again within {wait_s} s ({plan.why}). {now_then}"

    # -- the verbs ---------------------------------------------------------------------

    async def restart(self, name: str) -> None:
        """Start a peer afresh now, whatever its budget; a ready one is closed first.

        Raises:
            MisuseError: if no peer has this name.
        """
        member = self._pool.members.get(name)
        if member is None:
            known = ", ".join(visible(one) for one in self._pool.members)
            detail = f"no peer is called “{visible(name, 60)}”"
            hint = f"Known: {known}."
            failure = Failure(kind=Kind.MISUSE, stage="recover", detail=detail, hint=hint)
            raise MisuseError(failure)
        case = self._case(name)
        await self._stop(case)
        self._take(name, case, by_hand(case.standing))
        if self.on_gone is not None:
            self.on_gone(name)
        await member.owner.close()
        await self._bring_back(name)

    async def bring_back(self, name: str) -> None:
        """Connect and list a peer now, within its budget, because a call waits for it.

        Several that wait share one attempt, and it goes on when one of them is cancelled.
        """
        case = self._case(name)
        task = case.task
        if task is None:
            self._forget(case)
            task = self._start(name, case)
        await asyncio.wait([task])

    async def close(self) -> None:
        """Plan nothing any more; what is being started is left to the pool's own end."""
        for case in self._cases.values():
            await self._stop(case)

    # -- inside ------------------------------------------------------------------------

    def _case(self, name: str) -> _Case:
        return self._cases.setdefault(name, _Case())

    def _before_absence(self, name: str, case: _Case) -> tuple[Standing, float, Kind | None]:
        """Return where a peer stood, a random number for its pause, and why it is away."""
        failure = self._pool.members[name].owner.verdict.failure
        kind = None if failure is None else failure.kind
        if self._policy is None:  # nobody brings it back, as if it had never been ready
            return replace(case.standing, was_ready=False), 0.0, kind
        # Chance is drawn only where there is a pause to spread.
        return case.standing, self._draw() if case.standing.was_ready else 0.0, kind

    def _take(self, name: str, case: _Case, turn: Turn) -> None:
        """Stand where a turn leads, say what it says, and wake at its plan."""
        self._forget(case)
        case.standing, said = turn
        for one in said:
            self._say(name, one)
        plan = case.standing.plan
        if plan is not None:
            words = in_words(plan, self._clock.now())
            log.planned(name, words.what, plan.why, self._journal.redactor)
            self._set_timer(name, case, plan)

    def _set_timer(self, name: str, case: _Case, plan: Restart) -> None:
        if plan.at is not None and case.standing.was_ready:
            case.timer = self._clock.call_at(plan.at, lambda: self._wake(name, case))

    def _wake(self, name: str, case: _Case) -> None:
        case.timer = None
        if self._pool.members[name].owner.status is not Status.UNAVAILABLE:
            return  # somebody else has brought it back, or closed it
        self._start(name, case)

    def _start(self, name: str, case: _Case) -> asyncio.Task[None]:
        loop = asyncio.get_running_loop()
        case.task = loop.create_task(self._bring_back(name), name=f"recovery of {name}")
        case.task.add_done_callback(lambda done: self._woken(name, case, done))
        return case.task

    def _woken(self, name: str, case: _Case, done: asyncio.Task[None]) -> None:
        if case.task is done:
            case.task = None
        problem = None if done.cancelled() else done.exception()
        if problem is not None:  # a fault of ours: it must not end silently
            self._say(name, Said(f"bringing it back failed: {cause(problem)}", None))

    async def _bring_back(self, name: str) -> None:
        await self._pool.connect_all([name])
        if name in self._pool.ready:
            await self._pool.list_one(name)
            if self.on_listed is not None:
                self.on_listed(name)

    def _forget(self, case: _Case) -> None:
        if case.standing.plan is not None:
            case.standing = replace(case.standing, plan=None)
        if case.timer is not None:
            case.timer.cancel()
            case.timer = None

    async def _stop(self, case: _Case) -> None:
        self._forget(case)
        task = case.task
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            await asyncio.wait([task])

    def _say(self, name: str, said: Said) -> None:
        now = self._clock.now()
        self._journal.decided(now, name, "recover", said.what, rule=said.rule, detail=said.detail)
