"""Brings lost peers back: counts their starts, pauses between them, and says what comes next.

Takes:  the pool, and word of every peer that was lost or connected
Gives:  the peer ready again, listed and merged; or a reason why it is left alone
Never:  starts a peer more often than its budget allows, and never one that was not ready
        before: that is a startup's failure, for a person to see

What is remembered belongs to the peer's name and outlives its transports.

Source: design section 7.7; fault matrix C04; field case R01; seed skill, recovery.
"""

import asyncio
import math
from collections.abc import Callable

from workbench.core.cause import cause
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.journal import Journal
from workbench.core.restart import (
    History,
    RecoveryPolicy,
    Restart,
    Verdict,
    became_ready,
    decide,
    forgiven,
    started,
    went_away,
)
from workbench.core.text import visible
from workbench.drivers import log
from workbench.drivers.pool import Pool
from workbench.drivers.verdict import Status
from workbench.transports.base import Clock, Timer


class _Case:
    """What is known of one peer's starts, and what is planned."""

    def __init__(self) -> None:
        self.history = History()
        self.seen: object = None
        """The verdict that was counted last; one attempt may be reported by several."""
        self.was_ready = False
        self.plan: Restart | None = None
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
        case = self._case(name)
        now = self._clock.now()
        # What a person sees as hopeless a person may try again, within the budget.
        plan = decide(forgiven_failures(case.history), now, 0.0, self._rules, urgent=True)
        if plan.verdict is Verdict.NOW:
            return True
        self._note(name, plan)
        if case.timer is None:
            self._plan(name, case, plan)
        return False

    def connected(self, name: str) -> None:
        """Count an attempt that is over."""
        case, owner = self._case(name), self._pool.members[name].owner
        if owner.verdict is case.seen:
            return
        case.seen = owner.verdict
        now = self._clock.now()
        case.history = started(case.history, now, self._rules)
        if owner.status is Status.READY:
            # At once, before anybody can ask: what another lifetime said is old news.
            self._pool.forget(name)
            if case.history.failures:
                self._say(name, "the peer is back", "RECOV-01")
            self._forget(case)
            case.history = became_ready(case.history, now)
            case.was_ready = True
            if self.on_ready is not None:
                self.on_ready(name)
            return
        self._went_away(name, case)

    def lost(self, name: str) -> None:
        """Take note that a ready peer is gone, and plan its return."""
        case = self._case(name)
        case.seen = self._pool.members[name].owner.verdict
        if case.history.ready_at is None:  # it was gone before anybody heard that it was ready
            case.history = started(case.history, self._clock.now(), self._rules)
        if self.on_gone is not None:
            self.on_gone(name)
        self._went_away(name, case)

    def prospects(self, name: str) -> str:
        """Say what will be done about a peer that is away, as hint for a report; "" for nothing."""
        case = self._cases.get(name)
        if case is None or case.plan is None or self._policy is None:
            return ""
        by_hand = f"restart({visible(name)!r}) does it now."
        if case.plan.at is None:
            return f"It is left alone after {case.plan.why}. {by_hand}"
        # Whole seconds: jitter is no news for a reader.
        wait_s = max(1, math.ceil(case.plan.at - self._clock.now()))
        if case.timer is None and case.task is None:
            return f"It may be started again in {wait_s} s ({case.plan.why}). {by_hand}"
        return f"It is started again within {wait_s} s ({case.plan.why}). {by_hand}"

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
        case.history = forgiven(case.history)
        self._say(name, "restarted by hand", None)
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

    def _went_away(self, name: str, case: _Case) -> None:
        failure = self._pool.members[name].owner.verdict.failure
        kind = failure.kind if failure is not None else None
        now = self._clock.now()
        case.history = went_away(case.history, now, self._rules, kind)
        if self._policy is not None and case.was_ready:
            self._schedule(name, case)

    def _schedule(self, name: str, case: _Case) -> None:
        self._forget(case)
        plan = decide(case.history, self._clock.now(), self._draw(), self._rules)
        self._note(name, plan)
        self._plan(name, case, plan)

    def _plan(self, name: str, case: _Case, plan: Restart) -> None:
        case.plan = plan
        if plan.at is not None and case.was_ready:
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
            self._say(name, f"bringing it back failed: {cause(problem)}", None)

    async def _bring_back(self, name: str) -> None:
        await self._pool.connect_all([name])
        if name in self._pool.ready:
            await self._pool.list_one(name)
            if self.on_listed is not None:
                self.on_listed(name)

    def _forget(self, case: _Case) -> None:
        case.plan = None
        if case.timer is not None:
            case.timer.cancel()
            case.timer = None

    async def _stop(self, case: _Case) -> None:
        self._forget(case)
        task = case.task
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            await asyncio.wait([task])

    def _note(self, name: str, plan: Restart) -> None:
        now = self._clock.now()
        when = "" if plan.at is None or plan.at <= now else f" for {plan.at - now:.1f} s"
        what = f"{plan.verdict}{when}"
        self._journal.decided(now, name, "recover", what, rule=plan.rule, detail=plan.why)
        log.planned(name, what, plan.why, self._journal.redactor)
        failures = self._case(name).history.failures
        if failures == self._rules.notice_after:
            self._say(name, f"it has failed {failures} times in a row", "RECOV-02")

    def _say(self, name: str, what: str, rule: str | None) -> None:
        self._journal.decided(self._clock.now(), name, "recover", what, rule=rule)


def forgiven_failures(history: History) -> History:
    """Return the history with its starts, and without what they led to."""
    return History(starts=history.starts, ready_at=history.ready_at)
